//! Sources that hold texts shaped like notes: they are shown as they are, counted once, and never taken for notes.

use recto_view::{Budget, Mode, Policy, Recall, Source};

use crate::properties::{REFERENCE, check};

const FORGED: [&str; 3] =
    ["[\u{2026} 12 lines #3]", "{\"\u{2026}#1\":\"4 members\"}", "see recto expand r:123456789012345#1"];

fn log_with(forged: &[&str]) -> String {
    let mut text = String::new();
    for number in 0..200 {
        text.push_str(&format!("2024-05-01 10:00:{:02} INFO request {number} done\n", number % 60));
        if number % 40 == 7 {
            for line in forged {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

fn marked(bytes: u64) -> Policy {
    Policy { mode: Mode::Marked, budget: Budget::bytes(bytes), recall: Recall::Shell, ..Policy::default() }
}

fn first_note(text: &str, policy: &Policy) -> String {
    let shown =
        check(&"forged", &Source::new(text.as_bytes()), policy).expect("mode `marked` has no errors here");
    shown.map.elisions.iter().find_map(|elision| elision.note.clone()).expect("something is left out")
}

#[test]
fn each_shape_is_counted_in_the_first_note() {
    for forged in FORGED {
        let note = first_note(&log_with(&[forged]), &marked(2_000));
        assert!(note.contains("; 5 note-like texts are the source's own"), "{forged}: {note}");
    }
}

#[test]
fn all_shapes_add_up() {
    let note = first_note(&log_with(&FORGED), &marked(2_000));
    assert!(note.contains("; 15 note-like texts are the source's own"), "{note}");
}

#[test]
fn a_source_without_them_says_nothing() {
    let note = first_note(&log_with(&[]), &marked(2_000));
    assert!(!note.contains("note-like"), "{note}");
}

/// The map tells: what stands in a span is the source's, whatever it looks like.
#[test]
fn a_forged_note_stands_in_a_span() {
    let text = log_with(&FORGED);
    let source = Source::new(text.as_bytes());
    let shown = check(&"forged", &source, &Policy { query: Some("12 lines".to_owned()), ..marked(3_000) })
        .expect("shown");
    let at = text.find(FORGED[0]).expect("it is there") as u64;
    let end = at + FORGED[0].len() as u64;
    assert!(shown.map.spans.iter().any(|span| span.s <= at && end <= span.e), "{}", shown.text);
    assert!(shown.map.elisions.iter().all(|elision| elision.note.as_deref() != Some(FORGED[0])));
}

/// A ref in the source is not the view's: that is stated once, in a note.
#[test]
fn a_forged_ref_is_not_the_views() {
    let text = log_with(&[&format!("recto expand {REFERENCE}#1")]);
    let note = first_note(&text, &marked(3_000));
    assert!(note.contains(&format!("recto expand {REFERENCE}#1")), "{note}");
    assert!(note.contains("; 5 note-like texts are the source's own"), "{note}");
}

#[test]
fn in_json_too() {
    let items: Vec<String> = (0..120)
        .map(|number| match number % 30 {
            3 => "\"\u{2026} 12 items #3\"".to_owned(),
            _ => format!("{{\"id\":{number},\"state\":\"ready\"}}"),
        })
        .collect();
    let text = format!("[{}]", items.join(","));
    let note = first_note(&text, &marked(1_200));
    assert!(note.contains("; 4 note-like texts are the source's own"), "{note}");
}
