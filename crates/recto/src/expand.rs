//! Giving back what was left out: finding the run of an original that is meant, and reading it without holding all of it.

pub(crate) mod answer;
pub(crate) mod base64;
pub(crate) mod found;
pub(crate) mod grep;
pub(crate) mod lines;
