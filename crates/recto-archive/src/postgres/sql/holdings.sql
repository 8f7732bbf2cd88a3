SELECT holding.scope, holding.sha256, holding.kind, holding.put_unix_ms, holding.used_unix_ms, holding.bytes,
    coalesce(content.stored_bytes, 0)
FROM recto.holdings AS holding LEFT JOIN recto.contents AS content ON content.sha256 = holding.sha256
WHERE holding.gone IS NULL
