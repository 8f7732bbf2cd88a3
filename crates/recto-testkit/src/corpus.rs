//! The real inputs beside the repository, and the questions asked of them.
//!
//! The corpus is not part of the repository: it lies at `../shared/corpus` from the workspace root, or where
//! [`CORPUS_FOLDER`] points. Tests that need it are written so that they pass, with a visible word, where it is absent:
//!
//! ```no_run
//! let Some(files) = recto_testkit::corpus::outputs() else { return };
//! for file in &files {
//!     let bytes = file.read();
//!     assert!(bytes.len() < 1 << 32, "{}", file.relative);
//! }
//! ```

mod question;

use std::{
    fs,
    io::Write as _,
    panic::Location,
    path::{Path, PathBuf},
};

pub use question::Question;

/// The environment variable naming a corpus folder to use instead of `../shared/corpus`.
pub const CORPUS_FOLDER: &str = "RECTO_CORPUS";

/// The environment variable that, set to `1`, turns a missing corpus from a skipped test into a failed one. CI sets it.
pub const REQUIRE_CORPUS: &str = "RECTO_REQUIRE_CORPUS";

/// One file of the corpus; its bytes are read when asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusFile {
    /// Where the file lies.
    pub path: PathBuf,
    /// The path below the listed folder, with forward slashes: the same on every machine, and what questions name.
    pub relative: String,
    /// The first folder of `relative` (`json`, `log`, ...), empty for a file at the top.
    pub kind: String,
}

impl CorpusFile {
    /// Reads the whole file.
    ///
    /// # Panics
    /// If it cannot be read: the message names the file.
    pub fn read(&self) -> Vec<u8> {
        fs::read(&self.path)
            .unwrap_or_else(|error| fail(format_args!("cannot read {}: {error}", self.path.display())))
    }
}

/// Lists the tool outputs, sorted by path; `None`, with a word on stderr, where there is no corpus.
///
/// # Panics
/// If the corpus is absent and [`REQUIRE_CORPUS`] is `1`, or if a folder of it cannot be read.
#[track_caller]
pub fn outputs() -> Option<Vec<CorpusFile>> {
    let mut files = files_below("outputs")?;
    files.retain(|file| !file.kind.is_empty());
    Some(files)
}

/// Lists the tool definitions (answers of `tools/list`, and the argument objects judged against them), sorted by path.
///
/// # Panics
/// As [`outputs`] does.
#[track_caller]
pub fn tools() -> Option<Vec<CorpusFile>> {
    files_below("tools")
}

/// Lists the sessions of several agents, sorted by path.
///
/// # Panics
/// As [`outputs`] does.
#[track_caller]
pub fn transcripts() -> Option<Vec<CorpusFile>> {
    let mut files = files_below("transcripts")?;
    files.retain(|file| !file.kind.is_empty());
    Some(files)
}

/// Reads the questions asked of [`outputs`], in the order of their file.
///
/// # Panics
/// As [`outputs`] does, and if a line is not a question: the message names it.
#[track_caller]
pub fn questions() -> Option<Vec<Question>> {
    let path = folder()?.join("outputs").join("questions.jsonl");
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| fail(format_args!("cannot read {}: {error}", path.display())));
    Some(
        Question::parse_lines(&text)
            .unwrap_or_else(|(line, error)| fail(format_args!("{}:{line}: {error}", path.display()))),
    )
}

/// Finds the corpus folder; `None`, with a word on stderr, where there is none.
///
/// # Panics
/// If it is absent and [`REQUIRE_CORPUS`] is `1`.
#[track_caller]
pub fn folder() -> Option<PathBuf> {
    let folder = environment(CORPUS_FOLDER).map_or_else(beside_the_repository, PathBuf::from);
    if folder.join("outputs").is_dir() {
        return Some(folder);
    }
    if environment(REQUIRE_CORPUS).is_some_and(|value| value == "1") {
        fail(format_args!("no corpus at {}, and {REQUIRE_CORPUS}=1 asks for it", folder.display()));
    }
    // Straight to the stream: the test harness swallows what the print macros write in a test that passes.
    let skipped = format!(
        "skipped: no corpus at {} (needed at {}; see {CORPUS_FOLDER})\n",
        folder.display(),
        Location::caller()
    );
    let _ = std::io::stderr().write_all(skipped.as_bytes());
    None
}

fn beside_the_repository() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = crate_folder.ancestors().nth(2).unwrap_or(crate_folder);
    workspace.parent().unwrap_or(workspace).join("shared").join("corpus")
}

#[expect(clippy::disallowed_methods, reason = "test support reads its own two variables")]
fn environment(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[track_caller]
fn files_below(part: &str) -> Option<Vec<CorpusFile>> {
    let top = folder()?.join(part);
    let mut files = Vec::new();
    let mut unread = vec![top.clone()];
    while let Some(folder) = unread.pop() {
        let entries = fs::read_dir(&folder)
            .unwrap_or_else(|error| fail(format_args!("cannot list {}: {error}", folder.display())));
        for entry in entries {
            let path = entry
                .unwrap_or_else(|error| fail(format_args!("cannot list {}: {error}", folder.display())))
                .path();
            if path.is_dir() {
                unread.push(path);
            } else {
                files.push(corpus_file(&top, path));
            }
        }
    }
    files.sort_by(|one, other| one.relative.cmp(&other.relative));
    Some(files)
}

fn corpus_file(top: &Path, path: PathBuf) -> CorpusFile {
    let below = path.strip_prefix(top).unwrap_or(&path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let kind = if parts.len() > 1 { parts[0].to_string() } else { String::new() };
    CorpusFile { relative: parts.join("/"), kind, path }
}

#[expect(
    clippy::panic,
    reason = "a test whose inputs cannot be read can only fail, with the reason in its message"
)]
fn fail(message: std::fmt::Arguments<'_>) -> ! {
    panic!("{message}")
}
