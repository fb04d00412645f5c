//! Requests about series as tests write them down, and what is stored.

use gligabao_core::llm::NoLlm;
use gligabao_core::model::{Failure, SeriesId};
use gligabao_core::reference::{ReferenceSnapshot, ReferenceStore};
use gligabao_core::remember::{SeriesPut, SeriesPutAnswer, put_series};
use gligabao_core::series::anchor::{AnchorRequest, EdgeSelector, EntitySelector};
use gligabao_core::series::answer::{SeriesAnswer, SeriesSummary};
use gligabao_core::series::points::read_time;
use gligabao_core::series::reading::{ReadRequest, Rows};
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::series::{Point, get_series, list_series};
use gligabao_core::storage::{Dataset, Snapshot, Turn};
use gligabao_core::time::Micros;

use crate::harness::call;

pub(crate) fn store() -> ReferenceStore {
    ReferenceStore::new(Micros(1))
}

pub(crate) fn snapshot(store: &ReferenceStore) -> ReferenceSnapshot {
    store.latest(Turn::Race).unwrap()
}

pub(crate) fn version(store: &ReferenceStore) -> u64 {
    snapshot(store).head().unwrap().version
}

/// A date is its midnight.
pub(crate) fn at(text: &str) -> Micros {
    let text = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    read_time(&text).expect("a time")
}

pub(crate) fn points(pairs: &[(&str, f64)]) -> Vec<Point> {
    pairs.iter().map(|(time, value)| Point::new(at(time), *value)).collect()
}

pub(crate) fn series(key: &str, pairs: &[(&str, f64)]) -> SeriesRequest {
    let points = Some(points(pairs)).filter(|points| !points.is_empty());
    SeriesRequest { key: key.to_owned(), points, ..SeriesRequest::default() }
}

/// Anchors of the whole series.
pub(crate) fn anchored(series: SeriesRequest, anchors: &[AnchorRequest]) -> SeriesRequest {
    SeriesRequest { anchors: anchors.to_vec(), ..series }
}

pub(crate) fn to_entity(name: &str) -> AnchorRequest {
    let entity = EntitySelector { name: name.to_owned(), r#type: None };
    AnchorRequest { entity: Some(entity), ..AnchorRequest::default() }
}

pub(crate) fn to_fact(source: &str, relation: &str, target: &str) -> AnchorRequest {
    let [source, relation, target] = [source, relation, target].map(str::to_owned);
    AnchorRequest { edge: Some(EdgeSelector { source, relation, target }), ..AnchorRequest::default() }
}

pub(crate) fn put(store: &impl Dataset, series: Vec<SeriesRequest>) -> Result<SeriesPutAnswer, Failure> {
    put_series(store, &NoLlm, &call(), SeriesPut::new(series))
}

pub(crate) fn get(store: &ReferenceStore, id: u64) -> SeriesAnswer {
    let request = ReadRequest { limit: Some(100_000), ..ReadRequest::default() };
    get_series(&snapshot(store), SeriesId(id), &request).unwrap()
}

pub(crate) fn stored_points(store: &ReferenceStore, id: u64) -> Vec<Point> {
    match get(store, id).rows {
        Rows::Points(points) => points,
        Rows::Buckets(_) => panic!("points were asked for"),
    }
}

pub(crate) fn all(store: &ReferenceStore) -> Vec<SeriesSummary> {
    list_series(&snapshot(store), None, 1_000, None).unwrap().series
}

/// The anchors of a series as lines.
pub(crate) fn anchor_lines(store: &ReferenceStore, id: u64) -> Vec<String> {
    let lines = get(store, id).summary.anchors.into_iter().map(|anchor| {
        let role = anchor.role.map_or_else(String::new, |role| format!(" as {role}"));
        let window = anchor.window.map_or_else(String::new, |(start, end)| format!(" in [{start}, {end}]"));
        format!("{}{role}{window}", anchor.target)
    });
    lines.collect()
}

/// Apple's monthly prices of 2008 and 2009.
pub(crate) fn apple() -> SeriesRequest {
    let lines = include_str!("../cases/apple.csv").lines().skip(1);
    let points = lines.map(|line| {
        let (date, price) = line.split_once(',').unwrap();
        Point::new(at(date), price.parse().unwrap())
    });
    let named = SeriesRequest {
        name: Some("Apple share price".to_owned()),
        unit: Some("USD".to_owned()),
        points: Some(points.collect()),
        ..series("AAPL", &[])
    };
    anchored(named, &[to_entity("Apple")])
}
