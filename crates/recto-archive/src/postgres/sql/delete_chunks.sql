-- Deletes some chunks of what is dead.
DELETE FROM recto.chunks USING (
    SELECT chunk.object, chunk.start FROM recto.objects AS object JOIN recto.chunks AS chunk ON chunk.object = object.id
    WHERE object.state = 2 LIMIT $1
) AS dead
WHERE chunks.object = dead.object AND chunks.start = dead.start
