SELECT start, length, frame FROM recto.chunks
WHERE object = $1 AND start > $2::bigint - 1048576 AND start + length > $2 AND start < $3
ORDER BY start LIMIT $4
