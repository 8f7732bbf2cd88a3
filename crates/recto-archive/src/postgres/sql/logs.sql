SELECT name, events, bytes, first_unix_ms, last_unix_ms FROM recto.logs
WHERE scope = $1 AND name > $2 AND gone IS NULL AND events > 0
ORDER BY name LIMIT $3
