SELECT holding.scope, holding.sha256, holding.kind, holding.put_unix_ms, holding.used_unix_ms, holding.bytes,
    coalesce(content.stored_bytes, 0), kept.sha256 IS NOT NULL
FROM recto.holdings AS holding
LEFT JOIN recto.contents AS content ON content.sha256 = holding.sha256
LEFT JOIN (
    SELECT DISTINCT log.scope, keep.sha256 FROM recto.log_keeps AS keep JOIN recto.logs AS log ON log.id = keep.log
) AS kept ON kept.scope = holding.scope AND kept.sha256 = holding.sha256
WHERE holding.gone IS NULL
