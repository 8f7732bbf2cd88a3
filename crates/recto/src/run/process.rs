//! The child: its pipe, its signals, its end. Knows nothing of archives or views.

use std::{
    io::{self, Read},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::{SignalsInfo, exfiltrator::WithOrigin},
    low_level::siginfo::Cause,
};

/// How long a command that was told to end may take.
const GRACE: Duration = Duration::from_secs(2);
/// How long the pipe may be silent after the command ended: something else holds it then.
const LINGER: Duration = Duration::from_millis(500);
/// How often the receiver is called without output, so that it can flush.
const TICK: Duration = Duration::from_millis(100);
/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;

/// Which of the command's outputs bytes came from; with one shared pipe always `Out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// What becomes of the output.
pub(crate) trait Receiver {
    /// Takes bytes as they come.
    fn output(&mut self, stream: Stream, bytes: &[u8]);
    /// Is called about ten times a second.
    fn tick(&mut self);
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// It ran into the time limit.
    pub(crate) timed_out: bool,
    /// It ended, but something it started still holds its output open.
    pub(crate) left_open: bool,
}

impl Ended {
    /// The exit code that stands for the end: the command's own, or as shells say it 128 and the signal.
    pub(crate) fn code(&self) -> u8 {
        if self.timed_out {
            return 124;
        }
        let code =
            self.status.code().or_else(|| self.status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        u8::try_from(code & 0xFF).unwrap_or(1)
    }
}

enum Event {
    Output(Stream, Vec<u8>),
    Closed,
    Signal { signal: i32, from_terminal: bool },
}

/// Runs `command` with stdin inherited and its outputs read here, through one pipe (so that their order is kept) or two.
///
/// Signals that recto gets are passed on; those of the terminal reach the command by themselves.
pub(crate) fn run(
    mut command: Command,
    split: bool,
    timeout: Option<Duration>,
    receiver: &mut dyn Receiver,
) -> io::Result<Ended> {
    let (sender, events) = mpsc::sync_channel(64);
    let mut signals = SignalsInfo::<WithOrigin>::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
    let handle = signals.handle();
    let (out, out_end) = io::pipe()?;
    let error_end = if split { Stdio::piped() } else { Stdio::from(out_end.try_clone()?) };
    let mut child = command.stdout(out_end).stderr(error_end).spawn()?;
    // The command's own ends of the pipe live in `command`.
    drop(command);
    read_on(out, Stream::Out, sender.clone());
    let mut open = 1;
    if let Some(errors) = child.stderr.take() {
        read_on(errors, Stream::Err, sender.clone());
        open += 1;
    }
    let listener = thread::spawn(move || {
        for origin in &mut signals {
            let from_terminal = origin.cause == Cause::Kernel;
            if sender.send(Event::Signal { signal: origin.signal, from_terminal }).is_err() {
                break;
            }
        }
    });
    let ended =
        Watch { child, open, timeout, started: Instant::now(), told: 0, kill_at: None, timed_out: false }
            .watch(&events, receiver);
    handle.close();
    drop(events);
    // The listener ends by the handle; a panic in it would have ended nothing else.
    let _ = listener.join();
    ended
}

fn read_on(mut from: impl Read + Send + 'static, stream: Stream, to: SyncSender<Event>) {
    thread::spawn(move || {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let bytes = buffer.get(..count).unwrap_or_default().to_vec();
                    if to.send(Event::Output(stream, bytes)).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Whoever listened may have gone already.
        let _ = to.send(Event::Closed);
    });
}

struct Watch {
    child: Child,
    open: usize,
    timeout: Option<Duration>,
    started: Instant,
    /// Signals passed on so far.
    told: u32,
    kill_at: Option<Instant>,
    timed_out: bool,
}

impl Watch {
    fn watch(mut self, events: &mpsc::Receiver<Event>, receiver: &mut dyn Receiver) -> io::Result<Ended> {
        let mut status = None;
        let mut last_output = Instant::now();
        let mut last_tick = Instant::now();
        loop {
            let wait = if status.is_some() || self.open == 0 { Duration::from_millis(10) } else { TICK };
            match events.recv_timeout(wait) {
                Ok(Event::Output(stream, bytes)) => {
                    receiver.output(stream, &bytes);
                    last_output = Instant::now();
                }
                Ok(Event::Closed) => self.open = self.open.saturating_sub(1),
                Ok(Event::Signal { signal, from_terminal }) => self.pass_on(signal, from_terminal),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.open = 0,
            }
            if last_tick.elapsed() >= TICK {
                receiver.tick();
                last_tick = Instant::now();
            }
            self.mind_the_time();
            if status.is_none() {
                status = self.child.try_wait()?;
                if status.is_some() {
                    last_output = last_output.max(Instant::now());
                }
            }
            if let Some(status) = status {
                let left_open = self.open > 0;
                if !left_open || last_output.elapsed() >= LINGER {
                    return Ok(Ended { status, timed_out: self.timed_out, left_open });
                }
            }
        }
    }

    fn pass_on(&mut self, signal: i32, from_terminal: bool) {
        self.told += 1;
        if self.told > 1 && signal == SIGINT {
            // Asked twice: it is to end now.
            self.send(Signal::KILL);
            return;
        }
        // The terminal sends its signals to the whole foreground group, the command included.
        if !from_terminal && let Some(signal) = Signal::from_named_raw(signal) {
            self.send(signal);
        }
    }

    fn mind_the_time(&mut self) {
        if let Some(timeout) = self.timeout
            && !self.timed_out
            && self.started.elapsed() >= timeout
        {
            self.timed_out = true;
            self.send(Signal::TERM);
            self.kill_at = Some(Instant::now() + GRACE);
        }
        if self.kill_at.is_some_and(|at| Instant::now() >= at) {
            self.kill_at = None;
            self.send(Signal::KILL);
        }
    }

    fn send(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended just now, which is what the signal asks for.
            let _ = kill_process(pid, signal);
        }
    }
}
