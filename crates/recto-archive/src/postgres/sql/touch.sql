-- Notes a use, if that needs no waiting for another who changes the row.
UPDATE recto.holdings SET used_unix_ms = $3
WHERE scope = $1 AND sha256 IN (
    SELECT sha256 FROM recto.holdings WHERE scope = $1 AND sha256 = $2 AND used_unix_ms < $4
    FOR NO KEY UPDATE SKIP LOCKED
)
