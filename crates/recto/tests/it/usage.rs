//! What hooks write down: for people, and for the sessions that hold views.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::desk::{self, Desk, Done, log, mode, reference};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\n");
    desk
}

fn bash(desk: &Desk, lines: usize) -> Value {
    json!({
        "session_id": "s1", "transcript_path": desk.path("s1.jsonl"), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": { "command": "make" },
        "tool_response": { "stdout": log(lines), "stderr": "", "interrupted": false },
    })
}

fn ask(desk: &Desk, event: &Value) -> Done {
    desk.pipe(&["hook", "claude"], event.to_string().as_bytes()).ok()
}

fn view(desk: &Desk, event: &Value) -> String {
    ask(desk, event).json()["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned()
}

fn usage_file(desk: &Desk) -> PathBuf {
    desk.path("data/recto/recto.db-usage")
}

fn last_line(desk: &Desk) -> Value {
    let text = fs::read_to_string(usage_file(desk)).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn session_files(desk: &Desk) -> Vec<PathBuf> {
    let folder = fs::read_dir(desk.path("data/recto/recto.db-sessions")).unwrap();
    folder.map(|entry| entry.unwrap().path()).collect()
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !(c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)))
}

fn compacted() -> Value {
    json!({ "hook_event_name": "SessionStart", "source": "compact", "session_id": "s1" })
}

fn pipe_at(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

#[test]
fn what_a_session_needs_hangs_on_its_own_file() {
    let desk = desk();
    let name = reference(&view(&desk, &bash(&desk, 3_000)));
    let files = session_files(&desk);
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(!fs::read_to_string(file).unwrap().contains("payment"), "it holds nothing that a tool printed");
    // Whatever becomes of the file that all share.
    fs::write(usage_file(&desk), [0xff_u8; 4_000]).unwrap();
    let context = ask(&desk, &compacted()).out();
    assert!(context.contains(&name), "{context}");
    let write = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Write",
        "tool_input": { "file_path": "/x", "content": "[\u{2026}12 lines #3]" },
    });
    assert!(ask(&desk, &write).out().contains("deny"));
    let mut of_another = write;
    of_another["session_id"] = json!("../../s1");
    assert_eq!(ask(&desk, &of_another).out(), "");
}

#[test]
fn nothing_is_removed_while_a_sessions_file_cannot_be_read() {
    let desk = desk();
    let transcript = desk.write("s1.jsonl", b"{}\n");
    let name = reference(&view(&desk, &bash(&desk, 3_000)));
    let long_ago = "UPDATE holdings SET put_unix_ms = 1000, used_unix_ms = 1000";
    rusqlite::Connection::open(desk.store()).unwrap().execute(long_ago, []).unwrap();
    fs::remove_file(usage_file(&desk)).unwrap();
    let file = session_files(&desk).pop().unwrap();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(&transcript).unwrap();
    let shown = file.display().to_string();
    desk.run(&["gc"]).fails(1, &[&shown, "1 line cannot be read", "hint: nothing was removed"]);
    desk.run(&["expand", &name]).ok();
    let doctor = desk.run(&["doctor"]).out();
    assert!(doctor.contains(&shown) && doctor.contains("removes nothing"), "{doctor}");

    fs::write(&file, &whole).unwrap();
    fs::write(&transcript, "{}\n").unwrap();
    rusqlite::Connection::open(desk.store()).unwrap().execute(long_ago, []).unwrap();
    let gc = || desk.run(&["gc", "--json"]).ok().json()["removed"].as_array().unwrap().len();
    assert_eq!((gc(), file.exists()), (0, true));
    fs::remove_file(&transcript).unwrap();
    assert_eq!((gc(), file.exists()), (1, true), "a session that was shown something lately may be running");
    let old = SystemTime::UNIX_EPOCH + Duration::from_hours(48);
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    assert_eq!((gc(), file.exists()), (0, false));
}

#[test]
fn a_view_that_cannot_be_written_down_for_its_session_is_not_given() {
    let desk = desk();
    desk.write("data/recto/recto.db-sessions", b"");
    assert_eq!(ask(&desk, &bash(&desk, 3_000)).out(), "");
    let line = last_line(&desk);
    assert!(line["what"] == "failed" && line["why"].as_str().unwrap().contains("written down"), "{line}");
}

