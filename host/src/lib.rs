//! The host of gligabao: it runs the memory component and supplies its capabilities.
//!
//! It never decides anything about facts: storage, HTTP and the command line are here, what to store and what to
//! answer is the component's.

pub mod cli;
mod engine;
pub mod http;
pub mod llm;
mod loopback;
pub mod memory;
mod nearest;
pub mod repository;
mod sheet;
pub mod store;
pub mod wire;
