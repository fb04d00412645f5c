//! Opening a database file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use directories::ProjectDirs;
use gligabao_core::remember::Extractor;

use super::error::CliError;
use super::patterns::load;
use super::settings::Settings;
use super::target::Access;
use crate::http::router;
use crate::llm::{HttpModel, Prompts};
use crate::memory::{Builder, Memory};
use crate::store::SharedStore;
use crate::store::memory::MemoryStore;
use crate::store::sqlite::{Sqlite, SqliteOptions};

/// The database of a directory, unless another one is named.
pub(crate) const DEFAULT_FILE: &str = "gligabao.db";

/// The API over a database file, as it is configured. Only [`Access::Write`] makes a missing one.
pub(crate) async fn router(file: &Path, access: Access, settings: &Settings) -> Result<Router, CliError> {
    Ok(router::router(memory(file, access, settings).await?))
}

/// The memory in a database file.
pub(crate) async fn memory(file: &Path, access: Access, settings: &Settings) -> Result<Memory, CliError> {
    // Whatever is wrong with the configuration is said before a file is made.
    let builder = configured(settings)?;
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
    let git_dir = settings.git_dir.clone().or_else(|| file.exists().then(|| beside(file)));
    let builder = builder.store(store).cache_dir(cache_dir()).git_dir(git_dir);
    let memory = builder.build().map_err(|error| CliError::start(error.to_string()))?;
    memory.recover().await.map_err(|error| CliError::start(format!("{}: {error}", file.display())))?;
    Ok(memory)
}

/// Where the repositories of a database file are kept.
fn beside(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".git");
    path.into()
}

/// A memory as it is configured, without a store.
fn configured(settings: &Settings) -> Result<Builder, CliError> {
    let mut builder = Memory::builder();
    if let Some(directory) = &settings.patterns {
        builder = builder.patterns(&load(directory)?);
    }
    if let Some(directory) = &settings.prompts {
        builder = builder.prompts(prompts(directory)?);
    }
    if let Some(extractor) = settings.extractor {
        builder = builder.extractor(extractor);
    }
    if let Some(llm) = &settings.llm {
        builder = builder.llm(Arc::new(HttpModel::new(llm.http()?)?));
    } else if matches!(settings.extractor, Some(Extractor::Llm | Extractor::Both)) {
        let next = "name one with --llm-url and --llm-model, or choose pattern";
        return Err(CliError::start(format!("memory.extractor needs a language model; {next}")));
    }
    Ok(builder)
}

/// The operator's instructions for language models.
pub(crate) fn prompts(directory: &Path) -> Result<Prompts, CliError> {
    Prompts::read(directory).map_err(|error| CliError::start(error.to_string()))
}

/// Where compiled components are kept; nowhere for a user without a home.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    ProjectDirs::from("", "", "gligabao").map(|directories| directories.cache_dir().to_owned())
}
