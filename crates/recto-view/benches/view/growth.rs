//! Time of one view, in a process of its own, as the command line makes it: what a process did before is not measured.

use std::{hint::black_box, io::Write as _, process::Command, time::Instant};

use recto_testkit::generate::Kind;
use recto_view::{Budget, Mode};

use crate::large::compress;

const FLAG: &str = "--seconds-of-view=";
/// The fastest of so many processes counts, as the least disturbed.
const PROCESSES: usize = 3;

/// The kind and the megabytes of the source that the parent process asks this one for.
pub(crate) fn asked_for(arguments: &[String]) -> Option<(Kind, usize)> {
    let asked = arguments.iter().find_map(|argument| argument.strip_prefix(FLAG))?;
    let (name, megabytes) = asked.split_once(',')?;
    Some((Kind::ALL.into_iter().find(|kind| kind.name() == name)?, megabytes.parse().ok()?))
}

/// Makes the view and prints how many seconds it took.
pub(crate) fn answer(kind: Kind, megabytes: usize) {
    let bytes = kind.generate(1, megabytes * 1_000_000).bytes;
    let start = Instant::now();
    // A budget of bytes: loading the vocabulary takes as long whatever the source.
    black_box(compress(black_box(&bytes), Mode::Marked, Budget::bytes(20_000)));
    let _ = writeln!(std::io::stdout(), "{}", start.elapsed().as_secs_f64());
}

/// Runs this program again for one source.
pub(crate) fn seconds(kind: Kind, megabytes: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let argument = format!("{FLAG}{},{megabytes}", kind.name());
    let timed = (0..PROCESSES).filter_map(|_| {
        let output = Command::new(&program).arg(&argument).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok()
    });
    timed.min_by(f64::total_cmp)
}
