//! What the core writes, read by git itself.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod export;
mod exporter;
mod files;
mod golden;
mod histories;
mod http;
mod messages;
mod model;
mod oracle;
mod packs;
mod resume;
