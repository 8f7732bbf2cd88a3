//! Any bytes, any query: no panic, and the laws.

use proptest::prelude::*;
use recto_outline::ContentType;
use recto_query::{Caps, Format, Query};
use recto_testkit::strategies;

use crate::laws;

/// Queries about whatever the sources may hold.
fn asked() -> impl Strategy<Value = Query> {
    let pick = |items: &[&str]| {
        proptest::sample::select(items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>())
    };
    (
        proptest::option::of(pick(&[
            "$ contains \"a\"",
            "id > 5",
            "$ ~ \"[0-9]{2}\"",
            "name == 5 or not id exists",
            "$ != \"\"",
        ])),
        proptest::option::of(pick(&["$", "id", "[0]", "text", "value"])),
        proptest::option::of(pick(&["-$", "id", "-name"])),
        proptest::option::of(pick(&["$", "id", "level"])),
        proptest::option::of(pick(&["$", "items", "[0]", "table[0]", "content[0].text"])),
        (0_u64..60, 0_u64..5, any::<bool>()),
    )
        .prop_map(|(filter, columns, sort, group, path, (limit, offset, is_json))| Query {
            path,
            filter,
            columns: columns.filter(|_| group.is_none()).into_iter().collect(),
            sort: sort.filter(|_| group.is_none()).into_iter().collect(),
            group: group.into_iter().collect(),
            limit: Some(limit),
            offset: Some(offset),
            format: if is_json { Format::Json } else { Format::Table },
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_source_is_answered_within_the_laws(
        input in strategies::input(6_000),
        asked in asked(),
        max_bytes in 0_usize..6_000,
        content_type in proptest::option::of(proptest::sample::select(ContentType::ALL.to_vec())),
    ) {
        laws::check(&input.bytes, content_type, &asked, &Caps::bytes(max_bytes));
    }

    #[test]
    fn any_filter_reads_or_says_why(filter in "[a-c\"'`()<>=!~&|.\\[\\]\\\\0-9 ]{0,40}|[ -~é]{0,60}") {
        let asked = Query { filter: Some(filter), ..Query::default() };
        laws::check(br#"[{"a": 1, "b": "x"}, {"a": 2, "c": null}]"#, None, &asked, &Caps::default());
    }

    #[test]
    fn any_arguments_read_or_say_why(path in ".{0,20}", column in ".{0,20}", sort in ".{0,20}", group in ".{0,20}") {
        let asked = Query { path: Some(path), columns: vec![column.clone()], sort: vec![sort], ..Query::default() };
        let source = br#"{"items": [{"a": 1, "b": "x"}, {"a": 2, "c": null}]}"#;
        laws::check(source, None, &asked, &Caps::default());
        laws::check(source, None, &Query { group: vec![group], path: None, sort: vec![], ..asked }, &Caps::default());
    }
}
