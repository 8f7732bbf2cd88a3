//! Tool definitions: where they are read from, how they are compiled, what they would cost.

pub(crate) mod asked;
pub(crate) mod calls;
pub(crate) mod changes;
pub(crate) mod live;
pub(crate) mod prices;
pub(crate) mod source;
