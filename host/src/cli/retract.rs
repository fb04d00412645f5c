//! `gligabao retract`: a fact goes out of belief.

use super::error::CliError;
use super::target::{Access, Target};
use super::{screen, show};
use crate::wire::edge::Retracted;

/// Which fact.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of the fact, as `facts` and `timeline` show it
    edge: u64,
    /// Print the answer as JSON, on one line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    let reply = client.post(&format!("/v1/gb/edges/{}/retract", args.edge), Vec::new()).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let answer: Retracted = reply.read()?;
    let mut text = format!("No longer believed: {}\n", show::sentence(&answer.fact));
    if !answer.reopened_edges.is_empty() {
        let ids: Vec<_> = answer.reopened_edges.iter().map(|id| format!("#{id}")).collect();
        text += &format!("What it had closed holds longer again: {}\n", ids.join(", "));
    }
    screen::print(&text)
}
