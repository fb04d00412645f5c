//! Between rows of the database and values of the model.

use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, ArtifactKind, Bounds, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity,
    EntityId, Moment, Predicate, RunId, Series, SeriesId, SeriesSource, StartSource, Target,
};
use gligabao_core::storage::answer::{self, Weigh};
use gligabao_core::storage::{ArtifactText, Counters, Head, SeriesKey, Statement, StoredSeries, TargetKey};
use gligabao_core::time::{Date, Instant, Micros, Precision};
use rusqlite::types::{ToSqlOutput, Type, Value, ValueRef};
use rusqlite::{Connection, Params, Row, ToSql};

use crate::store::DatasetSummary;

type Result<T> = rusqlite::Result<T>;

/// An ID or a number as the database holds it. What is beyond its integers can't be there, and is found nowhere.
pub(super) fn sql_int(id: u64) -> i64 {
    i64::try_from(id).unwrap_or(i64::MAX)
}

/// Every row of a statement that is kept prepared.
pub(super) fn rows<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    conn.prepare_cached(sql)?.query_map(params, read)?.collect()
}

/// One page of a statement that is kept prepared, and whether there are more.
pub(super) fn page<T: Weigh>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    limit: u32,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<(Vec<T>, bool)> {
    answer::page(conn.prepare_cached(sql)?.query_map(params, read)?, limit)
}

/// The only row of a statement that is kept prepared, if there is one.
pub(super) fn row<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

/// Runs a statement that is kept prepared and gives no rows; how many rows it touched.
pub(super) fn execute(conn: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    conn.prepare_cached(sql)?.execute(params)
}

/// The object of an edge in its column: an entity as integer, a normalized literal as text.
pub(super) struct KeyColumn<'a>(pub(super) &'a TargetKey);

impl ToSql for KeyColumn<'_> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        match self.0 {
            TargetKey::Entity(id) => Ok(sql_int(id.0).into()),
            TargetKey::Text(text) => text.to_sql(),
        }
    }
}

/// A predicate from the columns `name`, `functional`, `description`.
pub(super) fn predicate(row: &Row<'_>) -> Result<Predicate> {
    Ok(Predicate { name: row.get(0)?, functional: row.get(1)?, description: row.get(2)? })
}

/// A statement from the columns `edge_id`, `artifact_id`, `description`, `raw_text`.
pub(super) fn statement(row: &Row<'_>) -> Result<Statement> {
    let (edge, artifact) = (EdgeId(row.get(0)?), ArtifactId(row.get(1)?));
    Ok(Statement { edge, artifact, description: row.get(2)?, raw_text: row.get(3)? })
}

/// How many columns bounds have.
pub(super) const BOUNDS: usize = 12;

/// The columns of bounds, in the order of every statement.
pub(super) fn bounds_columns(bounds: &Bounds) -> [Value; BOUNDS] {
    let date = |date: Option<Date>| match date {
        Some(date) => (date.at.0.into(), date.precision.as_str().to_owned().into()),
        None => (Value::Null, Value::Null),
    };
    let moment = |moment: Option<Moment>| match moment {
        Some(Moment::At(at)) => at.0.into(),
        Some(Moment::Now) => unreachable!("bounds are resolved before they are stored"),
        None => Value::Null,
    };
    let (valid_at, valid_at_precision) = date(Some(bounds.valid_at));
    let (stated_end, stated_end_precision) = date(bounds.stated_end);
    let (contradicted_at, contradicted_at_precision) = date(bounds.contradicted_at);
    let (invalid_at, invalid_at_precision) = date(bounds.invalid_at);
    [
        valid_at,
        valid_at_precision,
        bounds.start_source.as_str().to_owned().into(),
        stated_end,
        stated_end_precision,
        contradicted_at,
        contradicted_at_precision,
        invalid_at,
        invalid_at_precision,
        moment(bounds.expired_at),
        moment(bounds.retracted_at),
        bounds.contested.into(),
    ]
}

