//! Many processes that append to one log, and are killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use recto_archive::conformance::noise;
use recto_archive::{Archive, Scope, SqliteArchive, block_on};

use super::place;
use crate::child;

const WRITERS: usize = 20;
const LASTS: Duration = Duration::from_secs(6);

/// A writer, and the thread that hears how many of its events it was told are safe.
struct Writer {
    process: Child,
    heard: JoinHandle<usize>,
}

impl Writer {
    fn start(number: usize, path: &Path) -> Self {
        let mut process = child::command(&[], "append", number, path).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let heard = thread::spawn(move || {
            lines.filter_map(|line| line.strip_prefix("safe ")?.parse().ok()).max().unwrap_or(0)
        });
        Self { process, heard }
    }

    /// Kills it without warning; it must not have ended by itself.
    fn kill(mut self) -> usize {
        assert!(self.process.try_wait().unwrap().is_none(), "a writer failed");
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.heard.join().unwrap()
    }
}

/// Whatever was acknowledged is there once, nothing twice, no number is left out, and each writer's events are in its order.
#[test]
#[expect(clippy::disallowed_methods, reason = "each run of the test is another one; the seed is printed")]
fn killed_writers_lose_and_double_nothing() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    eprintln!("seed {seed}");
    let (_folder, path) = place();
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::start(number, &path)).collect();
    let mut safe = [0; WRITERS];
    let (mut kills, since) = (0, Instant::now());
    for turn in noise(seed, 1 << 16).chunks_exact(2) {
        if since.elapsed() > LASTS {
            break;
        }
        thread::sleep(Duration::from_micros(u64::from(turn[0]) * 300));
        let number = usize::from(turn[1]) % WRITERS;
        let killed = std::mem::replace(&mut writers[number], Writer::start(number, &path));
        safe[number] = safe[number].max(killed.kill());
        kills += 1;
    }
    for (number, writer) in writers.into_iter().enumerate() {
        safe[number] = safe[number].max(writer.kill());
    }

    let (archive, scope, log) = (SqliteArchive::open(&path).unwrap(), Scope::local(), child::shared_log());
    let (mut end, mut turns) = (0, [0; WRITERS]);
    loop {
        let page = block_on(archive.read(&scope, &log, end, 1000)).unwrap();
        if page.is_empty() {
            break;
        }
        for (number, event) in page {
            assert_eq!(number, end, "seed {seed}");
            end += 1;
            let event = String::from_utf8(event).unwrap();
            let writer: usize = event.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(event, child::event(writer, turns[writer]), "seed {seed}, number {number}");
            turns[writer] += 1;
        }
    }
    for writer in 0..WRITERS {
        let (found, acknowledged) = (turns[writer], safe[writer]);
        assert!(found >= acknowledged, "seed {seed}: {found} of {acknowledged} events of writer {writer}");
    }
    let report = block_on(archive.verify(&|_| {})).unwrap();
    assert!(report.is_sound() && report.events == end, "seed {seed}: {:?}", report.damaged);
    eprintln!("{end} events, {kills} kills");
    assert!(end > 500 && kills > 20, "seed {seed}: too little happened: {end} events, {kills} kills");
}
