//! `gligabao serve`: the HTTP API, until a signal comes.

use std::net::SocketAddr;
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;

use super::error::CliError;
use super::target::Access;
use super::{open, screen};
use crate::http::server::{ServeError, Server, stop_signal};

/// Where to listen, and on what.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", env = "GLIGABAO_LISTEN", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// Database file; made if it is missing
    #[arg(long, value_name = "FILE", env = "GLIGABAO_DB", default_value = open::DEFAULT_FILE)]
    db: PathBuf,
    /// Directory of pattern sets that add to the built-in ones or replace them
    #[arg(long, value_name = "DIR", env = "GLIGABAO_PATTERNS")]
    patterns: Option<PathBuf>,
    /// Listen where other machines can reach it. Anyone there can read and write everything
    #[arg(long)]
    insecure: bool,
    /// How the log on standard error looks. GLIGABAO_LOG says how much is logged, such as `warn` or `debug`
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

/// How the log looks.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    log_to_stderr(args.log_format)?;
    log_panics();
    let server = Server::bind(args.listen, args.insecure).await.map_err(|error| CliError::start(error.to_string()))?;
    let router = open::router(&args.db, Access::Write, args.patterns.as_deref()).await?;
    let stop = stop_signal().map_err(|error| CliError::start(format!("can't listen for signals: {error}")))?;
    screen::print(&format!("listening on http://{}\n", server.address()))?;
    server.serve(router, stop).await.map_err(|error: ServeError| CliError::failed(error.to_string()))
}

/// What a panic says may hold a text of the user; where it was is enough to find it.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a panic");
    }));
}

fn log_to_stderr(format: LogFormat) -> Result<(), CliError> {
    let wanted = std::env::var("GLIGABAO_LOG").unwrap_or_else(|_| "warn,gligabao=info,tower_http=info".to_owned());
    let filter = EnvFilter::try_new(&wanted)
        .map_err(|_| CliError::start(format!("GLIGABAO_LOG={wanted} is no filter; try `info` or `debug`")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let set = match format {
        LogFormat::Text => log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    set.map_err(|error| CliError::start(format!("can't log: {error}")))
}
