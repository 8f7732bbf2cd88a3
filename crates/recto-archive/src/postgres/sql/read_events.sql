-- Events of a log from $2 on, at most $3, of $4 bytes together unless the first alone has more.
SELECT number, bytes, sha256_64, coding, body FROM recto.events
WHERE log = $1 AND number >= $2 AND number <= (
    SELECT max(number) FROM (
        SELECT number, bytes, sum(bytes) OVER (ORDER BY number) AS total FROM (
            SELECT number, bytes FROM recto.events WHERE log = $1 AND number >= $2 ORDER BY number LIMIT $3
        ) AS following
    ) AS sizes
    WHERE total <= $4::bigint OR total = bytes
)
ORDER BY number
