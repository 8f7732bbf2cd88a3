//! Logs and leases in memory.

use std::collections::BTreeSet;

use super::state::{State, length};
use crate::lease::{self, Standing};
use crate::{ArchiveError, Digest, Lease, LogId, LogStat, MAX_BATCH_BYTES, Scope, logs, retention};

/// A log, also one that was removed.
pub(super) struct LogRecord {
    events: Vec<Vec<u8>>,
    bytes: u64,
    first_unix_ms: u64,
    last_unix_ms: u64,
    keeps: BTreeSet<Digest>,
    gone: Option<String>,
}

/// All logs together.
#[derive(Default)]
pub(super) struct LogSums {
    pub(super) logs: u64,
    pub(super) events: u64,
    pub(super) bytes: u64,
}

impl State {
    #[expect(clippy::too_many_arguments, reason = "those of the call, and the time")]
    pub(super) fn append(
        &mut self,
        scope: &Scope,
        log: &LogId,
        expected: u64,
        fence: Option<u64>,
        events: &[&[u8]],
        keeps: &[Digest],
        now: u64,
    ) -> Result<u64, ArchiveError> {
        logs::check_batch(log, events, keeps)?;
        let key = (scope.clone(), log.clone());
        let end = self.log(&key)?.map_or(0, |record| record.events.len() as u64);
        lease::admit(log, self.leases.get(&key).copied(), fence, now)?;
        logs::check_end(log, expected, end)?;
        for digest in keeps {
            self.holding(scope, digest)?;
        }
        let record = self.logs.entry(key).or_insert_with(|| LogRecord {
            events: Vec::new(),
            bytes: 0,
            first_unix_ms: now,
            last_unix_ms: now,
            keeps: BTreeSet::new(),
            gone: None,
        });
        record.events.extend(events.iter().map(|event| event.to_vec()));
        record.bytes += events.iter().map(|event| length(event)).sum::<u64>();
        record.last_unix_ms = now;
        record.keeps.extend(keeps);
        Ok(record.events.len() as u64)
    }

    /// `None`: it was never begun.
    fn log(&self, key: &(Scope, LogId)) -> Result<Option<&LogRecord>, ArchiveError> {
        match self.logs.get(key) {
            Some(LogRecord { gone: Some(why), .. }) => Err(ArchiveError::log_gone(&key.1, why)),
            found => Ok(found),
        }
    }

    pub(super) fn read(
        &self,
        scope: &Scope,
        log: &LogId,
        from: u64,
        limit: u32,
    ) -> Result<Vec<(u64, Vec<u8>)>, ArchiveError> {
        let Some(record) = self.log(&(scope.clone(), log.clone()))? else { return Ok(Vec::new()) };
        let start = usize::try_from(from).unwrap_or(usize::MAX);
        let mut left = MAX_BATCH_BYTES;
        let mut read = Vec::new();
        for (number, event) in record.events.iter().enumerate().skip(start).take(limit as usize) {
            if event.len() > left {
                break;
            }
            left -= event.len();
            read.push((number as u64, event.clone()));
        }
        Ok(read)
    }

    pub(super) fn logs(&self, scope: &Scope, after: Option<&LogId>, limit: u32) -> Vec<LogStat> {
        let all = self.logs.iter().skip_while(|((owner, _), _)| owner < scope);
        let mine = all.take_while(|((owner, _), _)| owner == scope);
        let later =
            mine.filter(|((_, log), record)| record.gone.is_none() && after.is_none_or(|after| log > after));
        let stats = later.map(|((_, log), record)| LogStat {
            log: log.clone(),
            events: record.events.len() as u64,
            bytes: record.bytes,
            first_unix_ms: record.first_unix_ms,
            last_unix_ms: record.last_unix_ms,
        });
        stats.take(limit as usize).collect()
    }

    pub(super) fn remove_log(&mut self, scope: &Scope, log: &LogId, now: u64) -> Result<(), ArchiveError> {
        let record = self.logs.get_mut(&(scope.clone(), log.clone()));
        let record = record.ok_or_else(|| ArchiveError::no_log(log))?;
        if record.gone.is_none() {
            record.gone = Some(retention::log_reason(now));
            record.events = Vec::new();
            record.bytes = 0;
            record.keeps.clear();
        }
        Ok(())
    }

    /// What the rules leave, and to whom.
    pub(super) fn kept_by_logs(&self) -> BTreeSet<(&Scope, &Digest)> {
        let logs = self.logs.iter();
        logs.flat_map(|((scope, _), record)| record.keeps.iter().map(move |digest| (scope, digest))).collect()
    }

    pub(super) fn log_sums(&self) -> LogSums {
        self.logs.values().filter(|record| record.gone.is_none()).fold(LogSums::default(), |sums, record| {
            LogSums {
                logs: sums.logs + 1,
                events: sums.events + record.events.len() as u64,
                bytes: sums.bytes + record.bytes,
            }
        })
    }

    pub(super) fn change_lease(
        &mut self,
        scope: &Scope,
        name: &LogId,
        change: impl FnOnce(Option<Standing>) -> Result<Standing, ArchiveError>,
    ) -> Result<Lease, ArchiveError> {
        let key = (scope.clone(), name.clone());
        let changed = change(self.leases.get(&key).copied())?;
        self.leases.insert(key, changed);
        Ok(changed.lease(name))
    }
}
