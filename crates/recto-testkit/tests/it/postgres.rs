use std::path::Path;
use std::time::{Duration, Instant};

use recto_testkit::postgres::{self, Stop};

/// A database is empty, its own, and gone with its value.
#[test]
fn each_test_has_a_database_of_its_own() {
    let Some(first) = postgres::database() else { return };
    let second = postgres::database().unwrap();
    first.execute("CREATE TABLE a (x int); INSERT INTO a VALUES (41), (42)");
    assert_eq!(first.value("SELECT max(x) FROM a"), "42");
    assert_eq!(second.value("SELECT count(*) FROM pg_tables WHERE tablename = 'a'"), "0");
    let exists = format!(
        "SELECT count(*) FROM pg_database WHERE datname = '{}'",
        first.value("SELECT current_database()")
    );
    assert_eq!(second.value(&exists), "1");
    drop(first);
    assert_eq!(second.value(&exists), "0");
}

/// A cluster of one's own stops, starts with what it had, and leaves nothing.
#[test]
fn a_cluster_of_ones_own_stops_and_starts() {
    let Some(cluster) = postgres::cluster() else { return };
    let database = cluster.database();
    database.execute("CREATE TABLE a (x int); INSERT INTO a VALUES (1)");
    for how in [Stop::Fast, Stop::Immediate] {
        cluster.stop(how);
        cluster.start_again();
        assert_eq!(database.value("SELECT x FROM a"), "1");
    }
    let folder = database.value("SHOW unix_socket_directories");
    assert!(Path::new(&folder).exists());
    drop(database);
    drop(cluster);
    assert!(!Path::new(&folder).exists(), "{folder} is left");
}

/// A process that is killed leaves no cluster behind.
#[test]
fn a_killed_process_leaves_nothing() {
    if postgres::database().is_none() {
        return;
    }
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(this)
        .args(["--exact", "postgres::waits_to_be_killed", "--ignored", "--nocapture"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let folder =
        lines.map_while(Result::ok).find_map(|line| line.strip_prefix("folder ").map(str::to_owned)).unwrap();
    assert!(Path::new(&folder).exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let since = Instant::now();
    while Path::new(&folder).exists() {
        assert!(since.elapsed() < Duration::from_secs(20), "{folder} is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "started by another test, as its other process"]
fn waits_to_be_killed() {
    let Some(cluster) = postgres::cluster() else { return };
    let folder = cluster.database().value("SHOW unix_socket_directories");
    std::io::Write::write_all(&mut std::io::stdout(), format!("\nfolder {folder}\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_secs(600));
}
