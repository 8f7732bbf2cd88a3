//! Integration tests of `recto-outline`.

mod detection;
mod grids;
mod laws;
mod running;
mod textual;
