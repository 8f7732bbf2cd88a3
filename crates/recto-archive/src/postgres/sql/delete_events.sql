-- Deletes some events of logs that were removed.
DELETE FROM recto.events USING (
    SELECT event.log, event.number FROM recto.logs AS log JOIN recto.events AS event ON event.log = log.id
    WHERE log.gone IS NOT NULL LIMIT $1
) AS dead
WHERE events.log = dead.log AND events.number = dead.number
