//! Work in two steps, the second of which may be done beside the first.

use std::{
    sync::{
        Mutex,
        mpsc::{SendError, channel, sync_channel},
    },
    thread,
};

use crate::beside::Plan;

/// Parts that wait for the second step: memory.
const MOST_PARTS: usize = 4;

/// Calls `make`, which hands over what it finds part by part and gets empty parts back to fill, and `take` with each part, in that
/// order. For a source of [`crate::BESIDE_FROM_BYTES`] or more a second thread takes: what it makes of the parts is the same.
pub(crate) fn piped<P: Default + Send, A>(
    source_bytes: usize,
    make: impl FnOnce(&mut dyn FnMut(P) -> P) -> A,
    mut take: impl FnMut(&mut P) + Send,
) -> A {
    if !Plan::of(source_bytes).has_threads {
        return make(&mut |mut part| {
            take(&mut part);
            part
        });
    }
    let (full, parts) = sync_channel::<P>(MOST_PARTS);
    let (emptied, empty) = channel();
    let take = Mutex::new(take);
    let take_one = |mut part| {
        if let Ok(mut take) = take.lock() {
            take(&mut part);
        }
        part
    };
    thread::scope(|scope| {
        let take_one = &take_one;
        let taking = move || {
            for part in parts {
                // Whoever makes the parts may not want them back any more.
                let _ = emptied.send(take_one(part));
            }
        };
        // Where no thread can be had, nobody receives the parts, and they come back.
        let _ = thread::Builder::new().spawn_scoped(scope, taking);
        let given = make(&mut |part| match full.send(part) {
            Ok(()) => empty.try_recv().unwrap_or_default(),
            Err(SendError(part)) => take_one(part),
        });
        drop(full);
        given
    })
}
