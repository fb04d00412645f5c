//! Whose memory a command works on, and where it is.

use std::path::PathBuf;

use clap::Args;

use super::client::Client;
use super::error::CliError;
use super::open;
use super::settings::{Options, Settings};

/// Where the memory is and whose it is.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Database file to work on [env: GLIGABAO_DB] [default: gligabao.db]
    #[arg(long, value_name = "FILE", conflicts_with = "server", global = true, help_heading = "Where")]
    db: Option<PathBuf>,
    /// Server to work on instead, such as http://127.0.0.1:7878 [env: GLIGABAO_SERVER]
    #[arg(long, value_name = "URL", global = true, help_heading = "Where")]
    server: Option<String>,
    #[command(flatten)]
    options: Options,
    /// Whose memory it is
    #[arg(
        long,
        value_name = "USER",
        env = "GLIGABAO_USER",
        default_value = "me",
        global = true,
        help_heading = "Where"
    )]
    user: String,
}

/// A dataset of a place.
#[derive(Debug, Args)]
pub(crate) struct Target {
    #[command(flatten)]
    place: Place,
    /// The dataset
    #[arg(long, value_name = "NAME", default_value = "main", global = true, help_heading = "Where")]
    dataset: String,
}

/// Where a memory is.
pub(crate) enum Location {
    Server(String),
    File(PathBuf, Box<Settings>),
}

/// What a command does to the database: only one that writes may make the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// It reads, and takes a missing file for an empty one.
    Preview,
}

impl Target {
    /// A client of the dataset.
    pub(crate) async fn client(&self, access: Access) -> Result<Client, CliError> {
        self.place.client(access, &self.dataset).await
    }
}

impl Place {
    /// A client of a dataset there.
    pub(crate) async fn client(&self, access: Access, dataset: &str) -> Result<Client, CliError> {
        match self.locate()? {
            Location::Server(url) => Client::of_server(&url, &self.user, dataset),
            Location::File(file, settings) => {
                Ok(Client::inside(open::router(&file, access, &settings).await?, &self.user, dataset))
            }
        }
    }

    /// Where that is. What the command line says goes before the environment, a server of the environment before a
    /// file.
    pub(crate) fn locate(&self) -> Result<Location, CliError> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let server = match (&self.server, &self.db) {
            (Some(url), _) => Some(url.clone()),
            (None, Some(_)) => None,
            (None, None) => variable("GLIGABAO_SERVER"),
        };
        if let Some(url) = server {
            return Ok(Location::Server(url));
        }
        let settings = self.options.settle(None)?;
        let file = self.db.clone().or_else(|| variable("GLIGABAO_DB").map(PathBuf::from));
        let file = file.or_else(|| settings.db.clone()).unwrap_or_else(|| PathBuf::from(open::DEFAULT_FILE));
        Ok(Location::File(file, Box::new(settings)))
    }

    /// Whose memory it is.
    pub(crate) fn user(&self) -> &str {
        &self.user
    }
}
