//! Tests of the whole: through wasm, HTTP and the command line, and with guests that misbehave. All of it is in
//! `tests/`; this library is empty.
