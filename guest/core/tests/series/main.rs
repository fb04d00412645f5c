//! Time series: what their points amount to, against cases and naive models.

mod oracle;
mod stats;
