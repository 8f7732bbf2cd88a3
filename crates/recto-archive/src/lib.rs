//! recto-archive.
