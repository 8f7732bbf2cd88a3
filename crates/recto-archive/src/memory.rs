use std::ops::{Bound as Edge, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::archive::{Archive, Description, Fut, Health, Kind, Mode, Run, RunId, RunState, Stat, Writer};
use crate::clock::{Clock, SystemClock};
use crate::lease;
use crate::{
    ArchiveError, Damage, Digest, GcReport, Lease, LogId, LogStat, Ref, Retention, Scope, Target,
    VerifyProgress, VerifyReport,
};

mod logs;
mod state;
mod writer;

use state::{Journal, RunRecord, State, length, slice, stat_of};
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

    fn append<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        expected: u64,
        fence: Option<u64>,
        events: &'a [&'a [u8]],
        keeps: &'a [Digest],
    ) -> Fut<'a, u64> {
        Box::pin(async move {
            let mut state = self.shared.state();
            // Under the lock: a time from before it was had may be that of a lease that has run out since.
            let now = self.shared.now();
            state.append(scope, log, expected, fence, events, keeps, now)
        })
    }

    fn read<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        from: u64,
        limit: u32,
    ) -> Fut<'a, Vec<(u64, Vec<u8>)>> {
        Box::pin(async move { self.shared.state().read(scope, log, from, limit) })
    }

    fn logs<'a>(&'a self, scope: &'a Scope, after: Option<&'a LogId>, limit: u32) -> Fut<'a, Vec<LogStat>> {
        Box::pin(async move { Ok(self.shared.state().logs(scope, after, limit)) })
    }

    fn remove_log<'a>(&'a self, scope: &'a Scope, log: &'a LogId) -> Fut<'a, ()> {
        Box::pin(async move {
            let now = self.shared.now();
            self.shared.state().remove_log(scope, log, now)
        })
    }

    fn lease<'a>(&'a self, scope: &'a Scope, name: &'a LogId, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(async move {
            let mut state = self.shared.state();
            let now = self.shared.now();
            state.change_lease(scope, name, |newest| lease::grant(name, newest, now, seconds))
        })
    }

    fn renew<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(async move {
            let mut state = self.shared.state();
            let now = self.shared.now();
            state.change_lease(scope, name, |newest| lease::renew(name, newest, fence, now, seconds))
        })
    }

    fn release<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64) -> Fut<'a, ()> {
        Box::pin(async move {
            let mut state = self.shared.state();
            state.change_lease(scope, name, |newest| lease::release(name, newest, fence)).map(drop)
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
            let (all, logs) = {
                let state = self.shared.state();
                (state.bytes.clone(), state.log_sums())
            };
            let source_bytes: u64 = all.values().map(|bytes| length(bytes)).sum();
            let total_bytes = source_bytes.saturating_add(logs.bytes);
            // Events are lists in memory, in which nothing can be missing.
            let mut report = VerifyReport { logs: logs.logs, events: logs.events, ..VerifyReport::default() };
            for (digest, bytes) in all {
                if Digest::of(&bytes) != digest {
                    let what = "the bytes in memory do not have their SHA-256".to_owned();
                    report.damaged.push(Damage { digest: Some(digest), what });
                }
                report.originals += 1;
                report.bytes = report.bytes.saturating_add(length(&bytes));
                progress(VerifyProgress { done_bytes: report.bytes, total_bytes });
            }
            progress(VerifyProgress { done_bytes: total_bytes, total_bytes });
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
            let logs = state.log_sums();
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
                logs: logs.logs,
                events: logs.events,
                event_bytes: logs.bytes,
                occupied_bytes: journals.chain([logs.bytes]).fold(source_bytes, u64::saturating_add),
            })
        })
    }

    fn health(&self) -> Fut<'_, Health> {
        Box::pin(async move { Ok(Health::default()) })
    }
}
