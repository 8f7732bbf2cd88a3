use recto_session::{AtomKind, Atoms, Log, Protection, token_figures};
use recto_tokens::{Tokenizer, image_tokens};

use crate::log;

/// Names, kinds, protections and seqs.
fn shown(log: &Log) -> Vec<String> {
    let atoms = Atoms::of(log, log.projection());
    let line = |atom: &recto_session::Atom| {
        let protected = atom.protection.map(|reason| format!(" {reason:?}")).unwrap_or_default();
        format!("{} {} {:?}{protected}", atom.name, atom.kind, atom.seqs)
    };
    atoms.all().iter().map(line).collect()
}

#[test]
fn every_kind_of_atom_and_every_protection() {
    let log = log(&[
        r#"{"seq":0,"kind":"message/system"}"#,
        r#"{"seq":1,"kind":"message/user"}"#,
        r#"{"seq":2,"kind":"message/user"}"#,
        r#"{"seq":3,"kind":"message/assistant"}"#,
        r#"{"seq":4,"kind":"tool/call","data":{"callId":"a"}}"#,
        r#"{"seq":5,"kind":"tool/call","data":{"callId":"b"}}"#,
        r#"{"seq":6,"kind":"tool/result","data":{"callId":"b"}}"#,
        r#"{"seq":7,"kind":"tool/result","data":{"callId":"a"}}"#,
        r#"{"seq":8,"kind":"message/bash","data":{"command":"ls"}}"#,
        r#"{"seq":9,"kind":"message/custom"}"#,
        r#"{"seq":10,"kind":"tool/result","data":{"callId":"zz"}}"#,
        r#"{"seq":11,"kind":"message/new"}"#,
        r#"{"seq":12,"kind":"message/assistant"}"#,
        r#"{"seq":13,"kind":"message/assistant"}"#,
        r#"{"seq":14,"kind":"tool/call","data":{"callId":"c"}}"#,
        r#"{"seq":15,"kind":"tool/call","data":{"name":"no id"}}"#,
        r#"{"seq":16,"kind":"tool/result","data":{"callId":"c"}}"#,
        r#"{"seq":17,"kind":"compaction/commit","data":{"blocks":[{"id":"c0001","summary":"so"}]},"surfaceOp":{"op":"replace","start":2,"end":2}}"#,
    ]);
    assert_eq!(
        shown(&log),
        [
            "a0001 other [0] SystemMessage",
            "a0002 user [1]",
            "a0003 compressed [17] CommittedBlock",
            "a0004 tool_exchange [3, 4, 5, 6, 7]",
            "a0005 bash [8]",
            "a0006 custom [9]",
            "a0007 orphan_tool_result [10] ResultWithoutCall",
            "a0008 other [11] UnknownKind",
            "a0009 assistant [12]",
            "a0010 tool_exchange [13, 14, 15, 16] CallWithoutResult",
        ]
    );
    let atoms = Atoms::of(&log, log.projection());
    assert_eq!(atoms.get("a0003").unwrap().metrics.content_chars, 2);
    assert!(atoms.get("a0011").is_none() && atoms.get("a3").is_none() && atoms.get("c0001").is_none());
}

