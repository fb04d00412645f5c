//! `gligabao serve`: the HTTP API, until a signal comes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;

use super::error::CliError;
use super::settings::Options;
use super::target::Access;
use super::{open, screen};
use crate::http::server::{ServeError, Server, stop_signal};

/// Where a server listens that is told nothing else.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7878);

/// Where to listen, and on what.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS", env = "GLIGABAO_LISTEN")]
    listen: Option<SocketAddr>,
    /// Database file; made if it is missing [default: gligabao.db]
    #[arg(long, value_name = "FILE", env = "GLIGABAO_DB")]
    db: Option<PathBuf>,
    /// Who finds the facts of a text whose request doesn't say: off, pattern, llm or both [env: GLIGABAO_EXTRACTOR]
    #[arg(long, value_name = "EXTRACTOR")]
    extractor: Option<String>,
    #[command(flatten)]
    options: Options,
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
    let settings = args.options.settle(args.extractor.as_deref())?;
    let listen = args.listen.or(settings.listen).unwrap_or(DEFAULT_ADDRESS);
    let db = args.db.or_else(|| settings.db.clone()).unwrap_or_else(|| PathBuf::from(open::DEFAULT_FILE));
    let server = Server::bind(listen, args.insecure).await.map_err(|error| CliError::start(error.to_string()))?;
    let router = open::router(&db, Access::Write, &settings).await?;
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
