//! Two computations at once, where a source is large enough for that to pay.

use std::{panic::resume_unwind, thread};

/// What a source of fewer bytes takes is done before a second thread has started.
pub const BESIDE_FROM_BYTES: usize = 1 << 20;

/// How the work on one source is shared out. It makes no difference to what is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) has_threads: bool,
    /// How many items are handed over at once.
    pub(crate) part_items: usize,
}

impl Plan {
    pub(crate) fn of(source_bytes: usize) -> Self {
        #[cfg(test)]
        if let Some(plan) = tests::PLAN.get() {
            return plan;
        }
        // So many that two threads seldom wait for each other, or so few that they are in the nearest cache still when one thread
        // takes them itself.
        let has_threads = source_bytes >= BESIDE_FROM_BYTES;
        Self { has_threads, part_items: if has_threads { 16_384 } else { 256 } }
    }
}

/// Calls `here` and `there` and gives what both give: for a source of [`BESIDE_FROM_BYTES`] or more at the same time, `there` in a second
/// thread. Neither knows of the other, so that it makes no difference to what they give.
///
/// ```
/// let source = "all is well\n".repeat(200_000);
/// let lines = || source.lines().count();
/// let words = || source.split_whitespace().count();
/// assert_eq!(recto_outline::beside(source.len(), lines, words), (200_000, 600_000));
/// ```
pub fn beside<A, B: Send>(
    source_bytes: usize,
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    if !Plan::of(source_bytes).has_threads {
        return (here(), there());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &there);
        let one = here();
        let other = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Where no thread can be had, one does both.
            Err(_) => there(),
        };
        (one, other)
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use recto_testkit::{Prng, corpus, generate::Kind, mutate::Mutation};

    use super::*;
    use crate::{Fuel, outline};

    thread_local! {
        /// What is planned instead, where this thread tests it.
        pub(super) static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
    }

    fn outlined(source: &[u8], plan: Plan) -> String {
        PLAN.set(Some(plan));
        let outline = outline(source, None, &mut Fuel::unlimited()).expect("no limit");
        PLAN.set(None);
        format!(
            "{:?}",
            (&outline.units, &outline.tables, &outline.columns, &outline.columns_of, &outline.heads)
        )
    }

    #[test]
    fn two_threads_find_what_one_does_however_the_work_is_cut() {
        let mut prng = Prng::new(11);
        let mut sources: Vec<Vec<u8>> =
            Kind::ALL.iter().map(|kind| kind.generate(prng.next_u64(), 30_000).bytes).collect();
        let small = corpus::outputs().into_iter().flatten().map(|file| file.read());
        sources.extend(small.filter(|bytes| bytes.len() < 30_000));
        for mut source in sources {
            for _ in 0..3 {
                let alone = outlined(&source, Plan { has_threads: false, part_items: 256 });
                for _ in 0..3 {
                    let plan = Plan { has_threads: prng.chance(2), part_items: 1 + prng.index(600) };
                    assert_eq!(outlined(&source, plan), alone, "{plan:?}");
                }
                Mutation::random(&mut prng).apply(&mut source);
                source.truncate(60_000);
            }
        }
    }
}
