use recto_session::{
    Aim, Block, Content, Event, Log, PruneConfig, SessionError, Strategy, measure_content, prune_session,
    prune_session_with,
};

use crate::{laws, log, seqs};

fn call(seq: u64, id: &str) -> String {
    format!(
        r#"{{"seq":{seq},"turn":1,"step":2,"kind":"tool/call","data":{{"callId":"{id}","name":"read"}}}}"#
    )
}

fn result(seq: u64, id: &str, content: &str) -> String {
    format!(
        r#"{{"seq":{seq},"turn":1,"step":2,"kind":"tool/result","data":{{"turn":1,"callId":"{id}","isError":true,"content":{content},"meta":{{"n":1.0}}}}}}"#
    )
}

fn long(letter: &str) -> String {
    format!(r#""{}""#, letter.repeat(70))
}

fn small() -> PruneConfig {
    PruneConfig::chars(50, 3, 2).unwrap()
}

#[test]
fn a_rewrite_is_two_events_and_spreads_all_but_the_content() {
    let mut log = log(&[&call(0, "a"), &result(1, "a", &long("x")), r#"{"seq":2,"kind":"message/user"}"#]);
    let pruned = prune_session(&mut log, &small()).unwrap();
    assert_eq!((pruned.scanned, pruned.rewritten), (1, vec![1]));
    assert_eq!((pruned.chars_before, pruned.chars_after), (70, 44));
    let lines: Vec<_> = log.events().iter().skip(3).map(Event::json).collect();
    assert_eq!(
        lines,
        [
            r#"{"seq":3,"turn":1,"step":2,"kind":"compaction/prune","data":{"shadowedRange":{"start":1,"end":1},"shadowedSeqs":[1],"shadowedTokenCount":5,"tokenizer":"o200k_base"}}"#.replace(":5,", &format!(":{},", recto_tokens::Tokenizer::O200k.counter().count(&"x".repeat(70)))),
            r#"{"seq":4,"turn":1,"step":2,"kind":"tool/result","data":{"turn":1,"callId":"a","isError":true,"content":"xxx\n\n[... tool result middle pruned ...]\n\nxx","meta":{"n":1.0}},"surfaceOp":{"op":"replace","start":1,"end":1},"sourceEventSeqs":[1]}"#.to_owned(),
        ]
    );
    assert_eq!(seqs(&log), [0, 4, 2]);
    assert_eq!(log.projection().replace_generation(), 1);
    assert!(prune_session(&mut log, &small()).unwrap().rewritten.is_empty());
    assert_eq!(log.events().len(), 5);
}

#[test]
fn results_that_are_hidden_or_short_or_unreadable_stay() {
    let twice = format!(r#""short","content":{}"#, long("x"));
    let mut log = log(&[
        &call(0, "a"),
        &result(1, "a", &long("x")),
        &call(2, "b"),
        &result(3, "b", &twice),
        &call(4, "c"),
        &result(5, "c", "12"),
        &format!(r#"{{"seq":6,"kind":"message/user","data":{{"content":{}}}}}"#, long("x")),
        r#"{"seq":7,"kind":"compaction/commit","surfaceOp":{"op":"replace","start":0,"end":1}}"#,
    ]);
    let pruned = prune_session(&mut log, &small()).unwrap();
    assert_eq!((pruned.scanned, pruned.rewritten.len(), log.events().len()), (2, 0, 8));
}

#[test]
fn a_refused_replacement_is_returned_at_once_and_what_was_done_stays() {
    // The second result stands in two places, so that its number alone does not name it.
    let twice = format!(
        r#"{{"seq":4,"kind":"tool/result","data":{{"content":{}}},"surfaceOp":{{"op":"replace","ranges":[{{"start":2,"end":2}},{{"start":3,"end":3}}]}}}}"#,
        long("y")
    );
    let mut log = log(&[
        &call(0, "a"),
        &result(1, "a", &long("x")),
        r#"{"seq":2,"kind":"message/user"}"#,
        r#"{"seq":3,"kind":"message/user"}"#,
        &twice,
        &call(5, "c"),
        &result(6, "c", &long("z")),
    ]);
    let error = prune_session(&mut log, &small()).unwrap_err();
    assert!(matches!(error, SessionError::Ambiguous { named: 4, .. }), "{error}");
    // The first is done, the second left no half of its two events, the third was not come to.
    assert_eq!(log.events().len(), 9);
    assert_eq!(seqs(&log), [0, 8, 4, 4, 5, 6]);
}

#[test]
fn a_view_is_used_where_it_is_lawful() {
    let with_image = r#"{"type":"image","data":"AAAA"}"#;
    let blocks = format!(r#"[{{"type":"text","text":{}}},{with_image}]"#, long("x"));
    let view = |json: &'static str| {
        move |_: &Event, _: &Content<'_>, aim: Aim| {
            assert_eq!(aim, Aim::Chars(44));
            Some(Content::from_json(json).unwrap())
        }
    };
    let shown = |content: &str, shorten: &dyn recto_session::Shorten| {
        let mut log = log(&[&call(0, "a"), &result(1, "a", content)]);
        prune_session_with(&mut log, &small().with_strategy(Strategy::View), shorten).unwrap();
        laws::check(&log);
        log.events()[3].field("content").unwrap().to_owned()
    };
    let marked = "tool result middle pruned";
    assert_eq!(
        shown(&blocks, &view(r#"[{"type":"text","text":"v"},{"type":"image","data":"AAAA"}]"#)),
        r#"[{"type":"text","text":"v"},{"type":"image","data":"AAAA"}]"#
    );
    // The image is gone, or another, or a text is empty: head and tail.
    for unlawful in [
        r#"[{"type":"text","text":"v"}]"#,
        r#"[{"type":"text","text":"v"},{"type":"image","data":"BBBB"}]"#,
        r#"[{"type":"text","text":""},{"type":"image","data":"AAAA"}]"#,
        "[]",
    ] {
        assert!(shown(&blocks, &view(unlawful)).contains(marked), "{unlawful}");
    }
    assert_eq!(shown(&long("x"), &view(r#""v""#)), r#""v""#);
    assert_eq!(shown(&long("x"), &view(r#"[{"type":"text","text":"v"}]"#)), r#""v""#, "a string stays one");
    assert!(shown(&long("x"), &view("[]")).contains(marked));
    let as_large = |_: &Event, content: &Content<'_>, _: Aim| {
        let text = content.blocks()[0].text().unwrap().into_owned();
        Some(Content::from(vec![Block::from_text(&text)]))
    };
    assert!(shown(&long("x"), &as_large).contains(marked));
    let nothing = |_: &Event, _: &Content<'_>, _: Aim| None;
    assert!(shown(&long("x"), &nothing).contains(marked));
    // With headTail nobody is asked.
    let mut log = log(&[&call(0, "a"), &result(1, "a", &long("x"))]);
    let never = |_: &Event, _: &Content<'_>, _: Aim| -> Option<Content<'static>> { panic!("asked") };
    prune_session_with(&mut log, &small(), &never).unwrap();
}

#[test]
fn an_orphan_is_pruned_like_any_result_and_branches_do_not_matter() {
    let lines = [
        &call(0, "a"),
        &result(1, "b", &long("x")),
        r#"{"seq":2,"kind":"message/user","parent":0}"#,
        &result(3, "a", &long("y")),
    ];
    let mut log: Log = log(&lines.map(|line| line as &str));
    assert_eq!(prune_session(&mut log, &small()).unwrap().rewritten, [3]);
    let orphan = log.projection_of(1).unwrap().nodes().map(recto_session::Node::seq).collect::<Vec<_>>();
    assert_eq!(orphan, [0, 1], "the other branch is as it was");
    let mut alone = crate::log(&[&result(0, "b", &long("x"))]);
    assert_eq!(prune_session(&mut alone, &small()).unwrap().rewritten, [0]);
    assert_eq!(measure_content(alone.events()[2].content().unwrap().blocks()), 44);
}
