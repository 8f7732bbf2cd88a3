use recto_session::{Block, Content, Event, EventKind, Log, Parent, SurfaceOp};

use crate::log;

#[test]
fn what_is_not_known_stays_byte_for_byte() {
    let lines = [
        r#"{"seq":0,"kind":"message/user","data":{"content":"x","big":123456789012345678901234567890,"f":1.0,"e":1E+2,"a":1,"a":2}}"#,
        r#"{ "new" : [ 1 , {"x":"\ud800"} ] ,"kind":"x\/unknown" , "seq":1 }"#,
        r#"{"seq":2,"turn":1.50,"step":null,"kind":"tool/call","data":{"callId":9007199254740993},"data2":{}}"#,
    ];
    let log = log(&lines);
    assert_eq!(log.to_jsonl(), lines.map(|line| format!("{line}\n")).concat());
    assert_eq!(log.events()[0].field("big"), Some("123456789012345678901234567890"));
    assert_eq!(log.events()[0].field("a"), Some("2"), "the last of its name counts");
    assert_eq!(log.events()[1].kind(), &EventKind::Other("x/unknown".into()));
    assert_eq!(log.events()[2].call_id(), Some("9007199254740993"));
    assert_eq!((log.events()[2].turn(), log.events()[2].data()), (None, r#"{"callId":9007199254740993}"#));
}

#[test]
fn every_known_field_is_read() {
    let line = concat!(
        r#"{"seq":12,"turn":3,"step":4,"kind":"compaction/commit","parent":9,"sourceEventSeqs":[1,2],"#,
        r#""surfaceOp":{"op":"replace","ranges":[{"start":1,"end":2,"block":"c0001"},{"start":5,"end":5}]}}"#
    );
    let event = Event::from_json(line).unwrap();
    assert_eq!((event.seq(), event.turn(), event.step()), (12, Some(3), Some(4)));
    assert_eq!((event.kind(), event.parent()), (&EventKind::Commit, Parent::Seq(9)));
    assert_eq!(event.source_event_seqs(), [1, 2]);
    let Some(SurfaceOp::Replace(ranges)) = event.surface_op() else { panic!("{event:?}") };
    assert_eq!(ranges[0].block.as_deref(), Some("c0001"));
    assert_eq!((ranges[1].start, ranges[1].end), (5, 5));
    let undo =
        r#"{"seq":1,"kind":"compaction/undo","surfaceOp":{"op":"restore","commitSeq":12},"parent":null}"#;
    let undo = Event::from_json(undo).unwrap();
    assert_eq!(undo.surface_op(), Some(&SurfaceOp::Restore { commit: 12 }));
    assert_eq!(undo.parent(), Parent::Root);
}

#[test]
fn an_event_over_several_lines_becomes_one() {
    let event = Event::from_json("{\n \"seq\": 0,\r\n \"kind\": \"note\"\n}\n").unwrap();
    assert_eq!(event.json(), "{  \"seq\": 0,   \"kind\": \"note\" }");
}

#[test]
fn what_is_wrong_is_said_with_what_may_be() {
    let cases = [
        ("[]", "the event's text must be a JSON object, not []"),
        (r#"{"kind":"note"}"#, "the event's seq must be an integer from 0, not missing"),
        (r#"{"seq":-1,"kind":"note"}"#, "the event's seq must be an integer from 0, not -1"),
        (r#"{"seq":1.0,"kind":"note"}"#, "the event's seq must be an integer from 0, not 1.0"),
        (r#"{"seq":1}"#, "the event's kind must be a string, not missing"),
        (
            r#"{"seq":1,"kind":"note","parent":"a"}"#,
            r#"the event's parent must be an earlier event's seq, or null, not "a""#,
        ),
        (
            r#"{"seq":1,"kind":"note","sourceEventSeqs":[1,"2"]}"#,
            r#"the event's sourceEventSeqs must be an array of seqs, not [1,"2"]"#,
        ),
        (
            r#"{"seq":1,"kind":"note","surfaceOp":{"op":"replace","start":1}}"#,
            "the event's surfaceOp.end must be the seq of a node, not missing",
        ),
    ];
    for (line, message) in cases {
        assert_eq!(Event::from_json(line).unwrap_err().to_string(), message);
    }
    for op in [
        r#"{"op":"swap"}"#,
        r#"{"op":"replace","ranges":[]}"#,
        r#"{"op":"replace","start":1,"end":1,"ranges":[]}"#,
    ] {
        let error = Event::from_json(&format!(r#"{{"seq":1,"kind":"note","surfaceOp":{op}}}"#)).unwrap_err();
        assert!(error.to_string().contains(r#""op":"restore""#), "{error}");
    }
    assert!(Event::from_json("{").unwrap_err().to_string().starts_with("the event is not JSON: EOF"));
}

#[test]
fn a_line_that_is_wrong_is_named_with_what_to_do() {
    let good = r#"{"seq":0,"kind":"note"}"#;
    let read = |lines: &[&str]| Log::from_jsonl(&lines.join("\n")).unwrap_err().to_string();
    let cut = read(&[good, "", r#"{"seq":1,"ki"#]);
    assert!(cut.starts_with("line 3: the event is not JSON"), "{cut}");
    assert!(cut.ends_with("remove this line, the events before it are whole"), "{cut}");
    let broken = read(&["{", good]);
    assert!(
        broken.starts_with("line 1: ")
            && broken.ends_with("restore the line from a copy: a log is one event a line")
    );
    let gap = read(&[good, r#"{"seq":2,"kind":"note"}"#]);
    assert_eq!(
        gap,
        "line 2: the event has seq 2 where 1 comes next: events are numbered without gaps; a line is missing or stands twice: restore it, or remove the copy"
    );
}

#[test]
fn a_log_may_begin_at_any_number_and_ends_at_the_last() {
    let mut log = log(&[&format!(r#"{{"seq":{},"kind":"note"}}"#, u64::MAX)]);
    assert_eq!(log.leaf(), Some(u64::MAX));
    let error = log.append(&recto_session::Draft::new(EventKind::Note)).unwrap_err();
    assert!(matches!(error, recto_session::SessionError::Full));
    assert_eq!(log.events().len(), 1);
}

#[test]
fn a_block_that_readers_would_not_agree_on_is_opaque() {
    for raw in [
        r#"{"type":"text","text":"a","text":"b"}"#,
        r#"{"type":"text","type":"image","text":"b"}"#,
        r#"{"type":"text","text":1}"#,
        r#"{"text":"b"}"#,
        r#"["type","text"]"#,
        r#""text""#,
    ] {
        let block = Block::from_json(raw).unwrap();
        assert_eq!((block.text(), block.json()), (None, raw));
    }
    let escaped = Block::from_json(r#"{"te\u0078t":"b","type":"t\u0065xt"}"#).unwrap();
    assert_eq!(escaped.text().as_deref(), Some("b"));
    assert!(Content::from_json("{}").is_err() && Content::from_json("1").is_err());
}

#[test]
fn depth_is_no_limit() {
    const DEPTH: usize = 200_000;
    let deep = |inner: &str| [&"[".repeat(DEPTH), inner, &"]".repeat(DEPTH)].concat();
    let line = format!(
        r#"{{"seq":0,"kind":"tool/result","data":{{"content":[{}],"x":{}}},"y":{}}}"#,
        deep(r#"{"type":"text","text":"no block"}"#),
        deep(r#""]""#),
        deep("")
    );
    let log = log(&[&line]);
    assert_eq!(log.events()[0].json(), line);
    assert_eq!(recto_session::measure_content(log.events()[0].content().unwrap().blocks()), 0);
    assert_eq!(recto_session::Atoms::of(&log, log.projection()).all().len(), 1);
}
