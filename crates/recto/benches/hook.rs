//! A hook's round trip, the whole process: an event of Claude Code in, its answer out, the original archived in between. Beside it the
//! process that does nothing (`--version`), which is what any hook costs.
//!
//! Asked for: 15 ms for a result of 100 kB, 50 ms for 1 MB.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run stops")]

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use divan::{Bencher, black_box};
use recto_testkit::generate::Kind;

fn main() {
    divan::main();
}

/// An event whose result is a log of about so many bytes; another one each time, so that each is archived anew.
fn event(bytes: usize, seed: u64) -> String {
    let log = Kind::Log.generate(seed, bytes);
    let text = String::from_utf8_lossy(&log.bytes).into_owned();
    serde_json::json!({
        "session_id": "s", "transcript_path": "", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make check" }, "tool_use_id": "t",
        "tool_response": { "stdout": text, "stderr": "", "interrupted": false },
    })
    .to_string()
}

fn recto(folder: &tempfile::TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
    command.env_clear().env("HOME", folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 40, sample_size = 1)]
fn hook(bencher: Bencher<'_, '_>, bytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    // The deadline is the thing measured, so it may not cut.
    let config = folder.path().join(".config/recto/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "[hook]\ndeadline = \"10s\"\n").unwrap();
    let mut seed = 0;
    bencher
        .with_inputs(|| {
            seed += 1;
            event(bytes, seed)
        })
        .bench_local_values(|event| {
            let mut child = recto(&folder).args(["hook", "claude"]).spawn().unwrap();
            child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
            let answer = child.wait_with_output().unwrap().stdout;
            assert!(bytes < 20_000 || answer.len() > 1_000, "no view");
            black_box(answer)
        });
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn nothing() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    recto(&folder).arg("--version").output().unwrap().stdout
}
