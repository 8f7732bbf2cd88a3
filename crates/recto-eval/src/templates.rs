//! Lines of one shape, and how many shapes an output shows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use recto_outline::{ContentType, detect};
use recto_tokens::Tokenizer;
use regex::Regex;

use crate::{
    budget::TokenBudget,
    corpus::Sizes,
    error::EvalError,
    evidence::{Evidence, FRAME_TOKENS},
    source::{Item, Sample, Set},
};

/// A line's shape is that of its first characters, so that a line cut behind them still shows it.
const SHAPE_CHARS: usize = 200;

/// The budgets that templates are scored at.
const BUDGETS: [TokenBudget; 3] =
    [TokenBudget::SharePerMille(20), TokenBudget::SharePerMille(50), TokenBudget::SharePerMille(100)];

/// The templates of a log, the cheapest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    /// Tokens of the shortest line of each, and the template.
    templates: Vec<(u64, String)>,
    /// All of them count, not only as many as an oracle would show.
    all_count: bool,
}

impl Templates {
    /// All templates of a text. At a budget as many count as an oracle would show: the cheapest line of each, the cheapest first.
    #[must_use]
    pub fn for_oracle(text: &str) -> Self {
        Self::of(text, |_| true, false)
    }

    /// The templates that occur once or twice. All of them count at every budget.
    #[must_use]
    pub fn rare(text: &str) -> Self {
        Self::of(text, |count| count <= 2, true)
    }

    fn of(text: &str, is_wanted: impl Fn(usize) -> bool, all_count: bool) -> Self {
        let mut shortest: BTreeMap<String, (usize, &str)> = BTreeMap::new();
        for line in text.lines() {
            let template = template(line);
            if template.is_empty() {
                continue;
            }
            let (count, least) = shortest.entry(template).or_insert((0, line));
            *count += 1;
            if line.len() < least.len() {
                *least = line;
            }
        }
        let counter = Tokenizer::O200k.counter();
        let mut templates: Vec<(u64, String)> = shortest
            .into_iter()
            .filter(|(_, (count, _))| is_wanted(*count))
            // A line's end is a token of its own.
            .map(|(template, (_, line))| (counter.count(line) + 1, template))
            .collect();
        templates.sort();
        Self { templates, all_count }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.templates.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// Every one counts, whatever the budget.
    pub(crate) fn all_count(&self) -> bool {
        self.all_count
    }

    pub(crate) fn costs(&self) -> Vec<u64> {
        self.templates.iter().map(|(tokens, _)| *tokens).collect()
    }

    pub(crate) fn kept(&self, text: &str, budget_tokens: u64) -> u32 {
        let shown: BTreeSet<String> = text.lines().map(template).collect();
        let kept = self.templates.iter().filter(|(_, template)| shown.contains(template)).count();
        if self.all_count {
            return u32::try_from(kept).unwrap_or(u32::MAX);
        }
        let mut left = budget_tokens.saturating_sub(FRAME_TOKENS);
        let fits = |(tokens, _): &&(u64, String)| {
            let fits = *tokens <= left;
            left = left.saturating_sub(*tokens);
            fits
        };
        let kept = kept.min(self.templates.iter().take_while(fits).count());
        u32::try_from(kept).unwrap_or(u32::MAX)
    }

    pub(crate) fn text(&self) -> String {
        const SHOWN: usize = 5;
        let first: Vec<&str> =
            self.templates.iter().take(SHOWN).map(|(_, template)| template.as_str()).collect();
        format!("{} templates, the cheapest of them: {}", self.templates.len(), first.join(" / "))
    }
}

/// A line without its time and level, with UUIDs, words that hold a digit (hexadecimal too), quoted texts, paths and the values of
/// `key=value` replaced.
fn template(line: &str) -> String {
    let line =
        line.char_indices().nth(4 * SHAPE_CHARS).map_or(line, |(end, _)| line.get(..end).unwrap_or(line));
    let plain = ANSI.replace_all(line, "");
    let end = plain.char_indices().nth(SHAPE_CHARS).map_or(plain.len(), |(end, _)| end);
    let head = plain.get(..end).unwrap_or(&plain);
    let bare = PREFIX.find(head).and_then(|prefix| head.get(prefix.end()..)).unwrap_or(head);
    VARIABLE.replace_all(bare.trim(), "#").into_owned()
}

fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "constant patterns, compiled by tests")]
    Regex::new(text).expect("the pattern is sound")
}

static ANSI: LazyLock<Regex> = LazyLock::new(|| pattern("\u{1b}\\[[0-9;?]*[ -/]*[@-~]"));

static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)^(?:
            [\s\[\](){}<>|:,-]+
            | \d{4}[-/]\d\d[-/]\d\d(?:[T\x20_]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:\x20?Z|\x20?UTC|\x20?[+-]\d\d:?\d\d)?
            | (?:(?:mon|tue|wed|thu|fri|sat|sun)[,\x20]+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\x20+\d{1,2}\x20+\d\d:\d\d:\d\d(?:\x20\d{4})?
            | \d{1,2}:\d\d:\d\d(?:[.,]\d+)?
            | (?:trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|severe|log)\b
            | [diwef]\b
        )*",
    )
});

