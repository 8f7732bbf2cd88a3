INSERT INTO recto.objects (state, bytes, stored_bytes, updated_unix_ms) VALUES (0, 0, 0, $1) RETURNING id
