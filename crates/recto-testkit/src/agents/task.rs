//! One run of an agent.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    Installed,
    setup::{McpServer, Wanted},
};
use crate::upstream::Network;

/// What an agent is to do, and how it is set up. The defaults are an empty home, an empty working folder, the
/// machine's network and two minutes.
#[derive(Clone, Debug)]
pub struct Task {
    installed: Installed,
    prompt: String,
    network: Network,
    model: Option<String>,
    folder: Option<PathBuf>,
    launcher: Vec<OsString>,
    first_folders: Vec<PathBuf>,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    home_files: Vec<(PathBuf, Vec<u8>)>,
    mcp_servers: Vec<McpServer>,
    time_limit: Duration,
}

/// What a run came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The exit code; `None` if the agent was killed.
    pub exit: Option<i32>,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// From start to end.
    pub wall: Duration,
    folder: TempDir,
}

impl Finished {
    /// The home that the agent had, deleted with this value.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join(HOME)
    }

    /// The folder that the agent worked in unless it was given one, deleted with this value.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join(WORK)
    }
}

const HOME: &str = "home";
const WORK: &str = "work";

impl Task {
    pub(super) fn new(installed: Installed, prompt: String) -> Self {
        Self {
            installed,
            prompt,
            network: Network::open(),
            model: None,
            folder: None,
            launcher: Vec::new(),
            first_folders: Vec::new(),
            arguments: Vec::new(),
            variables: Vec::new(),
            home_files: Vec::new(),
            mcp_servers: Vec::new(),
            time_limit: Duration::from_secs(120),
        }
    }

    /// Runs the agent in a network.
    #[must_use]
    pub fn network(mut self, network: &Network) -> Self {
        self.network = network.clone();
        self
    }

    /// Names the model; Claude Code keeps its default unless told, the others are told `fake-1`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Works in a folder; without this in an empty one.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Puts words before the agent's own arguments, in the place of its program: `["recto", "wrap", "claude", "--"]`.
    /// The folder of the program is the first of its `PATH`.
    #[must_use]
    pub fn launcher<T: Into<OsString>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.launcher = words.into_iter().map(Into::into).collect();
        self
    }

    /// Puts a folder before all others on the agent's `PATH`, for programs that it or its plug-ins run by name.
    #[must_use]
    pub fn programs_of(mut self, folder: impl Into<PathBuf>) -> Self {
        self.first_folders.push(folder.into());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Writes a file below the home before the run, in the place of one of the setup if it has the same path.
    #[must_use]
    pub fn home_file(mut self, path: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        self.home_files.push((path.into(), contents.into()));
        self
    }

    /// Has the agent start a local MCP server. Pi knows none.
    #[must_use]
    pub fn mcp_server<T: Into<String>>(
        mut self,
        name: impl Into<String>,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = T>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        self.mcp_servers.push(McpServer { name: name.into(), command: command.into(), arguments });
        self
    }

    /// Kills the agent, and all that is in its process group, after a time.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Runs the agent against a model at a URL (without a path), and waits for its end.
    ///
    /// # Errors
    /// If the agent cannot be started or its files cannot be written. An agent that fails or is killed is no error.
    pub fn run(self, url: &str) -> io::Result<Finished> {
        let folder = tempfile::Builder::new().prefix("recto-agent-").tempdir()?;
        let home = folder.path().join(HOME);
        let own_work = folder.path().join(WORK);
        let temporary = folder.path().join("tmp");
        for created in [&home, &own_work, &temporary] {
            fs::create_dir_all(created)?;
        }
        let setup = self.installed.agent.setup(&Wanted {
            url,
            model: self.model.as_deref(),
            prompt: &self.prompt,
            mcp_servers: &self.mcp_servers,
            home: &home,
        });
        for (path, contents) in &setup.files {
            write(&home.join(path), contents.as_bytes())?;
        }
        for (path, contents) in &self.home_files {
            write(&home.join(path), contents)?;
        }

        let mut launcher = self.launcher.clone().into_iter();
        let program = launcher.next().unwrap_or_else(|| self.installed.program.clone().into());
        let mut command = self.network.command(program);
        command
            .args(launcher)
            .args(&setup.first)
            .args(&self.arguments)
            .args(&setup.last)
            .env_clear()
            .env("PATH", self.installed.search_path(&self.first_folders)?)
            .env("HOME", &home)
            .env("TMPDIR", &temporary)
            .env("LANG", "C.UTF-8")
            .envs(setup.variables)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.as_deref().unwrap_or(&own_work))
            .stdin(Stdio::null())
            .stdout(File::create(folder.path().join("stdout"))?)
            .stderr(File::create(folder.path().join("stderr"))?);
        let start = Instant::now();
        let status = wait(command, self.time_limit)?;
        let wall = start.elapsed();
        let printed = |name: &str| {
            fs::read(folder.path().join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Finished {
            exit: status.and_then(|status| status.code()),
            timed_out: status.is_none(),
            stdout: printed("stdout")?,
            stderr: printed("stderr")?,
            wall,
            folder,
        })
    }
}

fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, contents)
}

/// Waits for the end of a command; `None` if it had to be killed.
fn wait(mut command: Command, limit: Duration) -> io::Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut process = command.spawn()?;
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = process.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(10));
    }
    kill(&mut process)?;
    Ok(None)
}

fn kill(process: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(process);
        // It may have ended by itself meanwhile.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = process.kill();
    process.wait().map(drop)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Task;
    use crate::agents::{Agent, Installed};

    fn task(script: &str) -> Task {
        let installed = Installed { agent: Agent::Pi, program: "/bin/sh".into() };
        installed.task("prompt").launcher(["/bin/sh", "-c", script])
    }

    #[test]
    fn the_environment_is_made_anew() {
        let script = "echo $HOME $X $0 $*; cat $HOME/a/b; ls $HOME/.pi/agent; ls; env | grep -c CARGO; echo ${PATH%%:*}; exit 3";
        let finished = task(script)
            .variable("X", "y")
            .home_file("a/b", "c\n")
            .argument("--more")
            .programs_of("/first")
            .run("http://x")
            .unwrap();
        let lines: Vec<&str> = finished.stdout.lines().collect();
        let home = finished.home().display().to_string();
        assert_eq!(lines[0], format!("{home} y --provider local --model fake-1 -p --more prompt"));
        assert_eq!(lines[1..], ["c", "models.json", "0", "/first"]);
        assert_eq!((finished.exit, finished.timed_out), (Some(3), false));
    }

    #[test]
    fn time_ends() {
        let finished = task("echo begun; sleep 60 & wait")
            .time_limit(Duration::from_millis(300))
            .run("http://x")
            .unwrap();
        assert_eq!((finished.exit, finished.timed_out, finished.stdout.as_str()), (None, true, "begun\n"));
        assert!(finished.wall < Duration::from_secs(30));
    }
}
