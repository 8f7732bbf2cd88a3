//! What generated records are about: names, ordinary values, and the words for what is not ordinary.
//!
//! The words are the domains' own, as their tools would put it, and follow no list of signal words.

/// A column of records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) values: Values,
}

/// What a column holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    /// Few values, the first of them most often; and one that is as good as any, but never occurs by itself.
    Choice(&'static [&'static str], &'static str),
    /// Whole numbers around the middle of a range.
    Number(u64, u64),
    /// Says by its value whether all went well: ordinary values, then bad ones. The flag: written as numbers.
    Outcome(&'static [&'static str], &'static [&'static str], bool),
}

/// A subject.
#[derive(Debug)]
pub(super) struct Domain {
    pub(super) noun: &'static str,
    pub(super) id_key: &'static str,
    /// The parts of an id; digits and letters follow.
    pub(super) id_words: [&'static [&'static str]; 2],
    pub(super) columns: &'static [Column],
    /// Ordinary messages; each `#` becomes a number.
    pub(super) messages: &'static [&'static str],
    /// Messages of which nothing says that anything is wrong, but which are like no other.
    pub(super) rare_messages: &'static [&'static str],
    /// Messages that say in words that something went wrong.
    pub(super) bad_messages: &'static [&'static str],
    /// The last line of a stack trace.
    pub(super) exceptions: &'static [&'static str],
}

