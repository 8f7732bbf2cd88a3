//! Where PostgreSQL's programs are, and as whom they run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian keeps the programs of each version in a folder of its own, and links none of them.
const VERSIONS: &str = "/usr/lib/postgresql";

/// What a cluster is made and run with.
pub(super) struct Programs {
    pub(super) folder: PathBuf,
    /// The words that come before a command of the server's, and whose files they are.
    pub(super) runner: Vec<String>,
    pub(super) owner: Option<Owner>,
}

impl Programs {
    pub(super) fn find() -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("a cluster is only started on Linux".to_owned());
        }
        for needed in ["flock", "setpriv"] {
            if on_path(needed).is_none() {
                return Err(format!("the program {needed} is missing: install util-linux"));
            }
        }
        let folder = folder().ok_or("initdb and postgres are missing: install postgresql")?;
        let (runner, owner) = runner()?;
        Ok(Self { folder, runner, owner })
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

fn folder() -> Option<PathBuf> {
    if let Some(found) = on_path("initdb").and_then(|found| found.canonicalize().ok())
        && let Some(folder) = found.parent()
        && is_complete(folder)
    {
        return Some(folder.to_owned());
    }
    let versions = std::fs::read_dir(VERSIONS).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let number = |path: &PathBuf| -> u32 {
        path.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
    };
    versions
        .filter(|version| is_complete(&version.join("bin")))
        .max_by_key(number)
        .map(|path| path.join("bin"))
}

fn is_complete(folder: &Path) -> bool {
    ["initdb", "postgres", "pg_ctl"].iter().all(|name| folder.join(name).is_file())
}

#[expect(clippy::disallowed_methods, reason = "test support looks for programs as a shell does")]
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|found| found.is_file())
}

/// A user and a group, by their numbers.
type Owner = (u32, u32);

/// PostgreSQL refuses to run as root.
fn runner() -> Result<(Vec<String>, Option<Owner>), String> {
    if !rustix::process::geteuid().is_root() {
        return Ok((Vec::new(), None));
    }
    for user in ["postgres", "nobody"] {
        let id = |option: &str| -> Option<u32> {
            let output = Command::new("id").args([option, user]).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        if let (Some(uid), Some(gid)) = (id("-u"), id("-g")) {
            let runner = [
                "setpriv".to_owned(),
                format!("--reuid={uid}"),
                format!("--regid={gid}"),
                "--clear-groups".to_owned(),
            ];
            return Ok((runner.to_vec(), Some((uid, gid))));
        }
    }
    Err("there is neither a user postgres nor a user nobody to run it as".to_owned())
}
