//! One binary for all tests that need more than one crate: it is linked once.

mod component;
mod containment;
mod house;
mod support;
mod writing;
