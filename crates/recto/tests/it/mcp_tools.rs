//! The server of `recto mcp-tools`, spoken to as a host does.

mod client;
mod pages;
mod protocol;
mod sdk;
mod wrong;
