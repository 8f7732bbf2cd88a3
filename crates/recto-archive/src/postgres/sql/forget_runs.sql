DELETE FROM recto.runs WHERE sha256 IS NOT NULL AND ended_unix_ms < $1
