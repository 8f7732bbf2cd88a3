-- Deletes an object whose bytes another one has now.
WITH object AS (
    DELETE FROM recto.objects
    WHERE id = $1 AND state = 1 AND stored_bytes <= $2 AND NOT EXISTS (SELECT FROM recto.contents WHERE object = $1)
    RETURNING id
)
DELETE FROM recto.chunks USING object WHERE chunks.object = object.id
