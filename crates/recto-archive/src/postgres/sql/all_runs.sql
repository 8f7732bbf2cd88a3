-- Every open run, with what it takes and whether somebody holds its lock.
SELECT run.id, object.stored_bytes, object.updated_unix_ms, EXISTS (
    SELECT FROM pg_locks AS held
    WHERE held.locktype = 'advisory' AND held.objsubid = 1 AND held.granted
        AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (held.classid::bigint << 32) | held.objid::bigint = run.lock
)
FROM recto.runs AS run JOIN recto.objects AS object ON object.id = run.object
ORDER BY run.id
