DELETE FROM recto.objects
WHERE state = 2 AND NOT EXISTS (SELECT FROM recto.chunks WHERE chunks.object = objects.id)
