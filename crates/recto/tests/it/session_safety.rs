//! What must not happen to a session by surprise.

use std::{fs, io::Write as _, process::Stdio, time::Duration};

use crate::{
    desk::{Desk, Done, log},
    sessions,
};

const OWN: &str = ".claude/projects/-w/3fa2c1d0-1111-4222-8333-444455556666.jsonl";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn nothing_is_changed_that_is_not_named() {
    let desk = Desk::new();
    let text = sessions::claude(&log(600), "b");
    desk.write(OWN, text.as_bytes());
    for arguments in ["session prune --in-place", "session repair --in-place", "session prune --log-only"] {
        let done = desk.run(&words(arguments));
        done.fails(2, &["no SESSION is given", "the newest one is 3fa2c1d0, of claude-code"]);
        assert_eq!(fs::read_to_string(desk.path(OWN)).unwrap(), text);
    }
    // What changes nothing may mean the newest, and the id in the hint works when it is pasted.
    desk.run(&words("session prune --dry-run")).ok();
    desk.run(&words("session repair -o copy.jsonl")).ok();
    desk.run(&words("session prune 3fa2c1d0 --in-place")).ok();
    assert_ne!(fs::read_to_string(desk.path(OWN)).unwrap(), text);
}

#[test]
fn a_file_of_several_names_is_not_changed_in_place() {
    let desk = Desk::new();
    let text = sessions::claude(&log(600), "b");
    let path = desk.write("run.jsonl", text.as_bytes());
    fs::hard_link(&path, desk.path("other.jsonl")).unwrap();
    for command in ["prune", "repair"] {
        let done = desk.run(&["session", command, "run.jsonl", "--in-place"]);
        done.fails(2, &["has 2 names (hard links)", "write a copy with --output"]);
        desk.run(&["session", command, "run.jsonl", "-o", &format!("{command}.jsonl")]).ok();
    }
    for name in ["run.jsonl", "other.jsonl"] {
        assert_eq!(fs::read_to_string(desk.path(name)).unwrap(), text);
    }
    // A symbolic link leads to the file that is changed.
    fs::remove_file(desk.path("other.jsonl")).unwrap();
    std::os::unix::fs::symlink(&path, desk.path("link.jsonl")).unwrap();
    desk.run(&["session", "prune", "link.jsonl", "--in-place"]).ok();
    assert!(desk.path("link.jsonl").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(desk.path("run.jsonl.recto-backup-1")).unwrap(), text);
}

#[test]
fn empty_files_and_other_encodings_have_errors_of_their_own() {
    let desk = Desk::new();
    let text = sessions::claude("a", "b");
    let utf16 = |bom: &[u8], of: fn(u16) -> [u8; 2]| -> Vec<u8> {
        [bom, &text.encode_utf16().flat_map(of).collect::<Vec<u8>>()].concat()
    };
    for (name, bytes, said) in [
        ("empty.jsonl", Vec::new(), "is empty"),
        ("blank.jsonl", b"\n\n  \n".to_vec(), "is empty"),
        ("little.jsonl", utf16(b"\xff\xfe", u16::to_le_bytes), "UTF-16"),
        ("big.jsonl", utf16(b"\xfe\xff", u16::to_be_bytes), "UTF-16"),
        ("bare.jsonl", utf16(b"", u16::to_le_bytes), "UTF-16"),
    ] {
        desk.write(name, &bytes);
        for arguments in ["session show", "session stats", "session ls", "session repair --dry-run"] {
            desk.run(&[&words(arguments)[..], &[name]].concat()).fails(2, &[name, said]);
        }
    }
    // A mark before UTF-8 is no other encoding.
    desk.write("mark.jsonl", &[b"\xef\xbb\xbf", text.as_bytes()].concat());
    desk.run(&words("session show mark.jsonl")).ok();
}

