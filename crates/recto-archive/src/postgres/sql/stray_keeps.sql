SELECT log.name, keep.sha256 FROM recto.logs AS log JOIN recto.log_keeps AS keep ON keep.log = log.id
WHERE log.gone IS NULL AND NOT EXISTS (
    SELECT FROM recto.holdings AS holding
    WHERE holding.scope = log.scope AND holding.sha256 = keep.sha256 AND holding.gone IS NULL
)
ORDER BY log.name, keep.sha256
