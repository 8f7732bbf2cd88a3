use recto_session::{Log, SessionError};

use crate::{laws, log, refused, seqs};

const USER: [&str; 4] = [
    r#"{"seq":0,"kind":"message/user"}"#,
    r#"{"seq":1,"kind":"message/user"}"#,
    r#"{"seq":2,"kind":"message/user"}"#,
    r#"{"seq":3,"kind":"message/user"}"#,
];

/// A user's message, two calls and their results.
const CALLS: [&str; 6] = [
    r#"{"seq":0,"kind":"message/user"}"#,
    r#"{"seq":1,"kind":"message/assistant"}"#,
    r#"{"seq":2,"kind":"tool/call","data":{"callId":"a"}}"#,
    r#"{"seq":3,"kind":"tool/call","data":{"callId":"b"}}"#,
    r#"{"seq":4,"kind":"tool/result","data":{"callId":"b"}}"#,
    r#"{"seq":5,"kind":"tool/result","data":{"callId":"\u0061"}}"#,
];

fn replace(seq: u64, kind: &str, data: &str, start: u64, end: u64) -> String {
    format!(
        r#"{{"seq":{seq},"kind":"{kind}","data":{data},"surfaceOp":{{"op":"replace","start":{start},"end":{end}}}}}"#
    )
}

