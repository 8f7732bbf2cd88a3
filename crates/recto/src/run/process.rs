//! The child: its pipe, its signals, its end. Knows nothing of archives or views.

use std::{
    io::{self, Read},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::{
    SigId,
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    flag::register_conditional_default,
    iterator::{backend::SignalDelivery, exfiltrator::WithOrigin},
    low_level::{pipe, siginfo::Cause, unregister},
};

use super::{ending::Ended, ignored::is_ignored};

/// How long a command that was told to end may take.
const GRACE: Duration = Duration::from_secs(2);
/// How long the pipe may be silent after the command ended: something else holds it then.
const LINGER: Duration = Duration::from_millis(500);
/// How long whatever holds the pipe after the command ended is listened to if it is not silent.
const LINGER_MOST: Duration = Duration::from_secs(5);
/// How often the receiver is called without output, so that it can flush.
const TICK: Duration = Duration::from_millis(100);
/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;
/// Reads that may wait for the receiver: with [`READ_BYTES`] what a fast command can be ahead of a slow disk.
const READS_AHEAD: usize = 64;

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

/// How a command is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// stdout and stderr have a pipe each.
    pub(crate) split: bool,
    /// It is told to end after this long, and killed soon after.
    pub(crate) timeout: Option<Duration>,
    /// It and all that it starts are a process group of their own, to which every signal goes. Such a group must not read from a
    /// terminal.
    pub(crate) own_group: bool,
}

/// Why a command did not run to its end.
#[derive(Debug)]
pub(crate) enum NotRun {
    /// It could not be started.
    NotStarted(io::Error),
    /// recto could not do its part.
    Failed(io::Error),
}

enum Event {
    Output(Stream, Vec<u8>),
    Closed,
    /// A signal came; which ones did is asked of [`Signals`].
    Signalled,
}

/// Which signals came.
type Came = SignalDelivery<io::PipeReader, WithOrigin>;

/// The signals that are the command's, and that of its end.
struct Signals {
    came: Came,
    wakers: Vec<SigId>,
}

/// Runs `command` with stdin inherited and its outputs read here, through one pipe (so that their order is kept) or two.
///
/// Signals that recto gets are passed on; those of the terminal reach the command by themselves unless it has its own group. Once
/// the command has ended they have their usual effect on recto.
pub(crate) fn run(command: Command, terms: Terms, receiver: &mut dyn Receiver) -> Result<Ended, NotRun> {
    let (sender, events) = mpsc::sync_channel(READS_AHEAD);
    let has_ended = Arc::new(AtomicBool::new(false));
    let mut signals = listen(&has_ended, sender.clone()).map_err(NotRun::Failed)?;
    let (child, open) = start(command, terms, &sender)?;
    drop(sender);
    let ended = Watch::new(child, open, terms).watch(&events, &mut signals.came, receiver);
    has_ended.store(true, Ordering::SeqCst);
    for waker in signals.wakers {
        unregister(waker);
    }
    ended.map_err(NotRun::Failed)
}

/// Listens to the signals that are the command's, and to its end, as long as their wakers are registered.
///
/// What came is known by itself; the wakers write to a pipe. The library's own way is to send to a socket, which sandboxes forbid
/// (Codex's lets nothing be sent): nobody would be woken there. So it is given a pipe, to which it sends in vain.
fn listen(has_ended: &Arc<AtomicBool>, to: SyncSender<Event>) -> io::Result<Signals> {
    let ours: Vec<i32> =
        [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    for signal in &ours {
        register_conditional_default(*signal, Arc::clone(has_ended))?;
    }
    let all: Vec<i32> = ours.into_iter().chain([SIGCHLD]).collect();
    let (unread, unwritten) = io::pipe()?;
    let came = SignalDelivery::with_pipe(unread, unwritten, WithOrigin::default(), &all)?;
    let (mut woken, waker) = io::pipe()?;
    let wakers =
        all.iter().map(|signal| pipe::register(*signal, waker.try_clone()?)).collect::<io::Result<_>>()?;
    thread::spawn(move || {
        let mut marks = [0; 64];
        loop {
            match woken.read(&mut marks) {
                Ok(0) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) if to.send(Event::Signalled).is_ok() => {}
                _ => break,
            }
        }
    });
    Ok(Signals { came, wakers })
}

