//! Reading the log of edges.

use gligabao_core::model::{EdgeEvent, EdgeEventKind, Page, Position};
use gligabao_core::storage::rules::check_page;
use gligabao_core::storage::{EventFilter, EventPage};
use gligabao_core::time::Micros;
use rusqlite::{Connection, Rows};

use super::fail::Outcome;
use super::rows::{self, sql_int};
use super::shape::Shape;

const LIST: &str = include_str!("sql/list_events.sql");

/// A part of the log by (seq, number).
pub(super) fn list(conn: &Connection, dataset: i64, filter: EventFilter, page: Page) -> Outcome<EventPage> {
    check_page(page)?;
    let Some(shape) = shape(dataset, filter, page) else {
        return Ok(EventPage { events: Vec::new(), next: None });
    };
    let mut events = shape.rows(conn, LIST, rows::event_with_before)?;
    let more = events.len() > page.limit as usize;
    events.truncate(page.limit as usize);
    let place = |event: &EdgeEvent| Position { at: sql_int(event.seq), id: u64::from(event.number) };
    let next = events.last().filter(|_| more).map(place);
    Ok(EventPage { events, next })
}

/// The statement that serves a filter, for tests of its plan; `None` where nothing can be left after the position.
#[cfg(test)]
pub(super) fn statement(dataset: i64, filter: EventFilter, page: Page) -> Option<String> {
    Some(shape(dataset, filter, page)?.text(LIST))
}

/// The statement that serves a filter; `None` when the page begins after the last event that there can be.
fn shape(dataset: i64, filter: EventFilter, page: Page) -> Option<Shape<'static>> {
    let mut shape = Shape::default();
    shape.bind(":dataset_id", dataset);
    // One more than the page holds, to see whether there are more.
    shape.bind(":limit", i64::from(page.limit) + 1);
    match filter {
        EventFilter::Edge(edge) => shape.keep_with("edge", ":edge_id", sql_int(edge.0)),
        EventFilter::Cause(cause) => shape.keep_with("cause", ":cause", sql_int(cause.0)),
        EventFilter::Seq(seq) => shape.keep_with("seq", ":seq", sql_int(seq)),
    }
    match (filter, page.after) {
        (_, None) => {}
        // Within a commit the log is sought by number alone, which its key ends with.
        (EventFilter::Seq(seq), Some(after)) => match after.at.cmp(&sql_int(seq)) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => shape.keep_with("after_number", ":after_number", sql_int(after.id)),
            std::cmp::Ordering::Greater => return None,
        },
        (_, Some(after)) => {
            shape.keep_with("after", ":after_seq", after.at);
            shape.bind(":after_number", sql_int(after.id));
        }
    }
    Some(shape)
}

/// The newest event of one of these kinds in the log of an edge that is read backwards; the row after it says what was
/// before.
pub(super) fn last(mut log: Rows<'_>, kinds: &[EdgeEventKind], known_at: Option<Micros>) -> Outcome<Option<EdgeEvent>> {
    while let Some(row) = log.next()? {
        let known = known_at.map_or(Ok(true), |known_at| Ok::<_, rusqlite::Error>(rows::event_at(row)? <= known_at))?;
        if !known || !kinds.contains(&rows::event_kind(row)?) {
            continue;
        }
        let event = rows::event(row)?;
        let before = log.next()?.map(rows::event).transpose()?.map(|before| before.after);
        return Ok(Some(EdgeEvent { before, ..event }));
    }
    Ok(None)
}
