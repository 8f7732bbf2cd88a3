//! Codex, which has no hook for results: commands are run by recto, and its tools come over MCP.

use std::{fs, process::Command};

use recto_testkit::{
    agents::{Agent, Installed, Task},
    upstream::{Script, Turn},
};

use super::{
    session::{Session, compare, log, programs, task},
    sought::{Sought, reference},
};
use crate::desk::pipe;

fn shell(command: &str) -> Turn {
    let (tool, input) = Agent::Codex.shell_call(command);
    Turn::call(tool, input)
}

/// Prints a file as `recto hook install codex` says.
fn view(path: &str) -> Turn {
    shell(&format!("recto run --max-bytes 4000 --recall tool --shell 'cat {path}'"))
}

/// A task for Codex with recto's tools.
fn with_recto(installed: &Installed) -> Task {
    // Codex runs a login shell, which makes its own `PATH`.
    let profile = format!("PATH='{}':$PATH\n", programs().display());
    task(installed).mcp_server("recto", "recto", ["mcp-tools"]).home_file(".profile", profile)
}

/// The model knows the number of the line, and calls `recto_expand`.
#[test]
fn the_answer_is_read_behind_a_note() {
    let Some(installed) = Agent::Codex.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let sought = Sought::in_source(&source);
    let (read, say) = (sought.clone(), sought.clone());
    let script = Script::new()
        .turn(view(&path))
        .then(move |request| read.expand(request))
        .then(move |request| say.say(request));
    let session = Session::of(with_recto(&installed), script);
    let line = sought.line(&session.results()[0]);
    assert!(session.finished.stdout.contains(&line.whole), "{:?}", session.finished);
}

#[test]
fn the_answer_is_found_behind_a_note() {
    let Some(installed) = Agent::Codex.find() else { return };
    let (Some((first_path, first)), Some((path, source))) =
        (log("jenkins-issue4707.log"), log("kafka-server.log"))
    else {
        return;
    };
    let sought = Sought::in_source(&source);
    let (search, say) = (sought.clone(), sought.clone());
    let script = Script::new()
        .turn(view(&first_path))
        .turn(view(&path))
        .then(move |request| search.search(request))
        .then(move |request| say.say(request));
    let with = Session::of(with_recto(&installed), script);
    let results = with.results();
    let shown = |result: &str| {
        let (head, view) = result.split_once("\nOutput:\n").unwrap();
        assert!(head.contains("exited with code 0"), "{head}");
        view.to_owned()
    };
    let (first_view, view) = (shown(&results[0]), shown(&results[1]));
    let view = view.as_str();
    assert_eq!(with.original(&reference(&first_view)), first);
    let line = sought.line(view);
    assert!(with.finished.stdout.contains(&line.whole), "{:?}", with.finished);
    assert_eq!(with.original(&reference(view)), source);
    // Codex cuts nothing of the view.
    let asked = with.recto(&["compress", "--max-bytes", "4000", "--recall", "tool"], source.as_bytes()).ok();
    assert_eq!(view, asked.out());

    // Without recto Codex shows the ends of the logs. The model searches in the file, if it is one.
    let cat = |path: &str| shell(&format!("cat {path}"));
    let grep = shell(&format!("grep -F '{}' {path}", line.begin));
    let script = Script::new().turn(cat(&first_path)).turn(cat(&path)).turn(grep).say(line.whole);
    let without = Session::of(task(&installed), script);
    compare("Codex, two logs, against a grep in the file", &with, &without, 60);
}

/// What `recto doctor` says of Codex's sandbox, tried in it: no socket may be sent to there, and few places be written.
#[test]
fn in_its_sandbox_nothing_is_lost() {
    let Some(installed) = Agent::Codex.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::create_dir(&work).unwrap();
    let recto = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command.args(arguments).env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin");
        pipe(command, b"")
    };
    let stored = recto(&["compress", "--max-bytes", "4000", &path]).ok().out();
    let stored = reference(&stored);
    let sandboxed = |mode: &str, words: &[&str]| {
        let mut command = Command::new(&installed.program);
        command.args(["sandbox", "-c", &format!("sandbox_mode={mode:?}")]);
        // All of this test is in the folder for temporary files.
        command.args(["-c", "sandbox_workspace_write.exclude_slash_tmp=true", "--"]).args(words);
        command.env_clear().env("HOME", &home).env("TMPDIR", &work).current_dir(&work);
        command.env("PATH", installed.search_path(&[programs()]).unwrap());
        pipe(command, b"")
    };
    if sandboxed("read-only", &["true"]).code() != 0 {
        println!("Codex's sandbox does not run here: its test is passed over");
        return;
    }
    let run = ["recto", "run", "--max-bytes", "4000", "--shell", &format!("cat {path}; exit 3")];
    for mode in ["read-only", "workspace-write", "danger-full-access"] {
        let done = sandboxed(mode, &run);
        assert_eq!(done.code(), 3, "{mode}: {}", done.errors());
        let (out, told) = (done.out(), done.errors());
        match mode {
            "read-only" => assert!(out == source && told.contains("everything is printed"), "{told}"),
            "workspace-write" => {
                let (_, kept) =
                    told.split_once("the whole output is in ").unwrap_or_else(|| panic!("{told}"));
                let kept = kept.lines().next().unwrap();
                let whole = sandboxed(mode, &["recto", "expand", "--source", kept]).ok().out();
                fs::remove_file(kept).unwrap();
                assert!(whole == source && out.len() <= 4_000, "{told}");
            }
            _ => assert_eq!(recto(&["expand", &reference(&out)]).ok().out(), source),
        }
        // What is in the archive can be read in each of them.
        assert_eq!(sandboxed(mode, &["recto", "expand", &stored]).ok().out(), source, "{mode}");
    }
}
