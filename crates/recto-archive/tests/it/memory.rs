use std::sync::Arc;

use recto_archive::conformance::Fixture;
use recto_archive::{Archive, MemoryArchive};

fn make() -> Fixture {
    Fixture::new(|clock| (Arc::new(MemoryArchive::with_clock(clock)) as Arc<dyn Archive>, ()))
}

recto_archive::conformance_tests!(make);
