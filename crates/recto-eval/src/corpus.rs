//! A folder of files and the questions asked of them.

use std::{collections::BTreeMap, fs, io, path::Path};

use memchr::memmem;
use serde::Deserialize;

use crate::{
    error::EvalError,
    evidence::Evidence,
    report::counted,
    source::{Item, Sample, Set},
};

/// Which files are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Fewest tokens: below, there is nothing to choose.
    pub min_tokens: u64,
    /// Fewest bytes.
    pub min_bytes: u64,
    /// Most bytes.
    pub max_bytes: u64,
}

impl Sizes {
    /// Every file.
    pub const ALL: Self = Self { min_tokens: 0, min_bytes: 0, max_bytes: u64::MAX };
}

impl Default for Sizes {
    /// Files that are worth cutting, and small enough for a quick run: from 600 tokens to 300 kB.
    fn default() -> Self {
        Self { min_tokens: 600, min_bytes: 0, max_bytes: 300_000 }
    }
}

/// A line of `questions.jsonl`; unknown members are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    file: String,
    question: String,
    answer_substring: String,
    #[serde(default = "unnamed_kind")]
    kind: String,
    #[serde(default)]
    needs_query: bool,
    #[serde(default)]
    query_terms: Vec<String>,
    /// What has to stand beside the answer where the answer alone does not say whose it is.
    #[serde(default)]
    bind: Option<String>,
}

fn unnamed_kind() -> String {
    "question".to_owned()
}

/// Reads `questions.jsonl` in a folder, and the files it asks of. Files without a question are not read.
///
/// # Errors
/// [`EvalError`]: no questions, a line that is none (named), a file that is not there, nothing within the sizes.
pub fn read_corpus(folder: &Path, sizes: Sizes) -> Result<Set, EvalError> {
    let path = folder.join("questions.jsonl");
    let text = fs::read_to_string(&path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => EvalError::NoQuestions { folder: folder.to_owned() },
        _ => EvalError::File { path: path.clone(), source },
    })?;
    let mut by_file: BTreeMap<String, Vec<(usize, Line)>> = BTreeMap::new();
    for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line = index + 1;
        let parsed: Line = serde_json::from_str(text).map_err(|source| EvalError::BadQuestion {
            path: path.clone(),
            line,
            source,
        })?;
        if parsed.answer_substring.is_empty() {
            return Err(EvalError::EmptyAnswer { path, line });
        }
        by_file.entry(parsed.file.clone()).or_default().push((line, parsed));
    }
    let mut set = Set { name: folder.display().to_string(), ..Set::default() };
    let (mut skipped_files, mut skipped_questions) = (0, 0);
    for (file, lines) in by_file {
        let place = folder.join(&file);
        let line = lines.first().map_or(0, |(line, _)| *line);
        let bytes = fs::read(&place).map_err(|source| EvalError::MissingFile {
            path: path.clone(),
            line,
            file: file.clone(),
            source,
        })?;
        let length = bytes.len() as u64;
        let within = (sizes.min_bytes..=sizes.max_bytes).contains(&length);
        let sample = within.then(|| Sample::new(file, bytes, Some(place)));
        let Some(sample) = sample.filter(|sample| sample.tokens >= sizes.min_tokens) else {
            skipped_files += 1;
            skipped_questions += lines.len();
            continue;
        };
        for (line, asked) in lines {
            if memmem::find(&sample.bytes, asked.answer_substring.as_bytes()).is_none() {
                let remark = format!("question {line} is left out: its answer is not in {}", sample.name);
                set.remarks.push(remark);
                continue;
            }
            set.items.push(item(set.samples.len(), asked));
        }
        set.samples.push(sample);
    }
    if set.items.is_empty() {
        return Err(EvalError::Nothing { what: path.display().to_string(), skipped: skipped_files });
    }
    if skipped_files > 0 {
        let (questions, files) = (counted(skipped_questions, "question"), counted(skipped_files, "file"));
        set.remarks.push(format!("Left out: {questions} on {files} outside the sizes asked for"));
    }
    Ok(set)
}

fn item(sample: usize, asked: Line) -> Item {
    let query = asked.query_terms.join(" ");
    Item {
        sample,
        class: asked.kind,
        question: asked.question,
        query: Some(query).filter(|query| !query.trim().is_empty()),
        needs_query: asked.needs_query,
        evidence: Evidence::Text { answer: asked.answer_substring, bind: asked.bind },
    }
}
