//! What tests of several crates share. The tests of the whole, through wasm, HTTP and the command line and with guests
//! that misbehave, are in `tests/`. This library knows nothing of the crates that it tests.

pub mod stand_in;
pub mod times;
