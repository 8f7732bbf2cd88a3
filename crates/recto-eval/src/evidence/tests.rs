use recto_view::{Stats, WireSpan};

use super::*;

const SOURCE: &str = "{\"id\":\"a\",\"state\":\"ok\"}\n{\"id\":\"b\",\"state\":\"lost\"}\n";

fn needle(id: &str, value: &str) -> Needle {
    let at = |text: &str| SOURCE.find(text).map(|at| at..at + text.len()).unwrap();
    Needle { record: at("{\"id\":\"b\",\"state\":\"lost\"}"), id: at(id), value: at(value) }
}

fn map(spans: &[Range<usize>]) -> SpanMap {
    SpanMap {
        version: 1,
        src_bytes: SOURCE.len() as u64,
        src_sha256: String::new(),
        content_type: "jsonl".to_owned(),
        spans: spans.iter().map(|span| WireSpan { s: span.start as u64, e: span.end as u64 }).collect(),
        elisions: Vec::new(),
        stats: Stats::new(0, 0),
    }
}

fn kept(evidence: &Evidence, text: &str, map: Option<&SpanMap>) -> u32 {
    evidence.kept(SOURCE.as_bytes(), Shown { text, map }, 1_000)
}

#[test]
fn a_value_without_its_id_is_not_kept() {
    let evidence = Evidence::Records(vec![needle("\"b\"", "lost")]);
    assert_eq!(kept(&evidence, SOURCE, None), 1);
    assert_eq!(kept(&evidence, "{\"state\":\"lost\"}\n", None), 0);
    assert_eq!(kept(&evidence, "{\"id\":\"b\"}\n", None), 0);
    assert_eq!(kept(&evidence, "\"b\"\nlost\n", None), 0);
    assert_eq!(kept(&evidence, "b is lost: \"b\" lost\n", None), 1);
}

#[test]
fn the_span_map_is_believed_before_the_text() {
    let evidence = Evidence::Records(vec![needle("\"b\"", "lost")]);
    let Evidence::Records(needles) = &evidence else { unreachable!() };
    let (id, value) = (needles[0].id.clone(), needles[0].value.clone());
    assert_eq!(kept(&evidence, "", Some(&map(&[id.clone(), value.clone()]))), 1);
    assert_eq!(kept(&evidence, SOURCE, Some(&map(std::slice::from_ref(&value)))), 0);
    assert_eq!(kept(&evidence, SOURCE, Some(&map(&[id.clone(), value.start..value.end - 1]))), 0);
    // A note may stand between two spans that touch.
    let halves = [id, value.start..value.start + 2, value.start + 2..value.end];
    assert_eq!(kept(&evidence, "", Some(&map(&halves))), 1);
    assert_eq!(kept(&evidence, "", Some(&map(&[]))), 0);
}

#[test]
fn texts_survive_as_they_are_and_bound_ones_beside_their_id() {
    let free = Evidence::Text { answer: "lost".to_owned(), bind: None };
    assert_eq!(kept(&free, "all is lost", None), 1);
    assert_eq!(kept(&free, "LOST", None), 0);
    let bound = Evidence::Text { answer: "lost".to_owned(), bind: Some("\"b\"".to_owned()) };
    assert_eq!(kept(&bound, "all is lost\n", None), 0);
    assert_eq!(kept(&bound, SOURCE, None), 1);
    let wrong = Evidence::Text { answer: "lost".to_owned(), bind: Some("\"a\"".to_owned()) };
    assert_eq!(kept(&wrong, SOURCE, None), 0);
}

#[test]
fn what_is_absent_must_not_appear() {
    let evidence = Evidence::Absent("zq7".to_owned());
    assert_eq!(kept(&evidence, SOURCE, None), 1);
    assert_eq!(kept(&evidence, "no match for zq7", None), 0);
}

#[test]
fn parts_are_counted_and_the_cheapest_are_feasible_first() {
    let evidence = Evidence::References(vec!["lost".to_owned(), "\"a\"".to_owned(), "none of it".to_owned()]);
    assert_eq!(kept(&evidence, SOURCE, None), 2);
    let costs = evidence.costs(SOURCE.as_bytes());
    assert!(costs.is_sorted() && costs.len() == 3, "{costs:?}");
    let shares = Kept { kept: 2, of: 3, feasible: 2 };
    assert_eq!((shares.feasible_share(), shares.raw_share()), (Some(1.0), 2.0 / 3.0));
    assert_eq!(Kept { feasible: 0, ..shares }.feasible_share(), None);
}
