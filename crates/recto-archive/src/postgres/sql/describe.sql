SELECT count(*), coalesce(sum(bytes), 0)::bigint, coalesce(sum(stored_bytes), 0)::bigint,
    current_setting('server_version'),
    (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relnamespace = 'recto'::regnamespace AND relkind = 'r')::bigint
FROM recto.contents
