SELECT run.id, run.label, run.started_unix_ms, object.bytes, EXISTS (
    SELECT FROM pg_locks AS held
    WHERE held.locktype = 'advisory' AND held.objsubid = 1 AND held.granted
        AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (held.classid::bigint << 32) | held.objid::bigint = run.lock
)
FROM recto.runs AS run JOIN recto.objects AS object ON object.id = run.object
WHERE run.scope = $1
ORDER BY run.started_unix_ms, run.id
