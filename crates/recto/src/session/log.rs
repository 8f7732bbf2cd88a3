//! A session's own log in the archive: which result was rewritten into what. By it every original is found again, also where what stands
//! names no ref.

use std::collections::BTreeMap;

use recto::{
    archive::{Archive, ArchiveError, Digest, LogId, Scope, Target, block_on},
    pruning::Made,
    session::{Draft, Event, EventKind, Log, SurfaceOp, policy::PolicyName},
    transcript::{About, Transcript},
    wire::Format,
};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};

/// For how long a writer of a session keeps others off.
const LEASE_SECONDS: u32 = 120;
/// Events that are read at once.
pub(super) const READ_EVENTS: u32 = 10_000;
/// Events that are appended at once.
const APPEND_EVENTS: usize = 8_000;

/// A text of a result and its original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its number among the texts of the result, from 0.
    pub(crate) number: u32,
    /// What it was.
    pub(crate) original: Digest,
    /// What stands in its place where no file says so: a text that is in the archive itself, empty if none stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) standing: Option<Digest>,
}

/// Where what stands is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandsIn {
    /// In a file that was written.
    File,
    /// In the log: the client's own file is as it was.
    Log,
}

/// What was put in the place of what, as an event says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Generation {
    /// Names the call in this log: its id, with its number behind it where several have the same.
    call_id: String,
    /// The id of the call as the client writes it.
    pub(crate) id: String,
    /// How many others of this id come before it.
    #[serde(default)]
    pub(crate) nth: u32,
    /// SHA-256 of what stood, as JSON.
    pub(crate) original: Digest,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// SHA-256 of what stands, as JSON.
    pub(crate) standing: Digest,
    /// Its bytes.
    #[serde(default)]
    pub(crate) standing_bytes: u64,
    /// The texts that were replaced.
    #[serde(default)]
    pub(crate) texts: Vec<Part>,
    /// Whether quoting their originals gives what stood; otherwise that is in the archive itself.
    #[serde(default)]
    pub(crate) is_plain: bool,
    /// The policy by which it was done.
    pub(crate) policy: String,
    /// The refs of the originals.
    #[serde(default)]
    pub(crate) refs: Vec<String>,
    /// Whether it is about a call's arguments, not its result.
    #[serde(default)]
    pub(crate) is_call: bool,
}

impl Generation {
    /// Whether what stands is in the archive, and in no file.
    pub(crate) fn stands_in_log(&self) -> bool {
        !self.texts.is_empty() && self.texts.iter().all(|part| part.standing.is_some())
    }
}

/// A session's log, as far as it was written.
#[derive(Debug, Default)]
pub(crate) struct SessionLog {
    log: Log,
    generations: Vec<Generation>,
    /// By what stands.
    by_standing: BTreeMap<(bool, Digest), Vec<usize>>,
    /// The node that stands for each call.
    nodes: BTreeMap<String, u64>,
    /// What each call stands as, by the newest generation.
    newest: BTreeMap<(bool, String), usize>,
}

/// The name of a session's log: its format and id, or a digest of what else it is known by.
pub(crate) fn name(transcript: &Transcript, about: &About) -> Outcome<LogId> {
    if let Some(id) = &about.id {
        return Ok(name_of(transcript.format(), id)?);
    }
    // A body of an API has no id. How it begins is the same in every copy of it.
    let known_by = about.title.clone().unwrap_or_else(|| {
        let path = transcript.path();
        path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
    });
    Ok(hashed(transcript.format(), &known_by)?)
}

/// The name of the log of the session with this id.
pub(crate) fn name_of(format: Format, id: &str) -> Result<LogId, ArchiveError> {
    let is_plain =
        id.len() <= 120 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_plain { LogId::new(format!("session/{}/{id}", format.name())) } else { hashed(format, id) }
}

fn hashed(format: Format, known_by: &str) -> Result<LogId, ArchiveError> {
    LogId::new(format!("session/{}/sha256-{}", format.name(), Digest::of(known_by.as_bytes())))
}

/// The right to write a session, until it is let go.
pub(crate) struct Turn<'a> {
    archive: &'a dyn Archive,
    scope: &'a Scope,
    name: LogId,
    fence: u64,
}

