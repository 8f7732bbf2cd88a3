//! A cluster: started under a lock by whoever comes first, watched until the last has gone.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::programs::Programs;
use super::server::{self, Server};

const WATCHDOG: &str = include_str!("watchdog.sh");

/// How long making and starting may take on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Sessions are ended, what they did is kept.
    Fast,
    /// As a crash does: recovery comes with the next start.
    Immediate,
}

/// A PostgreSQL server with its files, for as long as somebody uses it.
pub struct Cluster {
    top: PathBuf,
    programs: Programs,
    is_private: bool,
    /// Shared by all who use the cluster.
    users: Option<File>,
}

impl Cluster {
    pub(super) fn shared() -> Result<Self, String> {
        let programs = Programs::find()?;
        // Versions and users do not mix; nor do forms of the watchdog.
        let words = format!("{}\n{}", programs.folder.display(), WATCHDOG);
        let key = words.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let uid = rustix::process::geteuid().as_raw();
        let top = std::env::temp_dir().join(format!("recto-postgres-{uid}-{key:016x}"));
        Self::start(top, programs, false)
    }

    pub(super) fn private() -> Result<Self, String> {
        let programs = Programs::find()?;
        let top = tempfile::Builder::new()
            .prefix("recto-postgres-")
            .tempdir()
            .map_err(|error| error.to_string())?;
        // The watchdog deletes it.
        Self::start(top.keep(), programs, true)
    }

