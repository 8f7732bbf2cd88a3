//! A shell line, as far as its class hangs on it: the commands with which its pipelines begin, and all its words.
//!
//! This reads no shell grammar beyond quotes, separators and assignments. What it takes wrongly costs a view, never a byte: rules
//! of the table only ever keep results whole.

/// Bytes of a line that are read: enough for any line that a person would write; a heredoc's text is of no interest.
const MOST_BYTES: usize = 16 << 10;

/// Programs behind which the real one follows.
const PREFIXES: [&str; 12] = [
    "sudo", "doas", "env", "time", "nice", "nohup", "command", "builtin", "exec", "stdbuf", "xargs",
    "timeout",
];

/// The commands of a line.
#[derive(Debug, Default)]
pub(super) struct Line {
    commands: Vec<Command>,
    /// Whether it holds anything else between its commands than pipes.
    is_list: bool,
}

#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    /// Whether it reads the output of another one.
    is_piped_into: bool,
}

impl Line {
    /// Reads a line; one that ends in the middle of quotes is read as if they ended there.
    pub(super) fn of(text: &str) -> Self {
        let mut line = Self::default();
        let mut command = Command::default();
        let mut word = String::new();
        // A word that is quoted may be empty.
        let mut in_word = false;
        let mut quote = None;
        let mut chars =
            text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or_default().chars().peekable();
        while let Some(next) = chars.next() {
            match (quote, next) {
                (Some(open), close) if open == close => quote = None,
                (None, '"' | '\'' | '`') => (quote, in_word) = (Some(next), true),
                (None | Some('"'), '\\') => {
                    word.extend(chars.next().filter(|escaped| *escaped != '\n'));
                    in_word = true;
                }
                (Some(_), _) => word.push(next),
                (None, '|' | ';' | '&' | '\n' | '(' | ')' | '{' | '}') => {
                    // What a redirection or an expansion is made of separates nothing: `2>&1`, `&>`, `${x}`.
                    let is_redirection = next == '&' && (word.ends_with('>') || chars.peek() == Some(&'>'));
                    if is_redirection || (matches!(next, '{' | '}') && in_word) {
                        word.push(next);
                        in_word = true;
                        continue;
                    }
                    command.end_word(&mut word, &mut in_word);
                    let is_pipe = next == '|' && chars.peek() != Some(&'|');
                    while chars.next_if(|more| *more == next || (is_pipe && *more == '&')).is_some() {}
                    line.end(&mut command);
                    line.is_list |= !is_pipe;
                    command.is_piped_into = is_pipe;
                }
                (None, blank) if blank.is_whitespace() => command.end_word(&mut word, &mut in_word),
                (None, _) => {
                    word.push(next);
                    in_word = true;
                }
            }
        }
        command.end_word(&mut word, &mut in_word);
        line.end(&mut command);
        line
    }

    /// The commands with which pipelines begin: those read what is shown.
    pub(super) fn starts(&self) -> impl Iterator<Item = &[String]> {
        self.commands.iter().filter(|command| !command.is_piped_into).map(|command| &*command.words)
    }

    /// The command with which it begins, if the whole line is one pipeline.
    pub(super) fn only_start(&self) -> Option<&[String]> {
        let mut starts = self.starts();
        starts.next().filter(|_| !self.is_list && starts.next().is_none())
    }

    /// All words of all commands.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().flat_map(|command| &command.words).map(String::as_str)
    }

    fn end(&mut self, command: &mut Command) {
        let mut ended = std::mem::take(command);
        let named = ended.words.iter().position(|word| !is_before_program(word)).unwrap_or(ended.words.len());
        ended.words.drain(..named);
        if !ended.words.is_empty() {
            self.commands.push(ended);
        }
    }
}

impl Command {
    fn end_word(&mut self, word: &mut String, in_word: &mut bool) {
        if std::mem::take(in_word) {
            self.words.push(std::mem::take(word));
        }
    }
}

/// Whether a word stands before the program: an assignment, a prefix, its options and numbers.
fn is_before_program(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    // `5`, `0.5s`; `sh` and `dd` are programs.
    let is_number = word.starts_with(|first: char| first.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || b".smhd".contains(&byte));
    is_assignment || is_number || word.starts_with('-') || PREFIXES.contains(&word)
}
