//! The first line of a turn: who speaks, in the forms that transcripts have.

use super::speakers::{NAME_BYTES, is_level, is_name, side};

/// The form in which a transcript names its speakers. One transcript keeps to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `User: text`, with a word for a part in a conversation with a model.
    Part,
    /// `### Assistant`, the text below.
    Heading,
    /// `**Human**: text`
    Bold,
    /// `<|im_start|>user`, the text below.
    Token,
    /// `[12:03] <nick> text`
    Nick,
    /// `[3/1/24, 10:12] Name: text` and `3/1/24, 10:12 - Name: text`, or a notice without a name.
    Stamp,
    /// `Name  10:32 AM`, the text below.
    Clock,
    /// `#### text`, as aider writes down what it was asked, its answer below.
    Asked,
    /// `Name: text`, any name.
    Name,
}

impl Form {
    /// Every form, in the order in which they are tried.
    pub(super) const ALL: [Self; 9] = [
        Self::Token,
        Self::Nick,
        Self::Stamp,
        Self::Bold,
        Self::Heading,
        Self::Asked,
        Self::Part,
        Self::Clock,
        Self::Name,
    ];

    /// Whether a line that begins with `first` may be a head in this form: most lines are none, and this tells.
    pub(super) fn may_begin(self, first: u8) -> bool {
        match self {
            Self::Token => first == b'<',
            // A bracket, a time, an indented nick.
            Self::Nick => matches!(first, b'[' | b'<' | b' ') || first.is_ascii_digit(),
            // A bracket, a date, a direction mark.
            Self::Stamp => matches!(first, b'[' | 0xE2) || first.is_ascii_digit(),
            Self::Bold => matches!(first, b'*' | b'_'),
            Self::Heading | Self::Asked => first == b'#',
            Self::Part | Self::Clock => first.is_ascii_alphabetic(),
            Self::Name => first.is_ascii_uppercase() || first >= 0xC3,
        }
    }
}

/// What was asked is shown with any part of the answer up to this length.
const MOST_ASKED_BYTES: usize = 400;