    fn start(top: PathBuf, programs: Programs, is_private: bool) -> Result<Self, String> {
        let (_start, users) = come_in(&top)?;
        let cluster = Self { top, programs, is_private, users: Some(users) };
        let is_watched = File::create(cluster.top.join("watch.lock"))
            .is_ok_and(|watch| matches!(watch.try_lock_shared(), Err(fs::TryLockError::WouldBlock)));
        if !is_watched {
            cluster.make()?;
        }
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// Hands an empty folder to a watchdog, which makes a cluster of it.
    fn make(&self) -> Result<(), String> {
        let folder = self.top.join("cluster");
        let failed = |error: std::io::Error| format!("cannot make {}: {error}", folder.display());
        let _ = fs::remove_file(self.top.join("failed"));
        if folder.exists() {
            self.kill_stray_server();
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        if let Some((uid, gid)) = self.programs.owner {
            chown(&folder, Some(uid), Some(gid)).map_err(failed)?;
        }
        let mut watchdog = Command::new("sh");
        watchdog.args(["-c", WATCHDOG, "recto-watchdog"]).arg(&self.top);
        watchdog.arg(if self.is_private { "0" } else { "4" }).arg(&self.programs.folder);
        // With no user to change to, `env` runs the command as it is.
        let env = ["env".to_owned()];
        watchdog.args(if self.programs.runner.is_empty() { &env[..] } else { &self.programs.runner });
        // Its own group: what ends the tests must not end it, and its streams are nobody's to wait for.
        watchdog.process_group(0).current_dir(&self.top);
        watchdog.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        watchdog.spawn().map(drop).map_err(|error| format!("cannot start sh: {error}"))
    }

    /// Ends a server whose watchdog was killed.
    fn kill_stray_server(&self) {
        let file = self.top.join("cluster/data/postmaster.pid");
        let Ok(text) = fs::read_to_string(file) else { return };
        if let Some(process) = text.lines().next().filter(|line| line.parse::<u32>().is_ok()) {
            let _ = Command::new("kill").args(["-QUIT", process]).stderr(Stdio::null()).status();
        }
    }

    fn wait_until_ready(&self) -> Result<(), String> {
        let since = Instant::now();
        let server = self.server();
        loop {
            let error = match server.execute(server::MAINTENANCE, "SELECT 1") {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            if self.top.join("failed").exists() || since.elapsed() > START_TIMEOUT {
                let log = fs::read_to_string(self.top.join("log")).unwrap_or_default();
                return Err(format!("the cluster in {} does not start: {error}\n{log}", self.top.display()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    pub(super) fn server(&self) -> Server {
        Server::in_folder(&self.top.join("cluster"))
    }

    /// Stops the server; its files stay. Only for a cluster of one's own.
    ///
    /// # Panics
    /// If it does not stop, or others use it.
    pub fn stop(&self, how: Stop) {
        let mode = if how == Stop::Fast { "fast" } else { "immediate" };
        self.control(&["stop", "-w", "-m", mode]);
    }

    /// Starts the server again after [`stop`](Self::stop).
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_again(&self) {
        let log = self.top.join("cluster/log").display().to_string();
        self.control(&["start", "-w", "-l", &log]);
    }

    /// Makes a user who is let in with this password alone (SCRAM), and gives the address of a database for that user without the password.
    /// Only in a cluster of one's own.
    ///
    /// # Panics
    /// If the server refuses, or others use it.
    pub fn guarded(&self, database: &str, user: &str, password: &str) -> String {
        assert!(self.is_private, "a shared cluster's users are nobody's to change");
        let server = self.server();
        let ask = |database: &str, statements: String| {
            let done = server.execute(database, &statements);
            assert_eq!(done, Ok(()), "{statements}");
        };
        ask(
            server::MAINTENANCE,
            format!(
                "SET password_encryption = 'scram-sha-256'; CREATE ROLE {user} LOGIN PASSWORD '{password}'; \
                 GRANT CREATE ON DATABASE {database} TO {user};"
            ),
        );
        ask(database, format!("GRANT ALL ON SCHEMA public TO {user};"));
        let rules = self.top.join("cluster/data/pg_hba.conf");
        let before = fs::read_to_string(&rules).unwrap_or_default();
        let written = fs::write(&rules, format!("local all {user} scram-sha-256\n{before}"));
        assert!(written.is_ok(), "{}: {written:?}", rules.display());
        ask(server::MAINTENANCE, "SELECT pg_reload_conf();".to_owned());
        let server = server.of(user);
        let since = Instant::now();
        // The server reads its rules when it comes to it.
        while server.execute(database, "SELECT 1").is_ok() {
            assert!(since.elapsed() < START_TIMEOUT, "{user} is let in without a password");
            sleep(Duration::from_millis(20));
        }
        server.url(database)
    }

    fn control(&self, words: &[&str]) {
        assert!(self.is_private, "a shared cluster is nobody's to stop");
        let data = self.top.join("cluster/data").display().to_string();
        let pg_ctl = self.programs.path("pg_ctl");
        let mut all: Vec<&str> = self.programs.runner.iter().map(String::as_str).collect();
        all.extend([pg_ctl.as_str(), "-D", &data, "-s"]);
        all.extend(words);
        let status = all.split_first().map(|(program, rest)| {
            Command::new(program)
                .args(rest)
                .current_dir(&self.top)
                .process_group(0)
                .stdout(Stdio::null())
                .status()
        });
        assert!(
            matches!(&status, Some(Ok(status)) if status.success()),
            "pg_ctl {words:?} in {}: {status:?}",
            self.top.display()
        );
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.users.take());
        let since = Instant::now();
        while self.is_private && self.top.exists() && since.elapsed() < Duration::from_secs(10) {
            sleep(Duration::from_millis(10));
        }
    }
}

/// Takes the lock under which clusters start and end, then a share in the one that says that there are users.
fn come_in(top: &Path) -> Result<(File, File), String> {
    let failed = |error: std::io::Error| format!("cannot use {}: {error}", top.display());
    loop {
        match fs::DirBuilder::new().mode(0o755).create(top) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        // Another user may have been here first, and may not be trusted.
        match top.symlink_metadata() {
            Ok(found) if found.uid() == rustix::process::geteuid().as_raw() && found.is_dir() => {}
            Ok(_) => return Err(format!("{} belongs to somebody else", top.display())),
            Err(_) => continue,
        }
        // Searched by the server's user.
        let _ = fs::set_permissions(top, std::os::unix::fs::PermissionsExt::from_mode(0o755));
        let path = top.join("start.lock");
        let Ok(start) = File::create(&path) else { continue };
        start.lock().map_err(failed)?;
        // The folder may have been deleted, and made anew, while this one waited.
        let is_current = match (start.metadata(), path.metadata()) {
            (Ok(ours), Ok(current)) => (ours.dev(), ours.ino()) == (current.dev(), current.ino()),
            _ => false,
        };
        if !is_current {
            continue;
        }
        let users = File::create(top.join("users.lock")).map_err(failed)?;
        users.lock_shared().map_err(failed)?;
        return Ok((start, users));
    }
}
