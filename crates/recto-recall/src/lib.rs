//! Recall: the bytes that a view left out, read back exactly, without holding all of the original.
//!
//! - [`Asked`] is what a reader writes: `r:123456789012345#3`.
//! - [`Elisions`] are what stands behind the `#`: one, or those that the note of an object tells of.
//! - [`Found`] is the run of an original that this means, in an archive, in a file, or in bytes with their span map.
//! - [`Part`] picks from a run: all of it, some lines, some bytes, or the lines that match ([`Search`]). Over a run that is an
//!   [`Answer`].
//! - An answer is handed over piece by piece, or in [`Page`]s of so many bytes or tokens: joined
//!   they are the answer, byte for byte.
//!
//! Everything here reads on the caller's thread, archives too; an async program calls it on a thread that may block.
//!
//! ```
//! use recto_archive::{Archive, MemoryArchive, Scope, Target, block_on};
//! use recto_recall::{Asked, Found, PageLimit, Part};
//!
//! let (archive, scope) = (MemoryArchive::new(), Scope::local());
//! let original = block_on(archive.put(&scope, b"one\ntwo\nthree\n"))?;
//! let name = block_on(archive.issue(&scope, &Target::Original(original)))?;
//!
//! let asked: Asked = name.to_string().parse()?;
//! let found = Found::by_ref(&archive, &scope, &asked)?;
//! let answer = Part::lines("2:3")?.over(&found)?;
//! let (page, _) = answer.page(&found, 0, &PageLimit::bytes(6))?;
//! assert_eq!((page.bytes.as_slice(), page.next), (&b"two\n"[..], Some(4)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod asked;
mod base64;
mod elisions;
mod error;
mod found;
mod lines;
mod page;
mod part;
mod search;

pub use answer::Answer;
pub use asked::Asked;
pub use base64::base64;
pub use elisions::Elisions;
pub use error::{RangeUnit, RecallError};
pub use found::Found;
pub use page::{Page, PageLimit};
pub use part::Part;
pub use search::Search;
