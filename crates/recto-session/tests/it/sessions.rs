use proptest::prelude::*;

use crate::laws;

/// An event's JSON without its number: kinds, ids and ranges that often meet, and at times do not.
fn event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "message/user",
        "message/assistant",
        "message/assistant",
        "message/system",
        "message/bash",
        "message/odd",
        "tool/call",
        "tool/call",
        "tool/call",
        "tool/result",
        "tool/result",
        "tool/result",
        "compaction/commit",
        "note",
        "x/new",
    ]);
    let content = (0..120_usize, 0..4_u8).prop_map(|(length, form)| {
        let text = "aé😀".chars().cycle().take(length).collect::<String>();
        match form {
            0 => format!(r#""{text}""#),
            1 => format!(r#"[{{"type":"text","text":"{text}"}},{{"type":"image","data":"AAAA"}},{{"type":"text","text":"{text}","x":1.0}}]"#),
            2 => format!(r#"[{{"type":"thinking","thinking":"{text}"}},{{"type":"text","text":""}}]"#),
            _ => "null".to_owned(),
        }
    });
    let id = prop::sample::select(vec![r#""a""#, r#""b""#, r#""\u0061""#, "1", "null"]);
    // `@3` is the third event before this one.
    let op = prop_oneof![
        6 => Just(String::new()),
        3 => (0..6_u64, 0..4_u64).prop_map(|(end, more)| {
            format!(r#","surfaceOp":{{"op":"replace","start":@{},"end":@{end}}}"#, end + more)
        }),
        1 => (0..12_u64, 0..12_u64).prop_map(|(one, other)| {
            format!(r#","surfaceOp":{{"op":"replace","ranges":[{{"start":@{one},"end":@{one},"block":"c0001"}},{{"start":@{other},"end":@{other}}}]}}"#)
        }),
        1 => (0..4_u64).prop_map(|commit| format!(r#","surfaceOp":{{"op":"restore","commitSeq":@{commit}}}"#)),
    ];
    let parent = prop_oneof![
        40 => Just(String::new()),
        2 => (0..12_u64).prop_map(|parent| format!(r#","parent":@{parent}"#)),
        1 => Just(r#","parent":null"#.to_owned()),
    ];
    let step =
        prop_oneof![Just(String::new()), (0..3_u8).prop_map(|step| format!(r#","turn":1,"step":{step}"#))];
    (kind, content, id, op, parent, step).prop_map(|(kind, content, id, op, parent, step)| {
        format!(r#","kind":"{kind}","data":{{"callId":{id},"name":"n","content":{content},"f":1.0}}{op}{parent}{step}}}"#)
    })
}

/// Gives each event the number that comes next if all before it were taken; several tries at a number, so that a refusal ends nothing.
fn numbered(log: &mut recto_session::Log, events: &[String]) -> String {
    let mut text = String::new();
    for event in events {
        let seq = log.leaf().map_or(0, |leaf| leaf + 1);
        let mut line = format!(r#"{{"seq":{seq}{event}"#);
        for back in 0..16 {
            line = line.replace(&format!("@{back},"), &format!("{},", seq.saturating_sub(back + 1)));
            line = line.replace(&format!("@{back}}}"), &format!("{}}}", seq.saturating_sub(back + 1)));
        }
        let _ = laws::append(log, &line);
        text.push_str(&line);
        text.push('\n');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_session_keeps_the_laws(events in prop::collection::vec(event(), 0..40)) {
        let mut log = recto_session::Log::new();
        let text = numbered(&mut log, &events);
        laws::check_lines(&text);
    }

    #[test]
    fn any_lines_are_read_without_a_panic(text in "[{}\\[\\]\":,a-e0-9\\\\u \n\r]{0,200}") {
        laws::check_lines(&text);
        let _ = recto_session::Log::from_jsonl(&text);
    }
}

/// Generated sessions must get somewhere: if most events were refused, the laws would hold of nothing.
#[test]
fn generated_sessions_are_long_and_replace_much() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut events, mut generations, mut longest) = (0, 0, 0);
    for _ in 0..100 {
        let tree = prop::collection::vec(event(), 40).new_tree(&mut runner).unwrap();
        let mut log = recto_session::Log::new();
        numbered(&mut log, &tree.current());
        events += log.events().len();
        generations += log.projection().replace_generation();
        longest = longest.max(log.projection().len());
    }
    assert!(events > 2000 && generations > 100 && longest > 8, "{events} {generations} {longest}");
}
