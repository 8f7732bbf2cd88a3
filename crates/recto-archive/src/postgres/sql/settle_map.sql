-- Gives a reserved name the map that will stand.
WITH needed AS (
    SELECT sha256 FROM recto.holdings WHERE scope = $1 AND sha256 = ANY ($4) AND gone IS NULL FOR SHARE
)
UPDATE recto.refs SET map = $3, reserved = false
WHERE scope = $1 AND digits = $2 AND reserved AND (SELECT count(*) FROM needed) = cardinality($4::bytea[])
