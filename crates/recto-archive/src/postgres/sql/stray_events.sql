SELECT count(*) FROM recto.events AS event WHERE NOT EXISTS (SELECT FROM recto.logs WHERE id = event.log)