#[test]
fn only_messages_and_tools_append_a_node() {
    let kinds = [
        "message/user",
        "message/assistant",
        "message/system",
        "tool/call",
        "tool/result",
        "compaction/prune",
        "compaction/plan",
        "compaction/commit",
        "compaction/undo",
        "note",
        "x/unknown",
    ];
    let lines: Vec<_> =
        kinds.iter().enumerate().map(|(seq, kind)| format!(r#"{{"seq":{seq},"kind":"{kind}"}}"#)).collect();
    let log = Log::from_jsonl(&lines.join("\n")).unwrap();
    assert_eq!(seqs(&log), [0, 1, 2, 3, 4]);
    assert_eq!(log.events().len(), 11);
}

#[test]
fn a_replacement_stands_where_the_run_stood_and_runs_are_of_positions() {
    let mut log = log(&USER);
    laws::append(&mut log, &replace(4, "message/user", "{}", 1, 1)).unwrap();
    assert_eq!(seqs(&log), [0, 4, 2, 3]);
    // From 4 on to 2: seqs fall, positions rise.
    laws::append(&mut log, &replace(5, "message/user", "{}", 4, 2)).unwrap();
    assert_eq!(seqs(&log), [0, 5, 3]);
    assert_eq!(log.projection().replace_generation(), 2);
    let error = refused(&mut log, &replace(6, "message/user", "{}", 3, 5));
    assert!(matches!(error, SessionError::Reversed { seq: 6, start: 3, end: 5 }), "{error}");
    for gone in [1, 2, 4, 6, 99] {
        let error = refused(&mut log, &replace(6, "message/user", "{}", gone, gone));
        assert!(matches!(error, SessionError::NotInProjection { named, .. } if named == gone), "{error}");
    }
    laws::append(&mut log, &replace(6, "x/summary", "{}", 0, 3)).unwrap();
    assert_eq!(seqs(&log), [6]);
    laws::check(&log);
}

#[test]
fn kinds_that_nobody_is_shown_stand_in_for_nothing() {
    for kind in ["compaction/prune", "compaction/plan", "compaction/undo", "note"] {
        let error = refused(&mut log(&USER), &replace(4, kind, "{}", 0, 0));
        assert!(matches!(error, SessionError::NeverShown { .. }), "{error}");
    }
}

#[test]
fn a_replacement_parts_no_call_from_its_result() {
    let cuts = [
        ("message/user", "{}", 2, 2, "the result 5 of call"),
        ("message/user", "{}", 5, 5, "the call 2 of call"),
        ("message/user", "{}", 0, 3, "the result"),
        ("message/user", "{}", 3, 4, ""),
        ("message/user", "{}", 2, 5, ""),
        ("tool/result", r#"{"callId":"a"}"#, 5, 5, ""),
        ("tool/result", r#"{"callId":"b"}"#, 5, 5, "the call 2 of call \"a\""),
        ("tool/result", r#"{"callId":"c"}"#, 0, 0, "the result 6 of call \"c\""),
        ("tool/result", r#"{"callId":"a"}"#, 0, 0, "the result 6 of call \"a\""),
        ("tool/result", r#"{"callId":"a"}"#, 2, 5, "the result 6 of call \"a\""),
        ("tool/result", r#"{"callId":1}"#, 5, 5, "the call 2 of call \"a\""),
        ("tool/call", r#"{"callId":"a","name":"x"}"#, 2, 2, ""),
        ("tool/call", r#"{"callId":"c"}"#, 0, 0, "the call 6 of call \"c\""),
        ("message/assistant", "{}", 1, 1, ""),
    ];
    for (kind, data, start, end, message) in cuts {
        let mut log = log(&CALLS);
        let line = replace(6, kind, data, start, end);
        if message.is_empty() {
            laws::append(&mut log, &line).unwrap();
            laws::check(&log);
        } else {
            let error = refused(&mut log, &line).to_string();
            assert!(error.contains(message), "{line}: {error}");
        }
    }
}

#[test]
fn one_event_stands_in_for_several_ranges() {
    let commit = concat!(
        r#"{"seq":6,"kind":"compaction/commit","surfaceOp":{"op":"replace","ranges":["#,
        r#"{"start":3,"end":4,"block":"c0002"},{"start":0,"end":0,"block":"c0001"}]}}"#
    );
    let mut log = log(&CALLS);
    laws::append(&mut log, commit).unwrap();
    assert_eq!(
        log.projection().to_json(),
        r#"{"replaceGeneration":1,"nodes":[{"seq":6,"part":1,"block":"c0001"},{"seq":1},{"seq":2},{"seq":6,"part":0,"block":"c0002"},{"seq":5}]}"#
    );
    let error = refused(&mut log, &replace(7, "message/user", "{}", 6, 6));
    assert!(matches!(error, SessionError::Ambiguous { places: 2, .. }), "{error}");
    let named = r#"{"seq":7,"kind":"message/user","surfaceOp":{"op":"replace","ranges":[{"start":6,"startBlock":"c0001","end":1}]}}"#;
    laws::append(&mut log, named).unwrap();
    assert_eq!(seqs(&log), [7, 2, 6, 5]);
    laws::check(&log);
}

#[test]
fn ranges_that_overlap_are_refused() {
    let mut log = log(&USER);
    let line = concat!(
        r#"{"seq":4,"kind":"compaction/commit","surfaceOp":{"op":"replace","ranges":["#,
        r#"{"start":2,"end":3},{"start":0,"end":2}]}}"#
    );
    let error = refused(&mut log, line);
    assert!(matches!(error, SessionError::Overlap { named: 2, .. }), "{error}");
}

#[test]
fn an_undone_commit_leaves_no_trace() {
    let mut log = log(&CALLS);
    let before: Vec<_> = log.projection().nodes().cloned().collect();
    let commit = concat!(
        r#"{"seq":6,"kind":"compaction/commit","surfaceOp":{"op":"replace","ranges":["#,
        r#"{"start":0,"end":0,"block":"c0001"},{"start":3,"end":4,"block":"c0002"}]}}"#
    );
    let undo = |seq, commit| {
        format!(
            r#"{{"seq":{seq},"kind":"compaction/undo","surfaceOp":{{"op":"restore","commitSeq":{commit}}}}}"#
        )
    };
    for wrong in [0, 6, 99] {
        let error = refused(&mut log, &undo(6, wrong));
        assert!(matches!(error, SessionError::NotRestorable { .. }), "{error}");
    }
    laws::append(&mut log, commit).unwrap();
    laws::append(&mut log, &undo(7, 6)).unwrap();
    assert_eq!(log.projection().nodes().cloned().collect::<Vec<_>>(), before);
    assert!(refused(&mut log, &undo(8, 6)).to_string().contains("not undone"));
    laws::check(&log);
}

#[test]
fn commits_are_undone_from_the_last_to_the_first() {
    let mut log = log(&USER);
    laws::append(&mut log, &replace(4, "compaction/commit", "{}", 1, 2)).unwrap();
    laws::append(&mut log, &replace(5, "compaction/commit", "{}", 0, 4)).unwrap();
    let undo = |seq, commit| {
        format!(
            r#"{{"seq":{seq},"kind":"compaction/undo","surfaceOp":{{"op":"restore","commitSeq":{commit}}}}}"#
        )
    };
    assert!(refused(&mut log, &undo(6, 4)).to_string().contains("undo the later commit first"));
    laws::append(&mut log, &undo(6, 5)).unwrap();
    assert_eq!(seqs(&log), [0, 4, 3]);
    laws::append(&mut log, &undo(7, 4)).unwrap();
    assert_eq!(seqs(&log), [0, 1, 2, 3]);
    laws::check(&log);
}
