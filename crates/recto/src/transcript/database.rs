//! Sessions that opencode keeps in an SQLite file. They are read as the document that `opencode export` writes, and that file is never written.
//!
//! A session in it is named as if the file were a folder: `opencode.db/ses_0123`.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use recto_wire::{Document, JsonKind, quote};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, types::ValueRef};

use super::{About, MOST_DOCUMENT_BYTES, TranscriptError, about::title};

/// How an SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// For how long a writer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Parts at the beginning of a session that are looked at for what the person said first.
const MOST_GLANCED_PARTS: u32 = 8;

/// A session in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its name: the database, and its id below it.
    pub path: PathBuf,
    /// When it was changed last.
    pub changed_unix_ms: u64,
    /// Bytes of its messages and parts.
    pub bytes: u64,
    /// Whether another session called it.
    pub is_of_sub_agent: bool,
}

/// Whether a file is an SQLite database.
#[must_use]
pub fn is_database(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let is_it = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == MAGIC;
    is_it && path.is_file()
}

/// The database and the id, if a name is that of a session in one.
pub(super) fn split(path: &Path) -> Option<(&Path, &str)> {
    let (database, id) = (path.parent()?, path.file_name()?.to_str()?);
    (database.is_file() && is_database(database)).then_some((database, id))
}

/// Whether a name is that of a session in a database, which may not be there.
#[must_use]
pub fn is_in_database(path: &Path) -> bool {
    split(path).is_some()
}

/// The sessions in a database, in no order. Only the database's own index is read.
///
/// # Errors
/// [`TranscriptError::Database`]: it cannot be read, or is not opencode's.
pub fn sessions(database: &Path) -> Result<Vec<Listed>, TranscriptError> {
    let failed = |error| failure(database, &error);
    let connection = open(database)?;
    let has_parents = columns(&connection, "session").map_err(failed)?.iter().any(|name| name == "parent_id");
    let parent = if has_parents { "parent_id" } else { "NULL" };
    let query = format!(
        "SELECT id, time_updated, {parent},
            (SELECT coalesce(sum(length(data)), 0) FROM message WHERE session_id = session.id)
            + (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = session.id)
         FROM session"
    );
    let mut statement = connection.prepare(&query).map_err(failed)?;
    let rows = statement.query_map([], |row| {
        let id: String = row.get(0)?;
        Ok(Listed {
            path: database.join(id),
            changed_unix_ms: u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default(),
            bytes: u64::try_from(row.get::<_, i64>(3)?).unwrap_or_default(),
            is_of_sub_agent: row.get::<_, Option<String>>(2)?.is_some(),
        })
    });
    // An id that is no name of a file names nothing here.
    let is_plain = |listed: &Listed| listed.path.parent() == Some(database);
    let rows = rows.map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    Ok(rows.into_iter().filter(is_plain).collect())
}

