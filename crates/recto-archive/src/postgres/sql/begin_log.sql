-- Appends to a log that was not begun yet, for one who holds no lease; gives one row if it was not, and no lease lives.
WITH log AS (
    INSERT INTO recto.logs AS log (scope, name, events, bytes, first_unix_ms, last_unix_ms)
    VALUES ($1, $2, cardinality($4::bigint[]), $3, recto.now_unix_ms(), recto.now_unix_ms())
    ON CONFLICT (scope, name) DO UPDATE
    SET events = excluded.events, bytes = excluded.bytes, first_unix_ms = excluded.first_unix_ms,
        last_unix_ms = excluded.last_unix_ms
    WHERE log.events = 0 AND log.gone IS NULL AND log.until_unix_ms <= recto.now_unix_ms()
    RETURNING id
), appended AS (
    INSERT INTO recto.events (log, number, bytes, sha256_64, coding, body)
    SELECT log.id, event.place - 1, event.bytes, event.sum, event.coding, event.body
    FROM log, unnest($4::bigint[], $5::bigint[], $6::smallint[], $7::bytea[]) WITH ORDINALITY
        AS event (bytes, sum, coding, body, place)
)
SELECT id FROM log
