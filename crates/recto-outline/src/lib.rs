//! recto-outline.
