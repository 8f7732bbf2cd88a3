//! opencode with the plug-in. A run takes long, so there are few.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use recto_testkit::{
    agents::Agent,
    upstream::{Network, Request, Script, Turn, Upstream, unchanged_prefix},
};
use serde_json::json;

use super::{
    session::{Session, log, repository, task},
    sought::{Sought, reference},
};
use crate::desk::pipe;

#[test]
fn the_answer_is_found_behind_a_note() {
    let Some(installed) = Agent::OpenCode.find() else { return };
    let Some((path, source)) = log("requests.pytest-v.log") else { return };
    let bash = |command: &str| {
        let (tool, input) = Agent::OpenCode.shell_call(command);
        Turn::call(tool, input)
    };
    let sought = Sought::in_source(&source);
    let (expand, say) = (sought.clone(), sought.clone());
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("plan.md");
    let target_path = target.to_string_lossy().into_owned();
    let script = Script::new()
        .turn(bash(&format!("cat {path}")))
        // The note must not get into a file.
        .then(move |request| {
            let view = request.last_tool_result().unwrap();
            Turn::call("write", json!({ "filePath": target_path, "content": view }))
        })
        .then(move |request| {
            let view = request.tool_results().remove(0).text;
            let reference = reference(&view);
            assert!(view.contains(&format!("recto expand {reference}#1")), "{view}");
            let number = expand.line(&view).number;
            bash(&format!("recto expand {reference} --lines {number}:{number}"))
        })
        .then(move |request| {
            let results = request.tool_results();
            say.say_from(&results[0].text, &results[2].text)
        });
    let plugin = fs::read(repository("plugins/opencode/recto.ts")).unwrap();
    let task = task(&installed)
        .home_file(".config/opencode/plugin/recto.ts", plugin)
        .folder(folder.path())
        .time_limit(Duration::from_secs(240));
    let session = Session::of(task, script);
    let results = session.results();
    let line = sought.line(&results[0]);
    assert!(session.finished.stdout.contains(&line.whole), "{:?}", session.finished);
    assert!(!target.exists());
    for word in ["write", &target.to_string_lossy(), "`content`", "recto expand r:"] {
        assert!(results[1].contains(word), "{word} is not in: {}", results[1]);
    }
    // Of a cut result the plug-in reads the file that holds all of it.
    assert_eq!(session.original(&reference(&results[0])), source);
    let question = json!({ "tool": "bash", "input": { "command": "cat" }, "texts": [source] });
    let asked = session.recto(&["hook", "opencode"], question.to_string().as_bytes()).ok();
    assert_eq!(asked.json()["texts"][0], results[0].as_str());
    println!("opencode: {} tokens sent, {} ms", session.tokens(), session.finished.wall.as_millis());
}

/// Settings by which the hook gives no views, so that there are large results.
const WHOLE: &str = "[hook]\ndeadline = \"60s\"\nthreshold = \"1MiB\"\n";

#[test]
fn what_was_decided_stands_in_every_request() {
    let Some(installed) = Agent::OpenCode.find() else { return };
    let (Some((first, _)), Some((second, _))) = (log("kafka-server.log"), log("rsync-vvv.log")) else {
        return;
    };
    let bash = |command: &str| {
        let (tool, input) = Agent::OpenCode.shell_call(command);
        Turn::call(tool, input)
    };
    let script = Script::new()
        .turn(bash(&format!("head -c 40000 {first}")))
        .turn(bash(&format!("head -c 40000 {second}")))
        .say("Read.")
        .turn(bash("echo again"))
        .say("Told.");
    let network = Network::closed_if_possible();
    let upstream = Upstream::start_in(&network, script).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    let temporary = folder.path().join("tmp");
    fs::create_dir(&work).and_then(|()| fs::create_dir(&temporary)).unwrap();
    // One home for all runs; the settings that name the model are those of the run that made them.
    let run = |is_continued: bool| {
        let mut task = task(&installed)
            .home_file(
                ".config/opencode/plugin/recto.ts",
                fs::read(repository("plugins/opencode/recto.ts")).unwrap(),
            )
            .home_file(".config/recto/config.toml", WHOLE)
            .network(&network)
            .folder(&work)
            .variable("XDG_DATA_HOME", home.join("data"))
            .variable("XDG_STATE_HOME", home.join("state"))
            .variable("TMPDIR", &temporary)
            .time_limit(Duration::from_secs(240));
        if is_continued {
            task = task.argument("--continue");
        }
        let before = upstream.model_requests().len();
        let finished = task.run(&upstream.url()).unwrap();
        assert_eq!(upstream.complaints(), Vec::<String>::new(), "{finished:?}");
        assert_eq!(finished.exit, Some(0), "{finished:?}");
        upstream.model_requests().split_off(before)
    };
    let texts = |request: &Request| -> Vec<String> {
        request.tool_results().into_iter().map(|result| result.text).collect()
    };
    let whole = texts(run(false).last().unwrap());
    assert!(whole.len() == 2 && whole.iter().all(|text| text.len() > 30_000));

    // Into a pipe it writes half of an export.
    let opencode = |arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        let mut command = network.command(&installed.program);
        command.args(arguments).current_dir(&work).env("HOME", &home).env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        command.env("XDG_DATA_HOME", home.join("data")).env("XDG_STATE_HOME", home.join("state"));
        command.stdin(Stdio::null()).stdout(fs::File::create(&path).unwrap()).stderr(Stdio::null());
        assert!(command.status().unwrap().success());
        path
    };
    let listed = fs::read_to_string(opencode(&["session", "list"], "list")).unwrap();
    let id =
        listed.split_whitespace().find(|word| word.starts_with("ses_")).unwrap_or_else(|| panic!("{listed}"));
    let export = opencode(&["export", id], "export.json");
    let recto = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command.args(arguments).env("HOME", &home).env("XDG_DATA_HOME", home.join("data"));
        pipe(command, b"").ok()
    };
    // From the client's database recto reads the same.
    let own = folder.path().join("own.json");
    recto(&["session", "export", id, "--originals", "-o", &own.to_string_lossy()]);
    let document =
        |path: &Path| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    assert_eq!(document(&own), document(&export));
    recto(&["session", "prune", id, "--log-only"]);

    let after = [run(true), run(true)].concat();
    let views = texts(&after[0]);
    for view in &views {
        assert!(view.len() < 8_192 && view.contains("recto expand r:"), "{view}");
    }
    for pair in after.windows(2) {
        assert_eq!(unchanged_prefix(&pair[0], &pair[1]), pair[0].cache_order().len());
    }
    assert_eq!(texts(after.last().unwrap())[..2], views);
}
