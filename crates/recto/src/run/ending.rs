//! How a command ended, and how recto ends alike.

use std::{
    os::unix::process::ExitStatusExt,
    process::{ExitCode, ExitStatus},
};

use rustix::process::{Resource, Rlimit, setrlimit};
use signal_hook::consts::SIGINT;

/// Exit code of a command that ran into its time limit, as of `timeout`.
const TIMED_OUT: u8 = 124;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// It ran into the time limit.
    pub(crate) timed_out: bool,
    /// It was killed because somebody interrupted it twice.
    pub(crate) gave_up: bool,
    /// It ended, but something it started still holds its output open.
    pub(crate) left_open: bool,
}

impl Ended {
    /// The exit code that stands for the end: the command's own, or as shells say it 128 and the signal.
    pub(crate) fn code(&self) -> u8 {
        if self.timed_out {
            return TIMED_OUT;
        }
        let code = self.status.code().or_else(|| self.signal().map(|signal| 128 + signal)).unwrap_or(1);
        u8::try_from(code & 0xFF).unwrap_or(1)
    }

    /// The signal to die by, if the command died by one and not for its time limit.
    pub(crate) fn signal(&self) -> Option<i32> {
        let signal = self.status.signal().filter(|_| !self.timed_out)?;
        // Whoever pressed Ctrl-C twice sent no SIGKILL, though the command got one.
        Some(if self.gave_up { SIGINT } else { signal })
    }

    /// Ends recto as the command ended: does not come back if that was by a signal.
    pub(crate) fn alike(&self) -> ExitCode {
        if let Some(signal) = self.signal() {
            // The command has dumped its core, if any; recto's own would only be taken for it.
            let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
            // Comes back for signals that it does not know: then the exit code says it.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        ExitCode::from(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(raw_status: i32, timed_out: bool, gave_up: bool) -> (u8, Option<i32>) {
        let status = ExitStatus::from_raw(raw_status);
        let ended = Ended { status, timed_out, gave_up, left_open: false };
        (ended.code(), ended.signal())
    }

    #[test]
    fn codes_and_signals_are_the_commands_own() {
        assert_eq!(ended(0, false, false), (0, None));
        assert_eq!(ended(3 << 8, false, false), (3, None));
        assert_eq!(ended(15, false, false), (143, Some(15)));
        assert_eq!(ended(15, true, false), (124, None));
        // What it says after its time is over does not count, not even success.
        assert_eq!(ended(0, true, false), (124, None));
        assert_eq!(ended(9, false, true), (130, Some(2)));
        // It was told to end twice and did so by itself, just before.
        assert_eq!(ended(5 << 8, false, true), (5, None));
    }
}