/// Says whether `line` is one of aider's own: only its transcripts have them.
pub(super) fn is_aiders(line: &[u8]) -> bool {
    [&b"# aider chat started at "[..], b"> $ aider ", b"> aider ", b"> Aider v"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The head of a turn: `[0, prefix)` of its line names the speaker, who is `[speaker.0, speaker.1)` of it; nobody where
/// that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) prefix: usize,
    pub(super) speaker: (usize, usize),
}

/// Reads `line` as the head of a turn in the given form.
pub(super) fn head(line: &[u8], form: Form) -> Option<Head> {
    match form {
        Form::Part => part(line),
        Form::Heading => heading(line),
        Form::Asked => asked(line),
        Form::Bold => bold(line),
        Form::Token => token(line),
        Form::Nick => nick(line),
        Form::Stamp => stamp(line),
        Form::Clock => clock(line),
        Form::Name => name(line),
    }
}

/// The end of the prefix that ends with a colon at `colon`: with the blanks after it.
fn after_colon(line: &[u8], colon: usize) -> usize {
    let blanks = line.get(colon + 1..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
    colon + 1 + blanks
}

fn part(line: &[u8]) -> Option<Head> {
    if !line.first()?.is_ascii_alphabetic() {
        return None;
    }
    let start = line.get(..NAME_BYTES).unwrap_or(line);
    let word = start.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    // `User (turn 3):` and `User 1:` name a part too.
    let rest = line.get(word..)?.get(..NAME_BYTES).unwrap_or(line.get(word..)?);
    let colon = memchr::memchr(b':', rest)?;
    let between = rest.get(..colon)?.trim_ascii();
    let is_number = between.iter().all(u8::is_ascii_digit);
    let is_aside = between.starts_with(b"(") && between.ends_with(b")")
        || between.starts_with(b"[") && between.ends_with(b"]");
    let follows = matches!(rest.get(colon + 1), None | Some(b' ' | b'\t'));
    if !(is_number || is_aside) || !follows {
        return None;
    }
    side(start.get(..word)?)?;
    Some(Head { prefix: after_colon(line, word + colon), speaker: (0, word) })
}

fn heading(line: &[u8]) -> Option<Head> {
    let marks = line.iter().take_while(|byte| **byte == b'#').count();
    if !(1..=6).contains(&marks) || line.get(marks) != Some(&b' ') || line.len() > 80 {
        return None;
    }
    // An emoji or an emphasis may stand before the word.
    let start = marks + line.get(marks..)?.iter().position(u8::is_ascii_alphabetic)?;
    let before = line.get(marks..start)?;
    let length = line.get(start..)?.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let after = line.get(start + length..)?.trim_ascii();
    let is_alone = match after.first() {
        None => true,
        Some(first) => {
            matches!(first, b':' | b'(' | b'*' | b'[' | b'-' | b'_') || after.iter().all(u8::is_ascii_digit)
        }
    };
    if before.iter().any(|byte| byte.is_ascii_digit()) || !is_alone {
        return None;
    }
    side(line.get(start..start + length)?)?;
    Some(Head { prefix: line.len(), speaker: (start, start + length) })
}

fn asked(line: &[u8]) -> Option<Head> {
    const MARK: &[u8] = b"#### ";
    // What was asked stays with each part of the answer, unless it is as long as one.
    let prefix = if line.len() <= MOST_ASKED_BYTES { line.len() } else { MARK.len() };
    line.starts_with(MARK).then_some(Head { prefix, speaker: (0, MARK.len() - 1) })
}

fn bold(line: &[u8]) -> Option<Head> {
    let mark: &[u8] = if line.starts_with(b"**") {
        b"**"
    } else if line.starts_with(b"__") {
        b"__"
    } else {
        return None;
    };
    let rest = line.get(2..)?;
    let length = crate::words::find(rest.get(..NAME_BYTES + 20).unwrap_or(rest), mark)?;
    let inside = rest.get(..length)?;
    let after = rest.get(length + 2..)?;
    let (speaker, colon) = match inside.strip_suffix(b":") {
        Some(speaker) => (speaker, 2 + length + 1),
        None if after.starts_with(b":") => (inside, 2 + length + 2),
        None => return None,
    };
    if !is_name(speaker) {
        return None;
    }
    Some(Head { prefix: after_colon(line, colon), speaker: (2, 2 + speaker.len()) })
}

fn token(line: &[u8]) -> Option<Head> {
    let known: [&[u8]; 2] = [b"<|im_start|>", b"<|start_header_id|>"];
    for opening in known {
        if let Some(rest) = line.strip_prefix(opening) {
            let word = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            return (word > 0)
                .then_some(Head { prefix: line.len(), speaker: (opening.len(), opening.len() + word) });
        }
    }
    let rest = line.strip_prefix(b"<|")?;
    let word = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    side(rest.get(..word)?)?;
    rest.get(word..)?.starts_with(b"|>").then_some(Head { prefix: word + 4, speaker: (2, 2 + word) })
}

/// The length of a time of day at the beginning of `text`: `9:05`, `09:05:11`, with `AM` or `PM`; or nothing.
fn time(text: &[u8]) -> Option<usize> {
    let digits = |at: usize| -> Option<usize> {
        Some(text.get(at..)?.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count())
    };
    let mut at = digits(0).filter(|count| (1..=2).contains(count))?;
    let mut parts = 1;
    while parts < 3 && text.get(at) == Some(&b':') && digits(at + 1) == Some(2) {
        at += 3;
        parts += 1;
    }
    if parts < 2 {
        return None;
    }
    // A narrow no-break space may stand before the letters.
    let rest = text.get(at..)?;
    let gap = if rest.starts_with(b" ") {
        1
    } else if rest.starts_with("\u{202f}".as_bytes()) {
        3
    } else {
        0
    };
    match rest.get(gap..gap + 2) {
        Some([b'A' | b'P' | b'a' | b'p', b'M' | b'm']) => Some(at + gap + 2),
        _ => Some(at),
    }
}

/// The length of a date at the beginning of `text`: three numbers between `/`, `.` or `-`.
fn date(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut mark = 0;
    for part in 0..3 {
        let digits = text.get(at..)?.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        at += digits;
        if part < 2 {
            let found = *text.get(at)?;
            if !matches!(found, b'/' | b'.' | b'-') || (part > 0 && found != mark) {
                return None;
            }
            mark = found;
            at += 1;
        }
    }
    Some(at)
}

fn nick(line: &[u8]) -> Option<Head> {
    let (bracket, rest) = match line.strip_prefix(b"[") {
        Some(rest) => (1, rest),
        None => (0, line),
    };
    let mut at = 0;
    if let Some(length) = date(rest) {
        at = length;
        at += rest.get(at..)?.iter().take_while(|byte| matches!(byte, b' ' | b'T' | b',')).count();
    }
    if let Some(length) = time(rest.get(at..)?) {
        at += length;
    }
    if bracket == 1 {
        if at == 0 || rest.get(at) != Some(&b']') {
            return None;
        }
        at += 1;
    }
    at += bracket;
    at += line.get(at..)?.iter().take_while(|byte| **byte == b' ').count();
    let rest = line.get(at..)?;
    // What is no speech: an action, someone who comes or goes.
    let is_event =
        [&b"* "[..], b"*** ", b"-!- ", b"--> ", b"<-- ", b"== "].iter().any(|mark| rest.starts_with(mark));
    if at > 0 && is_event {
        return Some(Head { prefix: at, speaker: (at, at) });
    }
    let tail = rest.strip_prefix(b"<")?;
    let length = memchr::memchr(b'>', tail.get(..NAME_BYTES).unwrap_or(tail))?;
    let nick = tail.get(..length)?;
    let is_nick = !nick.is_empty()
        && nick
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_-[]\\`^{}|@+%~& ".contains(byte));
    // Without a time before it, `<b> ` would be markup.
    if !is_nick || tail.get(length + 1) != Some(&b' ') {
        return None;
    }
    Some(Head { prefix: at + length + 3, speaker: (at + 1, at + 1 + length) })
}

fn stamp(line: &[u8]) -> Option<Head> {
    // Exports for other scripts put direction marks before the bracket.
    let marks = if line.starts_with("\u{200e}".as_bytes()) { 3 } else { 0 };
    let open = usize::from(line.get(marks) == Some(&b'['));
    let mut at = marks + open;
    let length = date(line.get(at..)?)?;
    at += length;
    let gap = line.get(at..)?.iter().take_while(|byte| matches!(byte, b' ' | b',')).count();
    if gap == 0 {
        return None;
    }
    at += gap;
    at += time(line.get(at..)?)?;
    let rest = line.get(at..)?;
    at += if open == 1 && rest.starts_with(b"] ") {
        2
    } else if open == 0 && rest.starts_with(b" - ") {
        3
    } else {
        return None;
    };
    let rest = line.get(at..)?;
    let colon = memchr::memchr(b':', rest.get(..NAME_BYTES + 1).unwrap_or(rest));
    let speaker = colon.and_then(|colon| rest.get(..colon)).unwrap_or_default();
    let follows = colon.is_some_and(|colon| matches!(rest.get(colon + 1), None | Some(b' ')));
    if is_name(speaker) && !is_level(speaker) && follows {
        let colon = at + speaker.len();
        return Some(Head { prefix: after_colon(line, colon), speaker: (at, colon) });
    }
    Some(Head { prefix: at, speaker: (at, at) })
}

fn clock(line: &[u8]) -> Option<Head> {
    let line = line.trim_ascii_end();
    if line.len() > NAME_BYTES + 12 || !line.first()?.is_ascii_alphabetic() {
        return None;
    }
    let start =
        line.windows(2).position(|pair| matches!(pair, [b' ' | b'[', second] if second.is_ascii_digit()))?
            + 1;
    let length = time(line.get(start..)?)?;
    let after = line.get(start + length..)?;
    let speaker = line.get(..start)?.trim_ascii_end();
    let speaker = speaker.strip_suffix(b"[").unwrap_or(speaker).trim_ascii_end();
    if !matches!(after, b"" | b"]") || !is_name(speaker) {
        return None;
    }
    Some(Head { prefix: line.len(), speaker: (0, speaker.len()) })
}

fn name(line: &[u8]) -> Option<Head> {
    if !line.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte >= 0xC3) {
        return None;
    }
    let colon = memchr::memchr(b':', line.get(..NAME_BYTES).unwrap_or(line))?;
    let speaker = line.get(..colon)?;
    if line.get(colon + 1) != Some(&b' ') || !is_name(speaker) || is_level(speaker) {
        return None;
    }
    Some(Head { prefix: after_colon(line, colon), speaker: (0, colon) })
}

#[cfg(test)]
mod tests {
    use super::{Form, head};

    fn split(line: &str, form: Form) -> Option<(&str, &str)> {
        let found = head(line.as_bytes(), form);
        assert!(found.is_none() || form.may_begin(line.as_bytes()[0]), "{line}");
        head(line.as_bytes(), form).map(|head| (&line[head.speaker.0..head.speaker.1], &line[head.prefix..]))
    }

    #[test]
    fn speakers_are_found_in_every_form() {
        for (line, form, speaker, text) in [
            ("User: hello", Form::Part, "User", "hello"),
            ("ASSISTANT (thinking):  hm", Form::Part, "ASSISTANT", "hm"),
            ("### 🧑 User", Form::Heading, "User", ""),
            ("## **Assistant** (gpt)", Form::Heading, "Assistant", ""),
            ("**Human**: hi", Form::Bold, "Human", "hi"),
            ("**Ada Lovelace:** hi", Form::Bold, "Ada Lovelace", "hi"),
            ("<|im_start|>user", Form::Token, "user", ""),
            ("<|assistant|>Sure", Form::Token, "assistant", "Sure"),
            ("[12:03] <nick_> hi", Form::Nick, "nick_", "hi"),
            ("2024-03-01 12:03:55 <@op> hi", Form::Nick, "@op", "hi"),
            ("<nick> hi", Form::Nick, "nick", "hi"),
            ("[12:04] * ada waves", Form::Nick, "", "* ada waves"),
            ("[2024-03-01 12:03:11] ERROR: failed", Form::Stamp, "", "ERROR: failed"),
            ("[3/1/24, 10:12:05 PM] Ada L: hi: you", Form::Stamp, "Ada L", "hi: you"),
            ("01.03.2024, 22:12 - +49 170 1234: hi", Form::Stamp, "+49 170 1234", "hi"),
            ("Ada Lovelace  10:32 AM", Form::Clock, "Ada Lovelace", ""),
            ("ada [10:32]", Form::Clock, "ada", ""),
            ("#### make it blue  ", Form::Asked, "####", ""),
            ("Ada: hi", Form::Name, "Ada", "hi"),
        ] {
            assert_eq!(split(line, form), Some((speaker, text)), "{line}");
        }
    }

    #[test]
    fn what_only_looks_like_a_head_is_none() {
        for (line, form) in [
            ("Users: 5", Form::Part),
            ("User:root", Form::Part),
            ("### User guide", Form::Heading),
            ("**Note** that: this", Form::Bold),
            ("[12:03:11] INFO starting", Form::Nick),
            ("<div class=\"a\"> text", Form::Nick),
            ("Started at 10:32", Form::Nick),
            ("Error: no such file", Form::Name),
            ("C:\\Windows", Form::Name),
        ] {
            assert_eq!(split(line, form), None, "{line}");
        }
    }
}
