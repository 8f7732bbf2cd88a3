//! Claude Code with entries in its settings, and shell lines that are run by recto.

use std::fs;

use recto_testkit::{
    agents::{Agent, Installed, Task},
    upstream::Script,
};

use super::{
    claude::{answer, bash, view_of},
    session::{Session, log, task},
    sought::{Sought, last_view, reference},
};
use crate::desk::Desk;

/// A task for Claude Code with what `recto hook install` writes into its settings.
fn with_settings(installed: &Installed) -> Task {
    let desk = Desk::new();
    desk.run(&["hook", "install", "claude", "--write"]).ok();
    task(installed).home_file(".claude/settings.json", fs::read(desk.path(".claude/settings.json")).unwrap())
}

/// Without the tools, notes name the command; what it prints is not cut in its turn, and as much of it is shown as the client shows.
#[test]
fn the_shell_expands() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let command = format!("cat {path}");
    let sought = Sought::in_source(&source);
    let lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let from = lines.len() * 5 / 8;
    let say = sought.clone();
    let script = Script::new()
        .turn(bash(&command))
        .then(|request| {
            let (view, reference) = last_view(request);
            assert!(view.contains(&format!("recto expand {reference}#1")), "{view}");
            bash(&format!("recto expand {reference}"))
        })
        .then(move |request| {
            let view = request.tool_results().remove(0).text;
            bash(&format!("recto expand {} --lines {}:", reference(&view), from + 1))
        })
        .then(move |request| {
            let results = request.tool_results();
            say.say_from(&results[0].text, &format!("{}\n{}", results[1].text, results[2].text))
        });
    let session = Session::of(with_settings(&installed), script);
    let results = session.results();
    assert_eq!(results[0], view_of(&session, &command, &source, &[]));
    let (most, rest) = results[1].rsplit_once('\n').unwrap();
    assert!(most.len() > 26_000 && source.starts_with(most), "{}", results[1]);
    assert!(rest.starts_with("[recto: lines 1 to "), "{rest}");
    let part = lines[from..].join("\n");
    assert!(part.len() > 16 << 10, "a result of this length is cut elsewhere: {}", part.len());
    assert_eq!(results[2], part);
    assert_eq!(answer(&session), sought.line(&results[0]).whole);
}

/// What the client would cut, and what fails, which no hook can replace: such lines are run by recto.
#[test]
fn a_wrapped_line_keeps_its_exit_code() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("gha-unittest-failed.log") else { return };
    let folder = tempfile::tempdir().unwrap();
    // More than the client shows, so that without a budget the view would be cut too.
    let source = source.repeat(3);
    fs::write(folder.path().join("noisy.sh"), format!("cat '{path}' '{path}' '{path}'\nexit 3\n")).unwrap();
    let configuration = "[hook]\ndeadline = \"60s\"\nwrap = [\"sh noisy.sh\"]\n";
    let task =
        with_settings(&installed).home_file(".config/recto/config.toml", configuration).folder(folder.path());
    let session = Session::of(task, Script::new().turn(bash("sh noisy.sh 2>&1")).say("It failed."));
    let result = &session.results()[0];
    assert_eq!(answer(&session), "It failed.");
    assert!(result.starts_with("Exit code 3\n"), "{result}");
    let view = result.trim_start_matches("Exit code 3\n");
    assert!(view.contains(&format!("recto expand {}#1", reference(view))), "{view}");
    assert_eq!(session.original(&reference(view)), source);
    // The client cuts what a failing command prints at 10,000 characters: not this.
    let asked =
        session.recto(&["compress", "--max-bytes", "9900", "--recall", "shell"], source.as_bytes()).ok();
    assert_eq!(view, asked.out().trim_end());
}
