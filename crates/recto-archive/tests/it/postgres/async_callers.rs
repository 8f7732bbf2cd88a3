//! Callers that are async themselves, in whichever runtime.

use std::sync::Arc;

use recto_archive::{Archive, Digest, Scope, block_on};

use super::open;

/// One thread that waits for many answers at once.
#[test]
fn a_runtime_of_one_thread_waits_for_many() {
    let Some((_database, archive)) = open() else { return };
    let archive: Arc<dyn Archive> = Arc::new(archive);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let digests: Vec<Digest> = runtime.block_on(async {
        let tasks: Vec<_> = (0..50_u32)
            .map(|number| {
                let archive = Arc::clone(&archive);
                tokio::spawn(
                    async move { archive.put(&Scope::local(), &number.to_le_bytes()).await.unwrap() },
                )
            })
            .collect();
        let mut digests = Vec::new();
        for task in tasks {
            digests.push(task.await.unwrap());
        }
        // A writer blocks the thread, which nobody else needs.
        let mut writer = archive.begin(&Scope::local(), "run").await.unwrap();
        writer.write(b"within").unwrap();
        digests.push(writer.finish().unwrap());
        digests
    });
    assert_eq!(digests[50], Digest::of(b"within"));
    assert_eq!(block_on(archive.originals(&Scope::local(), None, 100)).unwrap().len(), 51);
}

/// A call that nobody waits for any more harms no other.
#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let Some((_database, archive)) = open() else { return };
    let scope = Scope::local();
    let bytes = recto_archive::conformance::noise(1, 9_000_000);
    let digest = block_on(archive.put(&scope, &bytes)).unwrap();
    for _ in 0..20 {
        let mut call = archive.get(&scope, &digest, 0..u64::MAX);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
    }
    assert!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap() == bytes);
}
