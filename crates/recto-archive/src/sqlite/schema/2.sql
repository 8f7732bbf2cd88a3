-- Logs, one row each, also of those that were removed: their names are not used again.
CREATE TABLE logs (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    -- How many events it has, and so the number of the next.
    events INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    first_unix_ms INTEGER NOT NULL,
    last_unix_ms INTEGER NOT NULL,
    -- Why it was removed.
    gone TEXT,
    UNIQUE (scope, name)
) STRICT;

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    log INTEGER NOT NULL,
    number INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    -- The first 8 bytes of the event's SHA-256, big-endian.
    sha256_64 INTEGER NOT NULL,
    -- 0: the body is the event; 1: it is a zstd frame of it.
    coding INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (log, number)
) STRICT;

-- Originals and maps that retention leaves to the log's scope.
CREATE TABLE log_keeps (
    log INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (log, sha256)
) STRICT, WITHOUT ROWID;

-- The newest lease of each name. A row stays for ever: it is how a fence is never granted twice.
CREATE TABLE leases (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    fence INTEGER NOT NULL,
    -- 0: it was released.
    until_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
