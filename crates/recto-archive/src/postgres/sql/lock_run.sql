-- Other adopters wait here for each other.
SELECT id FROM recto.runs WHERE id = $1 AND object IS NOT NULL FOR UPDATE
