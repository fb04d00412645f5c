//! The command line.
//!
//! Every verb but `serve`, `doctor`, `demo` and `dataset git` is a client of the HTTP API: on a server, or on a router over
//! the database file in this process. So there is one implementation of each call, and the command line can't drift from
//! the API.

mod chart;
mod client;
mod completions;
mod dataset;
mod demo;
mod doctor;
mod error;
mod facts;
mod history;
mod models;
mod note;
mod open;
mod patterns;
mod plot;
mod query;
mod remember;
mod retract;
mod runs;
mod screen;
mod series;
mod serve;
mod settings;
mod show;
mod target;
mod timeline;
mod why;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::error::CliError;

/// A memory that knows when things were true, and when it learned them.
#[derive(Debug, Parser)]
#[command(name = "gligabao", version, max_term_width = 100, after_help = "Start with: gligabao demo")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve the HTTP API
    Serve(serve::Args),
    /// Remember a text, standard input, or files
    Remember(remember::Args),
    /// List facts, as of two times
    Facts(facts::Args),
    /// Show an entity's facts in time
    Timeline(timeline::Args),
    /// Ask a question
    Query(query::Args),
    /// Show what a fact rests on, and what happened to it
    Why(why::Args),
    /// Take a fact out of belief
    Retract(retract::Args),
    /// Put, list, read, draw and delete time series
    Series(series::Args),
    /// List logged calls, or tell what happened in one
    Run(runs::Args),
    /// Show what calls did, one after the other
    History(history::Args),
    /// List, show, create, export or delete datasets
    Dataset(dataset::Args),
    /// Check pattern sets, or try one on a text
    #[command(subcommand)]
    Patterns(patterns::Verb),
    /// Look whether all that a memory needs is there, and say what to do where it isn't
    Doctor(doctor::Args),
    /// See it work: three years of a small company, told and asked about
    Demo(demo::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
}

/// Reads the command line, does what it says, and says how that went: 0 done, 1 failed or refused, 2 not started.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

fn run(verb: Verb) -> Result<(), CliError> {
    match &verb {
        Verb::Completions(args) => return completions::run(args),
        Verb::Patterns(verb) => return patterns::run(verb),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::start(format!("can't start threads: {error}")))?;
    runtime.block_on(async {
        match verb {
            Verb::Serve(args) => serve::run(args).await,
            Verb::Remember(args) => remember::run(args).await,
            Verb::Facts(args) => facts::run(args).await,
            Verb::Timeline(args) => timeline::run(args).await,
            Verb::Query(args) => query::run(args).await,
            Verb::Why(args) => why::run(args).await,
            Verb::Retract(args) => retract::run(args).await,
            Verb::Series(args) => series::run(args).await,
            Verb::Run(args) => runs::run(args).await,
            Verb::History(args) => history::run(args).await,
            Verb::Dataset(args) => dataset::run(args).await,
            Verb::Doctor(args) => doctor::run(args).await,
            Verb::Demo(args) => demo::run(args).await,
            Verb::Completions(_) | Verb::Patterns(_) => unreachable!("it was run above: it needs no runtime"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
