//! Who may speak: words for the parts of a conversation, and what could be a person's name.

/// The longest name of a speaker.
pub(super) const NAME_BYTES: usize = 40;

/// Words for the asking side of a conversation with a model.
const ASKING: [&str; 14] = [
    "user",
    "human",
    "customer",
    "client",
    "caller",
    "patient",
    "student",
    "visitor",
    "guest",
    "me",
    "q",
    "question",
    "interviewer",
    "you",
];
/// Words for the answering side.
const ANSWERING: [&str; 21] = [
    "assistant",
    "ai",
    "bot",
    "chatbot",
    "agent",
    "model",
    "support",
    "representative",
    "operator",
    "doctor",
    "teacher",
    "tutor",
    "chatgpt",
    "gpt",
    "claude",
    "gemini",
    "copilot",
    "a",
    "answer",
    "interviewee",
    "rep",
];
/// Words for neither.
const OTHER: [&str; 5] = ["system", "tool", "function", "developer", "observation"];
/// Levels of logs, and keys that repeat in what tools print.
const KEYS: [&str; 75] = [
    "error",
    "warning",
    "warn",
    "info",
    "debug",
    "trace",
    "fatal",
    "critical",
    "notice",
    "note",
    "hint",
    "help",
    "usage",
    "author",
    "authordate",
    "commit",
    "commitdate",
    "date",
    "merge",
    "subject",
    "from",
    "to",
    "cc",
    "name",
    "version",
    "description",
    "summary",
    "source",
    "title",
    "url",
    "status",
    "type",
    "package",
    "section",
    "priority",
    "maintainer",
    "file",
    "line",
    "example",
    "args",
    "returns",
    "raises",
    "score",
    "content",
    "text",
    "document",
    "chunk",
    "result",
    "page",
    "id",
    "key",
    "value",
    "path",
    "size",
    "output",
    "input",
    "default",
    "required",
    "license",
    "homepage",
    "step",
    "get",
    "hit",
    "ign",
    "err",
    "downloading",
    "downloaded",
    "requires",
    "level",
    "message",
    "time",
    "files",
    "copyright",
    "comment",
    "format",
];

/// The side of a speaker whose name is a word for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Asking,
    Answering,
    Other,
}

/// The part that `name` is a word for.
pub(super) fn side(name: &[u8]) -> Option<Side> {
    if is_in(name, &ASKING) {
        Some(Side::Asking)
    } else if is_in(name, &ANSWERING) {
        Some(Side::Answering)
    } else if is_in(name, &OTHER) {
        Some(Side::Other)
    } else {
        None
    }
}

fn is_in(name: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
}

/// Says whether `text` is a level of a log, or a key that repeats in what tools print.
pub(super) fn is_level(text: &[u8]) -> bool {
    is_in(text, &KEYS) || text.eq_ignore_ascii_case(b"caused by")
}

fn is_of_syntax(byte: u8) -> bool {
    matches!(byte, b'=' | b'/' | b'\\' | b'{' | b'}' | b'<' | b'>' | b'|' | b'"' | b'`' | b';')
}

/// Says whether `text` could name a person: one to four words that begin with letters.
pub(super) fn is_name(text: &[u8]) -> bool {
    if text.is_empty() || text.len() > NAME_BYTES {
        return false;
    }
    let mut words = 0;
    for word in text.split(|byte| *byte == b' ') {
        let is_word = word
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || b"+(@~".contains(byte))
            || (words > 0
                && word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'(' | b')')));
        if !is_word || word.iter().any(|byte| is_of_syntax(*byte)) {
            return false;
        }
        words += 1;
    }
    words <= 4
}
