use std::collections::BTreeMap;
use std::ops::{Bound as Edge, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::archive::{Archive, Description, Fut, Health, Kind, Mode, Run, RunId, RunState, Stat, Writer};
use crate::binding::{self, Binding, Bound};
use crate::clock::{Clock, SystemClock};
use crate::retention::{self, Holding, PUT_STEP_MS, USED_STEP_MS};
use crate::{
    ArchiveError, Damage, Digest, GcReport, Ref, Retention, Scope, Target, VerifyProgress, VerifyReport,
};

mod writer;

use writer::MemoryWriter;

/// Keeps everything in memory, as long as the process lives.
///
/// For tests and for programs that want no file. Cloning gives another handle to the same archive.
#[derive(Clone)]
pub struct MemoryArchive {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct State {
    bytes: BTreeMap<Digest, Arc<[u8]>>,
    held: BTreeMap<(Scope, Digest), Held>,
    refs: BTreeMap<(Scope, Ref), Bound>,
    runs: BTreeMap<RunId, RunRecord>,
    runs_begun: u64,
}

struct Held {
    kind: Kind,
    bytes: u64,
    put_unix_ms: u64,
    used_unix_ms: u64,
    gone: Option<String>,
}

struct RunRecord {
    scope: Scope,
    label: String,
    started_unix_ms: u64,
    updated_unix_ms: u64,
    journal: Journal,
}

enum Journal {
    Open { bytes: Vec<u8>, live: bool },
    Finished(Digest),
    Gone(String),
}

impl Default for MemoryArchive {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryArchive {
    /// Makes an empty archive.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// Makes an empty archive that takes the time from `clock`.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { shared: Arc::new(Shared { state: Mutex::default(), clock }) }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete before anything in it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.clock.now_unix_ms()
    }
}

impl State {
    fn put(&mut self, scope: &Scope, kind: Kind, bytes: &[u8], now: u64) -> Digest {
        let digest = Digest::of(bytes);
        self.bytes.entry(digest).or_insert_with(|| Arc::from(bytes));
        let held = self.held.entry((scope.clone(), digest)).or_insert(Held {
            kind,
            bytes: length(bytes),
            put_unix_ms: now,
            used_unix_ms: now,
            gone: None,
        });
        held.kind = held.kind.min(kind);
        if held.gone.take().is_some() || now.saturating_sub(held.put_unix_ms) > PUT_STEP_MS {
            held.put_unix_ms = now;
            held.used_unix_ms = now;
        }
        digest
    }

    fn holding(&self, scope: &Scope, digest: &Digest) -> Result<&Held, ArchiveError> {
        let held =
            self.held.get(&(scope.clone(), *digest)).ok_or_else(|| ArchiveError::no_original(digest))?;
        match &held.gone {
            Some(why) => Err(ArchiveError::Gone { what: format!("original {digest}"), why: why.clone() }),
            None => Ok(held),
        }
    }

    fn touch(&mut self, scope: &Scope, digest: &Digest, now: u64) {
        if let Some(held) = self.held.get_mut(&(scope.clone(), *digest))
            && now.saturating_sub(held.used_unix_ms) > USED_STEP_MS
        {
            held.used_unix_ms = now;
        }
    }

    fn issue(&mut self, scope: &Scope, target: &Target, now: u64) -> Result<Ref, ArchiveError> {
        let chosen = binding::choose(target, |name| {
            Ok(self
                .refs
                .get(&(scope.clone(), name.clone()))
                .map(|bound| Bound { target: bound.target.clone(), reserved: bound.reserved }))
        })?;
        let (name, reserved) = match chosen {
            Binding::Stands(name) => {
                target.original().into_iter().for_each(|original| self.touch(scope, original, now));
                return Ok(name);
            }
            Binding::New { name, reserved } => (name, reserved),
            Binding::SettleMap(name) => (name, false),
        };
        if let Some(original) = target.original() {
            self.holding(scope, original)?;
            self.touch(scope, original, now);
        }
        if let Target::View { map, .. } = target {
            self.holding(scope, map)?;
        }
        self.refs.insert((scope.clone(), name.clone()), Bound { target: target.clone(), reserved });
        Ok(name)
    }

    fn answer(&self, scope: &Scope, bound: &Bound) -> Target {
        let held = bound.target.original().and_then(|original| self.held.get(&(scope.clone(), *original)));
        match held.and_then(|held| held.gone.as_ref()) {
            Some(why) => Target::Gone { why: why.clone() },
            None => bound.target.clone(),
        }
    }

    fn run(&mut self, scope: &Scope, run: &RunId) -> Result<&mut RunRecord, ArchiveError> {
        self.runs
            .get_mut(run)
            .filter(|record| record.scope == *scope)
            .ok_or_else(|| ArchiveError::no_run(run))
    }

    fn finish(&mut self, run: &RunId, now: u64) -> Result<Digest, ArchiveError> {
        let record = self.runs.get_mut(run).ok_or_else(|| ArchiveError::RunLost { run: run.clone() })?;
        let Journal::Open { bytes, .. } = &mut record.journal else {
            return Err(ArchiveError::RunLost { run: run.clone() });
        };
        let (bytes, scope) = (std::mem::take(bytes), record.scope.clone());
        let digest = self.put(&scope, Kind::Original, &bytes, now);
        if let Some(record) = self.runs.get_mut(run) {
            record.updated_unix_ms = now;
            record.journal = Journal::Finished(digest);
        }
        Ok(digest)
    }

    fn gc(&mut self, rules: &Retention, dry_run: bool, now: u64) -> GcReport {
        let holdings = self.held.iter().filter(|(_, held)| held.gone.is_none());
        let holdings = holdings.map(|((scope, digest), held)| Holding {
            scope: scope.clone(),
            digest: *digest,
            kind: held.kind,
            put_unix_ms: held.put_unix_ms,
            used_unix_ms: held.used_unix_ms,
            bytes: held.bytes,
            stored_bytes: held.bytes,
        });
        let mut report = retention::choose(rules, now, holdings.collect());
        report.dry_run = dry_run;
        for (id, record) in &self.runs {
            if let Journal::Open { live: false, bytes } = &record.journal
                && retention::removes_run(rules, now, record.updated_unix_ms)
            {
                report.removed_runs.push(id.clone());
                report.freed_bytes = report.freed_bytes.saturating_add(length(bytes));
            }
        }
        if dry_run {
            return report;
        }
        for removed in &report.removed {
            if let Some(held) = self.held.get_mut(&(removed.scope.clone(), removed.digest)) {
                held.gone = Some(removed.why.clone());
            }
        }
        let still_held: std::collections::BTreeSet<Digest> = self
            .held
            .iter()
            .filter(|(_, held)| held.gone.is_none())
            .map(|((_, digest), _)| *digest)
            .collect();
        self.bytes.retain(|digest, _| still_held.contains(digest));
        for id in &report.removed_runs {
            if let Some(record) = self.runs.get_mut(id) {
                record.journal = Journal::Gone(retention::run_reason(rules, now));
            }
        }
        self.runs.retain(|_, record| {
            let ended = matches!(record.journal, Journal::Finished(_));
            !ended || now.saturating_sub(record.updated_unix_ms) <= retention::FINISHED_RUN_MS
        });
        report
    }
}

impl Archive for MemoryArchive {
    fn put_as<'a>(&'a self, scope: &'a Scope, kind: Kind, bytes: &'a [u8]) -> Fut<'a, Digest> {
        Box::pin(async move {
            let now = self.shared.now();
            Ok(self.shared.state().put(scope, kind, bytes, now))
        })
    }

    fn begin<'a>(&'a self, scope: &'a Scope, label: &'a str) -> Fut<'a, Box<dyn Writer>> {
        Box::pin(async move {
            let now = self.shared.now();
            let mut state = self.shared.state();
            state.runs_begun += 1;
            let run = RunId::from_store(format!("m{:08x}", state.runs_begun));
            let record = RunRecord {
                scope: scope.clone(),
                label: label.to_owned(),
                started_unix_ms: now,
                updated_unix_ms: now,
                journal: Journal::Open { bytes: Vec::new(), live: true },
            };
            state.runs.insert(run.clone(), record);
            drop(state);
            let writer: Box<dyn Writer> = Box::new(MemoryWriter::new(Arc::clone(&self.shared), run));
            Ok(writer)
        })
    }

    fn get<'a>(&'a self, scope: &'a Scope, digest: &'a Digest, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(async move {
            let now = self.shared.now();
            let mut state = self.shared.state();
            state.holding(scope, digest)?;
            state.touch(scope, digest, now);
            let bytes = state.bytes.get(digest).cloned().ok_or_else(|| ArchiveError::no_original(digest))?;
            drop(state);
            Ok(slice(&bytes, &range).to_vec())
        })
    }

    fn stat<'a>(&'a self, scope: &'a Scope, digest: &'a Digest) -> Fut<'a, Option<Stat>> {
        Box::pin(async move {
            let state = self.shared.state();
            Ok(state.holding(scope, digest).ok().map(|held| stat_of(digest, held)))
        })
    }

    fn issue<'a>(&'a self, scope: &'a Scope, target: &'a Target) -> Fut<'a, Ref> {
        Box::pin(async move {
            let now = self.shared.now();
            self.shared.state().issue(scope, target, now)
        })
    }

    fn resolve<'a>(&'a self, scope: &'a Scope, name: &'a Ref) -> Fut<'a, Option<Target>> {
        Box::pin(async move {
            let state = self.shared.state();
            let bound = state.refs.get(&(scope.clone(), name.clone()));
            Ok(bound.map(|bound| state.answer(scope, bound)))
        })
    }

    fn find_refs<'a>(&'a self, scope: &'a Scope, digits_prefix: &'a str, limit: u32) -> Fut<'a, Vec<Ref>> {
        Box::pin(async move {
            let digits = Ref::check_prefix(digits_prefix)?;
            let state = self.shared.state();
            let names = state.refs.keys().filter(|(owner, _)| owner == scope).map(|(_, name)| name);
            let names = names.filter(|name| name.digits().starts_with(digits));
            Ok(names.take(limit as usize).cloned().collect())
        })
    }

    fn runs<'a>(&'a self, scope: &'a Scope) -> Fut<'a, Vec<Run>> {
        Box::pin(async move {
            let state = self.shared.state();
            let mine = state.runs.iter().filter(|(_, record)| record.scope == *scope);
            let open = mine.filter_map(|(id, record)| match &record.journal {
                Journal::Open { bytes, live } => Some(Run {
                    id: id.clone(),
                    label: record.label.clone(),
                    started_unix_ms: record.started_unix_ms,
                    bytes: length(bytes),
                    state: if *live { RunState::Live } else { RunState::Abandoned },
                }),
                Journal::Finished(_) | Journal::Gone(_) => None,
            });
            Ok(open.collect())
        })
    }

    fn read_run<'a>(&'a self, scope: &'a Scope, run: &'a RunId, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(async move {
            match &self.shared.state().run(scope, run)?.journal {
                Journal::Open { bytes, .. } => Ok(slice(bytes, &range).to_vec()),
                Journal::Finished(_) | Journal::Gone(_) => Err(ArchiveError::no_run(run)),
            }
        })
    }

    fn adopt<'a>(&'a self, scope: &'a Scope, run: &'a RunId) -> Fut<'a, Digest> {
        Box::pin(async move {
            let now = self.shared.now();
            let mut state = self.shared.state();
            match &state.run(scope, run)?.journal {
                Journal::Finished(digest) => Ok(*digest),
                Journal::Gone(why) => {
                    Err(ArchiveError::Gone { what: format!("run {run}"), why: why.clone() })
                }
                Journal::Open { live: true, .. } => Err(ArchiveError::RunLive {
                    run: run.clone(),
                    lock: "its place in this process".to_owned(),
                }),
                Journal::Open { live: false, .. } => state.finish(run, now),
            }
        })
    }

    fn gc<'a>(&'a self, rules: &'a Retention, dry_run: bool) -> Fut<'a, GcReport> {
        Box::pin(async move {
            let now = self.shared.now();
            Ok(self.shared.state().gc(rules, dry_run, now))
        })
    }

    fn verify<'a>(&'a self, progress: &'a (dyn Fn(VerifyProgress) + Send + Sync)) -> Fut<'a, VerifyReport> {
        Box::pin(async move {
            let all = self.shared.state().bytes.clone();
            let total_bytes = all.values().map(|bytes| length(bytes)).sum();
            let mut report = VerifyReport::default();
            for (digest, bytes) in all {
                if Digest::of(&bytes) != digest {
                    let what = "the bytes in memory do not have their SHA-256".to_owned();
                    report.damaged.push(Damage { digest: Some(digest), what });
                }
                report.originals += 1;
                report.bytes = report.bytes.saturating_add(length(&bytes));
                progress(VerifyProgress { done_bytes: report.bytes, total_bytes });
            }
            Ok(report)
        })
    }

    fn originals<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Digest>,
        limit: u32,
    ) -> Fut<'a, Vec<Stat>> {
        Box::pin(async move {
            let state = self.shared.state();
            let from = match after {
                Some(after) => Edge::Excluded((scope.clone(), *after)),
                None => Edge::Included((scope.clone(), Digest([0; 32]))),
            };
            let mine = state.held.range((from, Edge::Unbounded)).take_while(|((owner, _), _)| owner == scope);
            let kept = mine.filter(|(_, held)| held.gone.is_none());
            Ok(kept.take(limit as usize).map(|((_, digest), held)| stat_of(digest, held)).collect())
        })
    }

    fn refs<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Ref>,
        limit: u32,
    ) -> Fut<'a, Vec<(Ref, Target)>> {
        Box::pin(async move {
            let state = self.shared.state();
            let mine = state
                .refs
                .iter()
                .filter(|((owner, name), _)| owner == scope && after.is_none_or(|after| name > after));
            let page = mine.take(limit as usize);
            Ok(page.map(|((_, name), bound)| (name.clone(), state.answer(scope, bound))).collect())
        })
    }

    fn describe(&self) -> Fut<'_, Description> {
        Box::pin(async move {
            let state = self.shared.state();
            let source_bytes = state.bytes.values().map(|bytes| length(bytes)).sum();
            let journals = state.runs.values().map(|record| match &record.journal {
                Journal::Open { bytes, .. } => length(bytes),
                Journal::Finished(_) | Journal::Gone(_) => 0,
            });
            Ok(Description {
                engine: "memory".to_owned(),
                schema: 1,
                path: None,
                mode: Mode::ReadWrite,
                originals: state.bytes.len() as u64,
                source_bytes,
                stored_bytes: source_bytes,
                occupied_bytes: journals.fold(source_bytes, u64::saturating_add),
            })
        })
    }

    fn health(&self) -> Fut<'_, Health> {
        Box::pin(async move { Ok(Health::default()) })
    }
}

fn stat_of(digest: &Digest, held: &Held) -> Stat {
    Stat {
        digest: *digest,
        kind: held.kind,
        bytes: held.bytes,
        put_unix_ms: held.put_unix_ms,
        used_unix_ms: held.used_unix_ms,
    }
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

fn slice<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    let clip = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(clip(range.start)..clip(range.end)).unwrap_or_default()
}
