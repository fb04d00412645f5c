//! Reconciliation: what becomes of a fact that is told, given what is stored.
//!
//! [`repeat`] decides whether it is a fact that is known already, [`functional`] keeps the values of a relation that
//! has one target at a time apart, [`invalidate`] settles contradictions that a model found, and [`apply`] carries them
//! out on the [`Overlay`], the state of the dataset as the plan leaves it.

pub mod apply;
pub mod functional;
pub mod invalidate;
mod overlay;
pub mod repeat;
pub mod told;

pub use overlay::{FactKey, Overlay, ValueKey};
