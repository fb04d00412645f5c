//! How a command ends that did not do what was asked.

use std::io;
use std::process::ExitCode;

use super::screen;

/// Why a command stopped. The text is one line that says what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The request failed or was refused (exit code 1).
    #[error("{0}")]
    Failed(String),
    /// Bad usage, or it could not start (exit code 2).
    #[error("{0}")]
    Start(String),
    /// The reader of the output went away: nothing is wrong, and nobody listens.
    #[error("the output was closed")]
    Closed,
}

impl CliError {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub(crate) fn start(message: impl Into<String>) -> Self {
        Self::Start(message.into())
    }

    /// Says it on standard error, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !matches!(self, Self::Closed) {
            let words = screen::harmless(&self.to_string());
            anstream::eprintln!("{}error:{} {words}", screen::BAD.render(), screen::BAD.render_reset());
        }
        match self {
            Self::Failed(_) => ExitCode::from(1),
            Self::Start(_) => ExitCode::from(2),
            Self::Closed => ExitCode::SUCCESS,
        }
    }
}

impl From<io::Error> for CliError {
    /// For writing to the terminal; reading names its file.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Failed(format!("can't write the output: {error}")),
        }
    }
}
