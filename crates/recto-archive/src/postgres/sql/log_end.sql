SELECT events, bytes, gone IS NOT NULL FROM recto.logs WHERE id = $1
