SELECT sha256, kind, bytes, put_unix_ms, used_unix_ms FROM recto.holdings
WHERE gone IS NULL AND scope = $1 AND sha256 = $2
