//! The pages that are made by the binary.

use crate::desk::Desk;

#[test]
fn the_pages_are_what_the_binary_says() {
    let desk = Desk::new();
    for (page, text) in [
        ("cli", include_str!("../../../../docs/cli.md")),
        ("configuration", include_str!("../../../../docs/configuration.md")),
    ] {
        let printed = desk.run(&["documentation", page]).ok().out();
        assert!(
            printed == text,
            "docs/{page}.md is stale: write it with `cargo run -p recto -- documentation {page} > docs/{page}.md`"
        );
    }
}

#[test]
fn the_example_of_a_configuration_is_one() {
    let desk = Desk::new();
    let page = desk.run(&["documentation", "configuration"]).ok().out();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    desk.write("config/recto/config.toml", example.as_bytes());
    let shown = desk.run(&["config", "show", "--json"]).ok().json();
    for setting in shown.as_array().unwrap() {
        assert_ne!(setting["origin"], "default", "{setting} is missing in the example");
    }
    assert_eq!(shown[0]["value"], desk.path("archives/recto.db").display().to_string());
}
