-- Makes an open run's object an original; $4 is the object. Gives how many runs were finished, and the object that had the
-- bytes before.
WITH run AS (
    UPDATE recto.runs SET object = NULL, sha256 = $2, ended_unix_ms = $3 WHERE id = $1 AND object = $4
    RETURNING scope
), object AS (
    UPDATE recto.objects SET state = 1, updated_unix_ms = $3 FROM run WHERE id = $4 AND state = 0
    RETURNING id, bytes, stored_bytes, run.scope
), content AS (
    INSERT INTO recto.contents (sha256, object, bytes, stored_bytes)
    SELECT $2, object.id, object.bytes, object.stored_bytes FROM object
    ON CONFLICT (sha256) DO UPDATE
    SET object = excluded.object, bytes = excluded.bytes, stored_bytes = excluded.stored_bytes
), held AS (
    INSERT INTO recto.holdings AS holding (scope, sha256, kind, bytes, put_unix_ms, used_unix_ms)
    SELECT object.scope, $2, 0, object.bytes, $3, $3 FROM object
    ON CONFLICT (scope, sha256) DO UPDATE
    SET kind = least(holding.kind, excluded.kind), put_unix_ms = excluded.put_unix_ms,
        used_unix_ms = excluded.used_unix_ms, gone = NULL
)
SELECT (SELECT count(*) FROM object), (SELECT object FROM recto.contents WHERE sha256 = $2)