impl<'a> Turn<'a> {
    /// Takes the turn, unless another process has it.
    pub(crate) fn take(archive: &'a dyn Archive, scope: &'a Scope, name: LogId) -> Outcome<Self> {
        match block_on(archive.lease(scope, &name, LEASE_SECONDS)) {
            Ok(lease) => Ok(Self { archive, scope, name, fence: lease.fence }),
            Err(ArchiveError::LeaseHeld { .. }) => {
                Err(Failure::job("another recto is writing this session: nothing was written").hint(format!(
                    "try again when it is done; one that died holds its turn for {LEASE_SECONDS} s at most"
                )))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes down what was put in the place of what; what the log says already is not said again.
    ///
    /// What stands in the log only is stored here, and never takes the place of something that is no longer than it.
    pub(crate) fn append(&self, made: &[Made], stands_in: StandsIn) -> Outcome<()> {
        let mut log = SessionLog::read(self.archive, self.scope, &self.name)?;
        let mut expected = log.log.events().len() as u64;
        let mut keeps: Vec<Digest> = Vec::new();
        let mut events: Vec<String> = Vec::new();
        for made in made {
            let before = log.log.events().len();
            let Some(standing) = log.add(made, stands_in)? else { continue };
            for text in made.texts.iter().take(standing.len()) {
                let stored =
                    block_on(self.archive.put(self.scope, text.as_deref().unwrap_or_default().as_bytes()))?;
                keeps.push(stored);
            }
            events.extend(log.log.events().iter().skip(before).map(|event| event.json().to_owned()));
            keeps.extend(self.kept(made)?);
            if events.len() >= APPEND_EVENTS || keeps.len() >= APPEND_EVENTS {
                expected = self.flush(expected, &mut events, &mut keeps)?;
            }
        }
        if !events.is_empty() {
            self.flush(expected, &mut events, &mut keeps)?;
        }
        Ok(())
    }

    fn flush(&self, expected: u64, events: &mut Vec<String>, keeps: &mut Vec<Digest>) -> Outcome<u64> {
        let bytes: Vec<&[u8]> = events.iter().map(String::as_bytes).collect();
        keeps.sort_unstable();
        keeps.dedup();
        let end =
            block_on(self.archive.append(self.scope, &self.name, expected, Some(self.fence), &bytes, keeps))?;
        events.clear();
        keeps.clear();
        Ok(end)
    }

    /// What has to stay for as long as the log does: originals, and the maps that say what `#3` is.
    fn kept(&self, made: &Made) -> Outcome<Vec<Digest>> {
        let mut keeps = made.originals.clone();
        if !made.exchange.is_plain {
            keeps.push(made.exchange.before);
        }
        for name in &made.refs {
            if let Some(Target::View { map, .. }) = block_on(self.archive.resolve(self.scope, name))? {
                keeps.push(map);
            }
        }
        Ok(keeps)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // It runs out by itself.
        let _ = block_on(self.archive.release(self.scope, &self.name, self.fence));
    }
}

impl SessionLog {
    /// Reads a session's log; an empty one if nothing was written of it.
    pub(crate) fn read(archive: &dyn Archive, scope: &Scope, name: &LogId) -> Outcome<Self> {
        let mut own = Self::default();
        let mut from = 0;
        loop {
            let events = block_on(archive.read(scope, name, from, READ_EVENTS))?;
            let Some((last, _)) = events.last() else { return Ok(own) };
            from = last + 1;
            for (seq, bytes) in events {
                let broken = |why: String| Failure::job(format!("event {seq} of log {name}: {why}"));
                let text = String::from_utf8(bytes).map_err(|error| broken(error.to_string()))?;
                let event = Event::from_json(&text).map_err(|error| broken(error.to_string()))?;
                own.take(&event);
                own.log.append_event(event).map_err(|error| broken(error.to_string()))?;
            }
        }
    }

    fn take(&mut self, event: &Event) {
        // Events of another kind, and of a later version, are passed over.
        let Ok(generation) = serde_json::from_str::<Generation>(event.data()) else { return };
        if !generation.is_call {
            self.nodes.insert(generation.call_id.clone(), event.seq());
        }
        self.remember(generation);
    }

    fn remember(&mut self, generation: Generation) {
        let at = self.generations.len();
        self.by_standing.entry((generation.is_call, generation.standing)).or_default().push(at);
        self.newest.insert((generation.is_call, generation.call_id.clone()), at);
        self.generations.push(generation);
    }

    /// Adds the events of one change, if there are any; gives what stands in the log by it.
    fn add(&mut self, made: &Made, stands_in: StandsIn) -> Outcome<Option<Vec<Digest>>> {
        let is_call = made.change.policy == PolicyName::Arguments;
        let exchange = &made.exchange;
        let call_id = match exchange.nth {
            0 => made.call_id.clone(),
            nth => format!("{}#{nth}", made.call_id),
        };
        let standing: Vec<Digest> = match stands_in {
            StandsIn::File => Vec::new(),
            StandsIn::Log => made
                .texts
                .iter()
                .map(|text| Digest::of(text.as_deref().unwrap_or_default().as_bytes()))
                .collect(),
        };
        let generation = Generation {
            call_id: call_id.clone(),
            id: made.call_id.clone(),
            nth: exchange.nth,
            original: exchange.before,
            bytes: exchange.before_bytes,
            standing: exchange.after,
            standing_bytes: exchange.after_bytes,
            texts: exchange
                .texts
                .iter()
                .enumerate()
                .map(|(at, (number, original))| Part {
                    number: *number,
                    original: *original,
                    standing: standing.get(at).copied(),
                })
                .collect(),
            is_plain: exchange.is_plain,
            policy: made.change.policy.name().to_owned(),
            refs: made.refs.iter().map(ToString::to_string).collect(),
            is_call,
        };
        let newest = self.newest.get(&(is_call, call_id.clone())).and_then(|at| self.generations.get(*at));
        if newest == Some(&generation) {
            return Ok(None);
        }
        let is_smaller = |newest: &Generation| generation.standing_bytes < newest.standing_bytes;
        if stands_in == StandsIn::Log
            && newest.is_some_and(|newest| {
                newest.stands_in_log() && newest.original == generation.original && !is_smaller(newest)
            })
        {
            return Ok(None);
        }
        if is_call {
            self.push(Draft::new(EventKind::Note), &generation)?;
        } else {
            let node = match self.nodes.get(&call_id) {
                Some(node) => *node,
                None => {
                    let call = serde_json::json!({"callId": call_id, "tool": made.tool});
                    self.push(Draft::new(EventKind::ToolCall), &call)?;
                    let result = serde_json::json!({
                        "callId": call_id, "original": exchange.before, "bytes": exchange.before_bytes,
                    });
                    self.push(Draft::new(EventKind::ToolResult), &result)?
                }
            };
            let prune = serde_json::json!({
                "shadowedRange": [node, node], "shadowedSeqs": [node], "shadowedTokenCount": made.tokens,
            });
            self.push(Draft::new(EventKind::Prune), &prune)?;
            let draft = Draft::new(EventKind::ToolResult)
                .surface_op(SurfaceOp::replace(node, node))
                .source_event_seqs(&[node]);
            let seq = self.push(draft, &generation)?;
            self.nodes.insert(call_id, seq);
        }
        self.remember(generation);
        Ok(Some(standing))
    }

    fn push(&mut self, draft: Draft, data: &impl Serialize) -> Outcome<u64> {
        let data = serde_json::to_string(data).map_err(|error| Failure::job(error.to_string()))?;
        let draft = draft.data(&data).map_err(|error| Failure::job(error.to_string()))?;
        let event = self.log.append(&draft).map_err(|error| Failure::job(error.to_string()))?;
        Ok(event.seq())
    }

    /// What stood in the place of what stands as the result (or arguments) of this call: the entries that fit, of which all say the
    /// same, or none.
    pub(crate) fn before(&self, is_call: bool, id: &str, nth: u32, standing: &Digest) -> Option<&Generation> {
        let found = self.by_standing.get(&(is_call, *standing))?;
        let same =
            || found.iter().rev().filter_map(|at| self.generations.get(*at)).filter(|entry| entry.id == id);
        if let Some(exact) = same().find(|entry| entry.nth == nth) {
            return Some(exact);
        }
        let first = same().next()?;
        same().all(|entry| entry.original == first.original).then_some(first)
    }
}
