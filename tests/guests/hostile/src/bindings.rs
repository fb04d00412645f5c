//! What wit-bindgen makes of the WIT.
#![allow(clippy::all, clippy::pedantic, reason = "generated code")]

wit_bindgen::generate!({
    path: "../../../wit/memory",
    world: "memory",
});
