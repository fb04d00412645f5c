//! What others need, measured by `bench/peers/series.py` in an environment of its own.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// Their figures.
#[derive(Debug, Deserialize)]
pub(crate) struct Peers {
    /// Python's `sqlite3` upserts 100,000 rows in one transaction.
    pub(crate) executemany_ms: f64,
    /// Size of the table that it makes.
    pub(crate) executemany_bytes_a_point: f64,
    /// Version of polars.
    pub(crate) polars: String,
    /// polars finds the stats of 100,000 points.
    pub(crate) polars_stats_ms: f64,
}

impl Peers {
    /// Runs them, if they are installed.
    pub(crate) fn run(directory: &Path) -> Option<Self> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench");
        let python = bench.join(".venv/bin/python");
        if !python.exists() {
            return None;
        }
        let output = Command::new(python).arg(bench.join("peers/series.py")).arg(directory).output();
        let output = output.expect("the installed python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(serde_json::from_slice(&output.stdout).expect("the script prints its figures"))
    }
}
