//! What a person reads: both streams and the exit code, as they are.

use insta::assert_snapshot;

use crate::desk::{Desk, Done, log};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("app.log", log(400).as_bytes());
    desk
}

#[test]
fn an_explanation_is_a_table() {
    let desk = desk();
    let options = ["compress", "app.log", "--max-bytes", "400", "--no-store", "--explain", "--count"];
    let done = desk.run(&options).ok();
    let errors = done.errors();
    let mut lines: Vec<&str> = errors.lines().collect();
    let counts = lines.pop().unwrap();
    assert!(counts.starts_with("tokens: ") && counts.ends_with(" of 8401 (o200k_base)"), "{counts}");
    let sum = lines.pop().unwrap();
    assert!(sum.contains(" parts kept, ") && sum.contains(" left out in "), "{sum}");
    let column = lines[0].find("text").unwrap();
    let text = log(400);
    for line in &lines[1..] {
        let (bytes, excerpt) = (line.split_whitespace().next().unwrap(), &line[column..]);
        let (start, end) = bytes.split_once("..").unwrap();
        let kept = &text[start.parse().unwrap()..end.parse().unwrap()];
        assert_eq!(kept, excerpt, "{errors}");
        assert!(done.out().contains(kept));
    }
    assert!(lines.len() > 4);
}

#[test]
fn nothing_and_everything_are_said() {
    let desk = desk();
    let shown = |arguments: &[&str]| desk.shown(&desk.run(arguments));
    assert_snapshot!(shown(&["compress", "app.log", "--max-tokens", "5"]), @"
    ---
    warning: nothing is shown: the budget is too small for even one line
    exit code 0
    ");
    assert_snapshot!(shown(&["compress", "app.log", "--max-bytes", "99999", "--explain", "--format", "map"]), @r#"
    {"version":1,"srcBytes":19051,"srcSha256":"f406cbb8084d5480e92200829cc00d55bd774158e452df0f706be5df61bd2c2c","contentType":"log","spans":[{"s":0,"e":19051}],"elisions":[],"stats":{"keptBytes":19051,"ratio":1.0}}
    ---
    nothing is left out
    exit code 0
    "#);
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    let desk = desk();
    let shown = |arguments: &[&str]| desk.shown(&desk.run(arguments));
    assert_snapshot!(shown(&["compress", "absent.log"]), @"
    ---
    error: cannot open absent.log: No such file or directory (os error 2)
    exit code 2
    ");
    assert_snapshot!(shown(&["compress", "app.log", "--ratio", "2"]), @"
    ---
    error: a target ratio of 2 is outside (0, 1]: give a share of the source, such as 0.45
    exit code 2
    ");
    assert_snapshot!(shown(&["expand", "r:123456789012345#2"]), @"
    ---
    error: there is no archive at $DIR/data/recto/recto.db
    hint: it is made when something is stored; name another one with `--store PATH`
    exit code 1
    ");
    desk.run(&["compress", "app.log", "--max-bytes", "400"]).ok();
    assert_snapshot!(shown(&["expand", "r:123456789012345#2"]), @"
    ---
    error: no ref r:123456789012345 in this archive
    hint: searched $DIR/data/recto/recto.db; another store is named with `--store PATH`
    exit code 1
    ");
    assert_snapshot!(shown(&["expand", "r:123456789012345#two"]), @r#"
    ---
    error: "two" is no number of an elision
    hint: write it as in the note: r:123456789012345#3
    exit code 2
    "#);
    assert_snapshot!(shown(&["expand", "r:123456", "--grep", "a(b"]), @r"
    ---
    error: --grep: regex parse error:
        a(b
         ^
    error: unclosed group
    hint: a literal text is written with \ before each of . ^ $ * + ? ( ) [ ] { } | \
    exit code 2
    ");
    assert_snapshot!(shown(&["expand", "r:123456", "--lines", "9:3"]), @"
    ---
    error: --lines 9:3 ends before it begins
    exit code 2
    ");
    assert_snapshot!(shown(&["verify", "--source", "app.log", "--map", "app.log"]), @"
    ---
    error: app.log is no span map: invalid type: integer `2026`, expected struct SpanMap at line 1 column 4
    hint: make one with `recto compress FILE --format map`
    exit code 2
    ");
    desk.write("config/recto/config.toml", b"[compress]\nratio = 0.3\ncolour = \"red\"\n");
    assert_snapshot!(shown(&["config", "show"]), @"
    ---
    error: $DIR/config/recto/config.toml:3: unknown field `colour`, expected one of `ratio`, `mode`, `tokenizer`, `recall`
    hint: `recto config show` lists every setting; docs/configuration.md explains them
    exit code 2
    ");
}

#[test]
fn settings_and_their_origins() {
    let desk = desk();
    desk.write("config/recto/config.toml", b"[compress]\nratio = 0.3\n");
    let shown = desk.shown(&desk.run(&["config", "show"]).ok());
    // The widths are those of the paths.
    let lines: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_snapshot!(lines.join("\n"), @"
    setting value origin
    store.path $DIR/data/recto/recto.db default
    store.max_age 30d default
    store.max_bytes 5GB default
    compress.ratio 0.3 $DIR/config/recto/config.toml:2
    compress.mode marked default
    compress.tokenizer o200k default
    compress.recall shell default
    hook.threshold 8KiB default
    hook.max_bytes 12KiB default
    hook.deadline 50ms default
    hook.deny_notes true default
    hook.wrap none default
    ---
    exit code 0
    ");
}

#[test]
fn colours_are_for_terminals() {
    let desk = desk();
    let errors = |variables: &[(&str, &str)]| {
        let mut command = desk.command(&["compress", "absent.log"]);
        Done(command.envs(variables.iter().copied()).output().unwrap()).errors()
    };
    assert!(errors(&[]).starts_with("error: "));
    assert!(errors(&[("CLICOLOR_FORCE", "1")]).starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "));
    assert!(errors(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).starts_with("error: "));
}
