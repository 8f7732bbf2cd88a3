-- Writes down a change of a name's newest lease, if it is still what it was ($3, $4).
INSERT INTO recto.logs AS log (scope, name, fence, until_unix_ms)
SELECT $1, $2, $5, $6
ON CONFLICT (scope, name) DO UPDATE SET fence = excluded.fence, until_unix_ms = excluded.until_unix_ms
WHERE log.fence = $3 AND log.until_unix_ms = $4
