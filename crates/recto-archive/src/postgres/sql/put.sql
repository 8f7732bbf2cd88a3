-- Stores bytes that fit into one statement, and gives the object that had them before.
WITH object AS (
    INSERT INTO recto.objects (state, bytes, stored_bytes, updated_unix_ms)
    VALUES (1, $4, $5, $6)
    RETURNING id
), pieces AS (
    INSERT INTO recto.chunks (object, start, length, frame)
    SELECT object.id, piece.start, piece.length, piece.frame
    FROM object, unnest($7::bigint[], $8::integer[], $9::bytea[]) AS piece (start, length, frame)
), content AS (
    INSERT INTO recto.contents (sha256, object, bytes, stored_bytes)
    SELECT $2, object.id, $4, $5 FROM object
    ON CONFLICT (sha256) DO UPDATE
    SET object = excluded.object, bytes = excluded.bytes, stored_bytes = excluded.stored_bytes
), held AS (
    INSERT INTO recto.holdings AS holding (scope, sha256, kind, bytes, put_unix_ms, used_unix_ms)
    VALUES ($1, $2, $3, $4, $6, $6)
    ON CONFLICT (scope, sha256) DO UPDATE
    SET kind = least(holding.kind, excluded.kind), put_unix_ms = excluded.put_unix_ms,
        used_unix_ms = excluded.used_unix_ms, gone = NULL
)
SELECT object FROM recto.contents WHERE sha256 = $2
