use super::*;

fn shell(command: &str) -> Call<'_> {
    Call { tool: "Bash".into(), command: Some(command.into()), ..Call::default() }
}

fn read(path: &str) -> Call<'_> {
    Call { tool: "Read".into(), paths: vec![path.into()], ..Call::default() }
}

fn class(call: &Call<'_>) -> Class {
    Table::builtin().unwrap().class(call, "").class
}

#[test]
fn shell_lines_by_what_their_pipelines_begin_with() {
    let cases = [
        ("cargo test --workspace 2>&1", Class::Ordinary),
        ("kubectl get pods -o json | jq '.items'", Class::Ordinary),
        ("kubectl logs api-7 | sed -n '1,200p'", Class::Ordinary),
        ("cat build.log", Class::Ordinary),
        ("cat build.log | head -500", Class::Ordinary),
        ("head -c 100000 /var/log/syslog", Class::Ordinary),
        ("git log -p -3", Class::Ordinary),
        ("echo 'cat -n main.rs'", Class::Ordinary),
        ("grep -rn needle src/main.rs", Class::Ordinary),
        ("recto-like-tool expand", Class::Ordinary),
        ("cat -n src/main.rs", Class::Source),
        ("cat -An notes", Class::Source),
        ("/bin/cat -n notes | head -40", Class::Source),
        ("sed -n '10,90p' build.log", Class::Source),
        ("cd app; sed -n 1,200p lib.py && git status", Class::Source),
        ("FOO=1 sudo nl -b a x", Class::Source),
        ("cat src/lib.rs", Class::Source),
        ("cat 'my file.py' | head -100", Class::Source),
        ("git show HEAD~3:src/main.rs", Class::Source),
        ("timeout 10s cat -n x", Class::Source),
        ("cat CLAUDE.md", Class::Instructions),
        ("cat ~/.claude/skills/deploy/steps.md", Class::Instructions),
        ("head -200 \"docs/AGENTS.md\"", Class::Instructions),
        ("recto expand r:123456789012345#3", Class::Recall),
        ("cd x && /usr/local/bin/recto expand r:123456789012345 | head", Class::Recall),
    ];
    for (line, expected) in cases {
        assert_eq!(class(&shell(line)), expected, "{line}");
    }
}

#[test]
fn programs_behind_others_and_lines_in_lines() {
    let cases = [
        ("sudo -u bob cat main.rs", Class::Source),
        ("bash -lc \"cat -n main.rs\"", Class::Source),
        ("sh -c 'cd x && cat CLAUDE.md'", Class::Instructions),
        ("for f in a.rs b.rs; do cat $f; done", Class::Source),
        ("if true; then cat main.py; fi", Class::Source),
        ("! cat main.rs", Class::Source),
        ("2>/dev/null cat main.rs", Class::Source),
        ("A[1]=2 cat main.rs", Class::Source),
        ("stdbuf -o L ionice -c 3 nl x", Class::Source),
        ("docker exec web cat /app/main.py", Class::Source),
        ("kubectl exec pod -- cat app.py", Class::Source),
        ("find . -name x -exec cat main.rs +", Class::Source),
        ("git cat-file -p HEAD:main.rs", Class::Source),
        ("cat package.json", Class::Source),
        ("cat MAIN.RS", Class::Source),
        ("Get-Content .\\src\\main.py", Class::Source),
        ("docker logs web", Class::Ordinary),
        ("kubectl get pods", Class::Ordinary),
        ("find . -name '*.rs'", Class::Ordinary),
        ("sudo journalctl -u web", Class::Ordinary),
        ("bash build.sh", Class::Ordinary),
        // What is named is not what is shown.
        ("git log -- CLAUDE.md", Class::Ordinary),
        ("grep -rn foo docs/AGENTS.md src", Class::Ordinary),
        ("cargo test 2>&1 | tee AGENTS.md", Class::Ordinary),
        ("ls .claude/skills/", Class::Ordinary),
        ("cat -nosuch build.log", Class::Ordinary),
        // A here-document's text is no command.
        ("python3 <<'E'\nnl = 5\nprint(nl)\nE", Class::Ordinary),
        ("grep x <<< 'nl'\nmake", Class::Ordinary),
        // All that is shown must be recto's.
        ("make && recto stats", Class::Ordinary),
        ("recto --version; cat build.log", Class::Ordinary),
        ("cd x && recto expand r:123456789012345", Class::Recall),
    ];
    for (line, expected) in cases {
        assert_eq!(class(&shell(line)), expected, "{line}");
    }
}

