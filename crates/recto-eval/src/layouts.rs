//! What mode `table` costs beside JSON in its usual forms and beside other commands that lay JSON out.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use recto_outline::{ContentType, Fuel, JsonEvents, JsonItem, detect, json_path, scan_json};
use recto_tokens::Tokenizer;
use recto_view::{Budget, Mode, Policy, Source, decode, view};
use serde::Serialize;

use crate::{
    error::EvalError,
    peer::Peer,
    report::{counted, grouped, row, table},
    source::Sample,
};

/// A source is called record-shaped if keys that were said before are at least this share of its JSON without blanks, in percent.
const RECORD_PERCENT: u64 = 20;

/// One source in several layouts, in `o200k_base` tokens.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Layouts {
    /// The file, below the folder.
    pub file: String,
    /// As JSON with blanks, two for each level.
    pub pretty: u64,
    /// As JSON without blanks.
    pub compact: u64,
    /// As each peer makes it; none where it failed.
    pub peers: Vec<Option<u64>>,
    /// As mode `table` makes it, all of it; none where that takes no table for it.
    pub table: Option<u64>,
    /// Keys that were said before, of the JSON without blanks.
    pub repeated_percent: u64,
}

/// The layouts of all JSON files in a folder.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutReport {
    /// The peers' names.
    pub peers: Vec<String>,
    /// The sources, by name.
    pub files: Vec<Layouts>,
    /// Files that are no JSON as a whole.
    pub unreadable: Vec<String>,
}

/// Lays out every `.json` and `.jsonl` file in a folder and below, and counts tokens.
///
/// # Errors
/// [`EvalError::File`] for what cannot be read, [`EvalError::Nothing`] if there is no such file.
pub fn layouts(folder: &Path, peers: &[Peer]) -> Result<LayoutReport, EvalError> {
    let mut report = LayoutReport {
        peers: peers.iter().map(|peer| peer.name().to_owned()).collect(),
        files: Vec::new(),
        unreadable: Vec::new(),
    };
    for path in json_files(folder)? {
        let bytes = fs::read(&path).map_err(|source| EvalError::File { path: path.clone(), source })?;
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        match laid_out(&name, bytes, path, peers) {
            Some(measured) => report.files.push(measured),
            None => report.unreadable.push(name),
        }
    }
    if report.files.is_empty() {
        let what = folder.display().to_string();
        return Err(EvalError::Nothing { what, skipped: report.unreadable.len() });
    }
    Ok(report)
}

/// The JSON files of a folder and those in it, sorted.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| EvalError::File { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn laid_out(name: &str, bytes: Vec<u8>, path: PathBuf, peers: &[Peer]) -> Option<Layouts> {
    let text = str::from_utf8(&bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let content_type = detect(text.as_bytes());
    if !matches!(content_type, ContentType::Json | ContentType::Jsonl) {
        return None;
    }
    let mut writing = Writing::new(text.as_bytes());
    let outcome = scan_json(text.as_bytes(), 0, text.len(), &mut writing);
    if outcome.faults > 0 || outcome.depth > 0 || outcome.values == 0 {
        return None;
    }
    let count = |text: &str| Tokenizer::O200k.counter().count(text);
    let (pretty, compact) =
        (String::from_utf8(writing.pretty).ok()?, String::from_utf8(writing.compact).ok()?);
    let source = Source::new(&bytes);
    let policy = Policy { mode: Mode::Table, budget: Budget::bytes(u64::MAX), ..Policy::default() };
    let made = view(&source, &policy, None, &mut Fuel::unlimited()).ok()?;
    let shown = made.render(&source).ok().filter(|_| made.mode == Mode::Table);
    // A layout that does not read back is none.
    let lossless = shown.filter(|shown| decode(shown).is_ok_and(|decoded| decoded == compact));
    let sample = Sample::new(name.to_owned(), compact.into_bytes(), Some(path));
    let measured = peers.iter().map(|peer| peer.run(&sample, 0, "").ok().map(|text| count(&text)));
    Some(Layouts {
        file: name.to_owned(),
        pretty: count(&pretty),
        compact: sample.tokens,
        peers: measured.collect(),
        table: lossless.map(|shown| count(&shown)),
        repeated_percent: 100 * writing.repeated_bytes / (sample.bytes.len() as u64).max(1),
    })
}

impl Layouts {
    /// Says whether much of it is keys that were said before.
    #[must_use]
    pub fn is_record_shaped(&self) -> bool {
        self.repeated_percent >= RECORD_PERCENT
    }

    /// The table's tokens of those of the JSON with blanks, in percent.
    #[must_use]
    pub fn share_percent(&self) -> Option<u64> {
        Some(100 * self.table? / self.pretty.max(1))
    }
}

