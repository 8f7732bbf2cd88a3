//! opencode's sessions in its database.

use std::{fs, path::Path, time::Duration};

use rusqlite::Connection;

use crate::desk::{Desk, log};

const DATABASE: &str = "data/opencode/opencode.db";

/// The tables of opencode 1.18, as far as sessions are in them.
const TABLES: &str = "
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL, directory text NOT NULL,
  path text, title text NOT NULL, version text NOT NULL, share_url text, summary_additions integer, summary_deletions integer, summary_files integer,
  metadata text, cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
  tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL,
  revert text, permission text, agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer,
  time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
  data text NOT NULL);";

/// A database with a session and one that it called, in a journal of its own that is not in the file yet.
fn written(path: &Path) -> Connection {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch(TABLES).unwrap();
    let output = serde_json::to_string(&log(600)).unwrap();
    for (session, parent, updated) in
        [("ses_0001", "NULL", 1_700_000_000_000_u64), ("ses_0002", "'ses_0001'", 1_700_000_900_000)]
    {
        connection
            .execute_batch(&format!(
                "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, model, time_created, time_updated)
                 VALUES ('{session}', 'global', {parent}, 'wolf', '/w/shop', 'A title', '1.18.33', '{{\"id\":\"m\"}}', 1700000000000, {updated});"
            ))
            .unwrap();
        let put = |table: &str, message: &str, id: &str, data: &str| {
            let (columns, values) = if table == "part" {
                ("message_id, ", format!("'{message}', "))
            } else {
                ("", String::new())
            };
            connection
                .execute(
                    &format!("INSERT INTO {table} (id, {columns}session_id, time_created, time_updated, data) VALUES (?1, {values}?2, 1, 1, ?3)"),
                    (format!("{id}_{session}"), session, data),
                )
                .unwrap();
        };
        put("message", "", "msg_1", r#"{"role":"user","time":{"created":1}}"#);
        put(
            "part",
            &format!("msg_1_{session}"),
            "prt_1",
            r#"{"type":"text","text":"Why does the payment fail?"}"#,
        );
        put("message", "", "msg_2", r#"{"role":"assistant","time":{"created":2}}"#);
        let tool = format!(
            r#"{{"type":"tool","tool":"bash","callID":"call_1","state":{{"status":"completed","input":{{"command":"cat log"}},"output":{output},"time":{{"start":1,"end":2}}}}}}"#
        );
        put("part", &format!("msg_2_{session}"), "prt_2", &tool);
        put("part", &format!("msg_2_{session}"), "prt_3", r#"{"type":"text","text":"It is refused."}"#);
    }
    connection
}

/// The database and what stands beside it, but for the file of locks.
fn files(desk: &Desk) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(desk.path("data/opencode"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("opencode.db-shm"))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn sessions_in_a_database_are_read_like_others() {
    let desk = Desk::new();
    let connection = written(&desk.path(DATABASE));
    let before = files(&desk);
    assert!(before.iter().any(|(name, bytes)| name.ends_with("-wal") && !bytes.is_empty()));

    let listed = desk.run(&["session", "ls", "--json"]).ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "not what another session called: {listed}");
    let row = &listed[0];
    assert_eq!((row["client"].as_str(), row["folder"].as_str()), (Some("opencode"), Some("/w/shop")));
    assert_eq!(row["prompt"], "Why does the payment fail?");
    assert_eq!(row["changedUnixMs"], 1_700_000_000_000_u64);
    let all = desk.run(&["session", "ls", "--all", "--json"]).ok().json();
    assert_eq!(all.as_array().unwrap().len(), 2);
    let named = desk.run(&["session", "ls", DATABASE, "--all", "--json"]).ok().json();
    assert_eq!(named.as_array().unwrap().len(), 2);

    let path = format!("{DATABASE}/ses_0001");
    for asked in ["ses_0001", &path, row["id"].as_str().unwrap(), row["path"].as_str().unwrap()] {
        let shown = desk.run(&["session", "show", asked]).ok();
        assert!(
            shown.out().contains("Why does the payment fail?") && shown.out().contains("call bash"),
            "{asked}"
        );
    }
    // The newest that a person had, though what it called was changed later.
    assert!(
        desk.run(&["session", "show", "--json"]).ok().json()["session"]
            .as_str()
            .unwrap()
            .ends_with("ses_0001")
    );
    assert_eq!(desk.run(&["session", "recall", "-s", "ses_0001", "call_1"]).ok().out(), log(600));
    let stats = desk.run(&["session", "stats", "ses_0001", "--json"]).ok().json();
    assert_eq!(stats["path"]["calls"], 1);
    assert_eq!(desk.run(&["session", "stats", DATABASE, "--json"]).ok().json()["sessions"], 2);
    desk.run(&["session", "stats", "--json"]).ok();
    desk.run(&["session", "repair", "ses_0001", "--dry-run"]).ok();
    desk.run(&["session", "export", "ses_0001", "--events", "-o", "events.jsonl"]).ok();
    desk.run(&["session", "export", "ses_0001", "--originals", "-o", "whole.json"]).ok();
    let whole: serde_json::Value =
        serde_json::from_slice(&fs::read(desk.path("whole.json")).unwrap()).unwrap();
    assert_eq!(whole["info"]["model"]["id"], "m");
    assert_eq!(whole["messages"][1]["parts"][1]["id"], "prt_3_ses_0001");
    assert_eq!(whole["messages"][1]["parts"][1]["messageID"], "msg_2_ses_0001");
    assert!(files(&desk) == before, "nothing is written");
    drop(connection);

    // At rest, too, nothing appears beside it.
    let before = files(&desk);
    desk.run(&["session", "show", "ses_0001"]).ok();
    assert!(files(&desk) == before && before.len() == 1);
}

#[test]
fn a_database_is_never_changed() {
    let desk = Desk::new();
    let _connection = written(&desk.path(DATABASE));
    let before = files(&desk);
    for command in ["prune", "repair"] {
        desk.run(&["session", command, "ses_0001", "--in-place"])
            .fails(2, &["recto reads and never writes", "opencode import ses_0001.json", "--log-only"]);
    }
    desk.run(&["session", "prune", "ses_0001", "-o", "small.json", "--policy", "prune"]).ok();
    desk.run(&["session", "prune", "ses_0001", "--log-only", "--policy", "prune"]).ok();
    assert!(fs::read_to_string(desk.path("small.json")).unwrap().contains("recto expand r:"));
    // What was decided is of the same session, whichever way it is read.
    assert_eq!(desk.run(&["session", "recall", "-s", "small.json", "call_1"]).ok().out(), log(600));
    assert!(files(&desk) == before);
}

#[test]
fn what_is_wrong_with_a_database_is_said() {
    let desk = Desk::new();
    let connection = written(&desk.path(DATABASE));
    desk.run(&["session", "show", DATABASE]).fails(2, &["holds 2 sessions", "opencode.db/ses_..."]);
    desk.run(&["session", "show", &format!("{DATABASE}/ses_0009")]).fails(2, &["has no session ses_0009"]);
    Connection::open(desk.path("other.db")).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    desk.run(&["session", "show", "other.db"]).fails(2, &["other.db", "no table `session`"]);
    desk.run(&["session", "ls", "other.db"]).ok();

    // Data that is no JSON spoils no more than itself.
    connection.execute("UPDATE part SET data = '{\"type\":' WHERE id = 'prt_3_ses_0001'", []).unwrap();
    let shown = desk.run(&["session", "show", "ses_0001"]).ok();
    assert!(shown.out().contains("call bash"), "{}", shown.out());
    // A session whose files opencode left when it took it into the database is listed once.
    desk.write(
        "data/opencode/storage/session/p/ses_0001.json",
        br#"{"id":"ses_0001","projectID":"p","directory":"/w","title":"t"}"#,
    );
    assert_eq!(desk.run(&["session", "ls", "--json"]).ok().json().as_array().unwrap().len(), 1);
    desk.run(&["session", "show", "ses_0001"]).ok();

    // One who writes is waited for.
    connection.execute_batch("BEGIN IMMEDIATE; UPDATE session SET title = 'x'").unwrap();
    desk.run(&["session", "show", "ses_0001"]).ok();
    std::thread::sleep(Duration::from_millis(10));
    connection.execute_batch("COMMIT").unwrap();
    fs::write(desk.path("broken.db"), b"SQLite format 3\0 and then nothing of the kind").unwrap();
    desk.run(&["session", "show", "broken.db"]).fails(2, &["cannot read broken.db"]);
}
