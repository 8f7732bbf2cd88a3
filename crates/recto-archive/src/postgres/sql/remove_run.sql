WITH run AS (
    SELECT id, object FROM recto.runs WHERE id = $1 AND object IS NOT NULL
), object AS (
    UPDATE recto.objects SET state = 2 FROM run WHERE objects.id = run.object AND state = 0
)
UPDATE recto.runs SET object = NULL, gone = $2, ended_unix_ms = $3 FROM run WHERE runs.id = run.id
