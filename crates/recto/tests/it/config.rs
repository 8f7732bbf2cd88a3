use crate::desk::Desk;

#[test]
fn each_setting_says_where_it_comes_from() {
    let desk = Desk::new();
    let path = desk.write(
        "config/recto/config.toml",
        b"[store]\nmax_age = \"7d\"\n\n[compress]\nratio = 0.3\ntokenizer = \"claude\"\n",
    );
    let shown = desk.run(&["config", "show", "--json"]).ok().json();
    let find = |name: &str| {
        shown.as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!(find("store.max_age")["origin"], format!("{}:2", path.display()));
    assert_eq!(
        (find("compress.ratio")["value"].as_str(), find("compress.mode")["origin"].as_str()),
        (Some("0.3"), Some("default"))
    );
    let with_flag = desk.run(&["config", "show", "--store", "/x/y.db"]).ok().out();
    assert!(with_flag.contains("/x/y.db") && with_flag.contains("flag --store"), "{with_flag}");
    assert!(desk.run(&["config", "show"]).ok().out().starts_with("setting "));
}

#[test]
fn mistakes_name_file_and_line() {
    let desk = Desk::new();
    for (text, line, words) in [
        ("[compress]\nratoi = 0.3\n", 2, "ratoi"),
        ("\n[stroe]\n", 2, "stroe"),
        ("[compress]\nratio = 7.0\n", 2, "outside (0, 1]"),
        ("[store]\nmax_age = \"soon\"\n", 2, "no duration"),
        ("[compress]\nmode = \"other\"\n", 2, "exact, marked"),
        ("[compress\n", 1, ""),
    ] {
        desk.write("config/recto/config.toml", text.as_bytes());
        desk.run(&["config", "show"]).fails(2, &[&format!("config.toml:{line}"), words]);
    }
}

#[test]
fn the_documentation_lists_every_variable() {
    let desk = Desk::new();
    let printed = desk.run(&["config", "environment"]).ok().out();
    let documented = include_str!("../../../../docs/configuration.md");
    for line in printed.lines().skip(1) {
        let name = line.split_whitespace().next().unwrap();
        assert!(documented.contains(&format!("`{name}`")), "{name} is not documented");
    }
    let shown = desk.run(&["config", "show", "--json"]).ok().json();
    for setting in shown.as_array().unwrap() {
        let name = setting["name"].as_str().unwrap();
        assert!(documented.contains(&format!("`{name}`")), "{name} is not documented");
    }
}
