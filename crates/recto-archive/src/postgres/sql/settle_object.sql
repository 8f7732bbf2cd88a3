-- Makes a written object the one that has a digest's bytes, and gives the one that had them before.
WITH object AS (
    UPDATE recto.objects SET state = 1, updated_unix_ms = $5 WHERE id = $4 AND state = 0
    RETURNING id, bytes, stored_bytes
), content AS (
    INSERT INTO recto.contents (sha256, object, bytes, stored_bytes)
    SELECT $2, object.id, object.bytes, object.stored_bytes FROM object
    ON CONFLICT (sha256) DO UPDATE
    SET object = excluded.object, bytes = excluded.bytes, stored_bytes = excluded.stored_bytes
), held AS (
    INSERT INTO recto.holdings AS holding (scope, sha256, kind, bytes, put_unix_ms, used_unix_ms)
    SELECT $1, $2, $3, object.bytes, $5, $5 FROM object
    ON CONFLICT (scope, sha256) DO UPDATE
    SET kind = least(holding.kind, excluded.kind), put_unix_ms = excluded.put_unix_ms,
        used_unix_ms = excluded.used_unix_ms, gone = NULL
)
SELECT (SELECT count(*) FROM object), (SELECT object FROM recto.contents WHERE sha256 = $2),
    EXISTS (SELECT FROM recto.contents WHERE sha256 = $2 AND object = $4)
