SELECT count(*), coalesce(sum(events), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM recto.logs
WHERE gone IS NULL AND events > 0
