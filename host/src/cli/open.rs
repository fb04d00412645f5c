//! Opening a database file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use directories::ProjectDirs;

use super::error::CliError;
use super::patterns::load;
use super::target::Access;
use crate::http::router;
use crate::memory::Memory;
use crate::store::SharedStore;
use crate::store::memory::MemoryStore;
use crate::store::sqlite::{Sqlite, SqliteOptions};

/// The database of a directory, unless another one is named.
pub(crate) const DEFAULT_FILE: &str = "gligabao.db";

/// The API over a database file, with the pattern sets of a directory if one is given. Only [`Access::Write`] makes a missing one.
pub(crate) async fn router(file: &Path, access: Access, patterns: Option<&Path>) -> Result<Router, CliError> {
    if access == Access::Read && !file.exists() {
        let file = file.display();
        let next = "remember something first, or name the file with --db";
        return Err(CliError::start(format!("there is no database {file}; {next}")));
    }
    let store: SharedStore = if access == Access::Preview && !file.exists() {
        Arc::new(MemoryStore::default())
    } else {
        let store = Sqlite::open(file, SqliteOptions::default());
        Arc::new(store.map_err(|error| CliError::start(error.to_string()))?)
    };
    let mut builder = Memory::builder().store(store).cache_dir(cache_dir());
    if let Some(directory) = patterns {
        builder = builder.patterns(&load(directory)?);
    }
    let memory = builder.build().map_err(|error| CliError::start(error.to_string()))?;
    memory.recover().await.map_err(|error| CliError::start(format!("{}: {error}", file.display())))?;
    Ok(router::router(memory))
}

/// Where compiled components are kept; nowhere for a user without a home.
fn cache_dir() -> Option<PathBuf> {
    ProjectDirs::from("", "", "gligabao").map(|directories| directories.cache_dir().to_owned())
}
