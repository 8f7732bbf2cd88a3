SELECT id, name FROM recto.logs WHERE id > $1 AND gone IS NULL AND events > 0 ORDER BY id LIMIT 1
