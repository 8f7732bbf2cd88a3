-- Writes chunks over those that begin at the same places, if the object is still being written.
WITH object AS (
    UPDATE recto.objects SET bytes = $2, stored_bytes = $3, updated_unix_ms = $4
    WHERE id = $1 AND state = 0
    RETURNING id
), pieces AS (
    INSERT INTO recto.chunks (object, start, length, frame)
    SELECT object.id, piece.start, piece.length, piece.frame
    FROM object, unnest($5::bigint[], $6::integer[], $7::bytea[]) AS piece (start, length, frame)
    ON CONFLICT (object, start) DO UPDATE SET length = excluded.length, frame = excluded.frame
)
SELECT count(*) FROM object
