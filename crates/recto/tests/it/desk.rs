//! A folder of its own for one test, and the binary run in it.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A temporary home with its own archive.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Everything that a run gave, as a snapshot shows it; the folder's own path becomes `$DIR`.
    pub(crate) fn shown(&self, done: &Done) -> String {
        let folder = self.folder.path().display().to_string();
        let streams = format!("{}---\n{}", done.out(), done.errors());
        format!("{}exit code {}\n", streams.replace(&folder, "$DIR"), done.code())
    }

    /// The binary, with nothing of the surroundings' settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("TMPDIR", self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        Done(self.command(arguments).output().unwrap())
    }

    pub(crate) fn pipe(&self, arguments: &[&str], input: &[u8]) -> Done {
        pipe(self.command(arguments), input)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("data/recto/recto.db")
    }
}

/// Runs a command with an input.
pub(crate) fn pipe(mut command: Command, input: &[u8]) -> Done {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The child may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Done(done)
}

/// What a run printed, and its exit code.
pub(crate) struct Done(pub(crate) Output);

impl Done {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code(), 0, "{}", self.errors());
        self
    }

    #[track_caller]
    pub(crate) fn fails(self, code: i32, words: &[&str]) -> Self {
        let errors = self.errors();
        assert_eq!(self.code(), code, "{errors}");
        for word in words {
            assert!(errors.contains(word), "{word:?} is not in: {errors}");
        }
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.0.stdout).unwrap()
    }
}

/// A log of `lines` lines, one of them an error.
pub(crate) fn log(lines: usize) -> String {
    (0..lines)
        .map(|line| {
            if line == lines / 2 {
                "2026-01-02 03:04:05 ERROR payment 4711 refused by the bank\n".to_owned()
            } else {
                format!("2026-01-02 03:04:05 INFO request {line} took {} ms\n", line % 90)
            }
        })
        .collect()
}

/// The first ref in a text.
pub(crate) fn reference(text: &str) -> String {
    let at = text.find("r:").unwrap();
    let digits: String = text[at + 2..].chars().take_while(char::is_ascii_digit).collect();
    format!("r:{digits}")
}

pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
