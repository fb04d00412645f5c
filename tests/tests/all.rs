//! One binary for all tests that need more than one crate: it is linked once.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asking;
mod component;
mod containment;
mod house;
mod log;
mod reading;
mod support;
mod writing;
