//! Hooks: from an agent's event to its answer, in time, or none.

pub(crate) mod carry;
pub(crate) mod claude;
pub(crate) mod context;
pub(crate) mod deadline;
pub(crate) mod install;
pub(crate) mod plain;
pub(crate) mod words;
