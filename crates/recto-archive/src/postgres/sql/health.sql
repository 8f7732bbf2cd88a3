SELECT coalesce(sum(stored_bytes), 0)::bigint, current_setting('fsync')
FROM recto.objects AS object
WHERE state = 2 OR state = 1 AND NOT EXISTS (SELECT FROM recto.contents WHERE object = object.id)
