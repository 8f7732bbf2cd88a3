#![doc = include_str!("../../../docs/tokens.md")]

mod counter;
mod cut;
mod estimate;
mod long_word;
mod model_name;
mod running;
mod tokenizer;
mod vocabulary;

pub use counter::Counter;
pub use estimate::estimate_from_bytes;
pub use running::RunningCount;
pub use tokenizer::{Tokenizer, TokenizerError};
