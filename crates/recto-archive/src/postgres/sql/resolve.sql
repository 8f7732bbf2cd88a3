SELECT name.digits, name.original, name.policy, name.map, holding.gone
FROM recto.refs AS name LEFT JOIN recto.holdings AS holding
    ON holding.scope = name.scope AND holding.sha256 = name.original
WHERE name.scope = $1 AND name.digits = $2