impl LayoutReport {
    /// Lays the report out as an aligned table: sources with records first, then the others, then medians.
    #[must_use]
    pub fn text(&self) -> String {
        let mut heads = vec!["pretty".to_owned(), "compact".to_owned()];
        heads.extend(self.peers.iter().cloned());
        heads.extend(["table", "of pretty", "repeated"].map(str::to_owned));
        let mut rows = Vec::new();
        let sorted =
            |is_record: bool| self.files.iter().filter(move |file| file.is_record_shaped() == is_record);
        for file in sorted(true).chain(sorted(false)) {
            let number = |tokens: Option<u64>| tokens.map_or_else(|| "-".to_owned(), grouped);
            let mut cells = vec![grouped(file.pretty), grouped(file.compact)];
            cells.extend(file.peers.iter().copied().map(number));
            cells.push(number(file.table));
            cells.push(file.share_percent().map_or_else(|| "-".to_owned(), |share| format!("{share}%")));
            cells.push(format!("{}%", file.repeated_percent));
            rows.push(row(&file.file, cells));
        }
        let mut out = String::from(
            "Tokens (o200k) of each file, whole, in several layouts; a table counts only if it reads back token by token.\n\n",
        );
        out.push_str(&table(&row("", heads), &rows));
        out.push('\n');
        for (name, is_record) in [("record-shaped", true), ("other", false)] {
            self.summary(&mut out, name, &sorted(is_record).collect::<Vec<_>>());
        }
        out
    }

    fn summary(&self, out: &mut String, name: &str, files: &[&Layouts]) {
        let mut shares: Vec<u64> = files.iter().filter_map(|file| file.share_percent()).collect();
        shares.sort_unstable();
        let median = shares
            .get(shares.len() / 2)
            .map_or_else(String::new, |share| format!(", in the median {share}% of pretty"));
        out.push_str(&format!(
            "{}, {} as tables{median}",
            counted(files.len(), &format!("{name} file")),
            shares.len()
        ));
        let wins = |other: &dyn Fn(&Layouts) -> Option<u64>| {
            let pairs = files.iter().filter_map(|file| file.table.zip(other(file)));
            pairs.filter(|(table, other)| table < other).count()
        };
        out.push_str(&format!("; smaller than compact {} times", wins(&|file| Some(file.compact))));
        for (index, peer) in self.peers.iter().enumerate() {
            let of_peer = |file: &Layouts| file.peers.get(index).copied().flatten();
            out.push_str(&format!(", than {peer} {} times", wins(&of_peer)));
        }
        out.push('\n');
    }
}

/// Writes JSON anew in both usual forms, and counts keys that were said before.
struct Writing<'s> {
    source: &'s [u8],
    pretty: Vec<u8>,
    compact: Vec<u8>,
    /// The open containers: the path of each, and whether it has anything in it.
    open: Vec<(u64, bool, u8)>,
    known: HashSet<(u64, u64)>,
    repeated_bytes: u64,
}

impl<'s> Writing<'s> {
    fn new(source: &'s [u8]) -> Self {
        let (pretty, compact) = (Vec::new(), Vec::new());
        Self { source, pretty, compact, open: Vec::new(), known: HashSet::new(), repeated_bytes: 0 }
    }

    fn line(&mut self) {
        self.pretty.push(b'\n');
        self.pretty.resize(self.pretty.len() + 2 * self.open.len(), b' ');
    }

    /// Writes what stands before a value; gives the path of the value.
    fn begin(&mut self, item: JsonItem) -> u64 {
        let Some((path, has_items, _)) = self.open.last_mut() else {
            if !self.compact.is_empty() {
                self.compact.push(b'\n');
                self.pretty.push(b'\n');
            }
            return 0;
        };
        let path = *path;
        if std::mem::replace(has_items, true) {
            self.compact.push(b',');
            self.pretty.push(b',');
        }
        self.line();
        let key = self.source.get(item.start..item.key_end).unwrap_or_default();
        if key.is_empty() {
            return path;
        }
        for (out, colon) in [(&mut self.compact, &b":"[..]), (&mut self.pretty, b": ")] {
            out.extend_from_slice(key);
            out.extend_from_slice(colon);
        }
        let here = json_path(path, key);
        if !self.known.insert((path, here)) {
            self.repeated_bytes += key.len() as u64 + 1;
        }
        here
    }
}

impl JsonEvents for Writing<'_> {
    fn open(&mut self, item: JsonItem, _brace_at: usize, is_object: bool) {
        let path = self.begin(item);
        let brace = if is_object { b'{' } else { b'[' };
        self.compact.push(brace);
        self.pretty.push(brace);
        self.open.push((path, false, brace + 2));
    }

    fn close(&mut self, _end: usize) {
        let Some((_, has_items, brace)) = self.open.pop() else { return };
        if has_items {
            self.line();
        }
        self.compact.push(brace);
        self.pretty.push(brace);
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, _is_string: bool) {
        self.begin(item);
        let text = self.source.get(start..end).unwrap_or_default();
        self.compact.extend_from_slice(text);
        self.pretty.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_written_in_both_forms() {
        let source = br#"{ "a":[1,{"b" :[]}] , "c":{}}"#;
        let mut writing = Writing::new(source);
        scan_json(source, 0, source.len(), &mut writing);
        assert_eq!(writing.compact, br#"{"a":[1,{"b":[]}],"c":{}}"#);
        let pretty = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}";
        assert_eq!(String::from_utf8_lossy(&writing.pretty), pretty);
        assert_eq!(writing.repeated_bytes, 0);
    }

    #[test]
    fn repeated_keys_are_counted() {
        let source = br#"[{"id":1},{"id":2},{"x":{"id":3}}]"#;
        let mut writing = Writing::new(source);
        scan_json(source, 0, source.len(), &mut writing);
        assert_eq!(writing.repeated_bytes, 5);
    }
}
