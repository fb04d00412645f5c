//! What wasmtime makes of the WIT, and conversions between it and the core's types.
#![allow(missing_docs, unreachable_pub, reason = "generated code")]
#![allow(clippy::all, clippy::pedantic, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../wit/memory",
    world: "memory",
    imports: { default: async | trappable },
    exports: { default: async },
    with: {
        "gligabao:memory/storage.snapshot": crate::engine::storage::SnapshotHandle,
        "gligabao:memory/storage.dataset": crate::engine::write::DatasetHandle,
    },
    trappable_error_type: {
        "gligabao:memory/storage.storage-error" => crate::engine::storage::Refusal,
    },
});

/// Conversions between the bindings' types and the core's.
mod convert {
    use super::exports::gligabao::memory::{history, knowledge, recall, remember, series};
    use super::gligabao::memory::{llm, storage, types};

    gligabao_core::conversions!();
}
