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
