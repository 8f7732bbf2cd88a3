//! Logs and leases beside a plain model of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use recto_archive::clock::{Clock, ManualClock};
use recto_archive::{Archive, ArchiveError, LogId, MemoryArchive, OpenOptions, Scope, block_on};

/// What is done, to which of two scopes and two logs. Fences and ends are given as distances from the right ones.
#[derive(Clone, Debug)]
enum Step {
    Append { place: (u8, u8), end: i8, fence: Option<i8>, events: Vec<Vec<u8>> },
    Read { place: (u8, u8), from: u64, limit: u32 },
    Remove { place: (u8, u8) },
    Lease { place: (u8, u8), seconds: u32 },
    Renew { place: (u8, u8), fence: i8, seconds: u32 },
    Release { place: (u8, u8), fence: i8 },
    Clock { by_ms: i32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || (0..2_u8, 0..2_u8);
    let off = || prop_oneof![6 => Just(0_i8), 1 => Just(-1), 1 => Just(1)];
    let event = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (any::<u8>(), 500..3000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ];
    let step = prop_oneof![
        8 => (place(), off(), prop::option::of(off()), prop::collection::vec(event, 1..5))
            .prop_map(|(place, end, fence, events)| Step::Append { place, end, fence, events }),
        4 => (place(), 0..20_u64, 0..9_u32).prop_map(|(place, from, limit)| Step::Read { place, from, limit }),
        1 => place().prop_map(|place| Step::Remove { place }),
        3 => (place(), 1..9_u32).prop_map(|(place, seconds)| Step::Lease { place, seconds }),
        2 => (place(), off(), 1..9_u32).prop_map(|(place, fence, seconds)| Step::Renew { place, fence, seconds }),
        2 => (place(), off()).prop_map(|(place, fence)| Step::Release { place, fence }),
        3 => (-3000..6000_i32).prop_map(|by_ms| Step::Clock { by_ms }),
    ];
    prop::collection::vec(step, 1..60)
}

/// The model of one name in one scope.
#[derive(Default)]
struct Named {
    events: Vec<Vec<u8>>,
    is_gone: bool,
    fence: u64,
    until: u64,
    is_released: bool,
}

impl Named {
    fn is_live(&self, now: u64) -> bool {
        self.fence > 0 && !self.is_released && self.until > now
    }
}

/// An answer in few words, the same for the model and the archives.
fn kind(error: &ArchiveError) -> String {
    match error {
        ArchiveError::Conflict { found, .. } => format!("conflict at {found}"),
        ArchiveError::StaleFence { newest, .. } => format!("stale, newest {newest}"),
        ArchiveError::LeaseHeld { until_unix_ms, .. } => format!("held until {until_unix_ms}"),
        ArchiveError::LeaseLost { .. } => "lost".to_owned(),
        ArchiveError::Gone { .. } => "gone".to_owned(),
        ArchiveError::NotFound { .. } => "never".to_owned(),
        other => panic!("{other}"),
    }
}

fn said<T: std::fmt::Debug>(answer: Result<T, ArchiveError>) -> String {
    answer.map_or_else(|error| kind(&error), |answer| format!("{answer:?}"))
}

fn moved(right: u64, by: i8) -> u64 {
    right.saturating_add_signed(i64::from(by))
}

fn expect(model: &mut BTreeMap<(u8, u8), Named>, now: u64, step: &Step) -> String {
    let mut named = |place: &(u8, u8)| std::mem::take(model.entry(*place).or_default());
    let (place, mut is) = match step {
        Step::Clock { .. } => return String::new(),
        Step::Append { place, .. }
        | Step::Read { place, .. }
        | Step::Remove { place }
        | Step::Lease { place, .. }
        | Step::Renew { place, .. }
        | Step::Release { place, .. } => (*place, named(place)),
    };
    let end = is.events.len() as u64;
    let held = format!("held until {}", is.until);
    let answer = match step {
        Step::Clock { .. } => String::new(),
        Step::Append { .. } | Step::Read { .. } if is.is_gone => "gone".to_owned(),
        Step::Append { fence: None, .. } if is.is_live(now) => held,
        Step::Append { fence: Some(by), .. } if is.fence == 0 || moved(is.fence, *by) != is.fence => {
            format!("stale, newest {}", is.fence)
        }
        Step::Append { end: by, .. } if moved(end, *by) != end => format!("conflict at {end}"),
        Step::Append { events, .. } => {
            is.events.extend(events.iter().cloned());
            is.events.len().to_string()
        }
        Step::Read { from, limit, .. } => {
            let all = (0_u64..).zip(&is.events).filter(|(number, _)| number >= from);
            format!("{:?}", all.take(*limit as usize).collect::<Vec<_>>())
        }
        Step::Remove { .. } if end == 0 && !is.is_gone => "never".to_owned(),
        Step::Remove { .. } => {
            is.is_gone = true;
            is.events.push(Vec::new());
            "()".to_owned()
        }
        Step::Lease { .. } if is.is_live(now) => held,
        Step::Lease { seconds, .. } => {
            is.fence += 1;
            is.until = now + u64::from(*seconds) * 1000;
            is.is_released = false;
            format!("{:?}", (is.fence, is.until))
        }
        Step::Renew { fence, .. } | Step::Release { fence, .. }
            if is.fence == 0 || moved(is.fence, *fence) != is.fence =>
        {
            "lost".to_owned()
        }
        Step::Renew { .. } if is.is_released => "lost".to_owned(),
        Step::Renew { seconds, .. } => {
            is.until = now + u64::from(*seconds) * 1000;
            format!("{:?}", (is.fence, is.until))
        }
        Step::Release { .. } => {
            is.is_released = true;
            "()".to_owned()
        }
    };
    model.insert(place, is);
    answer
}

/// Does a step, with ends and fences taken from the model as it was before it.
fn take(archive: &dyn Archive, step: &Step, end: u64, newest: u64) -> String {
    let of = |place: &(u8, u8)| {
        (Scope::new(format!("scope {}", place.0)).unwrap(), LogId::new(format!("log/{}", place.1)).unwrap())
    };
    match step {
        Step::Clock { .. } => String::new(),
        Step::Append { place, end: by, fence, events } => {
            let (scope, log) = of(place);
            let events: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
            let fence = fence.map(|by| moved(newest, by));
            said(block_on(archive.append(&scope, &log, moved(end, *by), fence, &events, &[])))
        }
        Step::Read { place, from, limit } => {
            let (scope, log) = of(place);
            said(block_on(archive.read(&scope, &log, *from, *limit)))
        }
        Step::Remove { place } => {
            let (scope, log) = of(place);
            said(block_on(archive.remove_log(&scope, &log)))
        }
        Step::Lease { place, seconds } => {
            let (scope, name) = of(place);
            let lease = block_on(archive.lease(&scope, &name, *seconds));
            said(lease.map(|lease| (lease.fence, lease.until_unix_ms)))
        }
        Step::Renew { place, fence, seconds } => {
            let (scope, name) = of(place);
            let lease = block_on(archive.renew(&scope, &name, moved(newest, *fence), *seconds));
            said(lease.map(|lease| (lease.fence, lease.until_unix_ms)))
        }
        Step::Release { place, fence } => {
            let (scope, name) = of(place);
            said(block_on(archive.release(&scope, &name, moved(newest, *fence))))
        }
    }
}

fn place_of(step: &Step) -> (u8, u8) {
    match step {
        Step::Append { place, .. }
        | Step::Read { place, .. }
        | Step::Remove { place }
        | Step::Lease { place, .. }
        | Step::Renew { place, .. }
        | Step::Release { place, .. } => *place,
        Step::Clock { .. } => (0, 0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Memory and SQLite answer as the model does, whatever is asked in whatever order, and both are sound at the end.
    #[test]
    fn archives_answer_as_the_model(steps in steps()) {
        let clock = Arc::new(ManualClock::new(1_000_000_000));
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions::new().clock(clock.clone());
        let sqlite = options.open(folder.path().join("recto.db")).unwrap();
        let archives: [Box<dyn Archive>; 2] =
            [Box::new(MemoryArchive::with_clock(clock.clone())), Box::new(sqlite)];
        let mut model = BTreeMap::new();
        for step in &steps {
            if let Step::Clock { by_ms } = step {
                clock.set(clock.now_unix_ms().saturating_add_signed(i64::from(*by_ms)));
            }
            let before: &Named = model.entry(place_of(step)).or_default();
            let (end, newest) = (before.events.len() as u64, before.fence);
            let expected = expect(&mut model, clock.now_unix_ms(), step);
            for archive in &archives {
                prop_assert_eq!(take(archive.as_ref(), step, end, newest), expected.as_str(), "{:?}", step);
            }
        }
        let live = || model.values().filter(|named| !named.is_gone && !named.events.is_empty());
        let events: u64 = live().map(|named| named.events.len() as u64).sum();
        for archive in &archives {
            let report = block_on(archive.verify(&|_| {})).unwrap();
            prop_assert!(report.is_sound(), "{:?}", report.damaged);
            prop_assert_eq!((report.logs, report.events), (live().count() as u64, events));
            let described = block_on(archive.describe()).unwrap();
            prop_assert_eq!((described.logs, described.events), (report.logs, report.events));
        }
    }
}
