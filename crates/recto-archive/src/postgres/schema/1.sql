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
