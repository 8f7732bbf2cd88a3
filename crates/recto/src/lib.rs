//! recto.
