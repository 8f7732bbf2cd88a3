use crate::desk::{Desk, Done, log};

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
fn later_layers_win() {
    let desk = Desk::new();
    let origin = |arguments: &[&str], variable: Option<&str>| {
        let mut command = desk.command(&[&["config", "show", "--json"], arguments].concat());
        command.envs(variable.map(|path| ("RECTO_STORE", path)));
        let shown = Done(command.output().unwrap()).ok().json();
        (shown[0]["value"].as_str().unwrap().to_owned(), shown[0]["origin"].as_str().unwrap().to_owned())
    };
    let default = desk.store().display().to_string();
    assert_eq!(origin(&[], None), (default, "default".to_owned()));
    let path = desk.write("config/recto/config.toml", b"[store]\npath = \"own.db\"\n");
    let own = path.with_file_name("own.db").display().to_string();
    assert_eq!(origin(&[], None), (own, format!("{}:2", path.display())));
    let from_environment = ("/e/e.db".to_owned(), "environment RECTO_STORE".to_owned());
    assert_eq!(origin(&[], Some("/e/e.db")), from_environment);
    let from_flag = ("/f/f.db".to_owned(), "flag --store".to_owned());
    assert_eq!(origin(&["--store", "/f/f.db"], Some("/e/e.db")), from_flag);
    assert_ne!(origin(&[], Some("")).1, "environment RECTO_STORE", "empty is as good as none");
}

#[test]
fn settings_do_what_they_say() {
    let desk = Desk::new();
    let text = log(600);
    desk.write(
        "config/recto/config.toml",
        b"[store]\npath = \"~/mine.db\"\nmax_age = \"none\"\n[compress]\nratio = 0.05\nrecall = \"tool\"\n",
    );
    let view = desk.pipe(&["compress"], text.as_bytes()).ok().out();
    assert!(view.len() <= text.len() / 20 && view.contains("recto_expand r:"), "{view}");
    assert!(desk.path("mine.db").exists() && !desk.store().exists());
    // A budget on the command line is not tightened by a ratio of the configuration.
    let wider = desk.pipe(&["compress", "--max-bytes", "9000"], text.as_bytes()).ok().out();
    assert!(wider.len() > 5_000, "{}", wider.len());
    let given = desk.pipe(&["compress", "--ratio", "0.2", "--recall", "shell"], text.as_bytes()).ok().out();
    assert!(given.len() > text.len() / 10 && given.contains("recto expand r:"));
    assert!(desk.run(&["config", "show"]).ok().out().contains("store.max_age       none"));
}

#[test]
fn a_named_configuration_must_be_there() {
    let desk = Desk::new();
    let shown = |path: &str| {
        let mut command = desk.command(&["config", "show"]);
        Done(command.env("RECTO_CONFIG", path).output().unwrap())
    };
    shown("absent.toml").fails(2, &["cannot read the configuration absent.toml", "hint: RECTO_CONFIG"]);
    desk.write("own.toml", b"[compress]\nmode = \"exact\"\n");
    assert!(shown("own.toml").ok().out().contains("own.toml:2"));
}
