-- Binds a name that is free, if the scope holds all that is needed. Sharing the rows' locks keeps retention off.
WITH needed AS (
    SELECT sha256 FROM recto.holdings WHERE scope = $1 AND sha256 = ANY ($8) AND gone IS NULL FOR SHARE
), bound AS (
    INSERT INTO recto.refs (scope, digits, original, policy, map, reserved, issued_unix_ms)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM needed) = cardinality($8::bytea[])
    ON CONFLICT (scope, digits) DO NOTHING
    RETURNING original
), used AS (
    UPDATE recto.holdings AS holding SET used_unix_ms = $7 FROM bound
    WHERE holding.scope = $1 AND holding.sha256 = bound.original AND holding.used_unix_ms < $9
)
SELECT count(*) FROM bound
