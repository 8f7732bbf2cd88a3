//! Where the tokens of a history are.

use recto_session::{
    AtomKind, Atoms, Protection,
    history::{Builder, History, Place, Speaker},
    stats::{Stats, Weigher},
};
use recto_tokens::Tokenizer;
use recto_wire::Format;

/// A history of Pi's lines.
fn history(lines: &[&str]) -> (History, Vec<u32>) {
    let (mut builder, mut weigher) = (Builder::new(), Weigher::new(Tokenizer::O200k));
    for (line, number) in lines.iter().zip(1..) {
        let place = Place { line: number, ..Place::default() };
        builder.push(&Format::Pi.line(line.as_bytes()), line.as_bytes(), place, &mut weigher);
    }
    (builder.finish(None), weigher.base64_items().to_vec())
}

fn stats(lines: &[&str]) -> Stats {
    let (history, base64) = history(lines);
    Stats::of(&history, &base64, Tokenizer::O200k)
}

const HEADER: &str = r#"{"type":"session","id":"s","timestamp":"t","cwd":"/w"}"#;

fn user(id: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

fn call(id: &str, parent: &str, call: &str, arguments: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{call}","name":"read","arguments":{arguments}}}]}}}}"#
    )
}

fn result(id: &str, parent: &str, call: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"toolResult","toolCallId":"{call}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

#[test]
fn reads_are_repeats_where_their_lines_overlap() {
    let lines = [
        HEADER.to_owned(),
        call("a", "", "1", r#"{"path":"x","offset":1,"limit":10}"#),
        result("b", "a", "1", "one\\ntwo"),
        // The first read had two lines in fact, so this one shows others.
        call("c", "b", "2", r#"{"path":"x","offset":5,"limit":10}"#),
        result("d", "c", "2", "five\\nsix"),
        call("e", "d", "3", r#"{"path":"x","offset":6,"limit":1}"#),
        result("f", "e", "3", "six"),
        call("g", "f", "4", r#"{"path":"y","offset":6,"limit":1}"#),
        result("h", "g", "4", "six"),
    ];
    let repeats = stats(&lines.each_ref().map(String::as_str)).repeats;
    assert_eq!((repeats.reads.texts, repeats.read_again.texts), (4, 1));
    assert_eq!((repeats.same_call.texts, repeats.same_text.texts), (0, 1));
}

#[test]
fn contexts_grow_until_the_client_compacts() {
    let lines = [
        HEADER.to_owned(),
        user("u1", "", "one two three"),
        r#"{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","content":[{"type":"text","text":"four five"}]}}"#.to_owned(),
        user("u2", "a1", "six"),
        r#"{"type":"compaction","id":"c1","parentId":"u2","summary":"all before","firstKeptEntryId":"u2"}"#.to_owned(),
        r#"{"type":"message","id":"a2","parentId":"c1","message":{"role":"assistant","content":[{"type":"text","text":"seven"}]}}"#.to_owned(),
    ];
    let stats = stats(&lines.each_ref().map(String::as_str));
    let steps: Vec<(u32, u64, bool)> = stats
        .contexts
        .iter()
        .map(|context| (context.step, context.tokens, context.is_after_compaction))
        .collect();
    let tokens = |text: &str| Tokenizer::O200k.counter().count(text);
    let kept = tokens("six") + tokens("all before");
    assert_eq!(steps, [(1, 3, false), (2, kept, true), (3, kept + tokens("seven"), false)]);
    assert_eq!(stats.read_tokens, kept + tokens("seven"));
    assert_eq!(
        stats.ages.last().map(|age| (age.from_steps, age.tokens)),
        Some((None, 3 + tokens("four five")))
    );
    assert_eq!(stats.kinds[&Speaker::Summary].tokens, tokens("all before"));
}

#[test]
fn what_a_compaction_keeps_begins_at_a_record_that_is_there() {
    let compaction = |id: &str, parent: &str, kept: &str| {
        format!(
            r#"{{"type":"compaction","id":"{id}","parentId":"{parent}","summary":"summary {id}","firstKeptEntryId":"{kept}"}}"#
        )
    };
    let read = |kept: &str| {
        let lines = [
            HEADER.to_owned(),
            user("u1", "", "one"),
            compaction("c1", "u1", "u1"),
            user("u2", "c1", "two"),
            compaction("c2", "u2", kept),
            user("u3", "c2", "three"),
        ];
        let stats = stats(&lines.each_ref().map(String::as_str));
        assert_eq!(stats.contexts.last().map(|context| context.tokens), Some(stats.read_tokens));
        stats.read_tokens
    };
    let tokens = |text: &str| Tokenizer::O200k.counter().count(text);
    let newest = tokens("summary c2") + tokens("three");
    assert_eq!(read("u2"), newest + tokens("two"));
    // The first summary is in the second one.
    assert_eq!(read("u1"), newest + tokens("one") + tokens("two"));
    assert_eq!(read("nobody"), newest);
}

#[test]
fn a_branch_that_was_left_is_counted_apart() {
    let lines =
        [HEADER.to_owned(), user("u1", "", "one"), user("u2", "u1", "two three"), user("u3", "u1", "four")];
    let stats = stats(&lines.each_ref().map(String::as_str));
    assert_eq!((stats.path.tokens, stats.everywhere.tokens), (2, 4));
}

#[test]
fn atoms_of_a_history_are_exchanges_with_all_their_results() {
    let lines = [
        HEADER.to_owned(),
        user("u1", "", "Look"),
        r#"{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Hm"},{"type":"toolCall","id":"1","name":"ls","arguments":{}},{"type":"toolCall","id":"2","name":"ls","arguments":{"a":1}}]}}"#.to_owned(),
        result("r1", "a1", "1", "x"),
        result("r2", "r1", "2", "y"),
        user("u2", "r2", "And now"),
        r#"{"type":"message","id":"a2","parentId":"u2","message":{"role":"assistant","content":[{"type":"thinking","thinking":"So"},{"type":"text","text":"Done"}]}}"#.to_owned(),
        result("r3", "a2", "9", "lost"),
    ];
    let (history, _) = history(&lines.each_ref().map(String::as_str));
    let atoms = Atoms::of_history(&history);
    let seen: Vec<(&str, AtomKind, Option<Protection>, usize)> =
        atoms.all().iter().map(|atom| (&*atom.name, atom.kind, atom.protection, atom.seqs.len())).collect();
    assert_eq!(
        seen,
        [
            ("a0001", AtomKind::User, None, 1),
            ("a0002", AtomKind::ToolExchange, None, 3),
            ("a0003", AtomKind::User, None, 1),
            ("a0004", AtomKind::Assistant, Some(Protection::NewestThinking), 1),
            ("a0005", AtomKind::OrphanToolResult, Some(Protection::ResultWithoutCall), 1),
        ]
    );
    // Thinking, two names, two arguments, two results.
    assert_eq!(atoms.all()[1].metrics.content_chars, 2 + 2 + 2 + 2 + 7 + 1 + 1);
}
