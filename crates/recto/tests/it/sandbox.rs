//! Folders of their own for each test, and the binary run in them.

use std::{
    ffi::OsStr,
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use tempfile::TempDir;

/// A home, a data folder and a configuration folder that no other test uses.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// A run of the binary that is being prepared.
pub(crate) struct Recto {
    command: Command,
    input: Vec<u8>,
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The folder that the binary runs in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path below the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Where the archive is by default.
    pub(crate) fn store(&self) -> PathBuf {
        self.path("data/recto/recto.db")
    }

    /// Writes a file below the folder, and the folders to it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Prepares a run with nothing of the tests' own environment but `PATH`.
    pub(crate) fn recto<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Recto {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        #[expect(clippy::disallowed_methods, reason = "programs that `recto run` starts are found by it")]
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .args(arguments)
            .current_dir(self.folder())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("TMPDIR", self.folder());
        Recto { command, input: Vec::new() }
    }

    /// Runs with words that are separated by blanks.
    pub(crate) fn run(&self, line: &str) -> Output {
        self.recto(line.split_whitespace()).run()
    }
}

impl Recto {
    /// What it reads from stdin.
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = bytes.as_ref().to_vec();
        self
    }

    /// Sets a variable of its environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable of its environment.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs to the end.
    pub(crate) fn run(self) -> Output {
        self.run_reading(usize::MAX)
    }

    /// Runs while a reader takes `limit` bytes of stdout and then closes the pipe.
    pub(crate) fn run_reading(mut self, limit: usize) -> Output {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let input = self.input;
        // A command that reads no input closes the pipe.
        let feeder = thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        });
        let mut read = Vec::new();
        (&mut stdout).take(limit as u64).read_to_end(&mut read).unwrap();
        drop(stdout);
        let status = child.wait().unwrap();
        feeder.join().unwrap();
        Output { code: status.code().unwrap_or(-1), stdout: read, stderr: complaints.join().unwrap() }
    }
}

impl Output {
    /// stdout as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        self.expect(0);
        serde_json::from_slice(&self.stdout).unwrap()
    }

    /// Checks the exit code, and shows everything if it is another.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            code,
            "stdout: {}\nstderr: {}",
            String::from_utf8_lossy(&self.stdout),
            self.stderr
        );
        self
    }

    /// Checks that it failed with this code, wrote nothing to stdout, and said each of `words` on stderr.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        self.expect(code);
        assert_eq!(String::from_utf8_lossy(&self.stdout), "", "nothing belongs on stdout");
        self.says(words);
    }

    /// Checks that stderr has each of `words`.
    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in: {}", self.stderr);
        }
        self
    }

    /// Everything, as a snapshot shows it; the sandbox's own paths become `$DIR`.
    pub(crate) fn shown(&self, sandbox: &Sandbox) -> String {
        let folder = sandbox.folder().display().to_string();
        let text = String::from_utf8_lossy(&self.stdout).replace(&folder, "$DIR");
        let complaints = self.stderr.replace(&folder, "$DIR");
        format!("code: {}\n--- stdout\n{text}--- stderr\n{complaints}", self.code)
    }
}
