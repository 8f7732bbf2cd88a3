//! Any other command that makes a shorter text: the source on stdin, the result on stdout.

use std::{
    io::{Read, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::{error::EvalError, source::Sample};

/// How long a command may take.
pub const PEER_TIMEOUT: Duration = Duration::from_secs(60);

/// A command that was not done in time as often as this is not run again.
const MOST_TIMEOUTS: u32 = 3;

/// More output than this is no shorter text of anything.
const MOST_OUTPUT_BYTES: u64 = 256 << 20;

/// A command to compare with.
#[derive(Debug)]
pub struct Peer {
    name: String,
    template: String,
    timeout: Duration,
    timeouts: AtomicU32,
}

impl Peer {
    /// Reads `name=command`. In the command `{budget}` stands for the tokens allowed, `{query}` for the query (empty if there is
    /// none), `{file}` for a file that holds the source; the values are quoted for the shell.
    ///
    /// # Errors
    /// [`EvalError::BadPeer`] without a name or a command.
    pub fn parse(given: &str, timeout: Duration) -> Result<Self, EvalError> {
        let wrong = |why| EvalError::BadPeer { given: given.to_owned(), why };
        let (name, template) = given
            .split_once('=')
            .ok_or_else(|| wrong("write NAME=COMMAND, such as 'top=head -c {budget}'"))?;
        let (name, template) = (name.trim(), template.trim());
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(wrong("the name before the first `=` must be one word"));
        }
        if template.is_empty() {
            return Err(wrong("there is no command behind the `=`"));
        }
        Ok(Self {
            name: name.to_owned(),
            template: template.to_owned(),
            timeout,
            timeouts: AtomicU32::new(0),
        })
    }

    /// The name in a report.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says whether the command is given the query.
    #[must_use]
    pub fn uses_query(&self) -> bool {
        self.template.contains("{query}")
    }

    /// Runs it. A failure is said in words.
    pub(crate) fn run(&self, sample: &Sample, budget_tokens: u64, query: &str) -> Result<String, String> {
        if self.timeouts.load(Ordering::Relaxed) >= MOST_TIMEOUTS {
            return Err(format!("not run: it was not done in time {MOST_TIMEOUTS} times"));
        }
        let mut holding = None;
        let file = match &sample.path {
            Some(path) => path.to_string_lossy().into_owned(),
            None if self.template.contains("{file}") => {
                let mut file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
                file.write_all(&sample.bytes).map_err(|error| error.to_string())?;
                let path = file.path().to_string_lossy().into_owned();
                holding = Some(file);
                path
            }
            None => String::new(),
        };
        let command = filled(&self.template, budget_tokens, query, &file);
        let done = self.run_command(&command, &sample.bytes);
        drop(holding);
        done
    }

    fn run_command(&self, command: &str, input: &[u8]) -> Result<String, String> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot run sh: {error}"))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            scope.spawn(move || {
                // A command may end before it has read everything.
                stdin.map(|mut stdin| stdin.write_all(input))
            });
            let output = scope.spawn(move || read(stdout, MOST_OUTPUT_BYTES));
            let errors = scope.spawn(move || read(stderr, 4_096));
            let status = self.wait(&mut child);
            let output = output.join().unwrap_or_default();
            let errors = errors.join().unwrap_or_default();
            let status = status?;
            if status.success() {
                return Ok(String::from_utf8_lossy(&output).into_owned());
            }
            let errors = String::from_utf8_lossy(&errors);
            let said = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            Err(format!("{status}: {}", said.trim()))
        })
    }

    /// Waits for the command; then, or after the time allowed, all that it started is killed: what it left running would keep the
    /// pipes open.
    fn wait(&self, child: &mut Child) -> Result<ExitStatus, String> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        // Until it is waited for, its id is nobody else's.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let is_done = loop {
            let state = group.map(|group| waitid(WaitId::Pid(group), options));
            match state {
                Some(Ok(None)) if begun.elapsed() < self.timeout => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Some(Ok(Some(_))) => break true,
                _ => break false,
            }
        };
        if let Some(group) = group {
            // It may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = child.wait().map_err(|error| format!("cannot wait for it: {error}"))?;
        if is_done {
            return Ok(status);
        }
        self.timeouts.fetch_add(1, Ordering::Relaxed);
        Err(format!("not done in {} s", self.timeout.as_secs_f32()))
    }
}

/// Reads up to a limit, then reads on and forgets, so that the writer is not held up.
fn read(stream: Option<impl Read>, most_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let mut limited = stream.take(most_bytes);
        if limited.read_to_end(&mut bytes).is_ok() {
            let _ = std::io::copy(&mut limited.into_inner(), &mut std::io::sink());
        }
    }
    bytes
}

/// Puts the values in, in one pass, so that nothing in a query is taken for a place.
fn filled(template: &str, budget_tokens: u64, query: &str, file: &str) -> String {
    let mut command = String::with_capacity(template.len() + query.len() + file.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        command.push_str(before);
        let value =
            [("{budget}", budget_tokens.to_string()), ("{query}", quoted(query)), ("{file}", quoted(file))]
                .into_iter()
                .find_map(|(place, value)| from.strip_prefix(place).map(|after| (value, after)));
        match value {
            Some((value, after)) => {
                command.push_str(&value);
                rest = after;
            }
            None => {
                command.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    command.push_str(rest);
    command
}

/// One word for the shell, whatever is in it. No command can be given a byte of 0, so there is none.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
