//! What wit-bindgen makes of the WIT.
#![expect(missing_docs, unreachable_pub, reason = "generated code")]
#![expect(clippy::pedantic, reason = "generated code")]

wit_bindgen::generate!({
    path: "../wit/memory",
    world: "memory",
});
