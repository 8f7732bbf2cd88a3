SELECT id, events, gone, fence, until_unix_ms, recto.now_unix_ms() FROM recto.logs WHERE scope = $1 AND name = $2
