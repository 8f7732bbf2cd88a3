//! The words that generated inputs are made of. Short lists: fields that vary little are the point.

pub(super) const SERVICES: &[&str] = &[
    "billing",
    "catalog",
    "checkout",
    "gateway",
    "inventory",
    "ledger",
    "mailer",
    "search",
    "sessions",
    "uploads",
];

pub(super) const REGIONS: &[&str] = &["eu-north", "eu-west", "us-east", "us-west", "ap-south"];

pub(super) const TEAMS: &[&str] = &["amber", "birch", "cobalt", "delta", "ember"];

pub(super) const STATUSES: &[&str] = &["active", "active", "active", "active", "paused", "pending"];

/// Text that needs care: escapes when quoted, more than one byte a character, several scripts.
pub(super) const REMARKS: &[&str] = &[
    "retry \"soon\", then stop",
    "naïve café über",
    "path C:\\temp\\new",
    "完了しました",
    "done ✅, next 🚀",
    "a,b;c\td",
    "it's fine",
    "Ελληνικά και кириллица",
];

pub(super) const TAGS: &[&str] = &["canary", "cold", "edge", "internal", "legacy", "public"];

pub(super) const FOLDERS: &[&str] =
    &["api", "cache", "config", "core", "db", "queue", "render", "routes", "store", "worker"];

pub(super) const NOUNS: &[&str] = &[
    "archive", "batch", "branch", "bridge", "buffer", "column", "cursor", "engine", "field", "folder",
    "forest", "garden", "harbour", "index", "journal", "kernel", "ladder", "market", "meadow", "method",
    "mirror", "model", "packet", "paper", "pattern", "planet", "reader", "record", "report", "river",
    "sample", "schema", "season", "signal", "station", "stream", "summary", "system", "table", "thread",
    "valley", "village", "window", "winter",
];

pub(super) const VERBS: &[&str] = &[
    "accepts",
    "carries",
    "changes",
    "closes",
    "collects",
    "copies",
    "describes",
    "divides",
    "follows",
    "gathers",
    "holds",
    "joins",
    "keeps",
    "leaves",
    "lists",
    "marks",
    "measures",
    "moves",
    "opens",
    "orders",
    "reads",
    "returns",
    "shows",
    "splits",
    "stores",
    "turns",
    "watches",
    "writes",
];

pub(super) const ADJECTIVES: &[&str] = &[
    "blue", "bright", "careful", "common", "distant", "early", "empty", "even", "final", "gentle", "heavy",
    "hidden", "large", "late", "local", "long", "narrow", "new", "old", "open", "plain", "quiet", "small",
    "steady", "wide",
];
