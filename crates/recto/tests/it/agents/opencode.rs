//! opencode with the plug-in. A run takes long, so there is one.

use std::{fs, time::Duration};

use recto_testkit::{
    agents::Agent,
    upstream::{Script, Turn},
};
use serde_json::json;

use super::{
    session::{Session, log, repository, task},
    sought::{Sought, reference},
};

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