#[test]
fn files_by_their_names() {
    let cases = [
        ("/p/src/main.rs", Class::Source),
        ("/p/config.json", Class::Source),
        ("/p/plan.md", Class::Source),
        ("/p/AGENTS.md", Class::Instructions),
        ("/p/.claude/agents/reviewer.md", Class::Instructions),
        ("C:\\p\\CLAUDE.md", Class::Instructions),
        ("/p/var/app.log", Class::Ordinary),
        ("/p/rows.csv", Class::Ordinary),
        ("/p/Cargo.lock", Class::Ordinary),
        ("/home/u/.claude/projects/p/s/tool-results/b1.txt", Class::Ordinary),
    ];
    for (path, expected) in cases {
        assert_eq!(class(&read(path)), expected, "{path}");
    }
    let part = Call { is_ranged: true, ..read("/p/var/app.log") };
    assert_eq!(class(&part), Class::Source, "a part that was asked for");
}

#[test]
fn tools_callers_and_texts() {
    let tool = |name: &str| Call { tool: name.to_owned().into(), ..Call::default() };
    assert_eq!(class(&tool("Skill")), Class::Instructions);
    assert_eq!(class(&tool("mcp__plugin_recto_recto__recto_expand")), Class::Recall);
    assert_eq!(class(&tool("mcp__recto__recto_query")), Class::Recall);
    assert_eq!(class(&tool("recto_expand")), Class::Recall);
    assert_eq!(class(&tool("lab_recto_search")), Class::Recall);
    assert_eq!(class(&tool("mcp__x__recto_note")), Class::Ordinary);
    assert_eq!(class(&tool("mcp__skills__activate_skill")), Class::Instructions);
    assert_eq!(class(&tool("task")), Class::Instructions);
    let of_server = |name: &str, path: &str| Call { paths: vec![path.to_owned().into()], ..tool(name) };
    assert_eq!(class(&of_server("mcp__filesystem__read_text_file", "/p/main.rs")), Class::Source);
    assert_eq!(class(&of_server("mcp__filesystem__read_text_file", "/p/app.log")), Class::Ordinary);
    assert_eq!(class(&of_server("mcp__fs__read", "file:///p/AGENTS.md")), Class::Instructions);
    assert_eq!(class(&tool("mcp__github__list_issues")), Class::Ordinary);
    let by_program = Call { by_program: true, ..tool("mcp__github__list_issues") };
    assert_eq!(class(&by_program), Class::Program);
    let table = Table::builtin().unwrap();
    assert_eq!(table.class(&tool("x"), "\n<system-reminder>do").class, Class::Instructions);
    assert_eq!(table.class(&tool("x"), "1\t<system-reminder>do").class, Class::Instructions);
}

#[test]
fn own_rules_come_first_and_wrong_ones_are_named() {
    let own: Rule = toml::from_str("class = \"source\"\ntools = [\"mcp__docs__*\"]").unwrap();
    let table = Table::before(vec![own], Table::builtin().unwrap());
    let call = Call { tool: "mcp__docs__page".into(), ..Call::default() };
    assert_eq!(table.class(&call, "").class, Class::Source);

    let wrong = "version = 1\n[[rule]]\nclass = \"sauce\"".parse::<Table>().unwrap_err().to_string();
    assert!(wrong.contains("sauce") && wrong.contains("ordinary"), "{wrong}");
    assert!("version = 2".parse::<Table>().is_err());
    // A rule without conditions would be for all results.
    let empty: Rule = toml::from_str("class = \"source\"").unwrap();
    assert_eq!(
        Table::before(vec![empty], Table::builtin().unwrap()).class(&shell("ls"), "").class,
        Class::Ordinary
    );
}

#[test]
fn programs_are_no_durations() {
    let named = ["sh check.sh".to_owned(), "dd".to_owned()];
    assert!(wrapped("sh check.sh 2>&1", &named, "recto run").is_some());
    assert!(wrapped("timeout 1.5m dd if=x", &named, "recto run").is_some());
    assert_eq!(class(&shell("timeout 5 cat CLAUDE.md")), Class::Instructions);
}

#[test]
fn any_line_is_read() {
    for line in [
        "",
        "|",
        "'",
        "\"\\",
        "a|",
        ";;",
        "${x} && }",
        "cat <<'EOF'\na 'b\nEOF\n",
        "\u{0}\u{301}",
        "2>&1 &> x",
    ] {
        let _ = class(&shell(line));
    }
    let long = "é".repeat(40_000);
    let _ = class(&shell(&long));
}
