//! `gligabao completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use super::error::CliError;
use super::{Cli, screen};

/// Which shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell to complete in
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gligabao", &mut script);
    screen::print(&String::from_utf8_lossy(&script))
}