#[test]
fn steps_say_which_calls_are_of_one_message() {
    let line = |seq: u64, step: u64, kind: &str, id: &str| {
        format!(r#"{{"seq":{seq},"turn":1,"step":{step},"kind":"{kind}","data":{{"callId":"{id}"}}}}"#)
    };
    let lines = [
        line(0, 1, "message/assistant", ""),
        line(1, 1, "message/assistant", ""),
        line(2, 1, "tool/call", "a"),
        line(3, 1, "tool/result", "a"),
        line(4, 1, "tool/call", "b"),
        line(5, 1, "tool/result", "b"),
        line(6, 2, "tool/call", "c"),
        line(7, 2, "tool/result", "c"),
    ];
    let with_steps = Log::from_jsonl(&lines.join("\n")).unwrap();
    assert_eq!(shown(&with_steps), ["a0001 tool_exchange [0, 1, 2, 3, 4, 5]", "a0002 tool_exchange [6, 7]"]);
    let without =
        lines.map(|line| line.replace(r#""turn":1,"step":1,"#, "").replace(r#""turn":1,"step":2,"#, ""));
    let without = Log::from_jsonl(&without.join("\n")).unwrap();
    assert_eq!(
        shown(&without),
        [
            "a0001 assistant [0]",
            "a0002 tool_exchange [1, 2, 3]",
            "a0003 tool_exchange [4, 5]",
            "a0004 tool_exchange [6, 7]"
        ]
    );
}

#[test]
fn an_exchange_with_another_message_inside_is_protected() {
    let log = log(&[
        r#"{"seq":0,"kind":"tool/call","data":{"callId":"a"}}"#,
        r#"{"seq":1,"kind":"message/user"}"#,
        r#"{"seq":2,"kind":"tool/result","data":{"callId":"a"}}"#,
    ]);
    assert_eq!(shown(&log), ["a0001 tool_exchange [0, 2] Interleaved", "a0002 user [1]"]);
}

#[test]
fn messages_without_an_id_are_protected() {
    let log = log(&[r#"{"seq":0,"kind":"message/user","id":"x"}"#, r#"{"seq":1,"kind":"message/user"}"#]);
    let atoms = Atoms::with_ids(&log, log.projection(), &|event| event.json().contains("\"id\""));
    let protections: Vec<_> = atoms.all().iter().map(|atom| atom.protection).collect();
    assert_eq!(protections, [None, Some(Protection::NoPersistentId)]);
    assert_eq!(Protection::NoPersistentId.to_string(), "a message in it has no persistent id");
}

#[test]
fn thinking_of_the_newest_turn_is_protected() {
    let thinking = r#""data":{"content":[{"type":"thinking","thinking":"hm","signature":"abc"}]}"#;
    let log = log(&[
        r#"{"seq":0,"kind":"message/user"}"#,
        &format!(r#"{{"seq":1,"kind":"message/assistant",{thinking}}}"#),
        r#"{"seq":2,"kind":"message/user"}"#,
        &format!(r#"{{"seq":3,"kind":"message/assistant",{thinking}}}"#),
        r#"{"seq":4,"kind":"tool/call","data":{"callId":"a"}}"#,
        r#"{"seq":5,"kind":"tool/result","data":{"callId":"a"}}"#,
        r#"{"seq":6,"kind":"message/assistant"}"#,
        r#"{"seq":7,"kind":"message/user"}"#,
    ]);
    assert_eq!(
        shown(&log),
        [
            "a0001 user [0]",
            "a0002 assistant [1]",
            "a0003 user [2]",
            "a0004 tool_exchange [3, 4, 5] NewestThinking",
            "a0005 assistant [6]",
            "a0006 user [7]",
        ]
    );
}

#[test]
fn content_chars_are_what_is_read_and_nothing_else() {
    let cases = [
        (r#""message/user","data":{"id":"long id","content":"é😀\u00e9"}"#, 3),
        (
            r#""message/assistant","data":{"content":[{"type":"text","text":"ab"},{"type":"thinking","thinking":"cde","signature":"long"},{"type":"redacted_thinking","data":"long"},{"type":"image","data":"AAAAAAAA"}]}"#,
            5,
        ),
        (r#""tool/call","data":{"callId":"long id","name":"read","arguments":{"a":1}}"#, 4 + 7),
        (r#""tool/call","data":{"name":"read","arguments":"{\"a\":1}"}"#, 4 + 7),
        (r#""tool/call","data":{"name":"read","arguments":null}"#, 4),
        (r#""tool/result","data":{"callId":"long id","content":[{"type":"text","text":"xyz"}]}"#, 3),
        (r#""message/bash","data":{"command":"ls","output":"a\nb","exitCode":0}"#, 5),
        (r#""message/custom","data":{"summary":"four","content":"two"}"#, 7),
    ];
    for (event, chars) in cases {
        let log = log(&[&format!(r#"{{"seq":0,"kind":{event}}}"#)]);
        let atoms = Atoms::of(&log, log.projection());
        assert_eq!(atoms.all()[0].metrics.content_chars, chars, "{event}");
    }
}

#[test]
fn images_are_numbered_over_what_is_summed_up() {
    let gif = "R0lGODlhQAHwAA==";
    let line = |seq: u64, blocks: &str| {
        format!(r#"{{"seq":{seq},"kind":"message/user","data":{{"content":[{blocks}]}}}}"#)
    };
    let image = format!(r#"{{"type":"image","mimeType":"image/gif","data":"{gif}"}}"#);
    let log = log(&[
        &line(0, &format!(r#"{image},{{"type":"image","data":"?"}}"#)),
        &line(
            1,
            &format!(
                r#"{{"type":"text","text":"hi"}},{{"type":"image","data":"data:image/gif;base64,{gif}"}}"#
            ),
        ),
    ]);
    let atoms = Atoms::of(&log, log.projection());
    assert_eq!(
        atoms.all()[1].metrics.to_json(),
        r#"{"contentChars":2,"imageCount":1,"images":[{"index":0,"mimeType":"image/gif","payloadBytes":10,"width":320,"height":240}]}"#
    );
    assert_eq!(
        Atoms::metrics(atoms.all()).to_json(),
        concat!(
            r#"{"contentChars":2,"imageCount":3,"images":[{"index":0,"mimeType":"image/gif","payloadBytes":10,"width":320,"height":240},"#,
            r#"{"index":1,"mimeType":"application/octet-stream","payloadBytes":0},"#,
            r#"{"index":2,"mimeType":"image/gif","payloadBytes":10,"width":320,"height":240}]}"#
        )
    );
    let figures = token_figures(&log, log.projection(), &[0, 1, 9], Tokenizer::ClaudeEstimate.counter());
    let counter = Tokenizer::ClaudeEstimate.counter();
    assert_eq!(figures.tokenizer.name(), "claude~o200k");
    assert_eq!(figures.text_tokens, counter.count("hi"));
    assert_eq!(figures.base64_text_tokens, 2 * counter.count(gif) + counter.count("?"));
    assert_eq!(figures.image_tokens, 2 * image_tokens(Tokenizer::ClaudeEstimate, 320, 240));
    assert_eq!(figures.images_without_size, 1);
}

#[test]
fn kinds_have_their_names_on_the_wire() {
    let kinds = [
        AtomKind::User,
        AtomKind::Assistant,
        AtomKind::ToolExchange,
        AtomKind::Bash,
        AtomKind::Compressed,
        AtomKind::Custom,
        AtomKind::OrphanToolResult,
        AtomKind::Other,
    ];
    let names = "user assistant tool_exchange bash compressed custom orphan_tool_result other";
    assert_eq!(kinds.map(AtomKind::as_str).join(" "), names);
}
