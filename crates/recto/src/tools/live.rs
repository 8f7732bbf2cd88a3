//! Tools tried with a real model, and counted by a real provider. The only part of recto that asks a provider anything, and only where
//! `--live` or `--count-with` says so.
//!
//! - `provider` names the providers, where they are and what they are asked with; `http` asks one, through `curl`.
//! - `dialect` is what is said to each in its own shape: `anthropic`, `chat`, `responses`, `gemini`.
//! - `scenario` reads what is asked of the model, `conversation` holds it, `grade` says whether the call was right, `report` shows it.
//! - `count` has tools counted by the provider's own counter.

mod address;
mod anthropic;
mod bench;
mod chat;
mod conversation;
mod count;
mod curl;
mod dialect;
mod gemini;
mod grade;
mod http;
mod provider;
mod report;
mod responses;
mod scenario;

pub(crate) use bench::{Plan, run};
pub(crate) use count::{Counted, count};
pub(crate) use provider::{Counter, Provider};
