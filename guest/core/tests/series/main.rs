//! Time series: what their points amount to, against cases and naive models, and what calls make of them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../models/counted.rs"]
mod counted;
#[path = "../harness/mod.rs"]
mod harness;

mod anchors;
mod evidence;
mod meetings;
mod memory;
mod observations;
mod oracle;
mod put;
mod remembered;
mod stats;
mod taken;
mod told;
