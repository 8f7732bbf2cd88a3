//! Running a command while keeping all that it prints.

pub(crate) mod keeper;
pub(crate) mod process;