/// Reads the columns of bounds from `first` on.
pub(super) fn bounds(row: &Row<'_>, first: usize) -> Result<Bounds> {
    let moment = |index: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(index)?.map(at));
    Ok(Bounds {
        valid_at: date(row, first)?.ok_or_else(|| unknown(first))?,
        start_source: word(row, first + 2, StartSource::from_word)?,
        stated_end: date(row, first + 3)?,
        contradicted_at: date(row, first + 5)?,
        invalid_at: date(row, first + 7)?,
        expired_at: moment(first + 9)?,
        retracted_at: moment(first + 10)?,
        contested: row.get(first + 11)?,
    })
}

/// Reads an edge whose bounds come last.
pub(super) fn edge(row: &Row<'_>) -> Result<Edge> {
    let target = match row.get::<_, Option<String>>(4)? {
        Some(text) => Target::Text(text),
        None => Target::Entity(EntityId(row.get(3)?)),
    };
    Ok(Edge {
        id: EdgeId(row.get(0)?),
        source: EntityId(row.get(1)?),
        relation: row.get(2)?,
        target,
        description: row.get(5)?,
        created_at: at(row.get(6)?),
        artifact: row.get::<_, Option<u64>>(7)?.map(ArtifactId),
        model: row.get(8)?,
        confidence: row.get(9)?,
        wing: row.get(10)?,
        raw_text: row.get(11)?,
        bounds: bounds(row, 12)?,
    })
}

/// Reads an event without the bounds before it.
pub(super) fn event(row: &Row<'_>) -> Result<EdgeEvent> {
    Ok(EdgeEvent {
        edge: EdgeId(row.get(0)?),
        number: row.get(1)?,
        kind: event_kind(row)?,
        at: Micros(row.get(3)?),
        seq: row.get(4)?,
        run: RunId(row.get(5)?),
        artifact: row.get::<_, Option<u64>>(6)?.map(ArtifactId),
        cause: row.get::<_, Option<u64>>(7)?.map(EdgeId),
        before: None,
        after: bounds(row, EVENT)?,
    })
}

/// Reads an event with the bounds before it, which come last and are null for the first of an edge.
pub(super) fn event_with_before(row: &Row<'_>) -> Result<EdgeEvent> {
    let first = EVENT + BOUNDS;
    let before = if row.get_ref(first)? == ValueRef::Null { None } else { Some(bounds(row, first)?) };
    Ok(EdgeEvent { before, ..event(row)? })
}

/// How many columns an event has besides bounds.
const EVENT: usize = 8;

/// Reads the kind of an event alone.
pub(super) fn event_kind(row: &Row<'_>) -> Result<EdgeEventKind> {
    word(row, 2, EdgeEventKind::from_word)
}

/// Reads the time of an event alone.
pub(super) fn event_at(row: &Row<'_>) -> Result<Micros> {
    Ok(Micros(row.get(3)?))
}

/// Reads the state of an edge that an event follows on: place of its last event, source, relation, target and bounds.
pub(super) fn edge_state(row: &Row<'_>) -> Result<EdgeState> {
    Ok(EdgeState {
        last: (row.get(0)?, row.get(1)?),
        source: row.get(2)?,
        relation: row.get(3)?,
        target_key: row.get(4)?,
        bounds: bounds(row, 5)?,
    })
}

/// What an event needs of its edge.
pub(super) struct EdgeState {
    /// `seq` and number of its last event.
    pub(super) last: (i64, i64),
    pub(super) source: i64,
    pub(super) relation: String,
    pub(super) target_key: Value,
    pub(super) bounds: Bounds,
}

/// Reads an entity.
pub(super) fn entity(row: &Row<'_>) -> Result<Entity> {
    Ok(Entity {
        id: EntityId(row.get(0)?),
        name: row.get(1)?,
        r#type: row.get(2)?,
        description: row.get(3)?,
        model: row.get(4)?,
        created_at: at(row.get(5)?),
    })
}

