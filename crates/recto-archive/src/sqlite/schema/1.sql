-- Bytes that are stored once, whoever holds them.
CREATE TABLE objects (
    -- Never given twice: a writer that was overtaken must not write into another object.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 0: being written; 1: whole; 2: to be deleted.
    state INTEGER NOT NULL,
    -- Only whole objects have one.
    sha256 BLOB UNIQUE,
    bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    updated_unix_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX unfinished_objects ON objects (state) WHERE state <> 1;

-- The bytes, as zstd frames that are decompressed one by one.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    object INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    frame BLOB NOT NULL,
    UNIQUE (object, start)
) STRICT;

-- What each scope has put. A row stays when retention removes the bytes: it says why.
CREATE TABLE holdings (
    scope TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    -- 0: original; 1: map.
    kind INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    put_unix_ms INTEGER NOT NULL,
    used_unix_ms INTEGER NOT NULL,
    gone TEXT,
    PRIMARY KEY (scope, sha256)
) STRICT, WITHOUT ROWID;

-- Names, bound for ever.
CREATE TABLE refs (
    scope TEXT NOT NULL,
    digits TEXT NOT NULL,
    original BLOB NOT NULL,
    policy BLOB,
    map BLOB,
    -- 1: the view has to be rendered again with this longer name, which brings the map that will stand.
    reserved INTEGER NOT NULL,
    issued_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (scope, digits)
) STRICT, WITHOUT ROWID;

-- Originals that arrive in pieces. An open run has an object and neither digest nor reason.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    label TEXT NOT NULL,
    started_unix_ms INTEGER NOT NULL,
    object INTEGER,
    ended_unix_ms INTEGER,
    sha256 BLOB,
    gone TEXT
) STRICT, WITHOUT ROWID;
