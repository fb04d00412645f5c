//! The conformance suite over a file, and what only a file can show.

use tempfile::TempDir;

use super::*;
use crate::store::conformance::Bench;

/// A store in a new file.
fn open(directory: &TempDir, clock: Arc<dyn Clock>) -> Sqlite {
    let options = SqliteOptions { clock, ..SqliteOptions::default() };
    Sqlite::open(directory.path().join("memory.db"), options).unwrap()
}

async fn bench() -> Bench {
    let directory = tempfile::tempdir().unwrap();
    Bench::new(|clock| (open(&directory, clock), directory)).await
}

crate::store_conformance!(bench());
