//! What can be looked at without asking anybody.

use std::path::Path;

use gligabao_core::pattern::Patterns;

use super::Check;
use crate::cli::open;
use crate::cli::patterns::load;
use crate::store::Store;
use crate::store::sqlite::{Sqlite, SqliteOptions};

/// Every key was read already.
pub(super) fn configuration(file: Option<&Path>) -> Check {
    match file {
        Some(file) => Check::ok("configuration", format!("{} is fine", file.display())),
        None => Check::ok("configuration", "no file; what is not given on the command line has its default"),
    }
}

/// Whether the database opens, or could be made. It is not made here.
pub(super) async fn database(file: &Path) -> Check {
    const NAME: &str = "database";
    let shown = file.display();
    if !file.exists() {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return match is_writable(parent) {
            Ok(()) => Check::ok(NAME, format!("{shown} is not there yet; the first text makes it")),
            Err(error) => Check::failed(
                NAME,
                &format!("{shown} can't be made: {}: {error}; name another place with --db", parent.display()),
            ),
        };
    }
    let store = match Sqlite::open(file, SqliteOptions::default()) {
        Ok(store) => store,
        Err(error) => return Check::failed(NAME, &error),
    };
    match store.ping().await {
        Ok(()) => Check::ok(NAME, format!("{shown} opens and answers")),
        Err(error) => Check::failed(NAME, &format!("{shown} does not answer: {error}")),
    }
}

/// Whether compiled components can be kept.
pub(super) fn cache() -> Check {
    const NAME: &str = "cache";
    let Some(directory) = open::cache_dir() else {
        return Check::skipped(NAME, "there is no home directory; components are compiled at each start");
    };
    let shown = directory.display();
    match std::fs::create_dir_all(&directory).and_then(|()| is_writable(&directory)) {
        Ok(()) => Check::ok(NAME, format!("{shown} keeps compiled components")),
        Err(error) => Check::failed(
            NAME,
            &format!("{shown} can't be written: {error}; make it yours, or each start compiles the component anew"),
        ),
    }
}

/// Whether every pattern set compiles.
pub(super) fn patterns(directory: Option<&Path>) -> Check {
    const NAME: &str = "patterns";
    let languages = |patterns: &Patterns| patterns.languages().collect::<Vec<_>>().join(", ");
    match directory.map(load) {
        None => Check::ok(NAME, format!("built in: {}", languages(Patterns::built_in()))),
        Some(Ok(patterns)) => Check::ok(NAME, languages(&patterns)),
        Some(Err(error)) => Check::failed(NAME, &error),
    }
}

/// Whether the operator's instructions can be used.
pub(super) fn prompts(directory: Option<&Path>) -> Check {
    const NAME: &str = "prompts";
    match directory.map(open::prompts) {
        None => Check::ok(NAME, "built in"),
        Some(Ok(prompts)) => {
            let stages = prompts.stages().collect::<Vec<_>>().join(", ");
            Check::ok(NAME, format!("the operator's for {stages}"))
        }
        Some(Err(error)) => Check::failed(NAME, &error),
    }
}

fn is_writable(directory: &Path) -> std::io::Result<()> {
    tempfile::tempfile_in(directory).map(drop)
}
