//! The decisions of gligabao, as pure functions of their arguments.
//!
//! This crate holds the model, the rules of time, the extraction of facts from plain language, reconciliation and
//! recall. It never reads a clock, draws a random number, opens anything or performs I/O: what it needs of the world
//! comes in through the [`port`] traits, `now` comes in with the call, and transaction time comes out of the commit.
#![forbid(unsafe_code)]

pub mod extract;
pub mod pattern;
pub mod time;
