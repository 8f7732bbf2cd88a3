//! The crate's public face, held against a second implementation, the corpus and generated texts.

mod exactness;
mod growing;
mod images;
mod joins;
mod limits;
mod names;
mod texts;
