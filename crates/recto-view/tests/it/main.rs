//! Integration tests of `recto-view`.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod facts;
mod forms;
mod golden;
mod laws;
mod look_alikes;
mod properties;
mod regressions;
mod stated;
mod tables;
mod whole_corpus;
