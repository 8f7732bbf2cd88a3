//! Peak memory of one view, in a process of its own.

use std::{fs, hint::black_box, io::Write as _, process::Command};

use recto_testkit::generate::Kind;
use recto_view::{Budget, Mode};

use crate::large::{RATIO_45, compress};

/// The law: a view takes less than three times its source, the source included.
pub(crate) const MOST_TIMES_INPUT: f64 = 3.0;

const FLAG: &str = "--peak-memory-of-case=";
const INPUT_BYTES: usize = 100_000_000;

pub(crate) struct Case {
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) budget_name: &'static str,
    budget: Budget,
}

const fn case(kind: Kind, mode: Mode, budget_name: &'static str, budget: Budget) -> Case {
    Case { kind, mode, budget_name, budget }
}

const TOKENS: Budget = Budget { ratio_ppm: None, max_bytes: None, max_tokens: Some(10_000) };

pub(crate) static CASES: [Case; 10] = [
    case(Kind::JsonFlat, Mode::Marked, "10k tokens", TOKENS),
    case(Kind::JsonFlat, Mode::Exact, "ratio 0.45", RATIO_45),
    case(Kind::JsonFlat, Mode::Table, "10k tokens", TOKENS),
    case(Kind::JsonNested, Mode::Table, "ratio 0.45", RATIO_45),
    case(Kind::JsonNested, Mode::Marked, "ratio 0.45", RATIO_45),
    case(Kind::JsonZeros, Mode::Marked, "10k tokens", TOKENS),
    case(Kind::JsonZeros, Mode::Exact, "ratio 0.45", RATIO_45),
    case(Kind::Csv, Mode::Marked, "ratio 0.45", RATIO_45),
    case(Kind::Log, Mode::Marked, "10k tokens", TOKENS),
    case(Kind::Prose, Mode::Marked, "ratio 0.45", RATIO_45),
];

/// The case that the parent process asks this one for.
pub(crate) fn asked_for(arguments: &[String]) -> Option<&'static Case> {
    let number = arguments.iter().find_map(|argument| argument.strip_prefix(FLAG))?;
    CASES.get(number.parse::<usize>().ok()?)
}

/// Makes the view and prints its peak memory as a multiple of the input.
pub(crate) fn answer(case: &Case) {
    let mut bytes = case.kind.generate(1, INPUT_BYTES).bytes;
    bytes.shrink_to_fit();
    // From here on the kernel counts anew: what the generator took is not the view's.
    let _ = fs::write("/proc/self/clear_refs", "5");
    black_box(compress(black_box(&bytes), case.mode, case.budget));
    if let Some(peak_bytes) = peak_bytes() {
        let _ = writeln!(std::io::stdout(), "{}", peak_bytes as f64 / bytes.len() as f64);
    }
}

/// Runs this program again for one case; none where the system does not tell a process its peak.
pub(crate) fn measured(case: &Case) -> Option<f64> {
    let number = CASES.iter().position(|other| std::ptr::eq(other, case))?;
    let output = Command::new(std::env::current_exe().ok()?).arg(format!("{FLAG}{number}")).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