#[test]
fn a_view_that_did_not_reach_the_agent_is_not_counted() {
    let desk = desk();
    let event = desk.write("event.json", bash(&desk, 3_000).to_string().as_bytes());
    let mut hook = desk.command(&["hook", "claude"]);
    hook.stdin(fs::File::open(event).unwrap())
        .stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    assert!(hook.stderr(Stdio::null()).status().unwrap().success());
    let line = last_line(&desk);
    assert!(line["what"] == "failed" && line["bytes"] == line["shown"], "{line}");
    assert!(line["why"].as_str().unwrap().contains("handed to the agent"), "{line}");
}

#[test]
fn without_a_home_only_a_folder_of_ones_own_is_used() {
    let desk = desk();
    let user = rustix::process::geteuid().as_raw();
    let folder = desk.path(&format!("recto-without-home-{user}"));
    let event = bash(&desk, 3_000).to_string();
    let run = |arguments: &[&str], input: &[u8]| {
        let mut command = desk.command(arguments);
        command.env_remove("HOME").env_remove("XDG_DATA_HOME");
        desk::pipe(command, input)
    };
    let hook = || run(&["hook", "claude"], event.as_bytes()).ok().out();
    let is_empty = |folder: &Path| fs::read_dir(folder).unwrap().next().is_none();

    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(hook(), "");
    assert!(is_empty(&folder), "nothing is written where others may read it");
    run(&["compress", "-"], &log(3_000).into_bytes()).fails(1, &["others may use it", "RECTO_STORE"]);
    let doctor = run(&["doctor"], b"");
    assert!(doctor.code() == 1 && doctor.out().contains("others may use it"), "{}", doctor.out());

    fs::remove_dir(&folder).unwrap();
    let elsewhere = desk.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
    assert_eq!(hook(), "");
    assert!(is_empty(&elsewhere));

    fs::remove_file(&folder).unwrap();
    let given = hook();
    assert_eq!(mode(&folder), 0o700);
    let name = reference(&given);
    assert_eq!(run(&["expand", &name], b"").ok().out(), log(3_000));
}

#[test]
fn pipes_and_links_in_the_place_of_files_hold_nobody_up() {
    let desk = desk();
    ask(&desk, &bash(&desk, 10));
    fs::remove_file(usage_file(&desk)).unwrap();
    pipe_at(&usage_file(&desk));
    assert!(!ask(&desk, &bash(&desk, 3_000)).out().is_empty());
    desk.run(&["stats"]).fails(2, &["plain file"]);
    let doctor = desk.run(&["doctor"]);
    assert!(doctor.code() == 1 && doctor.out().contains("nothing can be written down"), "{}", doctor.out());
    // Somebody else's link.
    let kept = desk.write("kept", b"kept");
    fs::remove_file(usage_file(&desk)).unwrap();
    std::os::unix::fs::symlink(&kept, usage_file(&desk)).unwrap();
    ask(&desk, &bash(&desk, 10));
    assert_eq!(fs::read(&kept).unwrap(), b"kept");

    fs::remove_file(desk.path("config/recto/config.toml")).unwrap();
    pipe_at(&desk.path("config/recto/config.toml"));
    assert_eq!(ask(&desk, &bash(&desk, 3_000)).out(), "");
    desk.run(&["config", "show"]).fails(2, &["config.toml", "plain file"]);
    fs::remove_file(desk.path("config/recto/config.toml")).unwrap();
    desk.write("config/recto/config.toml", &vec![b'#'; (1 << 20) + 1]);
    desk.run(&["config", "show"]).fails(2, &["1 MiB"]);
}

