//! Every note that a view can hold is found in an argument, and what tools print by themselves is not.

use recto_hooks::notes::find;
use recto_testkit::corpus;
use recto_view::{Budget, MARK, Mode, Policy, Recall, Source, look_alikes, view};
use serde_json::{json, value::to_raw_value};

const NAME: &str = "r:314159265358979";

/// Longest file that is viewed here.
const MOST_BYTES: usize = 200_000;

fn found(text: &str) -> bool {
    find(&to_raw_value(&json!({ "file_path": "p", "content": text })).unwrap()).is_some()
}

#[test]
fn notes_of_views_of_every_kind() {
    let Some(files) = corpus::outputs() else { return };
    let mut notes = 0;
    let mut mistaken = Vec::new();
    for file in files {
        let bytes = file.read();
        if bytes.len() > MOST_BYTES {
            continue;
        }
        let source = Source::new(&bytes);
        for (mode, max_bytes) in [(Mode::Marked, 2_500), (Mode::Table, 4_000), (Mode::Marked, 70)] {
            let policy =
                Policy { mode, budget: Budget::bytes(max_bytes), recall: Recall::Shell, ..Policy::default() };
            let Ok(made) = view(&source, &policy, Some(NAME), &mut recto_outline::Fuel::unlimited()) else {
                continue;
            };
            let whole = made.render(&source).unwrap();
            let own = made
                .map()
                .into_iter()
                .flat_map(|map| &map.elisions)
                .filter_map(|elision| elision.note.as_deref());
            for note in own.filter(|note| note.contains(MARK)) {
                assert!(found(note), "{}: {note:?}", file.relative);
                assert!(found(&whole), "{}", file.relative);
                notes += 1;
            }
        }
        if look_alikes(&bytes) == 0 && found(&String::from_utf8_lossy(&bytes)) {
            mistaken.push(file.relative.clone());
        }
    }
    assert!(notes > 2_000, "{notes}");
    assert_eq!(mistaken, [] as [String; 0], "sources without anything like a note");
}
