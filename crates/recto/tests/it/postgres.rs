use recto_testkit::postgres;

use crate::desk::{Desk, log};

#[test]
fn an_archive_can_be_a_database() {
    let Some(database) = postgres::database() else { return };
    let (desk, url) = (Desk::new(), database.url());
    let text = log(2_000);
    desk.write("a.log", text.as_bytes());
    let store = ["--store", &*url];
    let run = |arguments: &[&str]| desk.run(&[arguments, &store].concat());

    let view = run(&["compress", "a.log", "--max-bytes", "900"]).ok();
    let name = view.out();
    let name = name.split("recto expand ").nth(1).unwrap().split('#').next().unwrap();
    assert_eq!(run(&["expand", name]).ok().0.stdout, text.as_bytes());
    // Whoever comes next finds it too.
    assert_eq!(Desk::new().run(&[&["expand", name], &store[..]].concat()).ok().0.stdout, text.as_bytes());

    let printed = desk.run(&["run", "--store", &url, "--max-bytes", "400", "--", "seq", "1", "5000"]).ok();
    assert!(printed.out().contains("recto expand r:"), "{}", printed.out());
    run(&["store", "verify"]).ok();
    let about = run(&["store", "info", "--json"]).ok().json();
    assert!(about["engine"].as_str().unwrap().starts_with("PostgreSQL"), "{about}");
    let doctor = run(&["doctor"]);
    assert!(doctor.out().contains("PostgreSQL"), "{}", doctor.out());
    run(&["gc", "--max-age", "365d"]).ok();
    assert!(!desk.store().exists());
}

#[test]
fn passwords_are_not_printed() {
    let desk = Desk::new();
    let url = "postgresql://me:secret@localhost:1/team?password=secret&application_name=x";
    for arguments in
        [&["config", "show"][..], &["doctor"], &["store", "info"], &["expand", "r:123456789012345"]]
    {
        let done = desk.run(&[arguments, &["--store", url]].concat());
        let said = done.out() + &done.errors();
        assert!(!said.contains("secret"), "{said}");
        assert!(said.contains("localhost"), "{said}");
    }
    let other = desk.run(&["store", "info", "--store", "postgresql://me:secret@db.example/team"]);
    let other = other.fails(1, &["sslmode=disable"]);
    assert!(!other.errors().contains("secret"));
}
