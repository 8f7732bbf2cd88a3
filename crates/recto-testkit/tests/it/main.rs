//! The testkit tested from outside, against parsers that are not ours.

mod corpus;
mod generate;
mod mutate;
mod strategies;
