//! What models say, and what becomes of it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../harness/mod.rs"]
mod harness;

mod bad_answers;
mod counted;
mod interleavings;
mod questions;
mod transcripts;
