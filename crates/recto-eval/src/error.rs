//! What can be wrong with what is to be scored.

use std::{io, path::PathBuf};

/// Why there is no score.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The folder holds no questions.
    #[error("{} has no questions.jsonl: name a folder that has one, beside the files it asks of", .folder.display())]
    NoQuestions {
        /// The folder.
        folder: PathBuf,
    },
    /// A line is not a question.
    #[error("{}:{line}: not a question: {source}", .path.display())]
    BadQuestion {
        /// The file of questions.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A question has nothing that could be looked for.
    #[error("{}:{line}: the answer_substring is empty", .path.display())]
    EmptyAnswer {
        /// The file of questions.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// A question asks of a file that cannot be read.
    #[error("{}:{line}: cannot read {file}: {source}", .path.display())]
    MissingFile {
        /// The file of questions.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The file it names.
        file: String,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A file or a folder cannot be read or written.
    #[error("cannot use {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is nothing to score.
    #[error("{what}: there is nothing to score{}", if *.skipped > 0 { format!(" ({} outside the sizes asked for)", crate::report::counted(*.skipped, "source")) } else { String::new() })]
    Nothing {
        /// Where nothing was found.
        what: String,
        /// Sources that the limits on size left out.
        skipped: usize,
    },
    /// A peer's definition cannot be used.
    #[error("{given:?} is no peer: {why}")]
    BadPeer {
        /// As given.
        given: String,
        /// What is wrong.
        why: &'static str,
    },
}
