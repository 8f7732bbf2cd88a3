SELECT name.digits, name.original, name.policy, name.map, name.reserved, holding.used_unix_ms
FROM recto.refs AS name LEFT JOIN recto.holdings AS holding
    ON holding.scope = name.scope AND holding.sha256 = name.original AND holding.gone IS NULL
WHERE name.scope = $1 AND name.digits = ANY ($2)
