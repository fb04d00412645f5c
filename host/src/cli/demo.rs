//! `gligabao demo`.
use super::error::CliError;

/// Nothing to say.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) async fn run(_: Args) -> Result<(), CliError> {
    Ok(())
}
