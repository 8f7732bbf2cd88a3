//! Real agents with recto in them, against a scripted model. Where one is not installed, its tests say so and pass; see
//! `recto_testkit::agents`.

mod claude;
mod claude_settings;
mod codex;
mod never_cut;
mod opencode;
mod pi;
mod session;
mod sought;
