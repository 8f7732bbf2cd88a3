//! What was decided of a session stands in Pi's requests: the session's file stays as it is.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use recto_testkit::{
    agents::{Agent, Finished, Installed},
    upstream::{Network, Request, Script, Turn, Upstream, Usage, unchanged_prefix},
};
use serde_json::json;

use super::session::{log, programs, repository};
use crate::desk::{Done, pipe};

/// The hook gives no views here, so that there are large results.
const CONFIGURATION: &str = "[hook]\ndeadline = \"60s\"\nthreshold = \"1MiB\"\n";

/// A home and a folder in which Pi is run several times, against one model.
struct Room {
    pi: Installed,
    network: Network,
    upstream: Upstream,
    folder: tempfile::TempDir,
    programs: PathBuf,
    has_recto: bool,
}

impl Room {
    fn new(pi: Installed, script: Script) -> Self {
        let network = Network::closed_if_possible();
        let upstream = Upstream::start_in(&network, script).unwrap();
        Self {
            pi,
            network,
            upstream,
            folder: tempfile::tempdir().unwrap(),
            programs: programs(),
            has_recto: true,
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Runs Pi with a prompt, in the session before or in a new one; gives the requests for turns that it made.
    #[track_caller]
    fn run(&self, prompt: &str, is_continued: bool, window: u64) -> (Finished, Vec<Arc<Request>>) {
        let before = self.upstream.model_requests().len();
        let work = self.folder.path().join("work");
        fs::create_dir_all(&work).unwrap();
        let models = json!({ "providers": { "local": {
            "baseUrl": self.upstream.url(), "api": "anthropic-messages", "apiKey": "sk-test-dummy",
            "models": [{
                "id": "fake-1", "name": "fake-1", "reasoning": false, "input": ["text"], "contextWindow": window,
                "maxTokens": 4_096, "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 },
            }],
        } } });
        for (path, text) in [
            (".pi/agent/models.json", models.to_string()),
            (".config/recto/config.toml", CONFIGURATION.to_owned()),
        ] {
            let path = self.home().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut task = self
            .pi
            .task(prompt)
            .network(&self.network)
            .programs_of(&self.programs)
            .variable("HOME", self.home())
            .folder(work);
        if self.has_recto {
            task = task.argument("-e").argument(repository("plugins/pi/recto.ts"));
        }
        if is_continued {
            task = task.argument("-c");
        }
        let finished = task.run(&self.upstream.url()).unwrap();
        assert_eq!(self.upstream.complaints(), Vec::<String>::new(), "{finished:?}");
        assert_eq!((finished.exit, &*finished.stderr), (Some(0), ""), "{finished:?}");
        (finished, self.upstream.model_requests().split_off(before))
    }

    /// The session's file.
    fn session(&self) -> PathBuf {
        let folders = fs::read_dir(self.home().join(".pi/agent/sessions")).unwrap();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        let files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    fn recto(&self, arguments: &[&str], input: &[u8]) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        pipe(command, input)
    }

    fn prune(&self) {
        let session = self.session().display().to_string();
        self.recto(&["session", "prune", &session, "--log-only", "--recall", "tool"], b"").ok();
    }
}

fn bash(command: &str) -> Turn {
    let (tool, input) = Agent::Pi.shell_call(command);
    Turn::call(tool, input)
}

/// Commands that print long texts, each its own.
fn long() -> Option<Vec<String>> {
    let names = ["kafka-server.log", "jenkins-issue7775.log", "gha-test-timeout.log", "rsync-vvv.log"];
    names.iter().map(|name| Some(format!("head -c 40000 {}", log(name)?.0))).collect()
}

/// A turn for each command, then words.
fn script() -> Option<Script> {
    let script = long()?.iter().fold(Script::new(), |script, command| script.turn(bash(command)));
    Some(script.say("Read.").turn(bash("echo again")).say("Told."))
}

fn texts(request: &Request) -> Vec<String> {
    request.tool_results().into_iter().map(|result| result.text).collect()
}

#[track_caller]
fn grows(earlier: &Request, later: &Request) {
    assert_eq!(unchanged_prefix(earlier, later), earlier.cache_order().len());
}

#[test]
fn what_was_decided_stands_in_every_request() {
    let (Some(pi), Some(script)) = (Agent::Pi.find(), script()) else { return };
    let room = Room::new(pi, script);
    let (_, first) = room.run("Read the logs.", false, 200_000);
    let whole = texts(first.last().unwrap());
    assert_eq!(whole.iter().filter(|text| text.len() > 30_000).count(), 4);

    // Without a decision a request is what it would be.
    let (_, second) = room.run("And again.", true, 200_000);
    grows(first.last().unwrap(), &second[0]);
    assert_eq!(texts(second.last().unwrap())[..4], whole[..4]);

    let file = fs::read(room.session()).unwrap();
    room.prune();
    assert_eq!(fs::read(room.session()).unwrap(), file, "the client's file is its own");
    let (_, third) = room.run("Once more.", true, 200_000);
    let views = texts(&third[0]);
    for (view, original) in views.iter().zip(&whole) {
        assert!(view.len() < 8_192 && view.contains("recto_expand r:"), "{view}");
        let name = crate::desk::reference(view);
        assert_eq!(room.recto(&["expand", &name], b"").ok().out(), *original);
    }
    assert_eq!(views.len(), 5);
    assert_eq!(views[4], texts(second.last().unwrap())[4], "what is small stands");
    // All else of the request is as it was: only these results differ.
    let other = |request: &Request| -> Vec<String> {
        let text = String::from_utf8(request.cache_order()).unwrap();
        text.lines().filter(|line| !line.contains("tool_result")).map(str::to_owned).collect()
    };
    let before = other(second.last().unwrap());
    assert_eq!(other(&third[0])[..before.len()], before);

    // From then on nothing that was sent changes, in this run and in later ones.
    let (_, fourth) = room.run("The last.", true, 200_000);
    let requests: Vec<_> = third.iter().chain(&fourth).collect();
    for pair in requests.windows(2) {
        grows(pair[0], pair[1]);
    }
    // Deciding anew from the same file decides the same.
    room.prune();
    let (_, fifth) = room.run("Really.", true, 200_000);
    grows(requests[requests.len() - 1], &fifth[0]);
}

/// A program `recto` that has its tools, and does this as a hook.
fn broken(folder: &Path, hook: &str) {
    let real = env!("CARGO_BIN_EXE_recto");
    let text = format!("#!/bin/sh\nif [ \"$1\" = hook ]; then {hook}; fi\nexec {real} \"$@\"\n");
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("recto"), text).unwrap();
    fs::set_permissions(folder.join("recto"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_broken_recto_leaves_a_request_as_it_is() {
    let (Some(pi), Some(script)) = (Agent::Pi.find(), script()) else { return };
    let mut room = Room::new(pi, script);
    let (_, first) = room.run("Read the logs.", false, 200_000);
    room.prune();
    room.programs = room.folder.path().join("bin");
    let mut before = first;
    for hook in ["exit 1", "echo '{\"results\": 7}'; exit 0", "kill -9 $$"] {
        broken(&room.programs, hook);
        let (_, after) = room.run("Go on.", true, 200_000);
        grows(before.last().unwrap(), &after[0]);
        before = after;
    }
    // Not there at all.
    fs::remove_file(room.programs.join("recto")).unwrap();
    let (_, after) = room.run("Go on.", true, 200_000);
    assert_eq!(texts(&after[0])[..4], texts(before.last().unwrap())[..4]);
}

/// Requests in which Pi has its history summed up.
fn summaries(room: &Room) -> Vec<String> {
    let asked = room.upstream.requests();
    let bodies = asked.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned());
    bodies.filter(|body| body.contains("<conversation>")).collect()
}

#[test]
fn pruning_goes_before_compaction() {
    let (Some(pi), Some(script)) = (Agent::Pi.find(), script()) else { return };
    let room = Room::new(pi.clone(), script.clone());
    // 160 kB of results are estimated at 40,000 tokens, of which Pi leaves 16,384 free.
    let (_, first) = room.run("Read the logs.", false, 50_000);
    let (_, second) = room.run("And again.", true, 50_000);
    assert_eq!(summaries(&room), Vec::<String>::new(), "nothing had to be summed up");
    let views = texts(&second[0]);
    assert!(views.iter().all(|view| view.len() < 8_192), "{views:?}");
    assert!(texts(first.last().unwrap()).iter().any(|text| text.len() > 30_000));
    let (_, third) = room.run("Once more.", true, 50_000);
    for pair in second.iter().chain(&third).collect::<Vec<_>>().windows(2) {
        grows(pair[0], pair[1]);
    }
    assert_eq!(summaries(&room), Vec::<String>::new());

    let mut room = Room::new(pi, script);
    room.has_recto = false;
    room.run("Read the logs.", false, 50_000);
    room.run("And again.", true, 50_000);
    assert_ne!(summaries(&room), Vec::<String>::new(), "without recto the history is summed up");
}

#[test]
fn where_pruning_does_not_suffice_pi_compacts_what_is_pruned() {
    let (Some(pi), Some(commands)) = (Agent::Pi.find(), long()) else { return };
    // A model that always says that it read too much: what was spared is not seen.
    let full = || Usage { input: 45_000, cache_read: 0, cache_creation: 0, output: 10 };
    let script =
        commands.iter().fold(Script::new(), |script, command| script.turn(bash(command).with_usage(full())));
    let script = (0..9).fold(script, |script, _| script.turn(Turn::say("Read.").with_usage(full())));
    let room = Room::new(pi, script);
    for number in 0..4 {
        room.run(&format!("Question {number}."), number > 0, 50_000);
    }
    let requests = room.upstream.requests();
    let is_summary = |request: &Request| String::from_utf8_lossy(&request.body).contains("<conversation>");
    let first = requests.iter().position(|request| is_summary(request)).unwrap();
    // Cancelled once: the projection was tried, and as it seemed to spare nothing, Pi went on as it would.
    let tried = texts(&requests[first - 1]);
    assert!(tried.len() == 4 && tried.iter().all(|text| text.len() < 8_192), "{tried:?}");
    let turns = texts(&requests[first - 2]);
    assert!(turns.iter().any(|text| text.len() > 30_000), "{turns:?}");
    // It sums up what the model read, of which Pi takes the beginning.
    let asked = String::from_utf8_lossy(&requests[first].body);
    let is_asked = |view: &&String| {
        let begin: String = view.chars().take(1_000).collect();
        asked.contains(serde_json::to_string(&begin).unwrap().trim_matches('"'))
    };
    assert_eq!(tried.iter().filter(is_asked).count(), 3, "{asked}");
}
