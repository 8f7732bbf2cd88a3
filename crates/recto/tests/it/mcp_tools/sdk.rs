use std::process::Command;

use crate::desk::{Desk, log, reference};

const SCRIPT: &str = include_str!("sdk.mjs");

/// What npm gives for the client, or why there is none.
fn installed(desk: &Desk) -> Result<(), String> {
    let asked = ["install", "--no-audit", "--no-fund", "--silent", "@modelcontextprotocol/sdk@1"];
    // npm needs the surroundings' settings, which the binary under test does not get.
    let done = Command::new("npm").args(asked).current_dir(desk.path("")).output();
    let done = done.map_err(|error| format!("npm: {error}"))?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

#[test]
fn the_protocols_own_client_reads_all_pages() {
    let desk = Desk::new();
    if let Err(why) = installed(&desk) {
        eprintln!("skipped: the SDK's client is not there: {why}");
        return;
    }
    desk.write("client.mjs", SCRIPT.as_bytes());
    let text = log(400);
    let name = reference(&desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok().out());
    let like_recto = desk.command(&[]);
    let mut node = Command::new("node");
    node.args(["client.mjs", env!("CARGO_BIN_EXE_recto"), &name]).current_dir(desk.path("")).env_clear();
    node.envs(like_recto.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let done = node.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["text"].as_str(), Some(text.as_str()));
    assert!(told["pages"].as_u64() > Some(2) && told["isError"] == true, "{told}");
    assert_eq!(told["names"][0], "recto_expand");
}
