SELECT DISTINCT sha256 FROM recto.holdings AS holding
WHERE gone IS NULL AND NOT EXISTS (SELECT FROM recto.contents WHERE sha256 = holding.sha256)
