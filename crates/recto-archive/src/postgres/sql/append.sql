-- Appends to a log that is there, if it ends at $4 and the fence ($3) admits it; gives one row if so.
WITH log AS (
    UPDATE recto.logs
    SET events = logs.events + cardinality($6::bigint[]), bytes = logs.bytes + $5, last_unix_ms = recto.now_unix_ms(),
        first_unix_ms = CASE WHEN events = 0 THEN recto.now_unix_ms() ELSE first_unix_ms END
    WHERE scope = $1 AND name = $2 AND gone IS NULL AND events = $4::bigint
        AND CASE WHEN $3::bigint IS NULL THEN until_unix_ms <= recto.now_unix_ms() ELSE fence = $3 AND fence > 0 END
    RETURNING id
), appended AS (
    INSERT INTO recto.events (log, number, bytes, sha256_64, coding, body)
    SELECT log.id, $4 + event.place - 1, event.bytes, event.sum, event.coding, event.body
    FROM log, unnest($6::bigint[], $7::bigint[], $8::smallint[], $9::bytea[]) WITH ORDINALITY
        AS event (bytes, sum, coding, body, place)
)
SELECT id FROM log
