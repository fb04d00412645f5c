//! The decisions of gligabao, as pure functions of their arguments.
//!
//! This crate holds the model, the rules of time, the extraction of facts from plain language, reconciliation and
//! recall. It never reads a clock, draws a random number, opens anything or performs I/O: what it needs of the world
//! comes in through the [`storage`] traits, `now` comes in with the call, and transaction time comes out of the commit.
#![forbid(unsafe_code)]

pub mod check;
mod clean;
mod commit;
pub mod convert;
mod cursor;
pub mod extract;
pub mod git;
pub mod history;
pub mod knowledge;
pub mod llm;
pub mod model;
pub mod names;
pub mod pattern;
pub mod plan;
pub mod privacy;
mod prompt;
pub mod recall;
pub mod reconcile;
pub mod reference;
pub mod remember;
mod runs;
pub mod series;
mod stage;
pub mod storage;
pub mod time;
pub mod vocabulary;
