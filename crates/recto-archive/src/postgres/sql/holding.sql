SELECT holding.kind, holding.put_unix_ms, holding.used_unix_ms, holding.gone, content.object, content.bytes
FROM recto.holdings AS holding LEFT JOIN recto.contents AS content ON content.sha256 = holding.sha256
WHERE holding.scope = $1 AND holding.sha256 = $2
