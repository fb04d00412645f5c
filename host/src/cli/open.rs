//! Opening a database file.

use std::path::Path;

use axum::Router;

use super::error::CliError;
use super::target::Access;
use crate::http::router;
use crate::memory::Memory;

/// The database of a directory, unless another one is named.
pub(crate) const DEFAULT_FILE: &str = "gligabao.db";

/// The API over a database file. Only [`Access::Write`] makes a missing one.
pub(crate) async fn router(file: &Path, access: Access) -> Result<Router, CliError> {
    if access == Access::Read && !file.exists() {
        let file = file.display();
        return Err(CliError::start(format!(
            "there is no database {file}; remember something first, or name one with --db"
        )));
    }
    let memory = Memory::builder().build().map_err(|error| CliError::start(error.to_string()))?;
    Ok(router::router(memory))
}
