//! recto-testkit.
