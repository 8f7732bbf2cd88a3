//! Hooks put into agents' settings and taken out: files as people leave them, links, copies, and ends in between.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::Path,
};

use crate::desk::{Desk, Done, mode};

const SETTINGS: &str = ".claude/settings.json";
const BACKUP: &str = ".claude/settings.json.recto-backup";

fn install(desk: &Desk) -> Done {
    desk.run(&["hook", "install", "claude", "--write"])
}

fn uninstall(desk: &Desk) -> Done {
    desk.run(&["hook", "uninstall", "claude", "--write"])
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn state(desk: &Desk) -> String {
    desk.run(&["hook", "status", "--json"]).ok().json()[0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn comments_around_the_entries_stay_comments() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{}\n");
    install(&desk).ok();
    let list = read(&path).replacen(
        "\n    ]",
        " /* ours, keep */ ,\n      // {\"hooks\": [{\"type\": \"command\", \"command\": \"off\"}]},\n      \
         {\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}\n    ]",
        1,
    );
    fs::write(&path, list).unwrap();
    uninstall(&desk).ok();
    let left = read(&path);
    assert!(!left.contains("hook claude") && left.contains("/* ours, keep */"), "{left}");
    assert!(
        left.contains("\n      // {\"hooks\": [{\"type\": \"command\", \"command\": \"off\"}]},\n"),
        "{left}"
    );
    // It can still be read: what was commented out is not there, what was there is.
    install(&desk).ok();
    assert_eq!(state(&desk), "installed");
}

#[test]
fn hooks_of_others_are_not_taken_for_rectos() {
    let desk = Desk::new();
    for command in ["cd /work/recto && ./other hook claude", "rtk --cache /var/recto hook claude"] {
        let text = format!(
            "{{\"hooks\":{{\"PostToolUse\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{command}\"}}]}}]}}}}"
        );
        let path = desk.write(SETTINGS, text.as_bytes());
        assert_eq!(state(&desk), "-");
        uninstall(&desk).ok();
        assert_eq!(read(&path), text);
        install(&desk).ok();
        assert!(read(&path).contains(command));
        uninstall(&desk).ok();
        assert_eq!(read(&path), text);
    }
}

#[test]
fn entries_that_differ_a_little_are_still_rectos() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{\"a\": 1}\n");
    let own = env!("CARGO_BIN_EXE_recto");
    for (from, to) in [
        ("hook claude", "hook claude --recall tool"),
        (own, "/opt/recto-0.1"),
        (own, "/nix/store/x/bin/.recto-wrapped"),
    ] {
        install(&desk).ok();
        fs::write(&path, read(&path).replace(from, to)).unwrap();
        assert_eq!(state(&desk), "outdated", "{to}");
        install(&desk).ok();
        assert_eq!((read(&path).matches("hook claude").count(), &*state(&desk)), (3, "installed"), "{to}");
        fs::write(&path, read(&path).replace(from, to)).unwrap();
        uninstall(&desk).ok();
        assert_eq!(read(&path), "{\"a\": 1}\n", "{to}");
    }
}

#[test]
fn a_command_that_was_added_to_an_entry_stays() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{}\n");
    install(&desk).ok();
    let end = "\"timeout\": 5\n          }";
    let added = format!("{end},\n          {{\"type\": \"command\", \"command\": \"mine\"}}");
    fs::write(&path, read(&path).replacen(end, &added, 1)).unwrap();
    uninstall(&desk).ok();
    let left: serde_json::Value = serde_json::from_str(&read(&path)).unwrap();
    let expected = serde_json::json!([{ "type": "command", "command": "mine" }]);
    assert_eq!(left["hooks"]["PostToolUse"][0]["hooks"], expected);
    assert!(!left.to_string().contains("hook claude"), "{left}");
}

#[test]
fn a_copy_is_of_what_was_there_last() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{\"a\": 1}\n");
    install(&desk).ok();
    fs::write(&path, read(&path).replace("\"a\": 1", "\"a\": 2")).unwrap();
    uninstall(&desk).ok();
    assert_eq!(read(&desk.path(BACKUP)), "{\"a\": 1}\n");
    fs::write(&path, "{\"precious\": true}\n").unwrap();
    install(&desk).ok();
    assert_eq!(read(&desk.path(BACKUP)), "{\"precious\": true}\n");
    assert_eq!(read(&desk.path(".claude/settings.json.recto-backup.old")), "{\"a\": 1}\n");
    // Once more, with another recto's entries in it: the copy is from before them.
    fs::write(&path, read(&path).replace("hook claude", "hook claude --recall tool")).unwrap();
    install(&desk).ok();
    assert_eq!(read(&desk.path(BACKUP)), "{\"precious\": true}\n");
}

