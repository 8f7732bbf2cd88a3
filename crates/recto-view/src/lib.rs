//! recto-view.
