use recto_session::{Draft, EventKind, Log, Parent, SessionError};

use crate::{laws, log, refused, seqs};

const TREE: [&str; 5] = [
    r#"{"seq":0,"kind":"message/user"}"#,
    r#"{"seq":1,"kind":"message/assistant"}"#,
    r#"{"seq":2,"kind":"message/user"}"#,
    r#"{"seq":3,"kind":"message/user","parent":1}"#,
    r#"{"seq":4,"kind":"message/user","parent":null}"#,
];

#[test]
fn each_leaf_has_a_projection_of_its_own() {
    let log = log(&TREE);
    assert_eq!(log.leaves(), [2, 3, 4]);
    assert_eq!(seqs(&log), [4]);
    let of =
        |leaf| -> Vec<_> { log.projection_of(leaf).unwrap().nodes().map(recto_session::Node::seq).collect() };
    assert_eq!((of(2), of(3), of(1)), (vec![0, 1, 2], vec![0, 1, 3], vec![0, 1]));
    assert_eq!((log.path(3), log.parent(3), log.parent(0)), (vec![0, 1, 3], Some(1), None));
    assert!(matches!(log.projection_of(5), Err(SessionError::NoEvent { what: "the leaf", seq: 5 })));
    assert!(log.path(5).is_empty());
    laws::check(&log);
}

#[test]
fn a_replacement_counts_on_its_own_branch_alone() {
    let mut log = log(&TREE);
    let op = r#""surfaceOp":{"op":"replace","start":0,"end":1}"#;
    laws::append(&mut log, &format!(r#"{{"seq":5,"kind":"message/user","parent":3,{op}}}"#)).unwrap();
    assert_eq!(seqs(&log), [5, 3]);
    assert_eq!(log.projection_of(2).unwrap().len(), 3);
    // On the branch of 4 there is no 0.
    refused(&mut log, &format!(r#"{{"seq":6,"kind":"message/user","parent":4,{op}}}"#));
    refused(&mut log, r#"{"seq":6,"kind":"message/user","parent":6}"#);
    refused(&mut log, r#"{"seq":6,"kind":"message/user","parent":7}"#);
    assert_eq!(seqs(&log), [5, 3], "the newest leaf is still the newest");
    laws::check(&log);
}

#[test]
fn branches_that_take_turns_fold_as_each_would_alone() {
    // More branches than are kept ready.
    const BRANCHES: u64 = 40;
    let mut log = Log::new();
    log.append(&Draft::new(EventKind::User)).unwrap();
    let mut tips = vec![0; BRANCHES as usize];
    for round in 0..5 {
        for tip in &mut tips {
            let draft = Draft::new(EventKind::User).turn(round).parent(Parent::Seq(*tip));
            *tip = log.append(&draft).unwrap().seq();
        }
    }
    assert_eq!(log.leaves(), tips);
    assert!(tips.iter().all(|tip| log.projection_of(*tip).unwrap().len() == 6));
    laws::check(&log);
}

/// Branches that begin far back are not folded before anybody asks: what is asked then is the same.
#[test]
fn many_branches_from_one_old_event_are_folded_when_they_are_asked_for() {
    let user = |seq: u64, parent: Option<u64>| {
        let parent = parent.map_or_else(String::new, |parent| format!(r#""parent":{parent},"#));
        format!(r#"{{"seq":{seq},"kind":"message/user",{parent}"data":{{"content":"x"}}}}"#) + "\n"
    };
    let chain: String = (0..50).map(|seq| user(seq, None)).collect();
    let branches: String = (50..120).map(|seq| user(seq, Some(20))).collect();
    let mut log = Log::from_jsonl(&(chain + &branches)).unwrap();
    let seqs = |projection: &recto_session::Projection| -> Vec<u64> {
        projection.nodes().map(recto_session::Node::seq).collect()
    };
    let path = |leaf: u64| (0..=20).chain([leaf]).collect::<Vec<u64>>();
    assert_eq!(seqs(log.projection()), path(119));
    assert_eq!(seqs(&log.projection_of(60).unwrap()), path(60));
    // What replaces something on such a branch is checked against all of it.
    let line = |seq: u64, named: u64| {
        format!(
            r#"{{"seq":{seq},"kind":"message/user","parent":70,"data":{{"content":"X"}},"surfaceOp":{{"op":"replace","start":{named},"end":{named}}}}}"#
        )
    };
    let wrong = recto_session::Event::from_json(&line(120, 71)).unwrap();
    assert!(log.append_event(wrong).is_err());
    assert_eq!(log.events().len(), 120);
    let right = recto_session::Event::from_json(&line(120, 3)).unwrap();
    log.append_event(right).unwrap();
    let replaced: Vec<u64> = (0..3).chain([120]).chain(4..=20).chain([70]).collect();
    assert_eq!(seqs(log.projection()), replaced);
    assert_eq!(Log::from_jsonl(&log.to_jsonl()).unwrap().projection(), log.projection());
}
