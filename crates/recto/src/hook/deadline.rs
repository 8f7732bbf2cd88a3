//! Work that must be done in time, else its result is of no use.

use std::{
    any::Any,
    io::{self, Read as _},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Longest event that is read: a result of 16 MB takes that in JSON, and more cannot be answered in time.
const MOST_EVENT_BYTES: u64 = 48 << 20;

/// How long an event that comes too late is still read, so that its writer finds no closed pipe.
const DRAIN: Duration = Duration::from_secs(2);

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// It would have come too late.
    Late,
    /// The work panicked: a defect of recto.
    Defect(String),
    /// The event could not be read.
    Unread(String),
}

/// Reads stdin and gives it to `work`; the answer must be there by `until`.
///
/// Whatever happens, stdin is read to its end (for two seconds at most). Work that is late goes on in a thread that dies with the
/// process: what it does to the archive is done wholly or not at all.
pub(crate) fn answer<T: Send + 'static>(
    until: Instant,
    work: impl FnOnce(String) -> T + Send + 'static,
) -> Result<T, Missed> {
    let (send_read, read) = mpsc::channel();
    let (send_done, done) = mpsc::channel();
    let started = thread::Builder::new().spawn(move || {
        let event = read_event();
        let _ = send_read.send(());
        let result = event.and_then(|event| {
            catch_unwind(AssertUnwindSafe(|| work(event))).map_err(|panic| Missed::Defect(words(&*panic)))
        });
        let _ = send_done.send(result);
    });
    if let Err(error) = started {
        return Err(Missed::Unread(format!("no thread can be had: {error}")));
    }
    match done.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(result) => result,
        Err(_) => {
            let _ = read.recv_timeout(DRAIN);
            Err(Missed::Late)
        }
    }
}

fn read_event() -> Result<String, Missed> {
    let mut bytes = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin
        .by_ref()
        .take(MOST_EVENT_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Missed::Unread(error.to_string()))?;
    let rest = io::copy(&mut stdin, &mut io::sink()).map_err(|error| Missed::Unread(error.to_string()))?;
    if rest > 0 {
        return Err(Missed::Unread(format!("it is longer than {} MiB", MOST_EVENT_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| Missed::Unread(error.to_string()))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked").to_owned()
}