/// Reads an artifact.
pub(super) fn artifact(row: &Row<'_>) -> Result<Artifact> {
    Ok(Artifact {
        id: ArtifactId(row.get(0)?),
        parent: row.get::<_, Option<u64>>(1)?.map(ArtifactId),
        series: row.get::<_, Option<u64>>(2)?.map(SeriesId),
        kind: word(row, 3, ArtifactKind::from_word)?,
        bytes: row.get(4)?,
        title: row.get(5)?,
        session_id: row.get(6)?,
        wing: row.get(7)?,
        valid_at: Instant(row.get(8)?),
        created_at: at(row.get(9)?),
    })
}

/// Reads a series with the number of its points and its state.
pub(super) fn series(row: &Row<'_>) -> Result<StoredSeries> {
    let series = Series {
        id: SeriesId(row.get(0)?),
        provider: row.get(1)?,
        key: row.get(2)?,
        field: row.get(3)?,
        name: row.get(4)?,
        unit: row.get(5)?,
        frequency: row.get(6)?,
        source: word(row, 7, SeriesSource::from_word)?,
        definition: row.get(8)?,
        created_at: at(row.get(9)?),
    };
    Ok(StoredSeries { series, points: row.get(10)?, state: row.get(11)? })
}

/// Reads what identifies a series.
pub(super) fn series_key(row: &Row<'_>) -> Result<SeriesKey> {
    Ok(SeriesKey { provider: row.get(0)?, key: row.get(1)?, field: row.get(2)? })
}

/// Reads an anchor.
pub(super) fn anchor(row: &Row<'_>) -> Result<Anchor> {
    let target = match row.get(1)? {
        0 => AnchorTarget::Artifact(ArtifactId(row.get(2)?)),
        1 => AnchorTarget::Entity(EntityId(row.get(2)?)),
        _ => AnchorTarget::Edge(EdgeId(row.get(2)?)),
    };
    let window = row.get::<_, Option<i64>>(4)?.zip(row.get(5)?);
    let window = window.map(|(start, end)| (Micros(start), Micros(end)));
    Ok(Anchor { series: SeriesId(row.get(0)?), target, role: row.get(3)?, window })
}

/// Reads the text of an artifact.
pub(super) fn text(row: &Row<'_>) -> Result<ArtifactText> {
    Ok(ArtifactText { artifact: ArtifactId(row.get(0)?), text: row.get(1)? })
}

/// Reads the row of a dataset.
pub(super) fn dataset(row: &Row<'_>) -> Result<DatasetSummary> {
    let head = Head {
        name: row.get(0)?,
        description: row.get(1)?,
        tags: tags(row, 2)?,
        created_at: Micros(row.get(3)?),
        seq: row.get(4)?,
        version: row.get(5)?,
        last_at: Micros(row.get(6)?),
        next: Counters {
            artifact: ArtifactId(row.get(7)?),
            entity: EntityId(row.get(8)?),
            edge: EdgeId(row.get(9)?),
            series: SeriesId(row.get(10)?),
        },
    };
    Ok(DatasetSummary {
        head,
        artifacts: row.get(11)?,
        entities: row.get(12)?,
        edges: row.get(13)?,
        live_edges: row.get(14)?,
    })
}

/// Reads a column of tags.
pub(super) fn tags(row: &Row<'_>, index: usize) -> Result<Vec<String>> {
    serde_json::from_str(row.get_ref(index)?.as_str()?).map_err(|_| unknown(index))
}

fn at(micros: i64) -> Moment {
    Moment::At(Micros(micros))
}

fn date(row: &Row<'_>, index: usize) -> Result<Option<Date>> {
    let Some(at) = row.get(index)? else { return Ok(None) };
    Ok(Some(Date { at: Instant(at), precision: word(row, index + 1, precision)? }))
}

fn precision(word: &str) -> Option<Precision> {
    [Precision::Year, Precision::Month, Precision::Day, Precision::Second].into_iter().find(|p| p.as_str() == word)
}

/// Reads a column that holds one of a set of words.
pub(super) fn word<T>(row: &Row<'_>, index: usize, read: fn(&str) -> Option<T>) -> Result<T> {
    let word = row.get_ref(index)?.as_str()?;
    read(word).ok_or_else(|| unknown(index))
}

/// A value that this version doesn't know; without the value, which may be a user's.
fn unknown(index: usize) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, "this version does not know the value".into())
}