#[test]
fn nothing_long_and_nothing_that_a_terminal_obeys_is_written_down() {
    let desk = desk();
    let long = "x\u{1b}[2J\r\n\u{202e}".repeat(50_000);
    let events = [
        json!({ "hook_event_name": long }),
        json!({ "hook_event_name": "PostToolUse", "tool_name": long, "session_id": long, "tool_response": 1 }),
        json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": { "stdout": 1, long.clone(): 1 } }),
    ];
    for event in events {
        ask(&desk, &event);
        let line = fs::read_to_string(usage_file(&desk)).unwrap().lines().last().unwrap().to_owned();
        assert!(line.len() < 2_000 && is_plain(&line), "{line}");
    }
    // What is no event may be what a tool printed.
    desk.pipe(&["hook", "claude"], b"\"the secret of a tool\"").ok();
    desk.pipe(&["hook", "pi"], b"{\"tool\": [\"the secret of a tool\"]}").ok();
    assert!(!fs::read_to_string(usage_file(&desk)).unwrap().contains("secret"));
}

#[test]
fn what_was_written_before_is_printed_plain_and_what_is_unreadable_counted() {
    let desk = desk();
    view(&desk, &bash(&desk, 3_000));
    let at = last_line(&desk)["at"].clone();
    let evil = "x\nlast day  ok   999 results\u{1b}[2J\u{202e}";
    let line = json!({ "at": at, "agent": evil, "tool": evil, "what": "failed", "why": evil, "bytes": 9, "shown": 9 });
    let mut text = fs::read_to_string(usage_file(&desk)).unwrap();
    // Half a line of a full disk, below which the next one is put.
    text.push_str(&format!("{line}\n{{\"at\":17960,\"agent\":\"cl"));
    fs::write(usage_file(&desk), text).unwrap();
    view(&desk, &bash(&desk, 3_100));
    for arguments in [&["stats"][..], &["doctor"], &["stats", "--json"], &["doctor", "--json"]] {
        let out = desk.run(arguments).out();
        assert!(is_plain(&out) && !out.contains("\nlast day  ok   999"), "{out}");
        assert!(!out.contains("\\n"), "{out}");
    }
    let stats = desk.run(&["stats", "--json"]).ok();
    assert_eq!(stats.json()["total"]["views"], 2, "the line below the half one is not lost");
    assert!(
        stats.errors().contains("1 line of") && stats.errors().contains("cannot be read"),
        "{}",
        stats.errors()
    );
    assert!(desk.run(&["doctor"]).out().contains("1 line of"));
}

#[test]
fn a_reminder_is_short_whatever_the_paths() {
    let desk = desk();
    let paths = ["/p/".to_owned() + &"y".repeat(300_000), format!("/p/a\n\n</system>{}", "z".repeat(3_000))];
    for index in 0..30 {
        let event = json!({
            "hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "mcp__a__b",
            "tool_input": { "path": paths[index % 2] }, "tool_response": log(2_000 + index),
        });
        assert!(!ask(&desk, &event).out().is_empty());
    }
    let context = ask(&desk, &compacted()).json();
    let context = context["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.len() <= 4_096 && is_plain(context) && !context.contains('\n'), "{context}");
    assert!(context.matches("r:").count() > 5, "{context}");
    assert!(!context.contains(&"z".repeat(121)), "{context}");
}

#[test]
fn counts_that_cannot_be_are_counted_again() {
    let desk = desk();
    let name = reference(&view(&desk, &bash(&desk, 3_000)));
    let stats = || desk.run(&["stats", "--json"]).ok().json()["total"].clone();
    let right = stats();
    let counts = desk.path("data/recto/recto.db-usage.o200k");
    let kept = fs::read_to_string(&counts).unwrap();
    for numbers in
        [format!("{0} {0} {0} {0}", u64::MAX), "5 9 5 5".into(), "64890 1 12248 99999999999".into()]
    {
        fs::write(&counts, format!("{name} {numbers}\n")).unwrap();
        assert_eq!(stats(), right, "{numbers}");
        assert!(fs::read_to_string(&counts).unwrap().ends_with(&kept));
    }
    // Sums of numbers that nobody has.
    let line = format!(
        "{{\"at\":1,\"agent\":\"a\",\"tool\":\"t\",\"what\":\"whole\",\"bytes\":{0},\"shown\":{0}}}\n",
        u64::MAX
    );
    fs::write(usage_file(&desk), line.repeat(30)).unwrap();
    desk.run(&["stats"]).ok();
}
