//! Codex, which has no hook for results: commands are run by recto, and its tools come over MCP.

use recto_testkit::{
    agents::Agent,
    upstream::{Script, Turn},
};

use super::{
    session::{Session, compare, log, programs, task},
    sought::{Sought, reference},
};

#[test]
fn the_answer_is_found_behind_a_note() {
    let Some(installed) = Agent::Codex.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let shell = |command: &str| {
        let (tool, input) = Agent::Codex.shell_call(command);
        Turn::call(tool, input)
    };
    let sought = Sought::in_source(&source);
    let (search, say) = (sought.clone(), sought.clone());
    // As `recto hook install codex` says: within what Codex itself shows.
    let script = Script::new()
        .turn(shell(&format!("recto run --max-bytes 9000 --recall tool --shell 'cat {path}'")))
        .then(move |request| search.search(request))
        .then(move |request| say.say(request));
    // Codex runs a login shell, which makes its own `PATH`.
    let profile = format!("PATH='{}':$PATH\n", programs().display());
    let task_with =
        task(&installed).mcp_server("recto", "recto", ["mcp-tools"]).home_file(".profile", profile);
    let with = Session::of(task_with, script);
    let results = with.results();
    let (head, view) = results[0].split_once("\nOutput:\n").unwrap();
    assert!(head.contains("exited with code 0"), "{head}");
    let line = sought.line(view);
    assert!(with.finished.stdout.contains(&line.whole), "{:?}", with.finished);
    assert_eq!(with.original(&reference(view)), source);
    // Codex cuts nothing of the view.
    let asked = with.recto(&["compress", "--max-bytes", "9000", "--recall", "tool"], source.as_bytes()).ok();
    assert_eq!(view, asked.out());

    // Without recto Codex shows the ends of the log. The model searches in the file, if it is one.
    let grep = shell(&format!("grep -F '{}' {path}", line.begin));
    let script = Script::new().turn(shell(&format!("cat {path}"))).turn(grep).say(line.whole);
    let without = Session::of(task(&installed), script);
    compare("Codex, a log, against a grep in the file", &with, &without, 130);
}
