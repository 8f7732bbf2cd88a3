-- Marks objects that no digest names, and those that a killed put left ($1: not written to since then).
UPDATE recto.objects AS object SET state = 2
WHERE state = 1 AND NOT EXISTS (SELECT FROM recto.contents WHERE object = object.id)
    OR state = 0 AND updated_unix_ms < $1 AND NOT EXISTS (SELECT FROM recto.runs WHERE object = object.id)
