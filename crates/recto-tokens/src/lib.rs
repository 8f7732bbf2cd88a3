//! recto-tokens.
