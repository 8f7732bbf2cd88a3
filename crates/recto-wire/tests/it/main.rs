//! Integration tests of `recto-wire`.

mod bodies;
mod body_laws;
mod body_shapes;
