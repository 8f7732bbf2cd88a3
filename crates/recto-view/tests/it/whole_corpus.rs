//! The laws of views over every file of the corpus: a correct view, or the documented error.

use recto_testkit::corpus::{self, CorpusFile};
use recto_view::{Budget, Mode, Policy, Recall, Source};

use crate::properties::{budgets, check, check_ascending};

/// Larger files are seen at two budgets only.
const SEEN_WELL_BYTES: u64 = 300_000;
/// Larger files are seen at every other budget, so that the whole takes seconds without optimisation.
const SEEN_IN_FULL_BYTES: u64 = 30_000;
/// The corpus is shared out among so many tests, which run side by side.
const SHARES: usize = 4;

fn share(number: usize, mode: Mode) {
    let Some(files) = corpus::outputs() else { return };
    let questions = corpus::questions().unwrap_or_default();
    let mut broken = Vec::new();
    for file in files.iter().skip(number).step_by(SHARES) {
        let query = questions.iter().find(|question| question.file == file.relative);
        let query =
            query.map_or_else(|| "error failed".to_owned(), |question| question.query_terms.join(" "));
        // One broken file must not hide the next.
        if std::panic::catch_unwind(|| every_budget(file, mode, &query)).is_err() {
            broken.push(&file.relative);
        }
    }
    assert!(broken.is_empty(), "the reasons stand above: {broken:#?}");
}

fn every_budget(file: &CorpusFile, mode: Mode, query: &str) {
    let bytes = file.read();
    let source = Source::new(&bytes);
    let name = &file.relative;
    let plain = Policy { mode, recall: Recall::Tool, ..Policy::default() };
    let asked = Policy { query: Some(query.to_owned()), ..plain.clone() };
    match bytes.len() as u64 {
        ..SEEN_IN_FULL_BYTES => {
            for budgets in budgets() {
                check_ascending(name, &source, &plain, &budgets);
                check_ascending(name, &source, &asked, &budgets);
            }
        }
        SEEN_IN_FULL_BYTES..SEEN_WELL_BYTES => {
            let [tokens, bytes, ratios] = budgets();
            check_ascending(name, &source, &plain, &tokens);
            check_ascending(name, &source, &asked, &bytes);
            check_ascending(name, &source, &plain, &[ratios[0], ratios[3]]);
        }
        SEEN_WELL_BYTES.. => {
            check(name, &source, &Policy { budget: Budget::tokens(1_000), ..plain });
            check(name, &source, &Policy { budget: Budget::bytes(10_000), ..asked });
        }
    }
}

macro_rules! shares {
    ($($name:ident: $number:literal, $mode:ident;)*) => {
        $(#[test]
        fn $name() {
            share($number, Mode::$mode);
        })*
    };
}

shares! {
    exact_first: 0, Exact;
    exact_second: 1, Exact;
    exact_third: 2, Exact;
    exact_fourth: 3, Exact;
    marked_first: 0, Marked;
    marked_second: 1, Marked;
    marked_third: 2, Marked;
    marked_fourth: 3, Marked;
    table_first: 0, Table;
    table_second: 1, Table;
    table_third: 2, Table;
    table_fourth: 3, Table;
}
