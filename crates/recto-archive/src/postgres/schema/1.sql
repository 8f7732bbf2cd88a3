-- Bytes as they were written once. An object's chunks never change when it is whole, and its number is never given twice.
CREATE TABLE recto.objects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- 0: being written; 1: whole; 2: to be deleted.
    state smallint NOT NULL,
    bytes bigint NOT NULL,
    stored_bytes bigint NOT NULL,
    updated_unix_ms bigint NOT NULL
);

CREATE INDEX unfinished_objects ON recto.objects (state) WHERE state <> 1;

-- The bytes, as zstd frames that are decompressed one by one.
CREATE TABLE recto.chunks (
    object bigint NOT NULL,
    start bigint NOT NULL,
    length integer NOT NULL,
    frame bytea NOT NULL,
    PRIMARY KEY (object, start)
);

-- They are compressed already.
ALTER TABLE recto.chunks ALTER COLUMN frame SET STORAGE EXTERNAL;

-- Which object has the bytes of a digest now, whoever holds them. A whole object that is not named here is no longer needed.
CREATE TABLE recto.contents (
    sha256 bytea PRIMARY KEY,
    object bigint NOT NULL UNIQUE,
    bytes bigint NOT NULL,
    stored_bytes bigint NOT NULL
);

-- What each scope has put. A row stays when retention removes the bytes: it says why.
CREATE TABLE recto.holdings (
    scope text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL,
    -- 0: original; 1: map.
    kind smallint NOT NULL,
    bytes bigint NOT NULL,
    put_unix_ms bigint NOT NULL,
    used_unix_ms bigint NOT NULL,
    gone text,
    PRIMARY KEY (scope, sha256)
);

CREATE INDEX holdings_by_digest ON recto.holdings (sha256);

-- Names, bound for ever.
CREATE TABLE recto.refs (
    scope text COLLATE "C" NOT NULL,
    digits text COLLATE "C" NOT NULL,
    original bytea NOT NULL,
    policy bytea,
    map bytea,
    -- The view has to be rendered again with this longer name, which brings the map that will stand.
    reserved boolean NOT NULL,
    issued_unix_ms bigint NOT NULL,
    PRIMARY KEY (scope, digits)
);

-- Originals that arrive in pieces. An open run has an object and neither digest nor reason. Its writer holds the advisory
-- lock whose number is the run's.
CREATE TABLE recto.runs (
    id text COLLATE "C" PRIMARY KEY,
    lock bigint NOT NULL,
    scope text COLLATE "C" NOT NULL,
    -- Any bytes of a command line, which text may not hold.
    label bytea NOT NULL,
    started_unix_ms bigint NOT NULL,
    object bigint,
    ended_unix_ms bigint,
    sha256 bytea,
    gone text
);

CREATE INDEX open_runs ON recto.runs (scope, started_unix_ms, id) WHERE object IS NOT NULL;

-- Logs and leases, one row for each name that has had either; a row stays for ever, so that neither a name, nor a number, nor
-- a fence is given twice. What changes a name's log or its lease waits for this row.
CREATE TABLE recto.logs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    -- How many events it has, and so the number of the next; 0: there is only a lease.
    events bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    first_unix_ms bigint NOT NULL DEFAULT 0,
    last_unix_ms bigint NOT NULL DEFAULT 0,
    -- Why it was removed.
    gone text,
    -- The newest lease; 0: none was granted yet.
    fence bigint NOT NULL DEFAULT 0,
    -- 0: it was released.
    until_unix_ms bigint NOT NULL DEFAULT 0,
    UNIQUE (scope, name)
);

CREATE TABLE recto.events (
    log bigint NOT NULL,
    number bigint NOT NULL,
    bytes bigint NOT NULL,
    -- The first 8 bytes of the event's SHA-256, big-endian.
    sha256_64 bigint NOT NULL,
    -- 0: the body is the event; 1: it is a zstd frame of it.
    coding smallint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (log, number)
);

ALTER TABLE recto.events ALTER COLUMN body SET STORAGE EXTERNAL;

-- Originals and maps that retention leaves to the log's scope.
CREATE TABLE recto.log_keeps (
    log bigint NOT NULL,
    sha256 bytea NOT NULL,
    PRIMARY KEY (log, sha256)
);

-- Time of day by the server's clock, by which logs and leases go.
CREATE FUNCTION recto.now_unix_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
