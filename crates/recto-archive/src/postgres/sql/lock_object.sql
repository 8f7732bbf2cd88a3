-- Keeps a writer off that has lost its lock with its connection.
SELECT bytes FROM recto.objects WHERE id = $1 AND state = 0 FOR UPDATE
