//! Integration tests of `recto-outline`.

mod grids;
mod running;
mod textual;
