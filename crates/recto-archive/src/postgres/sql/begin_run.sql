WITH object AS (
    INSERT INTO recto.objects (state, bytes, stored_bytes, updated_unix_ms) VALUES (0, 0, 0, $5) RETURNING id
)
INSERT INTO recto.runs (id, lock, scope, label, started_unix_ms, object)
SELECT $1, $2, $3, $4, $5, object.id FROM object
RETURNING object
