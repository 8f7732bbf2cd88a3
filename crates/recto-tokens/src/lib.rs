#![doc = include_str!("../../../docs/tokens.md")]

mod counter;
mod cut;
mod estimate;
mod image;
mod long_word;
mod model_name;
mod running;
mod tokenizer;
mod vocabulary;

pub use counter::Counter;
pub use estimate::estimate_from_bytes;
pub use image::{image_size, image_tokens};
pub use running::RunningCount;
pub use tokenizer::{Tokenizer, TokenizerError};
