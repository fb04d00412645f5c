//! The guests of this workspace as components, built by this crate's build script.

/// The memory component: the world `gligabao:memory/memory`.
pub const MEMORY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gligabao_guest.wasm"));

/// A guest that misbehaves on request.
#[cfg(feature = "test-guests")]
pub const HOSTILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gligabao_test_guest_hostile.wasm"));
