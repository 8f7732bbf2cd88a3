-- ":" follows "9", so this is the range of what begins with these digits.
SELECT digits FROM recto.refs WHERE scope = $1 AND digits >= $2 AND digits < $2 || ':' ORDER BY digits LIMIT $3
