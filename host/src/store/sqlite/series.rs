//! Reading series and what they are tied to.

use std::collections::BTreeSet;

use gligabao_core::model::{Anchor, AnchorTarget, Page, Position, SeriesId};
use gligabao_core::storage::rules::{check_anchors_limit, check_list, check_page};
use gligabao_core::storage::{AnchorPage, SeriesKey, SeriesPage, StoredSeries, answer};
use rusqlite::{Connection, params};

use super::fail::{Fail, Outcome};
use super::rows::{self, sql_int};

/// The series that this identifies.
pub(super) fn id_of(conn: &Connection, dataset: i64, key: &SeriesKey) -> Outcome<Option<SeriesId>> {
    let values = params![dataset, key.key, key.field, key.provider];
    Ok(rows::row(conn, include_str!("sql/find_series.sql"), values, |row| Ok(SeriesId(row.get(0)?)))?)
}

/// Series by what identifies them.
pub(super) fn find(conn: &Connection, dataset: i64, keys: &[SeriesKey]) -> Outcome<Vec<StoredSeries>> {
    check_list("keys", keys.len())?;
    let ids = keys.iter().filter_map(|key| id_of(conn, dataset, key).transpose());
    get(conn, dataset, &ids.collect::<Outcome<Vec<SeriesId>>>()?)
}

/// Series by ID.
pub(super) fn get(conn: &Connection, dataset: i64, ids: &[SeriesId]) -> Outcome<Vec<StoredSeries>> {
    check_list("series", ids.len())?;
    let ids: BTreeSet<SeriesId> = ids.iter().copied().collect();
    let sql = include_str!("sql/get_series.sql");
    let found = ids.into_iter().map(|id| rows::row(conn, sql, params![dataset, sql_int(id.0)], rows::series));
    answer::list(found.filter_map(|found| found.map_err(Fail::from).transpose()))
}

/// A list of series.
pub(super) fn list(conn: &Connection, dataset: i64, target: Option<AnchorTarget>, page: Page) -> Outcome<SeriesPage> {
    check_page(page)?;
    let (after, limit) = (page.after.map_or(0, |position| sql_int(position.id)), i64::from(page.limit) + 1);
    let (series, more) = match target {
        None => {
            let values = params![dataset, after, limit];
            rows::page(conn, include_str!("sql/list_series.sql"), values, page.limit, rows::series)?
        }
        Some(target) => {
            let values = params![dataset, kind(target), sql_int(target.number()), after, limit];
            rows::page(conn, include_str!("sql/list_anchored_series.sql"), values, page.limit, rows::series)?
        }
    };
    let next = series.last().filter(|_| more).map(|last| Position { at: 0, id: last.series.id.0 });
    Ok(SeriesPage { series, next })
}

/// The anchors of a series.
pub(super) fn list_anchors(conn: &Connection, dataset: i64, series: SeriesId, page: Page) -> Outcome<AnchorPage> {
    check_page(page)?;
    let after = page.after.map_or((-1, 0), |after| (after.at, sql_int(after.id)));
    let values = params![dataset, sql_int(series.0), after.0, after.1, i64::from(page.limit) + 1];
    let (anchors, more) = rows::page(conn, include_str!("sql/list_anchors.sql"), values, page.limit, rows::anchor)?;
    let place = |anchor: &Anchor| Position { at: kind(anchor.target), id: anchor.target.number() };
    let next = anchors.last().filter(|_| more).map(place);
    Ok(AnchorPage { anchors, next })
}

/// The anchors at targets, those of the newest series of each.
pub(super) fn find_anchors(
    conn: &Connection,
    dataset: i64,
    targets: &[AnchorTarget],
    limit: u32,
) -> Outcome<Vec<Anchor>> {
    check_list("targets", targets.len())?;
    check_anchors_limit(limit)?;
    let targets: BTreeSet<AnchorTarget> = targets.iter().copied().collect();
    let mut found = Vec::new();
    for target in targets {
        let values = params![dataset, kind(target), sql_int(target.number()), limit];
        let newest = rows::rows(conn, include_str!("sql/find_anchors.sql"), values, rows::anchor)?;
        found.extend(newest.into_iter().rev());
    }
    answer::list(found.into_iter().map(Ok))
}

/// Whether a series is anchored to this.
pub(super) fn is_anchored(conn: &Connection, dataset: i64, series: SeriesId, target: AnchorTarget) -> Outcome<bool> {
    let values = params![dataset, sql_int(series.0), kind(target), sql_int(target.number())];
    Ok(rows::row(conn, include_str!("sql/has_anchor.sql"), values, |row| row.get(0))?.unwrap_or(false))
}

/// The column `kind` of a target.
pub(super) fn kind(target: AnchorTarget) -> i64 {
    match target {
        AnchorTarget::Artifact(_) => 0,
        AnchorTarget::Entity(_) => 1,
        AnchorTarget::Edge(_) => 2,
    }
}
