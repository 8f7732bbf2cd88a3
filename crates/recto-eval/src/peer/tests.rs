use super::*;

fn peer(command: &str) -> Peer {
    Peer::parse(&format!("p={command}"), Duration::from_secs(20)).unwrap()
}

fn sample(bytes: &[u8]) -> Sample {
    Sample::new("s".to_owned(), bytes.to_vec(), None)
}

#[test]
fn a_peer_reads_the_source_and_the_values() {
    let source = sample(b"one\ntwo\n");
    assert_eq!(peer("cat").run(&source, 5, "q"), Ok("one\ntwo\n".to_owned()));
    assert_eq!(peer("echo {budget} {query} {other}").run(&source, 5, "q"), Ok("5 q {other}\n".to_owned()));
    assert_eq!(
        peer("wc -c < {file}").run(&source, 5, "").map(|text| text.trim().to_owned()),
        Ok("8".to_owned())
    );
}

#[test]
fn nothing_in_a_query_is_run() {
    let query = "'; echo hacked; $(echo hacked) `echo hacked` {budget} \"\n\0-n";
    let said = peer("printf %s {query}").run(&sample(b""), 5, query).unwrap();
    assert_eq!(said, query.replace('\0', ""));
}

#[test]
fn a_failure_is_told_by_its_last_word() {
    let failed = peer("echo first >&2; echo out of paper >&2; exit 3").run(&sample(b""), 5, "").unwrap_err();
    assert!(failed.contains('3') && failed.contains("out of paper"), "{failed}");
}

#[test]
fn a_peer_that_hangs_is_ended_and_given_up() {
    let peer = Peer::parse("p=sleep 30 & sleep 30", Duration::from_millis(400)).unwrap();
    let begun = Instant::now();
    for _ in 0..MOST_TIMEOUTS {
        assert!(peer.run(&sample(b""), 5, "").unwrap_err().contains("not done in 0.4 s"));
    }
    assert!(peer.run(&sample(b""), 5, "").unwrap_err().starts_with("not run"));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_a_peer_leaves_running_does_not_hold_it_up() {
    let begun = Instant::now();
    let peer = Peer::parse("p=sleep 30 & echo done", Duration::from_secs(20)).unwrap();
    assert_eq!(peer.run(&sample(b""), 5, ""), Ok("done\n".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_peer_need_not_read_and_may_say_much() {
    let source = sample(&vec![b'x'; 4 << 20]);
    assert_eq!(peer("true").run(&source, 5, ""), Ok(String::new()));
    let peer = Peer::parse("p=cat; cat {file}", Duration::from_secs(20)).unwrap();
    assert_eq!(peer.run(&source, 5, "").map(|text| text.len()), Ok(8 << 20));
}

#[test]
fn a_definition_has_a_name_and_a_command() {
    for wrong in ["cat", "=cat", "p=", "two words=cat", " = "] {
        assert!(Peer::parse(wrong, PEER_TIMEOUT).is_err(), "{wrong}");
    }
    assert!(peer("a {query}").uses_query() && !peer("a {budget}").uses_query());
}
