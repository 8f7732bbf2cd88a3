//! Data to stdout, all else to stderr. A closed pipe is no error: whoever read has seen enough.

pub(crate) mod table;

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use serde::Serialize;

pub(crate) use recto::view::size_text as size;

pub(crate) use self::table::table;
use crate::failure::{Failure, Outcome};

/// Writes data to stdout.
pub(crate) fn data(bytes: &[u8]) -> Outcome<()> {
    piece(bytes).map(|_| ())
}

/// Writes one piece of many to stdout, and says whether more can be of use.
pub(crate) fn piece(bytes: &[u8]) -> Outcome<ControlFlow<()>> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => Err(Failure::job(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(ControlFlow::Continue(())),
    }
}

/// Writes a text and a line end to stdout.
pub(crate) fn line(text: &str) -> Outcome<()> {
    data(format!("{text}\n").as_bytes())
}

/// Writes a line to stdout, coloured only on a terminal.
pub(crate) fn styled(text: &str) -> Outcome<()> {
    match writeln!(anstream::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::job(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string(value).map_err(|error| Failure::job(error.to_string()))?;
    line(&text)
}

/// Writes a line to stderr, coloured only on a terminal.
pub(crate) fn complain(text: &str) {
    let mut stderr = anstream::stderr();
    // Nowhere is left to report to.
    let _ = writeln!(stderr, "{text}");
}

/// Writes a warning to stderr.
pub(crate) fn warn(text: &str) {
    let yellow = clap::builder::styling::AnsiColor::Yellow.on_default().bold();
    complain(&format!("{yellow}warning:{yellow:#} {text}"));
}

/// Columns of the terminal that stdout is; `None` if it is none.
pub(crate) fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// A number and a noun, in the plural where it must be.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A progress bar on stderr for work of `total` bytes: only on a terminal, and only if it is long.
pub(crate) fn progress(total: u64, what: &'static str) -> indicatif::ProgressBar {
    /// Work below this is done before a bar could be read.
    const LONG_BYTES: u64 = 32 << 20;
    if total < LONG_BYTES {
        return indicatif::ProgressBar::hidden();
    }
    let bar = indicatif::ProgressBar::new(total);
    let style = indicatif::ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes}, {eta}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.with_message(what)
}

/// A number in groups of three digits: `12,345`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
