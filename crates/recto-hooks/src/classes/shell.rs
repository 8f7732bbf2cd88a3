//! A shell line, as far as its class hangs on it: the commands with which its pipelines begin, and all its words.
//!
//! This reads no shell grammar beyond quotes, separators and assignments. What it takes wrongly costs a view, never a byte: rules
//! of the table only ever keep results whole.

/// Bytes of a line that are read: enough for any line that a person would write; a heredoc's text is of no interest.
const MOST_BYTES: usize = 16 << 10;

/// Programs and words of the shell behind which the real program follows, options of theirs between.
const PREFIXES: [&str; 28] = [
    "sudo", "doas", "env", "time", "nice", "nohup", "command", "builtin", "exec", "stdbuf", "xargs",
    "timeout", "setsid", "ionice", "unbuffer", "chronic", "do", "then", "else", "elif", "if", "while",
    "until", "!", "npx", "bunx", "uvx", "winpty",
];

/// Programs that run another one somewhere else.
const RUNNERS: [&str; 6] = ["docker", "podman", "kubectl", "ssh", "find", "flatpak"];

/// Shells that read a line from an argument.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "ash"];

/// Words behind a prefix or runner that may be the real program.
const CANDIDATES: usize = 10;

/// Lines in lines: `bash -c "sh -c '...'"`.
const MOST_NESTED: usize = 3;

/// The commands of a line.
#[derive(Debug, Default)]
pub(super) struct Line {
    commands: Vec<Command>,
    /// Whether it holds anything else between its commands than pipes.
    is_list: bool,
    /// Whether a quote is not closed.
    is_open: bool,
}

#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    /// Whether it reads the output of another one.
    is_piped_into: bool,
    /// Whether a prefix stood before the program.
    has_prefix: bool,
}

impl Line {
    /// Reads a line; one that ends in the middle of quotes is read as if they ended there.
    pub(super) fn of(text: &str) -> Self {
        Self::nested(text, 0)
    }

    fn nested(text: &str, depth: usize) -> Self {
        let mut line = Self::default();
        let mut command = Command::default();
        let mut word = String::new();
        // A word that is quoted may be empty.
        let mut in_word = false;
        let mut quote = None;
        let mut has_document = false;
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
                // What follows the line of a here-document is its text.
                (None, '\n') if has_document => break,
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
                    has_document |= word.ends_with("<<") && chars.peek() != Some(&'<');
                }
            }
        }
        line.is_open = quote.is_some();
        command.end_word(&mut word, &mut in_word);
        line.end(&mut command);
        if depth < MOST_NESTED {
            line.open_shells(depth);
        }
        line
    }

    /// Reads the lines that are given to shells as arguments.
    fn open_shells(&mut self, depth: usize) {
        let inner: Vec<Command> = self
            .starts()
            .filter_map(|words| {
                let is_shell = words
                    .first()
                    .is_some_and(|name| SHELLS.contains(&name.rsplit('/').next().unwrap_or(name)));
                let flag = words
                    .iter()
                    .position(|word| word.starts_with('-') && word.ends_with('c') && word.len() < 6)?;
                words.get(flag + 1).filter(|_| is_shell)
            })
            .flat_map(|text| Self::nested(text, depth + 1).commands)
            .collect();
        self.commands.extend(inner);
    }

    /// The commands with which pipelines begin: those read what is shown.
    pub(super) fn starts(&self) -> impl Iterator<Item = &[String]> {
        self.commands.iter().filter(|command| !command.is_piped_into).map(|command| &*command.words)
    }

    /// The same, and where one runs another program what that may be: too many rather than too few.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &[String]> {
        self.commands.iter().filter(|command| !command.is_piped_into).flat_map(|command| {
            let runs_other = command.has_prefix
                || command
                    .words
                    .first()
                    .is_some_and(|name| RUNNERS.contains(&name.rsplit('/').next().unwrap_or(name)));
            let others = if runs_other { CANDIDATES } else { 0 };
            (0..=others.min(command.words.len().saturating_sub(1)))
                .filter_map(|from| command.words.get(from..))
        })
    }

    /// Whether a quote is not closed.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
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
        ended.has_prefix = ended.words.drain(..named).any(|word| PREFIXES.contains(&&*word));
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
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_[]+".contains(&byte))
    });
    // `2>/dev/null`, before the program.
    let is_redirection = word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['>', '<']);
    // `5`, `0.5s`; `sh` and `dd` are programs.
    let is_number = word.starts_with(|first: char| first.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || b".smhd".contains(&byte));
    is_assignment || is_redirection || is_number || word.starts_with('-') || PREFIXES.contains(&word)
}
