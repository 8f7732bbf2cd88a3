//! Sessions of agents.

mod history;
mod image;
mod key;
mod measure;
mod policy;
mod references;
mod target;

pub use history::{
    Builder, Asked, CallEntry, Cut, History, ImageEntry, Item, ItemKind, KeptFrom, Node, NodeKind, Observer, Place, Problem, ProblemKind,
    ResultEntry, Said, Speaker,
};
pub use key::Key;
pub use measure::{Names, Outcome, Smaller, measure};
pub use policy::{Change, Decay, Policies, PolicyName, Shape, changes, standing};
pub use references::{References, names};
pub use target::{Act, Lines, Target};
