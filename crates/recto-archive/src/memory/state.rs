//! What a memory archive holds, and the changes of it that several calls share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::logs::LogRecord;
use crate::archive::{Kind, RunId, Stat};
use crate::binding::{self, Binding, Bound};
use crate::lease::Standing;
use crate::retention::{self, Holding, PUT_STEP_MS, USED_STEP_MS};
use crate::{ArchiveError, Digest, GcReport, LogId, Ref, Retention, Scope, Target};

#[derive(Default)]
pub(super) struct State {
    pub(super) bytes: BTreeMap<Digest, Arc<[u8]>>,
    pub(super) held: BTreeMap<(Scope, Digest), Held>,
    pub(super) refs: BTreeMap<(Scope, Ref), Bound>,
    pub(super) runs: BTreeMap<RunId, RunRecord>,
    pub(super) runs_begun: u64,
    pub(super) logs: BTreeMap<(Scope, LogId), LogRecord>,
    pub(super) leases: BTreeMap<(Scope, LogId), Standing>,
}

pub(super) struct Held {
    pub(super) kind: Kind,
    pub(super) bytes: u64,
    pub(super) put_unix_ms: u64,
    pub(super) used_unix_ms: u64,
    pub(super) gone: Option<String>,
}

pub(super) struct RunRecord {
    pub(super) scope: Scope,
    pub(super) label: String,
    pub(super) started_unix_ms: u64,
    pub(super) updated_unix_ms: u64,
    pub(super) journal: Journal,
}

pub(super) enum Journal {
    Open { bytes: Vec<u8>, live: bool },
    Finished(Digest),
    Gone(String),
}

impl State {
    pub(super) fn put(&mut self, scope: &Scope, kind: Kind, bytes: &[u8], now: u64) -> Digest {
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

    pub(super) fn holding(&self, scope: &Scope, digest: &Digest) -> Result<&Held, ArchiveError> {
        let held =
            self.held.get(&(scope.clone(), *digest)).ok_or_else(|| ArchiveError::no_original(digest))?;
        match &held.gone {
            Some(why) => Err(ArchiveError::Gone { what: format!("original {digest}"), why: why.clone() }),
            None => Ok(held),
        }
    }

    pub(super) fn touch(&mut self, scope: &Scope, digest: &Digest, now: u64) {
        if let Some(held) = self.held.get_mut(&(scope.clone(), *digest))
            && now.saturating_sub(held.used_unix_ms) > USED_STEP_MS
        {
            held.used_unix_ms = now;
        }
    }

    pub(super) fn issue(&mut self, scope: &Scope, target: &Target, now: u64) -> Result<Ref, ArchiveError> {
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

    pub(super) fn answer(&self, scope: &Scope, bound: &Bound) -> Target {
        let held = bound.target.original().and_then(|original| self.held.get(&(scope.clone(), *original)));
        match held.and_then(|held| held.gone.as_ref()) {
            Some(why) => Target::Gone { why: why.clone() },
            None => bound.target.clone(),
        }
    }

    pub(super) fn run(&mut self, scope: &Scope, run: &RunId) -> Result<&mut RunRecord, ArchiveError> {
        self.runs
            .get_mut(run)
            .filter(|record| record.scope == *scope)
            .ok_or_else(|| ArchiveError::no_run(run))
    }

    pub(super) fn finish(&mut self, run: &RunId, now: u64) -> Result<Digest, ArchiveError> {
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

    pub(super) fn gc(&mut self, rules: &Retention, dry_run: bool, now: u64) -> GcReport {
        let kept = self.kept_by_logs();
        let holdings = self.held.iter().filter(|(_, held)| held.gone.is_none());
        let holdings = holdings.map(|((scope, digest), held)| Holding {
            scope: scope.clone(),
            digest: *digest,
            kind: held.kind,
            put_unix_ms: held.put_unix_ms,
            used_unix_ms: held.used_unix_ms,
            bytes: held.bytes,
            stored_bytes: held.bytes,
            is_kept: kept.contains(&(scope, digest)),
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
        let still_held: BTreeSet<Digest> = self
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

pub(super) fn stat_of(digest: &Digest, held: &Held) -> Stat {
    Stat {
        digest: *digest,
        kind: held.kind,
        bytes: held.bytes,
        put_unix_ms: held.put_unix_ms,
        used_unix_ms: held.used_unix_ms,
    }
}

pub(super) fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

pub(super) fn slice<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    let clip = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(clip(range.start)..clip(range.end)).unwrap_or_default()
}
