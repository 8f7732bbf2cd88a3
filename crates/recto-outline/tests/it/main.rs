//! Integration tests of `recto-outline`.

mod grids;
mod laws;
mod running;
mod textual;