static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
            "[^"]*" | '[^']*' | `[^`]*`
            | \b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b
            | (?:[A-Za-z]:\\|\.{0,2}/)[^\s:"'(),]+ | \b[\w.@-]+(?:/[\w.@-]+)+
            | =[^\s,;"'`()\[\]{}]+
            | [\w-]*[0-9][\w-]*(?:[.,:][\w-]*[0-9][\w-]*)*
        "#,
    )
});

/// Scores the logs of another set by their templates.
#[must_use]
pub fn log_templates(set: &Set) -> Option<Set> {
    let logs = set.samples.iter().filter(|sample| detect(&sample.bytes) == ContentType::Log);
    template_set(&set.name, logs.cloned().collect())
}

/// Scores every log in a folder and the folders below it by its templates.
///
/// # Errors
/// [`EvalError::File`] if a folder or a file cannot be read.
pub fn log_templates_of_folder(folder: &Path, sizes: Sizes) -> Result<Option<Set>, EvalError> {
    let mut logs = Vec::new();
    for path in files_below(folder)? {
        let bytes = fs::read(&path).map_err(|source| EvalError::File { path: path.clone(), source })?;
        let within = (sizes.min_bytes..=sizes.max_bytes).contains(&(bytes.len() as u64));
        if within && detect(&bytes) == ContentType::Log {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            logs.push(Sample::new(name, bytes, Some(path)));
        }
    }
    logs.retain(|log| log.tokens >= sizes.min_tokens);
    Ok(template_set(&folder.display().to_string(), logs))
}

fn template_set(name: &str, samples: Vec<Sample>) -> Option<Set> {
    let mut items = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        let text = String::from_utf8_lossy(&sample.bytes);
        for (class, templates) in [
            ("templates that an oracle fits in", Templates::for_oracle(&text)),
            ("templates that occur once or twice", Templates::rare(&text)),
        ] {
            if !templates.is_empty() {
                items.push(Item {
                    sample: index,
                    class: class.to_owned(),
                    question: "Which kinds of lines are there?".to_owned(),
                    query: None,
                    needs_query: false,
                    evidence: Evidence::Templates(templates),
                });
            }
        }
    }
    let budgets = Some(BUDGETS.to_vec());
    let name = format!("log templates of {name}");
    (!items.is_empty()).then(|| Set { name, samples, items, budgets, remarks: Vec::new() })
}

/// All files, sorted by path.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let wrong = |path: &Path, source| EvalError::File { path: path.to_owned(), source };
    let mut files = Vec::new();
    let mut unread = vec![folder.to_owned()];
    while let Some(folder) = unread.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| wrong(&folder, error))? {
            let entry = entry.map_err(|error| wrong(&folder, error))?;
            let kind = entry.file_type().map_err(|error| wrong(&entry.path(), error))?;
            if kind.is_dir() {
                unread.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_what_does_not_vary() {
        for (one, other) in [
            ("2026-01-02T03:04:05.678Z INFO took 17 ms", "[2026-02-02 13:04:05,1] [WARN] took 3.5 ms"),
            ("Jan  2 03:04:05 opened \"a b\"", "Feb 12 03:04:05 opened \"c\""),
            ("read /etc/hosts as 0xdeadbeef", "read ./a/b.txt as 0x1"),
            ("\u{1b}[31mjob 1f0e9c2ab done\u{1b}[0m", "job pay-eu-0c3b12 done"),
            ("scanned gate=4 state=lost", "scanned gate=x state=in_transit"),
            ("I id 123e4567-e89b-12d3-a456-426614174000", "E id 1"),
        ] {
            assert_eq!(template(one), template(other));
        }
        assert_ne!(template("opened 3 files"), template("closed 3 files"));
        assert_eq!(template("12:00:01 ERROR"), "");
    }

    #[test]
    fn long_lines_are_known_by_their_heads() {
        let line = "word ".repeat(100);
        assert_eq!(template(&line), template(&line[..300]));
    }

    #[test]
    fn as_many_count_as_the_oracle_fits_in_and_all_rare_ones() {
        let text = "a 1\na 2\na 3\nbeta gamma delta 4\nbeta gamma delta 5\nlonely line of many words here\n";
        let oracle = Templates::for_oracle(text);
        assert_eq!(oracle.len(), 3);
        assert_eq!(oracle.templates[0].1, "a #");
        // Room for the cheapest only: any one is as good, and no more are asked for.
        assert_eq!(oracle.kept("lonely line of many words here\n", FRAME_TOKENS + 5), 1);
        assert_eq!(oracle.kept("a 2\nlonely line of many words here\n", FRAME_TOKENS + 5), 1);
        assert_eq!(oracle.kept(text, 1_000), 3);
        assert_eq!(oracle.kept("", 1_000), 0);
        let rare = Templates::rare(text);
        assert_eq!(rare.len(), 2);
        assert_eq!(rare.kept("lonely line of many words here\n", FRAME_TOKENS + 5), 1);
    }
}