#[test]
fn a_link_in_the_place_of_the_copy_is_not_followed() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{\"a\": 1}\n");
    let victim = desk.path("victim");
    symlink(&victim, desk.path(BACKUP)).unwrap();
    install(&desk).fails(1, &["recto-backup", "is a link", "nothing was changed"]);
    assert!(!victim.exists());
    fs::write(&victim, "theirs").unwrap();
    install(&desk).fails(1, &["is a link"]);
    assert_eq!((read(&victim), read(&path)), ("theirs".to_owned(), "{\"a\": 1}\n".to_owned()));
}

#[test]
fn a_link_to_nothing_stays_a_link() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"");
    fs::remove_file(&path).unwrap();
    symlink("../dotfiles/claude.json", &path).unwrap();
    install(&desk).ok();
    assert!(path.is_symlink());
    assert!(read(&desk.path("dotfiles/claude.json")).contains("hook claude"));
    uninstall(&desk).ok();
    assert!(path.is_symlink() && !desk.path("dotfiles/claude.json").exists());
    assert_eq!(names(&desk.path(".claude")), ["settings.json"], "there was nothing to copy");
    // One that leads to itself.
    fs::remove_file(&path).unwrap();
    symlink("settings.json", &path).unwrap();
    install(&desk).fails(2, &["settings.json"]);
    assert!(path.is_symlink());
}

#[test]
fn what_an_end_in_between_left_is_used_again() {
    let desk = Desk::new();
    let path = desk.write(SETTINGS, b"{\"a\": 1}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let owner = |path: &Path| fs::metadata(path).map(|about| (about.uid(), about.gid())).unwrap();
    // Only root can give files away: for others this is no change.
    let _ = std::os::unix::fs::chown(&path, Some(65_534), Some(65_534));
    let before = owner(&path);
    let victim = desk.write("victim", b"theirs");
    let new = desk.path(".claude/settings.json.recto-new");
    fs::write(&new, "{\"hal").unwrap();
    install(&desk).ok();
    assert_eq!(names(&desk.path(".claude")), ["settings.json", "settings.json.recto-backup"]);
    symlink(&victim, &new).unwrap();
    uninstall(&desk).ok();
    assert_eq!(names(&desk.path(".claude")), ["settings.json"]);
    assert_eq!((read(&victim), read(&path)), ("theirs".to_owned(), "{\"a\": 1}\n".to_owned()));
    assert_eq!((mode(&path), owner(&path)), (0o640, before));
}

#[test]
fn additions_to_an_extension_are_kept() {
    let desk = Desk::new();
    let path = desk.path(".pi/agent/extensions/recto.ts");
    let copy = desk.path(".pi/agent/extensions/recto.ts.recto-backup");
    let write = |what: &str| desk.run(&["hook", what, "pi", "--write"]).ok();
    write("install");
    let shipped = read(&path);
    let edited = format!("{shipped}// mine\n");
    fs::write(&path, &edited).unwrap();
    let done = write("install");
    assert!(done.errors().contains("recto-backup"), "{}", done.errors());
    assert_eq!((read(&path), read(&copy)), (shipped, edited.clone()));
    let other = format!("{edited}// and this\n");
    fs::write(&path, &other).unwrap();
    write("uninstall");
    assert!(!path.exists());
    assert_eq!(read(&copy), other);
    // Without additions no copy is made, and none is lost.
    write("install");
    write("uninstall");
    assert_eq!(read(&copy), other);
}

#[test]
fn what_stays_after_a_client_has_rewritten_the_file_is_told() {
    let desk = Desk::new();
    install(&desk).ok();
    let path = desk.path(SETTINGS);
    let dense = serde_json::from_str::<serde_json::Value>(&read(&path)).unwrap().to_string();
    fs::write(&path, dense).unwrap();
    let done = uninstall(&desk).ok();
    assert!(done.errors().contains("stays, empty") && done.errors().contains("hooks.P"), "{}", done.errors());
    // What was empty before is nothing to tell.
    fs::write(&path, "{\"hooks\":{\"PostToolUse\":[]}}").unwrap();
    install(&desk).ok();
    assert!(!uninstall(&desk).ok().errors().contains("stays"));
}

#[test]
fn brackets_in_a_string_are_text() {
    let desk = Desk::new();
    let text = format!("{{\"a\": \"{}\"}}\n", "[".repeat(200));
    let path = desk.write(SETTINGS, text.as_bytes());
    install(&desk).ok();
    uninstall(&desk).ok();
    assert_eq!(read(&path), text);
}
