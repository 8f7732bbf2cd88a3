-- Keeps originals for a log that another statement of this transaction has appended to.
WITH needed AS (
    SELECT sha256 FROM recto.holdings WHERE scope = $2 AND sha256 = ANY ($3) AND gone IS NULL FOR SHARE
)
INSERT INTO recto.log_keeps (log, sha256) SELECT $1, sha256 FROM needed ON CONFLICT DO NOTHING
