SELECT count(*) FROM recto.runs AS run
WHERE run.object IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_locks AS held
    WHERE held.locktype = 'advisory' AND held.objsubid = 1 AND held.granted
        AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (held.classid::bigint << 32) | held.objid::bigint = run.lock
)
