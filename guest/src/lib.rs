//! The memory component: `gligabao-core` behind the WIT world `gligabao:memory/memory`.
//!
//! Nothing is decided here. The imports become the core's ports, the exports call its functions, and values are
//! converted at the edge. It has no WASI import, no clock and no randomness; a panic is a trap.

mod bindings;
mod exports;
mod llm;
mod storage;

/// What the exports hang on.
struct Component;

bindings::export!(Component with_types_in bindings);

/// Conversions between the bindings' types and the core's.
mod convert {
    use crate::bindings::exports::gligabao::memory::{history, knowledge, recall, remember, series};
    use crate::bindings::gligabao::memory::{llm, storage, types};

    gligabao_core::conversions!();
}