/// What a session says of itself; `None` if there is none of this id.
pub(super) fn glance(database: &Path, id: &str) -> Result<Option<About>, TranscriptError> {
    let failed = |error| failure(database, &error);
    let connection = open(database)?;
    let session = connection
        .query_row("SELECT directory, title FROM session WHERE id = ?1", [id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .optional()
        .map_err(failed)?;
    let Some((folder, name)) = session else { return Ok(None) };
    let mut statement = connection
        .prepare(
            "SELECT part.data FROM message JOIN part ON part.message_id = message.id
             WHERE message.session_id = ?1 AND json_extract(message.data, '$.role') = 'user'
             ORDER BY message.time_created, message.id, part.id LIMIT ?2",
        )
        .map_err(failed)?;
    let parts =
        statement.query_map((id, MOST_GLANCED_PARTS), |row| row.get::<_, String>(0)).map_err(failed)?;
    let text = |part: String| {
        let document = Document::parse(part.as_bytes()).ok()?;
        let root = document.root();
        let is_said = root.get("type").is_some_and(|kind| kind.is("text")) && root.get("synthetic").is_none();
        title(&root.get("text").filter(|_| is_said)?.text()?)
    };
    // A part that is no JSON is passed over here; reading the session tells of it.
    let said = parts.flatten().find_map(text);
    Ok(Some(About {
        id: Some(id.to_owned()),
        folder: Some(folder),
        title: said.or_else(|| title(&name)),
        ..About::default()
    }))
}

/// A session as `opencode export` writes it, as it is at one moment.
pub(super) fn export(database: &Path, id: &str) -> Result<Vec<u8>, TranscriptError> {
    let failed = |error| failure(database, &error);
    let connection = open(database)?;
    // One moment: what is written meanwhile is not seen.
    connection.execute_batch("BEGIN").map_err(failed)?;
    let info = connection
        .query_row("SELECT * FROM session WHERE id = ?1", [id], |row| Ok(info(row)))
        .optional()
        .map_err(failed)?;
    let Some(info) = info else {
        return Err(TranscriptError::Database {
            path: database.to_owned(),
            why: format!("it has no session {id}"),
        });
    };
    let mut whole = format!(r#"{{"info":{info},"messages":["#).into_bytes();
    let mut messages = connection
        .prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")
        .map_err(failed)?;
    let mut parts =
        connection.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id").map_err(failed)?;
    let text = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let mut rows = messages.query([id]).map_err(failed)?;
    let mut is_first = true;
    while let Some(row) = rows.next().map_err(failed)? {
        let (message, data) = text(row).map_err(failed)?;
        whole.extend_from_slice(if is_first { b"{\"info\":" } else { b",{\"info\":" });
        is_first = false;
        whole.extend_from_slice(&with_ids(&data, &[("id", &message), ("sessionID", id)]));
        whole.extend_from_slice(b",\"parts\":[");
        let mut of_message = parts.query([&message]).map_err(failed)?;
        let mut is_first_part = true;
        while let Some(row) = of_message.next().map_err(failed)? {
            let (part, data) = text(row).map_err(failed)?;
            if !is_first_part {
                whole.push(b',');
            }
            is_first_part = false;
            whole.extend_from_slice(&with_ids(
                &data,
                &[("id", &part), ("messageID", &message), ("sessionID", id)],
            ));
            if whole.len() as u64 > MOST_DOCUMENT_BYTES {
                let (path, bytes) = (database.join(id), whole.len() as u64);
                return Err(TranscriptError::TooLong { path, bytes, most: MOST_DOCUMENT_BYTES });
            }
        }
        whole.extend_from_slice(b"]}");
    }
    whole.extend_from_slice(b"]}");
    Ok(whole)
}

/// What a column `data` holds, with the ids that are columns beside it. What is no object stands as a text, so that the rest can be read.
fn with_ids(data: &str, ids: &[(&str, &str)]) -> Vec<u8> {
    let is_object = Document::parse(data.as_bytes()).is_ok_and(|data| data.root().kind() == JsonKind::Object);
    let mut made = match data.trim().strip_suffix('}').filter(|_| is_object) {
        Some(open) => open.trim_end().as_bytes().to_vec(),
        None => [b"{\"unreadable\":", &*quote(data)].concat(),
    };
    for (name, id) in ids {
        if made != b"{" {
            made.push(b',');
        }
        made.extend_from_slice(format!("\"{name}\":").as_bytes());
        made.extend_from_slice(&quote(id));
    }
    made.push(b'}');
    made
}

/// What a session says of itself, in the client's own names.
fn info(row: &Row<'_>) -> String {
    let json = |name: &str| -> Option<String> {
        match row.get_ref(name).ok()? {
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) if number.is_finite() => Some(number.to_string()),
            ValueRef::Text(text) => Some(text_of(&quote(&String::from_utf8_lossy(text)))),
            _ => None,
        }
    };
    // Columns that hold JSON.
    let nested = |name: &str| -> Option<String> {
        let text = row.get::<_, Option<String>>(name).ok()??;
        Document::parse(text.as_bytes()).is_ok().then_some(text)
    };
    let object = |members: &[(&str, &str)]| {
        let members =
            members.iter().filter_map(|(name, column)| Some(format!("\"{name}\":{}", json(column)?)));
        let members: Vec<String> = members.collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    };
    let share = json("share_url").map(|url| format!("{{\"url\":{url}}}"));
    let cache = object(&[("read", "tokens_cache_read"), ("write", "tokens_cache_write")]);
    let tokens =
        object(&[("input", "tokens_input"), ("output", "tokens_output"), ("reasoning", "tokens_reasoning")]);
    let tokens =
        tokens.zip(cache).map(|(own, cache)| format!("{},\"cache\":{cache}}}", own.trim_end_matches('}')));
    let members = [
        ("id", json("id")),
        ("slug", json("slug")),
        ("projectID", json("project_id")),
        ("workspaceID", json("workspace_id")),
        ("directory", json("directory")),
        ("path", json("path")),
        ("parentID", json("parent_id")),
        ("title", json("title")),
        ("agent", json("agent")),
        ("model", nested("model")),
        ("version", json("version")),
        (
            "summary",
            object(&[
                ("additions", "summary_additions"),
                ("deletions", "summary_deletions"),
                ("files", "summary_files"),
            ]),
        ),
        ("cost", json("cost")),
        ("tokens", tokens),
        ("share", share),
        ("metadata", nested("metadata")),
        ("permission", nested("permission")),
        ("revert", nested("revert")),
        (
            "time",
            object(&[
                ("created", "time_created"),
                ("updated", "time_updated"),
                ("compacting", "time_compacting"),
                ("archived", "time_archived"),
            ]),
        ),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(format!("\"{name}\":{}", value?)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn text_of(json: &[u8]) -> String {
    String::from_utf8_lossy(json).into_owned()
}

/// Opens a database so that nothing is written, not even beside it.
fn open(database: &Path) -> Result<Connection, TranscriptError> {
    let failed = |error| failure(database, &error);
    let beside = |end: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name).metadata().is_ok_and(|about| about.len() > 0)
    };
    // A reader of a log that is not there would make one; without a log all is in the file, and nobody writes.
    let is_at_rest = !beside("-wal") && !beside("-journal");
    let mut uri = String::from("file:");
    for byte in database.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str(if is_at_rest { "?mode=ro&immutable=1" } else { "?mode=ro" });
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(&uri, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    connection.execute_batch("PRAGMA query_only = 1; PRAGMA trusted_schema = 0").map_err(failed)?;
    for table in ["session", "message", "part"] {
        if columns(&connection, table).map_err(failed)?.is_empty() {
            return Err(TranscriptError::Database {
                path: database.to_owned(),
                why: format!("it has no table `{table}` as opencode's has"),
            });
        }
    }
    Ok(connection)
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn failure(path: &Path, error: &rusqlite::Error) -> TranscriptError {
    TranscriptError::Database { path: path.to_owned(), why: error.to_string() }
}
