WITH log AS (
    UPDATE recto.logs SET gone = $3, bytes = 0 WHERE scope = $1 AND name = $2 AND gone IS NULL AND events > 0
    RETURNING id
), let_go AS (
    DELETE FROM recto.log_keeps USING log WHERE log_keeps.log = log.id
)
SELECT id FROM log
