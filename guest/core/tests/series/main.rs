//! Time series: what their points amount to, against cases and naive models.

mod observations;
mod oracle;
mod stats;
