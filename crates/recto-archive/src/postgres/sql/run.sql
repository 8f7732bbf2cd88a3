SELECT run.object, object.bytes, run.sha256, run.gone, run.lock
FROM recto.runs AS run LEFT JOIN recto.objects AS object ON object.id = run.object
WHERE run.id = $1 AND run.scope = $2
