-- Marks what was chosen, except what was put, used or kept since.
UPDATE recto.holdings AS holding SET gone = chosen.why
FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bigint[], $5::text[])
    AS chosen (scope, sha256, put_unix_ms, used_unix_ms, why)
WHERE holding.scope = chosen.scope AND holding.sha256 = chosen.sha256 AND holding.gone IS NULL
    AND holding.put_unix_ms = chosen.put_unix_ms AND holding.used_unix_ms = chosen.used_unix_ms
    AND NOT EXISTS (
        SELECT FROM recto.log_keeps AS keep JOIN recto.logs AS log ON log.id = keep.log
        WHERE keep.sha256 = holding.sha256 AND log.scope = holding.scope
    )
RETURNING holding.scope, holding.sha256
