use crate::desk::{Desk, log};

#[test]
fn maps_are_checked_against_their_source() {
    let desk = Desk::new();
    let text = log(500);
    desk.write("a.log", text.as_bytes());
    let map = desk.run(&["compress", "a.log", "--max-bytes", "700", "--format", "map"]).ok();
    desk.write("a.map", &map.0.stdout);
    let whole = desk.run(&["compress", "a.log", "--max-bytes", "700", "--format", "json"]).ok();
    desk.write("a.json", &whole.0.stdout);
    for map in ["a.map", "a.json"] {
        let done = desk.run(&["verify", "--source", "a.log", "--map", map]).ok();
        assert!(done.out().starts_with("ok: "), "{}", done.out());
    }
    let mut edited = map.json();
    edited["elisions"][0]["bytes"] = 1.into();
    desk.write("edited.map", edited.to_string().as_bytes());
    desk.run(&["verify", "--source", "a.log", "--map", "edited.map"]).fails(1, &["do not tile"]);
    desk.write("edited.log", text.replace("4711", "4712").as_bytes());
    desk.run(&["verify", "--source", "edited.log", "--map", "a.map"]).fails(1, &["SHA-256", "hint:"]);
    let json = desk.run(&["verify", "--source", "edited.log", "--map", "a.map", "--json"]);
    assert_eq!((json.code(), json.json()["ok"].as_bool()), (1, Some(false)));
    desk.write("no.map", b"[1, 2]");
    desk.run(&["verify", "--source", "a.log", "--map", "no.map"]).fails(2, &["no span map"]);
}
