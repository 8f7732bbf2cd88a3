use crate::desk::Desk;

#[test]
fn every_command_has_help_with_examples() {
    let desk = Desk::new();
    for command in ["compress", "expand", "verify", "run", "mcp-tools", "gc", "store", "completions"] {
        let help = desk.run(&[command, "--help"]).ok().out();
        assert!(help.contains("Examples:") && help.contains(&format!("recto {command}")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 140), "{help}");
    }
    let help = desk.run(&["--help"]).ok().out();
    assert!(help.contains("Exit codes: 0 done, 1 the job failed, 2 bad usage or bad input"));
}

#[test]
fn bad_usage_is_exit_code_two() {
    let desk = Desk::new();
    desk.run(&["nonsense"]).fails(2, &["nonsense"]);
    desk.run(&[]).fails(2, &["Usage"]);
    desk.run(&["compress", "--max-bytes", "many"]).fails(2, &["many"]);
}

#[test]
fn completions_for_every_shell() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(desk.run(&["completions", shell]).ok().out().contains("recto"), "{shell}");
    }
}

#[test]
fn works_without_a_home() {
    let desk = Desk::new();
    let done = desk.command(&["compress"]).env_remove("HOME").env_remove("XDG_DATA_HOME").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
