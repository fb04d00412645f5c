//! Lists of artifacts.

use gligabao_core::model::{Artifact, Page, Position};
use gligabao_core::storage::rules::{check_artifacts, check_page};
use gligabao_core::storage::{ArtifactFilter, ArtifactPage, answer};
use rusqlite::{Connection, Params, params};

use super::fail::{Fail, Outcome};
use super::rows::{self, sql_int};

/// A list of artifacts, newest first.
pub(super) fn list(conn: &Connection, dataset: i64, filter: &ArtifactFilter, page: Page) -> Outcome<ArtifactPage> {
    check_page(page)?;
    check_artifacts(filter)?;
    let before = page.after.map_or(i64::MAX, |position| sql_int(position.id));
    // One more than the page holds, to see whether there are more.
    let limit = i64::from(page.limit) + 1;
    let parent = filter.parent.map(|id| sql_int(id.0));
    let ArtifactFilter { session_id, wing, .. } = filter;
    let mut found = match (filter.series, filter.valid_at, session_id) {
        (Some(series), Some(valid_at), _) => {
            let values = params![dataset, sql_int(series.0), valid_at.0, before, limit];
            newest(conn, include_str!("sql/list_series_artifacts_of_time.sql"), values)?
        }
        (Some(series), None, _) => {
            let values = params![dataset, sql_int(series.0), before, limit];
            newest(conn, include_str!("sql/list_series_artifacts.sql"), values)?
        }
        (None, _, None) => {
            let values = params![dataset, parent, before, wing, limit];
            newest(conn, include_str!("sql/list_artifacts.sql"), values)?
        }
        (None, _, Some(session)) => {
            let values = params![dataset, parent, before, wing, session, limit];
            newest(conn, include_str!("sql/list_session_artifacts.sql"), values)?
        }
    };
    if parent.is_some() {
        let values = params![dataset, parent, before, wing, session_id, limit];
        found.extend(newest(conn, include_str!("sql/list_further_children.sql"), values)?);
        found.sort_by_key(|artifact| std::cmp::Reverse(artifact.id));
        found.dedup_by_key(|artifact| artifact.id);
    }
    let (artifacts, more) = answer::page(found.into_iter().map(Ok::<_, Fail>), page.limit)?;
    let next = artifacts.last().filter(|_| more).map(|last| Position { at: 0, id: last.id.0 });
    Ok(ArtifactPage { artifacts, next })
}

/// Artifacts of one list, as far as a page can reach.
fn newest(conn: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<Vec<Artifact>> {
    answer::reach(conn.prepare_cached(sql)?.query_map(params, rows::artifact)?)
}