/// `ls` lists what `show` shows, and nothing else.
#[test]
fn ls_and_show_agree_on_what_a_session_is() {
    let desk = Desk::new();
    let text = sessions::claude("a", "b");
    let body = |texts: usize| {
        let text = "many words ".repeat(texts);
        format!(
            r#"{{"zzz":"{text}","model":"m","max_tokens":1,"messages":[{{"role":"user","content":"hello"}}]}}"#
        )
    };
    let folder = ".claude/projects/-w";
    for (name, bytes) in [
        ("a.jsonl", text.as_bytes().to_vec()),
        ("cut.jsonl", text.as_bytes()[..500].to_vec()),
        ("empty.jsonl", Vec::new()),
        ("summary.jsonl", br#"{"type":"summary","summary":"x","leafUuid":"y"}"#.to_vec()),
        ("junk.jsonl", vec![0, 1, 2, 3, 250, 251]),
        ("small.json", body(10).into_bytes()),
        ("large.json", body(200_000).into_bytes()),
        ("other.json", br#"{"a":1}"#.to_vec()),
    ] {
        desk.write(&format!("{folder}/{name}"), &bytes);
        desk.write(&format!("elsewhere/{name}"), &bytes);
    }
    for (arguments, place) in [
        (vec!["session", "ls", "--all", "--json"], folder),
        (vec!["session", "ls", "elsewhere", "--all", "--json"], "elsewhere"),
    ] {
        let listed = desk.run(&arguments).ok().json();
        let listed: Vec<String> =
            listed.as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect();
        for entry in fs::read_dir(desk.path(place)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            // Among a client's own only its own kind of file is looked at.
            if place == folder && name.ends_with(".json") {
                continue;
            }
            let is_listed = listed.iter().any(|row| name.ends_with(row.trim_start_matches("./")));
            let shown = desk.run(&["session", "show", &name]);
            assert_eq!(is_listed, shown.code() == 0, "{name}: {}", shown.errors());
        }
        for row in &listed {
            desk.run(&["session", "show", row]).ok();
        }
    }
}

/// A session of opencode whose parts have long results; gives the file that it is opened by.
fn opencode(desk: &Desk) -> String {
    let output = serde_json::to_string(&log(400)).unwrap();
    let own = "data/opencode/storage/session/p/ses_0001.json";
    desk.write(
        own,
        br#"{"id":"ses_0001","projectID":"p","directory":"/w","title":"t","time":{"created":1,"updated":2}}"#,
    );
    for number in 0..30 {
        let (message, part) = (format!("msg_{number:04}"), format!("prt_{number:04}"));
        desk.write(
            &format!("data/opencode/storage/message/ses_0001/{message}.json"),
            format!(r#"{{"id":"{message}","sessionID":"ses_0001","role":"assistant","time":{{"created":{number}}}}}"#).as_bytes(),
        );
        desk.write(
            &format!("data/opencode/storage/part/{message}/{part}.json"),
            format!(r#"{{"id":"{part}","messageID":"{message}","sessionID":"ses_0001","type":"tool","callID":"c{number}","tool":"bash","state":{{"status":"completed","input":{{"command":"make {number}"}},"output":{output},"time":{{"start":1,"end":2}}}}}}"#).as_bytes(),
        );
    }
    own.to_owned()
}

/// All files of the storage but backups, by their names.
fn files(desk: &Desk) -> Vec<(String, Vec<u8>)> {
    let (mut open, mut files) = (vec![desk.path("data/opencode")], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if !path.display().to_string().contains(".recto-backup-") {
                files.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_session_of_many_files_is_changed_as_a_whole_whenever_it_is_killed() {
    let prune =
        ["session", "prune", "ses_0001", "--in-place", "--policy", "prune", "--strategy", "head-tail"];
    let names = |files: &[(String, Vec<u8>)], desk: &Desk| -> Vec<(String, Vec<u8>)> {
        let top = desk.path("").display().to_string();
        files.iter().map(|(name, bytes)| (name.replace(&top, ""), bytes.clone())).collect()
    };
    let (before, after) = {
        let desk = Desk::new();
        opencode(&desk);
        let before = names(&files(&desk), &desk);
        desk.run(&prune).ok();
        (before, names(&files(&desk), &desk))
    };
    assert_eq!(before.len(), after.len());
    assert!(before.iter().zip(&after).filter(|(one, other)| one != other).count() == 30);
    for delay in (0..400).step_by(20) {
        let desk = Desk::new();
        opencode(&desk);
        let mut child = desk.command(&prune).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever comes next and writes; the archive may still keep the turn of the one that was killed.
        let next = desk.run(&["session", "repair", "ses_0001", "--in-place"]).ok();
        let now = names(&files(&desk), &desk);
        assert!(now == before || now == after, "after {delay} ms: {}", next.errors());
    }
}

/// A hint that names a command names one that works.
#[test]
fn commands_in_hints_work_when_they_are_pasted() {
    let desk = Desk::new();
    let broken = sessions::claude("a", "b").replace("\"u1\"", "\"gone\"").replacen(
        "\"parentUuid\":null",
        "\"parentUuid\":\"nowhere\"",
        1,
    );
    desk.write(OWN, broken.as_bytes());
    desk.write("it's here/run 1.jsonl", broken.as_bytes());
    for asked in ["3fa2c1d0", "it's here/run 1.jsonl"] {
        for command in ["show", "stats"] {
            let said = desk.run(&["session", command, asked]).ok().errors();
            let pasted: Vec<&str> =
                said.split('`').filter(|part| part.starts_with("recto session ")).collect();
            assert!(!pasted.is_empty(), "{command}: {said}");
            for line in pasted {
                let line = line.strip_prefix("recto").unwrap();
                let line = format!("{}{line}", env!("CARGO_BIN_EXE_recto"));
                let mut shell = desk.command(&[]);
                let envs: Vec<_> =
                    shell.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
                shell = std::process::Command::new("sh");
                shell.args(["-c", &line]).current_dir(desk.path("")).env_clear().stdin(Stdio::null());
                shell.envs(envs.into_iter().filter_map(|(k, v)| Some((k, v?))));
                let done = Done(shell.output().unwrap());
                let done = done.ok();
                assert!(done.errors().contains("3fa2c1d0") || !done.out().is_empty(), "{line}");
            }
        }
    }
}

/// Every table fits a terminal of 80 columns, whatever the names in it.
#[test]
fn tables_fit_a_terminal() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let desk = Desk::new();
    let long = "a_tool_of_a_server_with_a_very_long_name_that_nobody_reads";
    let session =
        sessions::claude(&log(600), &"words ".repeat(3_000)).replace("\"Bash\"", &format!("\"{long}\""));
    let broken = session.replace("\"tool_use_id\":\"toolu_2\"", "\"tool_use_id\":\"toolu_of_nobody_at_all\"");
    for (name, text) in [("run", &session), ("broken", &broken)] {
        desk.write(
            &format!(".claude/projects/-home-of-somebody/{name}-0000-1111-2222-333344445555.jsonl"),
            text.as_bytes(),
        );
        desk.write(&format!("a/folder/with/a/long/name/of/its/own/{name}.jsonl"), text.as_bytes());
    }
    let path = "a/folder/with/a/long/name/of/its/own";
    desk.run(&[
        "session",
        "prune",
        &format!("{path}/run.jsonl"),
        "-o",
        &format!("{path}/cut.jsonl"),
        "--strategy",
        "head-tail",
    ])
    .ok();
    for arguments in [
        "session ls".to_owned(),
        format!("session ls {path}"),
        format!("session show {path}/run.jsonl"),
        format!("session show {path}/cut.jsonl"),
        format!("session show {path}/broken.jsonl"),
        format!("session stats {path}/run.jsonl --policies"),
        format!("session stats {path}"),
        format!("session prune {path}/run.jsonl --dry-run"),
        format!("session repair {path}/broken.jsonl --dry-run"),
        "session prune --help | head -5".to_owned(),
        "session repair --help | head -5".to_owned(),
    ] {
        let line = format!("stty cols 80 rows 50; {} {arguments} 2> /dev/null", env!("CARGO_BIN_EXE_recto"));
        let envs: Vec<_> =
            desk.command(&[]).get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(desk.path("")).env_clear().stdin(Stdio::null());
        script
            .envs(envs.into_iter().filter_map(|(k, v)| Some((k, v?))))
            .env("NO_COLOR", "1")
            .env("SHELL", "/bin/sh");
        let out = String::from_utf8(script.output().unwrap().stdout).unwrap().replace('\r', "");
        assert!(out.lines().count() > 1, "{arguments}: {out}");
        // Sentences are the terminal's to break; a table's lines have columns.
        for row in out.lines().filter(|row| row.trim().contains("  ") || row.contains("Usage")) {
            assert!(row.chars().count() <= 80, "{arguments}: {} columns: {row}", row.chars().count());
        }
    }
}

/// A shell completes the values that have names.
#[test]
fn named_values_are_completed() {
    let desk = Desk::new();
    let script = desk.run(&["completions", "bash"]).ok().out();
    for values in [
        "claude-code codex pi opencode gemini-cli",
        "prune decay supersession overlap arguments",
        "o200k cl100k claude gemini",
    ] {
        assert!(script.contains(&format!("compgen -W \"{values}\"")), "{values}");
    }
    // Others are taken too.
    desk.write("run.jsonl", sessions::claude("a", "b").as_bytes());
    desk.run(&words("session stats run.jsonl --tokenizer gpt-4o")).ok();
    desk.run(&words("session prune run.jsonl --dry-run --policy sleep"))
        .fails(2, &["known are prune, decay"]);
}

/// What `show` numbers, `recall`, `stats` and problems mean by the same number.
#[test]
fn lines_have_one_numbering() {
    let desk = Desk::new();
    let (first, second) = (log(30), "some words\n".repeat(400));
    desk.write("run.jsonl", sessions::claude(&first, &second).as_bytes());
    let shown = desk.run(&words("session show run.jsonl --json")).ok().json();
    for row in shown["lines"].as_array().unwrap() {
        let number = row["number"].to_string();
        let recalled = desk.run(&["session", "recall", "-s", "run.jsonl", &number]).ok().out();
        let text = row["text"].as_str().unwrap();
        if row["role"] == "thinking" {
            // It comes back with its signature.
            assert!(recalled.contains(text) && recalled.contains("signature"), "{recalled}");
            continue;
        }
        assert!(recalled.trim_start().starts_with(text), "{number}: {recalled:?}, {text:?}");
        // What is shown in part says so, and how long it is.
        let is_cut = row["cut"].as_bool().unwrap();
        assert_eq!(is_cut, recalled != text, "{number}");
        if row["role"] != "call" {
            assert_eq!(row["chars"].as_u64().unwrap(), recalled.chars().count() as u64, "{number}");
        }
    }
    let stats = desk.run(&words("session stats run.jsonl --json")).ok().json();
    let number = stats["largest"][0]["number"].to_string();
    assert_eq!(desk.run(&["session", "recall", "-s", "run.jsonl", &number]).ok().out(), second);
    desk.run(&words("session recall -s run.jsonl 99")).fails(2, &["no line 99", "session show run.jsonl"]);

    let broken =
        sessions::claude(&first, &second).replace("\"tool_use_id\":\"toolu_2\"", "\"tool_use_id\":\"gone\"");
    desk.write("broken.jsonl", broken.as_bytes());
    let problems = desk.run(&words("session show broken.jsonl --json")).ok().json();
    let orphan =
        problems["problems"].as_array().unwrap().iter().find(|row| row["what"] == "a result without a call");
    let orphan = orphan.unwrap();
    assert_eq!(orphan["line"], 5);
    let number = orphan["number"].to_string();
    assert_eq!(desk.run(&["session", "recall", "-s", "broken.jsonl", &number]).ok().out(), second);
    let said = desk.run(&words("session show broken.jsonl")).ok().out();
    assert!(said.contains(&format!("  #{number}, line 5: a result without a call")), "{said}");
}

/// Half a gigabyte is streamed.
#[test]
fn a_session_of_half_a_gigabyte_takes_little_memory() {
    const MOST_KIBIBYTES: u64 = 300 << 10;
    let desk = Desk::new();
    let line = |number: usize, text: &str| {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
        format!(
            r#"{{"parentUuid":{parent},"sessionId":"s-1","type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"u{number}"}}"#
        ) + "\n"
    };
    let text = "x".repeat(4 << 20);
    let path = desk.write("large.jsonl", b"");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for number in 0..126 {
        // The first line tells the format.
        let said = if number == 0 { "Hello" } else { &text };
        file.write_all(line(number, said).as_bytes()).unwrap();
    }
    assert!(file.metadata().unwrap().len() > 500_000_000);
    drop(file);
    for arguments in
        ["session repair large.jsonl --dry-run", "session export large.jsonl --originals -o copy.jsonl"]
    {
        let mut child =
            desk.command(&words(arguments)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        let ended = loop {
            // The highest that it ever was, by the kernel.
            let told = fs::read_to_string(&status).unwrap_or_default();
            let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
            most = most.max(peak.unwrap_or_default());
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(ended.success(), "{arguments}");
        assert!((1..MOST_KIBIBYTES).contains(&most), "{arguments}: {most} KiB");
    }
    assert_eq!(fs::metadata(desk.path("copy.jsonl")).unwrap().len(), fs::metadata(&path).unwrap().len());
}

/// What a later version of a client writes is shown as far as it is known, and stays as it is.
#[test]
fn unknown_versions_are_read_and_kept() {
    let desk = Desk::new();
    let pi = concat!(
        r#"{"type":"session","version":99,"id":"s","timestamp":"t","cwd":"/w","new":{"a":1}}"#,
        "\n",
        r#"{"type":"message","id":"m1","parentId":null,"timestamp":"t","message":{"role":"user","content":"Hello","of":"tomorrow"}}"#,
        "\n",
        r#"{"type":"thought_graph","id":"m2","parentId":"m1","nodes":[1,2]}"#,
        "\n",
        r#"{"type":"message","id":"m3","parentId":"m2","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"Yes"},{"type":"hologram","z":1}]}}"#,
        "\n",
    );
    let claude = sessions::claude("a", "b")
        .replace("\"sessionId\":", "\"version\":\"99.0.0\",\"mood\":[],\"sessionId\":");
    let codex = concat!(
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x","cwd":"/w","cli_version":"99.0"}}"#,
        "\n",
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}}"#,
        "\n",
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"dream","content":"z"}}"#,
        "\n",
        r#"{"timestamp":"t","type":"world_state","payload":{}}"#,
        "\n",
    );
    for (name, text, said) in [
        ("pi.jsonl", pi, "Hello"),
        ("claude.jsonl", &*claude, "What fails?"),
        ("codex.jsonl", codex, "Hello"),
    ] {
        desk.write(name, text.as_bytes());
        let shown = desk.run(&["session", "show", name]).ok().out();
        assert!(shown.contains(said), "{name}: {shown}");
        let mended = desk.run(&["session", "repair", name, "-o", &format!("mended-{name}")]).ok();
        let told = mended.out() + &mended.errors();
        assert!(told.contains("nothing to repair") || told.contains("this version does not know"), "{told}");
        desk.run(&["session", "prune", name, "-o", &format!("pruned-{name}")]).ok();
        for made in ["mended", "pruned"] {
            assert_eq!(
                fs::read_to_string(desk.path(&format!("{made}-{name}"))).unwrap(),
                text,
                "{made} {name}"
            );
        }
    }
}
