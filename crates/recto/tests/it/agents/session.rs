//! One run of an agent that finds the recto under test.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use recto_testkit::{
    agents::{Finished, Installed, Task},
    corpus,
    upstream::{Network, Request, Script, Upstream, unchanged_prefix},
};
use recto_tokens::Tokenizer;

use crate::desk::{Done, pipe};

/// A hook may take as long as a build without optimisation on a busy machine takes.
const CONFIGURATION: &str = "[hook]\ndeadline = \"60s\"\n";

/// The folder of the binary under test.
pub(super) fn programs() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_recto")).parent().unwrap().to_owned()
}

/// A file of the repository.
pub(super) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap()
}

/// A log of the corpus: its path and its text.
pub(super) fn log(name: &str) -> Option<(String, String)> {
    let file = corpus::outputs()?.into_iter().find(|file| file.relative == format!("log/{name}")).unwrap();
    let path = file.path.canonicalize().unwrap().to_string_lossy().into_owned();
    Some((path, String::from_utf8(file.read()).unwrap()))
}

/// A task for an agent on whose `PATH` recto is.
pub(super) fn task(installed: &Installed) -> Task {
    installed
        .task("Answer the question.")
        .programs_of(programs())
        .home_file(".config/recto/config.toml", CONFIGURATION)
}

/// A run that came to its good end.
pub(super) struct Session {
    pub(super) finished: Finished,
    pub(super) upstream: Upstream,
}

impl Session {
    /// Runs a task: nothing is refused, and the history only grows.
    #[track_caller]
    pub(super) fn of(task: Task, script: Script) -> Self {
        let network = Network::closed_if_possible();
        let upstream = Upstream::start_in(&network, script).unwrap();
        let finished = task.network(&network).run(&upstream.url()).unwrap();
        assert_eq!(upstream.complaints(), Vec::<String>::new(), "{finished:?}");
        assert_eq!(finished.exit, Some(0), "{finished:?}");
        let session = Self { finished, upstream };
        let requests = session.upstream.model_requests();
        for pair in requests.windows(2) {
            assert_eq!(unchanged_prefix(&pair[0], &pair[1]), pair[0].cache_order().len());
            // A result is the same for ever, byte for byte.
            let (before, after) = (pair[0].tool_results(), pair[1].tool_results());
            assert_eq!(after[..before.len()], before);
        }
        session
    }

    /// The texts of all results of tools, in their order.
    pub(super) fn results(&self) -> Vec<String> {
        let last = self.upstream.model_requests().pop().unwrap();
        last.tool_results().into_iter().map(|result| result.text).collect()
    }

    /// The tokens of all requests that asked the model for a turn.
    pub(super) fn tokens(&self) -> u64 {
        let counter = Tokenizer::O200k.counter();
        let count = |request: &Request| counter.count(&String::from_utf8_lossy(&request.cache_order()));
        self.upstream.model_requests().iter().map(|request| count(request)).sum()
    }

    /// The tokens of the results of tools in all requests: what a hook has a say in.
    pub(super) fn result_tokens(&self) -> u64 {
        let counter = Tokenizer::O200k.counter();
        let texts = |request: &Request| -> u64 {
            request.tool_results().iter().map(|result| counter.count(&result.text)).sum()
        };
        self.upstream.model_requests().iter().map(|request| texts(request)).sum()
    }

    /// Runs recto with the agent's home.
    pub(super) fn recto(&self, arguments: &[&str], input: &[u8]) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command.args(arguments).env_clear().env("HOME", self.finished.home());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        pipe(command, input)
    }

    /// All of the original behind a ref.
    #[track_caller]
    pub(super) fn original(&self, reference: &str) -> String {
        self.recto(&["expand", reference], b"").ok().out()
    }
}

/// Says what two runs of the same task sent, with recto and without, and that it is at most so many percent.
#[track_caller]
pub(super) fn compare(name: &str, with: &Session, without: &Session, most_percent: u64) {
    let percent = |with: u64, without: u64| (with * 100).div_ceil(without);
    let (sent, sent_without) = (with.tokens(), without.tokens());
    let (results, results_without) = (with.result_tokens(), without.result_tokens());
    println!(
        "{name}: {sent} tokens sent with recto, {sent_without} without ({} %); results of tools {results}, {results_without} ({} %); \
         {} and {} ms",
        percent(sent, sent_without),
        percent(results, results_without),
        with.finished.wall.as_millis(),
        without.finished.wall.as_millis(),
    );
    assert!(percent(results, results_without) <= most_percent, "{name}: {results} of {results_without}");
}
