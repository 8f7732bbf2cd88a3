//! Running a command while keeping all that it prints.
//!
//! [`process`] runs it and knows nothing of archives and views; [`keeper`] takes what it prints, into the archive's journal or a
//! [`spill`] file; [`show`] prints the view once it has ended; [`ending`] lets recto end as the command did.

pub(crate) mod ending;
pub(crate) mod ignored;
pub(crate) mod keeper;
pub(crate) mod process;
pub(crate) mod show;
pub(crate) mod spill;
