use recto_testkit::postgres;

use crate::desk::{Desk, Done, log, reference};

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

#[test]
fn a_server_that_asks_for_a_password_gets_it_and_nobody_else_does() {
    const RIGHT: &str = "correct-horse";
    const WRONG: &str = "battery-staple";
    let Some(cluster) = postgres::cluster() else { return };
    let database = cluster.database();
    let url = cluster.guarded(database.name(), "guarded", RIGHT);
    let with = |password: &str| url.replace("guarded@", &format!("guarded:{password}@"));
    let (desk, text) = (Desk::new(), log(2_000));
    desk.write("a.log", text.as_bytes());

    let view = desk.run(&["compress", "a.log", "--max-bytes", "900", "--store", &with(RIGHT)]).ok();
    let name = reference(&view.out());
    // The address may leave it to the environment.
    let of_environment = |password: &str, arguments: &[&str]| {
        let mut command = desk.command(&[arguments, &["--store", &url]].concat());
        Done(command.env("PGPASSWORD", password).output().unwrap())
    };
    assert_eq!(of_environment(RIGHT, &["expand", &name]).ok().0.stdout, text.as_bytes());

    let mut said = vec![view.errors()];
    for store in [with(RIGHT), with(WRONG), url.clone()] {
        for arguments in [&["store", "info"][..], &["doctor"], &["expand", &name], &["config", "show"]] {
            let done = desk.run(&[arguments, &["--store", &store]].concat());
            if store != with(RIGHT) && !["doctor", "config"].contains(&arguments[0]) {
                assert_ne!(done.code(), 0);
                assert!(done.errors().contains("password"), "{}", done.errors());
            }
            said.push(done.out() + &done.errors());
        }
    }
    let wrong = of_environment(WRONG, &["expand", &name]).fails(1, &["look at the user and the password"]);
    said.push(wrong.out() + &wrong.errors());
    for said in said {
        assert!(!said.contains(RIGHT) && !said.contains(WRONG), "{said}");
    }
}
