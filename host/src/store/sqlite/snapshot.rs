//! Reading one version of a dataset.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Position, Predicate, SeriesId,
};
use gligabao_core::series::Point;
use gligabao_core::storage::answer::{self, Weigh};
use gligabao_core::storage::rules::{MAX_ITEMS, check_list, check_page};
use gligabao_core::storage::{
    AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Degree, EdgePage, EdgeQuery, EntityPage,
    EventFilter, EventPage, Head, MentionPage, NameMatch, PointFilter, PointPage, RunPage, SeriesKey, SeriesPage,
    Snapshot, Statement, StatementPage, StorageResult, StoredSeries,
};
use gligabao_core::time::Micros;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::fail::{Fail, Outcome};
use super::find::find_edges;
use super::readers::Reader;
use super::rows::{self, sql_int};
use super::{artifacts, datasets, events, history, points, series};

/// One version of one dataset: a reader in a transaction that began with the dataset's row.
pub(super) struct SqliteSnapshot {
    reader: Mutex<Reader>,
    dataset: i64,
    head: Head,
}

impl SqliteSnapshot {
    pub(super) fn new(reader: Reader, dataset: i64) -> Outcome<Self> {
        let head = reader.read(|conn| datasets::get(conn, dataset))?.head;
        Ok(Self { reader: Mutex::new(reader), dataset, head })
    }

    fn read<T>(&self, read: impl Fn(&Connection) -> Outcome<T>) -> StorageResult<T> {
        self.reader().read(read).map_err(Fail::into)
    }

    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Looks each key up once, in order.
    fn get_each<K: Ord + ToSql, T: Weigh>(
        &self,
        sql: &str,
        keys: &BTreeSet<K>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> StorageResult<Vec<T>> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let found = keys.iter().filter_map(|key| {
                let found = statement.query_row(params![self.dataset, key], &read).optional();
                found.map_err(Fail::from).transpose()
            });
            answer::list(found)
        })
    }

    /// Bounds of the artifacts and the `seq` of what was there after a commit; of the snapshot's without one.
    fn by_commit(&self, seq: Option<u64>) -> StorageResult<(i64, i64)> {
        let Some(seq) = seq else { return Ok((i64::MAX, i64::MAX)) };
        Ok((self.read(|conn| history::next_artifact(conn, self.dataset, seq))?, sql_int(seq)))
    }

    /// One page of a list by ID.
    fn list<T: Weigh>(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        page: Page,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
        id: fn(&T) -> u64,
    ) -> StorageResult<(Vec<T>, Option<Position>)> {
        let (items, more) = self.read(|conn| Ok(rows::page(conn, sql, params, page.limit, read)?))?;
        let next = items.last().filter(|_| more).map(|last| Position { at: 0, id: id(last) });
        Ok((items, next))
    }
}

impl Snapshot for SqliteSnapshot {
    fn head(&self) -> StorageResult<Head> {
        Ok(self.head.clone())
    }

    fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>> {
        let sql = include_str!("sql/find_change.sql");
        let values = params![self.dataset, sql_int(seq)];
        self.read(|conn| Ok(rows::row(conn, sql, values, |row| Ok(Micros(row.get(0)?)))?))
    }

    fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>> {
        check_list("names", names.len())?;
        let names: BTreeSet<&String> = names.iter().collect();
        self.read(|conn| {
            let mut matches = Vec::new();
            let mut statement = conn.prepare_cached(include_str!("sql/find_names.sql"))?;
            for name in &names {
                let entities = statement.query_map(params![self.dataset, name], |row| Ok(EntityId(row.get(0)?)))?;
                let found = entities.map(|entity| Ok::<_, Fail>(NameMatch { name: (*name).clone(), entity: entity? }));
                matches.extend(answer::list(found)?);
            }
            answer::list(matches.into_iter().map(Ok))
        })
    }

    fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>> {
        check_list("entities", ids.len())?;
        self.get_each(include_str!("sql/get_entity.sql"), &keys(ids, |id| id.0), rows::entity)
    }

    fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>> {
        check_list("entities", ids.len())?;
        let degree = |row: &Row<'_>| Ok(Degree { entity: EntityId(row.get(0)?), edges: row.get(1)? });
        self.get_each(include_str!("sql/get_degree.sql"), &keys(ids, |id| id.0), degree)
    }

    fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>> {
        let sql = include_str!("sql/list_aliases.sql");
        let values = params![self.dataset, sql_int(id.0), MAX_ITEMS];
        self.read(|conn| Ok(rows::rows(conn, sql, values, |row| row.get(0))?))
    }

    fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage> {
        check_page(page)?;
        let (after, limit) = (after(page), limit(page));
        let (sql, values) = if r#type.is_none() {
            (include_str!("sql/list_entities.sql"), params![self.dataset, after, limit])
        } else {
            (include_str!("sql/list_entities_of_type.sql"), params![self.dataset, r#type, after, limit])
        };
        let (entities, next) = self.list(sql, values, page, rows::entity, |entity| entity.id.0)?;
        Ok(EntityPage { entities, next })
    }

    fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>> {
        check_list("artifacts", ids.len())?;
        self.get_each(include_str!("sql/get_artifact.sql"), &keys(ids, |id| id.0), rows::artifact)
    }

    fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>> {
        check_list("artifacts", ids.len())?;
        self.get_each(include_str!("sql/get_text.sql"), &keys(ids, |id| id.0), rows::text)
    }

    fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage> {
        self.read(|conn| artifacts::list(conn, self.dataset, filter, page))
    }

    fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>> {
        check_list("edges", ids.len())?;
        self.get_each(include_str!("sql/get_edge.sql"), &keys(ids, |id| id.0), rows::edge)
    }

    fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>> {
        check_list("queries", queries.len())?;
        self.read(|conn| {
            answer::pages(queries.iter().map(|query| find_edges(conn, self.dataset, self.head.last_at, query)))
        })
    }

    fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>> {
        check_list("edges", edges.len())?;
        let edges: BTreeSet<EdgeId> = edges.iter().copied().collect();
        self.read(|conn| {
            let mut log = conn.prepare_cached(include_str!("sql/list_events_backwards.sql"))?;
            let mut found = Vec::new();
            for edge in &edges {
                let log = log.query(params![self.dataset, sql_int(edge.0)])?;
                found.extend(events::last(log, kinds, known_at)?);
            }
            Ok(found)
        })
    }

    fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage> {
        self.read(|conn| events::list(conn, self.dataset, filter, page))
    }

    fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage> {
        check_page(page)?;
        let sql = include_str!("sql/list_mentions.sql");
        let (next_artifact, seq) = self.by_commit(seq)?;
        let values = params![self.dataset, sql_int(entity.0), after(page), next_artifact, seq, limit(page)];
        let (artifacts, next) =
            self.list(sql, values, page, |row| Ok(ArtifactId(row.get(0)?)), |artifact| artifact.0)?;
        Ok(MentionPage { artifacts, next })
    }

    fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage> {
        check_page(page)?;
        let sql = include_str!("sql/list_statements.sql");
        let (next_artifact, seq) = self.by_commit(seq)?;
        let values = params![self.dataset, sql_int(edge.0), after(page), next_artifact, seq, limit(page)];
        let (statements, next) =
            self.list(sql, values, page, rows::statement, |statement: &Statement| statement.artifact.0)?;
        Ok(StatementPage { statements, next })
    }

    fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>> {
        check_list("names", names.len())?;
        self.get_each(include_str!("sql/get_predicate.sql"), &names.iter().collect(), rows::predicate)
    }

    fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>> {
        check_page(Page { limit, after: None })?;
        let values = params![self.dataset, after.unwrap_or_default(), limit];
        let sql = include_str!("sql/list_predicates.sql");
        self.read(|conn| Ok(rows::page(conn, sql, values, limit, rows::predicate)?.0))
    }

    fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>> {
        self.read(|conn| series::find(conn, self.dataset, keys))
    }

    fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>> {
        self.read(|conn| series::get(conn, self.dataset, ids))
    }

    fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage> {
        self.read(|conn| series::list(conn, self.dataset, target, page))
    }

    fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage> {
        self.read(|conn| series::list_anchors(conn, self.dataset, series, page))
    }

    fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>> {
        self.read(|conn| series::find_anchors(conn, self.dataset, targets, limit))
    }

    fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage> {
        self.read(|conn| points::list(conn, self.dataset, series, filter, limit))
    }

    fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>> {
        self.read(|conn| points::get(conn, self.dataset, series, times))
    }

    fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage> {
        self.read(|conn| history::commits(conn, self.dataset, after, limit))
    }

    fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage> {
        self.read(|conn| history::ended_runs(conn, self.dataset, after, limit))
    }
}

/// One more than the page holds, to see whether there are more.
fn limit(page: Page) -> i64 {
    i64::from(page.limit) + 1
}

/// The ID that a page by ID goes on after.
fn after(page: Page) -> i64 {
    page.after.map_or(0, |position| sql_int(position.id))
}

/// IDs as the database holds them, once each.
fn keys<Id: Copy>(ids: &[Id], number: fn(Id) -> u64) -> BTreeSet<i64> {
    ids.iter().map(|id| sql_int(number(*id))).collect()
}
