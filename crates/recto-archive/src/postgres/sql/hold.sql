-- Notes that a scope holds bytes, if they are still there.
INSERT INTO recto.holdings AS holding (scope, sha256, kind, bytes, put_unix_ms, used_unix_ms)
SELECT $1, $2, $3, $4, $5, $5 WHERE EXISTS (SELECT FROM recto.contents WHERE sha256 = $2)
ON CONFLICT (scope, sha256) DO UPDATE
SET kind = least(holding.kind, excluded.kind), put_unix_ms = excluded.put_unix_ms,
    used_unix_ms = excluded.used_unix_ms, gone = NULL
