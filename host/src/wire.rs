//! The JSON of the API: what requests may say and what answers look like.
//!
//! Every type is the twin of a type of the core and is converted from or to it here, at the edge, and nowhere else.
//! Facts spell absent values out as `null`; everything else leaves them out. Requests refuse unknown fields.
//! `tests/wire_drift.rs` holds the answers against the WIT.

pub mod artifact;
pub mod dataset;
pub mod edge;
pub mod entity;
pub mod error;
pub mod fact;
pub mod health;
pub mod history;
pub mod limit;
pub mod llm;
pub mod query;
pub mod remember;
pub mod run;
pub mod scope;
pub mod series;
pub mod time;
pub mod why;
pub mod word;

/// Fields that a later version will know. They are refused with words of their own.
pub const RESERVED_FIELDS: &[&str] = &["classify", "fetch", "image", "summary", "web_search"];
