//! Logs, each as a file with one event a line.

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};

use recto::archive::{Archive, ArchiveError, Digest, LogId, LogStat, block_on};
use serde_json::{Value, json};

use super::{PAGE, beside, create, make_folder};
use crate::{
    failure::{Failure, Outcome},
    store,
};

/// What was written, and what could not be read.
#[derive(Default)]
pub(super) struct Logs {
    pub(super) logs: u64,
    pub(super) events: u64,
    pub(super) damaged: Vec<String>,
}

/// Writes all logs to `logs/`, which is made only if there are any.
pub(super) fn run(archive: &dyn Archive, folder: &Path) -> Outcome<Logs> {
    let folder = folder.join("logs");
    let mut written = Logs::default();
    let mut after: Option<LogId> = None;
    loop {
        let page = block_on(archive.logs(&store::scope(), after.as_ref(), PAGE))?;
        let Some(last) = page.last() else { return Ok(written) };
        after = Some(last.log.clone());
        make_folder(&folder)?;
        for stat in page {
            log(archive, &stat, &folder.join(file_name(&stat.log)), &mut written)?;
        }
    }
}

/// A name that says whose log it is and is none of the file system's own: `/` and the like are escaped as in a URI.
fn file_name(log: &LogId) -> String {
    const MOST_BYTES: usize = 200;
    let mut name = String::new();
    for byte in log.as_str().chars() {
        match byte {
            '/' | ':' | '%' => name.push_str(&format!("%{:02X}", u32::from(byte))),
            '.' if name.is_empty() => name.push_str("%2E"),
            plain => name.push(plain),
        }
    }
    if name.len() > MOST_BYTES {
        name = Digest::of(log.as_str().as_bytes()).to_string();
    }
    name + ".jsonl"
}

/// Writes a log beside its place and moves it there. A file that is there already is replaced only by one that goes on where it
/// ends.
fn log(archive: &dyn Archive, stat: &LogStat, place: &Path, written: &mut Logs) -> Outcome<()> {
    let partial = beside(place);
    let events = match write(archive, stat, &partial, &mut written.damaged) {
        Ok(events) => events,
        Err(failure) => {
            // It will be written anew.
            let _ = fs::remove_file(&partial);
            return Err(failure);
        }
    };
    written.logs += 1;
    written.events += events;
    let moved = match relation(place, &partial) {
        Ok(Relation::GoesOn) => fs::rename(&partial, place),
        Ok(Relation::IsThere) => fs::remove_file(&partial),
        Ok(Relation::Other) => {
            let what = format!("{} holds something else than log {}: it was left", place.display(), stat.log);
            written.damaged.push(what);
            fs::remove_file(&partial)
        }
        Err(error) => Err(error),
    };
    moved.map_err(|error| Failure::writing(place, &error))
}

/// Writes the events that can be read, and says of the others how many they are.
fn write(archive: &dyn Archive, stat: &LogStat, partial: &Path, damaged: &mut Vec<String>) -> Outcome<u64> {
    let failed = |error: io::Error| Failure::writing(partial, &error);
    let mut file = BufWriter::new(create(partial).map_err(failed)?);
    writeln!(file, "{}", json!({"log": stat.log.to_string(), "version": 1})).map_err(failed)?;
    let (mut from, mut limit, mut events) = (0, PAGE, 0);
    let (mut unread, mut first) = (0_u64, None);
    while from < stat.events {
        match block_on(archive.read(&store::scope(), &stat.log, from, limit)) {
            Ok(page) => {
                // What came after the log was listed is left for the next export.
                let Some((last, _)) = page.last() else { break };
                let next = last + 1;
                for (number, event) in page.iter().filter(|(number, _)| *number < stat.events) {
                    writeln!(file, "{}", line(*number, event)).map_err(failed)?;
                    events += 1;
                }
                (from, limit) = (next, PAGE);
            }
            // It was removed meanwhile.
            Err(ArchiveError::Gone { .. }) => break,
            // One of them: each by itself, then.
            Err(ArchiveError::Corrupt { .. }) if limit > 1 => limit = 1,
            Err(error @ ArchiveError::Corrupt { .. }) => {
                unread += 1;
                first.get_or_insert(error);
                from += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(first) = first {
        damaged.push(format!("{unread} of {} events of log {}; the first: {first}", stat.events, stat.log));
    }
    file.into_inner().map_err(|error| failed(error.into_error()))?.sync_data().map_err(failed)?;
    Ok(events)
}

/// An event as JSON, from which its bytes can be had back: as text, or if it is none in hexadecimal.
fn line(number: u64, event: &[u8]) -> Value {
    match std::str::from_utf8(event) {
        Ok(text) => json!({"number": number, "text": text}),
        Err(_) => {
            let hex: String = event.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"number": number, "hex": hex})
        }
    }
}

/// What a file that is there is to a newer one.
enum Relation {
    /// The newer one begins with all of it, or it is not there.
    GoesOn,
    /// It begins with all of the newer one.
    IsThere,
    Other,
}

fn relation(place: &Path, newer: &Path) -> io::Result<Relation> {
    let old = match File::open(place) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Relation::GoesOn),
        Err(error) => return Err(error),
    };
    let newer = File::open(newer)?;
    let (old_bytes, newer_bytes) = (old.metadata()?.len(), newer.metadata()?.len());
    let common = old_bytes.min(newer_bytes);
    let same = begin_alike(BufReader::new(old.take(common)), BufReader::new(newer.take(common)))?;
    Ok(match same {
        false => Relation::Other,
        true if newer_bytes > old_bytes => Relation::GoesOn,
        true => Relation::IsThere,
    })
}

/// Compares two that are equally long.
fn begin_alike(mut one: impl Read, mut other: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let read = one.read(&mut a)?;
        if read == 0 {
            return Ok(true);
        }
        let (Some(a), Some(b)) = (a.get(..read), b.get_mut(..read)) else { return Ok(false) };
        other.read_exact(b)?;
        if a != b {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_the_logs_and_stay_in_their_folder() {
        for (log, file) in [
            ("session/0b6f", "session%2F0b6f.jsonl"),
            ("..", "%2E..jsonl"),
            ("a:b%c", "a%3Ab%25c.jsonl"),
            ("plain-1_2.3@x+y", "plain-1_2.3@x+y.jsonl"),
        ] {
            assert_eq!(file_name(&LogId::new(log).unwrap()), file);
        }
        assert_eq!(file_name(&LogId::new("/".repeat(200)).unwrap()).len(), 64 + 6);
    }

    #[test]
    fn events_can_be_had_back_from_their_lines() {
        assert_eq!(line(3, b"{\"a\":\n1}").to_string(), r#"{"number":3,"text":"{\"a\":\n1}"}"#);
        assert_eq!(line(0, b"\xff\x00a").to_string(), r#"{"number":0,"hex":"ff0061"}"#);
    }
}
