//! The examples of `docs/query.md` are answered as they stand there.

use crate::text;

/// Blocks of the page between fences of this kind, in order.
fn blocks<'d>(page: &'d str, kind: &str) -> Vec<&'d str> {
    let open = format!("```{kind}\n");
    page.split(open.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_page_tells_the_truth() {
    let page = include_str!("../../../../docs/query.md");
    let sources = blocks(page, "json source");
    let [source] = sources.as_slice() else { panic!("one source is asked, not {}", sources.len()) };
    let asked = blocks(page, "json query");
    let answers = blocks(page, "text answer");
    assert!(asked.len() >= 8);
    assert_eq!(asked.len(), answers.len());
    for (asked, answer) in asked.iter().zip(answers) {
        let expected = answer.replace("\u{21e5}", "\t");
        assert_eq!(text(source.as_bytes(), asked), expected, "{asked}");
    }
}
