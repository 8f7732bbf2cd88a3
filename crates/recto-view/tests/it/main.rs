//! Integration tests of `recto-view`.

mod facts;
mod forms;
mod golden;
mod laws;
mod look_alikes;
mod properties;
mod regressions;
mod whole_corpus;
