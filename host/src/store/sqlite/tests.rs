//! The conformance suite over a file, and what only a file can show.

mod files;
mod logs;
mod plans;
mod points;
mod random;

use tempfile::TempDir;

use super::*;
use crate::store::conformance::Bench;

/// A store in the file of a directory.
fn open(directory: &TempDir, clock: Arc<dyn Clock>) -> Sqlite {
    let options = SqliteOptions { clock, ..SqliteOptions::default() };
    Sqlite::open(file(directory), options).unwrap()
}

/// The same with chunks of a few points, so that short histories have many.
fn open_small(directory: &TempDir, clock: Arc<dyn Clock>) -> Sqlite {
    Sqlite { sizes: Sizes { chunk: 8, loose: 4 }, ..open(directory, clock) }
}

/// The file of a directory.
fn file(directory: &TempDir) -> std::path::PathBuf {
    directory.path().join("memory.db")
}

async fn bench() -> Bench {
    let directory = tempfile::tempdir().unwrap();
    Bench::new(|clock| (open(&directory, clock), directory)).await
}

/// A bench whose file is looked into.
async fn bench_in(directory: &TempDir) -> Bench {
    Bench::new(|clock| (open(directory, clock), ())).await
}

crate::store_conformance!(bench());
