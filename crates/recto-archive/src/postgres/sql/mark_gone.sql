-- Marks what was chosen, except what was put or used since.
UPDATE recto.holdings AS holding SET gone = chosen.why
FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bigint[], $5::text[])
    AS chosen (scope, sha256, put_unix_ms, used_unix_ms, why)
WHERE holding.scope = chosen.scope AND holding.sha256 = chosen.sha256 AND holding.gone IS NULL
    AND holding.put_unix_ms = chosen.put_unix_ms AND holding.used_unix_ms = chosen.used_unix_ms
RETURNING holding.scope, holding.sha256