const fn choice(name: &'static str, values: &'static [&'static str], rare: &'static str) -> Column {
    Column { name, values: Values::Choice(values, rare) }
}

const fn number(name: &'static str, low: u64, high: u64) -> Column {
    Column { name, values: Values::Number(low, high) }
}

const fn outcome(
    name: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
    is_number: bool,
) -> Column {
    Column { name, values: Values::Outcome(good, bad, is_number) }
}

pub(super) const DOMAINS: [Domain; 8] = [
    Domain {
        noun: "pod",
        id_key: "name",
        id_words: [
            &["billing", "search", "ingest", "mailer", "session", "quota"],
            &["api", "worker", "cron", "proxy"],
        ],
        columns: &[
            choice("node", &["ip-10-2-7-31", "ip-10-2-7-88", "ip-10-2-9-14"], "ip-10-9-0-3"),
            outcome(
                "phase",
                &["Running", "Running", "Succeeded"],
                &["OOMKilled", "ImagePullBackOff", "Evicted"],
                false,
            ),
            number("restarts", 0, 3),
            number("memoryMi", 180, 320),
            choice("image", &["app:4.18.2", "app:4.18.1"], "app:4.17.0"),
        ],
        messages: &[
            "readiness probe answered in # ms",
            "synced # of # volumes",
            "lease renewed for # s",
            "pulled layer # of # from cache",
            "0 errors in the last # checks",
        ],
        rare_messages: &["cordon requested by maintenance window #", "taint lifted after # h"],
        bad_messages: &[
            "liveness probe got no answer for # s",
            "container gave up after # attempts",
            "volume # is not attached anywhere",
        ],
        exceptions: &[
            "panic: runtime error: index out of range [#]",
            "java.lang.OutOfMemoryError: Java heap space (# MiB)",
        ],
    },
    Domain {
        noun: "payment",
        id_key: "payment_id",
        id_words: [&["pay", "txn", "inv"], &["eu", "us", "ap", "uk"]],
        columns: &[
            choice("currency", &["EUR", "USD", "GBP"], "XDR"),
            number("amount_cents", 1_200, 9_900),
            choice("method", &["card", "sepa", "wallet"], "cheque"),
            outcome(
                "result",
                &["settled", "settled", "authorised"],
                &["declined", "reversed", "disputed"],
                false,
            ),
            number("latency_ms", 80, 190),
        ],
        messages: &[
            "authorised by issuer # in # ms",
            "settlement batch # closed with # items",
            "webhook delivered on attempt #",
            "risk score # below threshold #",
        ],
        rare_messages: &["ledger period # sealed", "currency table replaced by revision #"],
        bad_messages: &[
            "issuer # refused: insufficient funds",
            "amount differs from order by # cents",
            "signature does not match key #",
        ],
        exceptions: &["DeclinedError: issuer said 05 for # cents", "AssertionError: ledger off by # cents"],
    },
    Domain {
        noun: "request",
        id_key: "request_id",
        id_words: [&["req", "call"], &["web", "ios", "bot", "cli"]],
        columns: &[
            choice("verb", &["GET", "GET", "POST", "PUT"], "PURGE"),
            choice("route", &["/v2/items", "/v2/cart", "/v2/users"], "/v1/legacy/export"),
            outcome("status", &["200", "200", "201", "304"], &["500", "503", "502"], true),
            number("took_ms", 12, 64),
            number("bytes_out", 900, 4_200),
        ],
        messages: &[
            "served from edge cache, age # s",
            "handler returned after # ms",
            "token refreshed, # s left",
            "upstream answered with # bytes",
            "error budget at # of # minutes",
        ],
        rare_messages: &["client asked for early hints #", "feature flag # turned on for this tenant"],
        bad_messages: &[
            "upstream closed the connection after # bytes",
            "no healthy upstream among # hosts",
            "deadline of # ms passed",
        ],
        exceptions: &["TimeoutError: nothing read for # ms", "ECONNRESET: socket hang up after # bytes"],
    },
    Domain {
        noun: "sensor",
        id_key: "sensor",
        id_words: [&["north", "south", "roof", "cellar", "hall"], &["temp", "flow", "press", "lux"]],
        columns: &[
            number("reading", 1_950, 2_150),
            choice("unit", &["mV", "mV", "kPa"], "furlong"),
            choice("firmware", &["2.9.4", "2.9.3"], "1.0.0-lab"),
            outcome("level", &["30", "30", "20"], &["50", "60"], true),
            number("battery_pct", 71, 99),
        ],
        messages: &[
            "sample # averaged over # ms",
            "calibration offset # applied",
            "uplink window # used",
            "battery at # mV",
        ],
        rare_messages: &["magnet # detected near the housing", "sampling plan swapped to profile #"],
        bad_messages: &[
            "checksum differs in frame #",
            "probe # reads open circuit",
            "clock jumped back by # s",
        ],
        exceptions: &["ValueError: reading # outside of range", "IOError: bus stuck low for # us"],
    },
    Domain {
        noun: "job",
        id_key: "job",
        id_words: [&["build", "lint", "bench", "docs", "deploy"], &["linux", "macos", "arm", "wasm"]],
        columns: &[
            outcome("exit_code", &["0", "0", "0"], &["137", "139", "2"], true),
            number("seconds", 41, 77),
            choice("runner", &["pool-a", "pool-b", "pool-c"], "laptop-of-intern"),
            choice("branch", &["main", "main", "release/7"], "wip/tmp2"),
            number("artifacts", 2, 9),
        ],
        messages: &[
            "compiled # crates in # s",
            "cache hit ratio # of #",
            "uploaded artifact # with # bytes",
            "# passed, 0 failed",
            "no warnings in # files",
        ],
        rare_messages: &["submodule # moved to another remote", "retention of artifact # extended"],
        bad_messages: &[
            "linker gave up on symbol #",
            "assertion left == right broke in case #",
            "killed after using # MiB",
        ],
        exceptions: &["thread 'main' panicked at src/plan.rs:#: no entry found", "E   assert 41 == #"],
    },
    Domain {
        noun: "shipment",
        id_key: "tracking",
        id_words: [&["hub", "van", "sea", "air"], &["ber", "lyon", "oslo", "porto"]],
        columns: &[
            number("weight_g", 400, 2_600),
            choice("carrier", &["northline", "parcelco", "velo"], "pigeon"),
            outcome(
                "state",
                &["in_transit", "delivered", "delivered"],
                &["lost", "refused", "damaged"],
                false,
            ),
            number("hops", 2, 6),
            choice("zone", &["A", "B", "C"], "Q"),
        ],
        messages: &[
            "scanned at gate # after # min",
            "route recomputed, # km left",
            "customs form # accepted",
            "handed over with # others",
        ],
        rare_messages: &["recipient chose locker # instead", "pallet # was relabelled"],
        bad_messages: &[
            "nobody at the address, attempt #",
            "seal # was broken on arrival",
            "weighs # g less than declared",
        ],
        exceptions: &["RoutingException: no edge from node #", "KeyError: 'gate_#'"],
    },
    Domain {
        noun: "statement",
        id_key: "query_id",
        id_words: [&["rpt", "adhoc", "etl"], &["sales", "stock", "hr", "geo"]],
        columns: &[
            number("rows", 1_000, 1_900),
            number("ms", 210, 390),
            choice("plan", &["index_scan", "hash_join", "index_only"], "nested_loop_seq"),
            outcome("severity", &["LOG", "LOG", "DEBUG1"], &["FATAL", "PANIC"], false),
            choice("replica", &["r1", "r2"], "r9-old"),
        ],
        messages: &[
            "returned # rows in # ms",
            "reused plan # of # in cache",
            "sorted # kB in memory",
            "vacuumed # pages, # left",
        ],
        rare_messages: &["statistics target for column # raised", "extension loaded with # functions"],
        bad_messages: &[
            "deadlock with process #",
            "page # could not be read",
            "out of shared memory at lock #",
        ],
        exceptions: &[
            "psycopg.errors.UndefinedColumn: column c# does not exist",
            "SQLSTATE 40P01: deadlock, process #",
        ],
    },
    Domain {
        noun: "sample",
        id_key: "sample_id",
        id_words: [&["liver", "blood", "leaf", "soil"], &["ctl", "drug", "mock"]],
        columns: &[
            number("reads_k", 840, 1_160),
            number("gc_permille", 410, 470),
            choice("lane", &["L1", "L2", "L3", "L4"], "L8"),
            choice("kit", &["v3", "v3", "v2"], "v0-beta"),
            outcome("qc", &["pass", "pass", "pass"], &["contaminated", "truncated", "swapped"], false),
        ],
        messages: &[
            "trimmed # bases from # reads",
            "aligned # of # pairs",
            "duplicates at # per mille",
            "index # demultiplexed",
        ],
        rare_messages: &["barcode plate # turned by 180 degrees", "operator changed on run #"],
        bad_messages: &[
            "index # matches two samples",
            "file ends after # of its blocks",
            "coverage fell to # at exon",
        ],
        exceptions: &[
            "BamTruncatedError: no EOF block after # bytes",
            "SampleSwapError: fingerprint distance #",
        ],
    },
];

/// The halves of many different complaints.
pub(super) const COMPLAINT_SUBJECTS: [&str; 20] = [
    "the lock file",
    "the schema",
    "a certificate",
    "the token bucket",
    "a mirror",
    "the changelog",
    "the routing table",
    "a thumbnail",
    "the invoice",
    "the tokenizer",
    "a migration",
    "the heap",
    "the cursor",
    "a webhook",
    "the index",
    "the journal",
    "a quorum",
    "the manifest",
    "the sandbox",
    "the clock",
];

/// The other halves.
pub(super) const COMPLAINT_VERBS: [&str; 10] = [
    "could not be opened",
    "is corrupt",
    "has expired",
    "was rejected",
    "timed out",
    "is missing a part",
    "overflowed",
    "crashed on start",
    "contradicts itself",
    "is unreachable",
];