/// Starts the command and the threads that read its outputs; says how many there are.
fn start(mut command: Command, terms: Terms, sender: &SyncSender<Event>) -> Result<(Child, usize), NotRun> {
    let (out, out_end) = io::pipe().map_err(NotRun::Failed)?;
    let (errors, error_end) = if terms.split {
        let (errors, end) = io::pipe().map_err(NotRun::Failed)?;
        (Some(errors), end)
    } else {
        (None, out_end.try_clone().map_err(NotRun::Failed)?)
    };
    if terms.own_group {
        command.process_group(0);
    }
    let child = command.stdout(out_end).stderr(error_end).spawn().map_err(NotRun::NotStarted)?;
    // The command's own ends of the pipes live in `command`; as long as they do there is no end of file.
    drop(command);
    read_on(out, Stream::Out, sender.clone());
    let open = 1 + usize::from(errors.is_some());
    if let Some(errors) = errors {
        read_on(errors, Stream::Err, sender.clone());
    }
    Ok((child, open))
}

fn read_on(mut from: io::PipeReader, stream: Stream, to: SyncSender<Event>) {
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

/// A command that ended, whose pipe is still open.
struct Linger {
    status: ExitStatus,
    since: Instant,
    last_output: Instant,
    is_over: bool,
}

struct Watch {
    child: Child,
    terms: Terms,
    open: usize,
    started: Instant,
    interrupts: u32,
    kill_at: Option<Instant>,
    timed_out: bool,
    gave_up: bool,
    linger: Option<Linger>,
}

impl Watch {
    fn new(child: Child, open: usize, terms: Terms) -> Self {
        let started = Instant::now();
        Self {
            child,
            terms,
            open,
            started,
            interrupts: 0,
            kill_at: None,
            timed_out: false,
            gave_up: false,
            linger: None,
        }
    }

    fn watch(
        mut self,
        events: &mpsc::Receiver<Event>,
        signals: &mut Came,
        receiver: &mut dyn Receiver,
    ) -> io::Result<Ended> {
        let mut last_tick = Instant::now();
        loop {
            match events.recv_timeout(TICK) {
                Ok(Event::Output(stream, bytes)) => {
                    receiver.output(stream, &bytes);
                    if let Some(linger) = &mut self.linger {
                        linger.last_output = Instant::now();
                    }
                }
                Ok(Event::Closed) => self.open = self.open.saturating_sub(1),
                Ok(Event::Signalled) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.open = 0,
            }
            for origin in signals.pending().filter(|origin| origin.signal != SIGCHLD) {
                self.pass_on(origin.signal, origin.cause == Cause::Kernel);
            }
            if last_tick.elapsed() >= TICK {
                receiver.tick();
                last_tick = Instant::now();
            }
            if self.linger.is_none() {
                self.mind_the_time();
                if let Some(status) = self.child.try_wait()? {
                    let now = Instant::now();
                    self.linger = Some(Linger { status, since: now, last_output: now, is_over: false });
                }
            }
            if let Some(linger) = &self.linger
                && (self.open == 0 || linger.is_over())
            {
                return Ok(Ended {
                    status: linger.status,
                    timed_out: self.timed_out,
                    gave_up: self.gave_up,
                    left_open: self.open > 0,
                });
            }
        }
    }

    fn pass_on(&mut self, signal: i32, from_terminal: bool) {
        if let Some(linger) = &mut self.linger {
            // There is nobody left to pass it on to, and whoever sent it waits.
            linger.is_over = true;
            return;
        }
        self.interrupts += u32::from(signal == SIGINT);
        if signal == SIGINT && self.interrupts > 1 {
            // Asked twice: it is to end now.
            self.gave_up = true;
            self.send(Signal::KILL);
            return;
        }
        // The terminal sends its signals to the whole foreground group, the command included.
        let has_it = from_terminal && !self.terms.own_group;
        if !has_it && let Some(signal) = Signal::from_named_raw(signal) {
            self.send(signal);
        }
    }

    fn mind_the_time(&mut self) {
        if let Some(timeout) = self.terms.timeout
            && !self.timed_out
            && self.started.elapsed() >= timeout
        {
            self.timed_out = true;
            self.send(Signal::TERM);
            self.kill_at = Instant::now().checked_add(GRACE);
        }
        if self.kill_at.is_some_and(|at| Instant::now() >= at) {
            self.kill_at = None;
            self.send(Signal::KILL);
        }
    }

    /// Is called only before the child was waited for: its number is nobody else's.
    fn send(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended just now, which is what the signal asks for.
            let _ = if self.terms.own_group {
                kill_process_group(pid, signal)
            } else {
                kill_process(pid, signal)
            };
        }
    }
}

impl Linger {
    fn is_over(&self) -> bool {
        self.is_over || self.last_output.elapsed() >= LINGER || self.since.elapsed() >= LINGER_MOST
    }
}
