SELECT object, bytes FROM recto.contents WHERE sha256 = $1
