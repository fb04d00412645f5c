//! `gligabao demo`: a small company in three years of notes, told to a server and asked about.

mod notes;
mod prices;
mod story;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use tokio::sync::oneshot;

use self::notes::{NOTES, NoteFile};
use super::client::Client;
use super::error::CliError;
use super::note;
use super::remember::{Summary, progress, tell};
use super::settings::Settings;
use super::target::Access;
use super::{open, screen};
use crate::http::server::Server;
use crate::wire::edge::Retracted;
use crate::wire::fact::Facts;

/// The note that turned out to be wrong, and the one that says so.
const RUMOUR: &str = "2023-04-17-a-rumour";
const CORRECTION: &str = "2023-06-05-it-was-another-anna";

/// Where the story is kept.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Keep the database in this new file, to go on with it
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    if let Some(file) = args.keep.as_ref().filter(|file| file.exists()) {
        return Err(CliError::start(format!("{} is there already; name a new file", file.display())));
    }
    let temporary = tempfile::tempdir().map_err(|error| CliError::start(format!("no temporary directory: {error}")))?;
    let file = args.keep.clone().unwrap_or_else(|| temporary.path().join("demo.db"));

    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(address, false).await.map_err(|error| CliError::start(error.to_string()))?;
    let url = format!("http://{}", server.address());
    let router = open::router(&file, Access::Write, &Settings::default()).await?;
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(router, async {
        // It stops when it is told to, and also when this command ends early.
        let _ = stopped.await;
    }));

    let told = show(&url, args.keep.as_deref()).await;
    drop(stop);
    let served = serving.await.map_err(|error| CliError::failed(format!("the server broke: {error}")))?;
    told?;
    served.map_err(|error| CliError::failed(error.to_string()))
}

async fn show(url: &str, keep: Option<&std::path::Path>) -> Result<(), CliError> {
    let client = Client::of_server(url, "me", "main")?;
    screen::print(&format!(
        "{}\n\nMarelume makes tide sensors. Its people kept notes from 2022 to 2024, in English and in Portuguese.\n\
         A server is started at {url} and told the notes in order.\n\n",
        screen::paint(screen::STRONG, "gligabao demo")
    ))?;
    let versions = remember(&client).await?;
    story::ask(&client, &versions).await?;
    prices::show(&client).await?;
    screen::print(&story::next(keep))
}

/// What the dataset's version was after notes that the story comes back to.
struct Versions {
    rumour: u64,
    before_late_news: u64,
    retracted_edge: u64,
}

/// Tells every note, and takes the rumour back where it was corrected.
async fn remember(client: &Client) -> Result<Versions, CliError> {
    let bar = progress(NOTES.len());
    let mut summary = Summary::default();
    let mut versions = Versions { rumour: 0, before_late_news: 0, retracted_edge: 0 };
    for NoteFile { name, content } in NOTES {
        bar.set_message(*name);
        match *name {
            CORRECTION => versions.retracted_edge = retract_rumour(client).await?,
            story::LATE_NEWS => versions.before_late_news = story::version(client).await?,
            _ => {}
        }
        let note = note::parse(content).map_err(CliError::failed)?;
        summary.add(&tell(client, note, &[]).await?.read()?);
        if *name == RUMOUR {
            versions.rumour = story::version(client).await?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    screen::print(&format!("{summary}\n"))?;
    Ok(versions)
}

/// Retracts what the rumour said, and gives its number.
async fn retract_rumour(client: &Client) -> Result<u64, CliError> {
    let params = [("entity", Some("Halden Systems".to_owned())), ("at", Some("any".to_owned()))];
    let facts: Facts = client.get_of_dataset("/v1/gb/facts", &params).await?.read()?;
    let Some(fact) = facts.facts.first() else {
        return Err(CliError::failed("the rumour was not understood; this is a defect of the demo"));
    };
    let retracted: Retracted = client.post(&format!("/v1/gb/edges/{}/retract", fact.id), Vec::new()).await?.read()?;
    Ok(retracted.fact.id)
}
