//! Every statement finds its rows by an index.

use gligabao_core::model::{Direction, EntityId, Page, Position};
use gligabao_core::storage::{EdgeFilter, EdgeOrder, EdgeQuery, TargetKey, Validity};
use gligabao_core::time::{Instant, Micros};
use rusqlite::Connection;

use super::super::find;
use super::super::open::open_writer;
use crate::store::conformance::plans::any;

/// What SQLite says that it would do.
fn explain(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap_or_else(|e| panic!("{e}: {sql}"));
    let steps = statement.raw_query().mapped(|row| row.get(3)).collect::<Result<Vec<String>, _>>();
    steps.unwrap()
}

fn database() -> (tempfile::TempDir, Connection) {
    let directory = tempfile::tempdir().unwrap();
    let conn = open_writer(&super::file(&directory), std::time::Duration::ZERO).unwrap();
    (directory, conn)
}

#[test]
fn no_statement_walks_a_whole_table() {
    let (_directory, conn) = database();
    let statements = concat!(env!("CARGO_MANIFEST_DIR"), "/src/store/sqlite/sql");
    let mut looked_at = 0;
    for file in std::fs::read_dir(statements).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let sql = std::fs::read_to_string(&path).unwrap();
        if sql.contains("-- for ") || sql.starts_with("PRAGMA") || name == "is_empty_database" {
            continue;
        }
        looked_at += 1;
        for step in explain(&conn, &sql) {
            // What is open or deleted is few, and has an index to itself.
            let of_few = step.contains("INDEX gb_runs_open") || step.contains("INDEX gb_datasets_deleted");
            assert!(!step.starts_with("SCAN") || step == "SCAN CONSTANT ROW" || of_few, "{name}: {step}");
            assert!(!step.contains("TEMP B-TREE"), "{name}: {step}");
        }
    }
    assert!(looked_at > 40, "the statements are elsewhere");
}

/// Every shape of query, with the filters that choose an index.
fn shapes() -> Vec<EdgeQuery> {
    let mut shapes = Vec::new();
    let entities = [None, Some(Direction::Outgoing), Some(Direction::Incoming), Some(Direction::Both)];
    let targets = [None, Some(TargetKey::Entity(EntityId(2))), Some(TargetKey::Text("tea".to_owned()))];
    let stretches = [Validity::Any, Validity::At(Instant(1)), Validity::Meets((Some(Instant(1)), Some(Instant(2))))];
    for entity in entities {
        for target in &targets {
            for relation in [None, Some("knows")] {
                for validity in stretches {
                    for order in [EdgeOrder::OldestValid, EdgeOrder::LatestValid, EdgeOrder::NewestTold] {
                        for after in [None, Some(Position { at: 1, id: 1 })] {
                            let filter = EdgeFilter {
                                entity: entity.map(|_| EntityId(1)),
                                direction: entity.unwrap_or(Direction::Both),
                                relation: relation.map(str::to_owned),
                                target: target.clone(),
                                validity,
                                ..any()
                            };
                            shapes.push(EdgeQuery { filter, order, page: Page { limit: 10, after } });
                        }
                    }
                }
            }
        }
    }
    shapes
}

#[test]
fn edges_are_found_in_an_index_that_is_sorted_already() {
    let (_directory, conn) = database();
    for query in shapes() {
        for sql in find::statements(1, None, &query) {
            let steps = explain(&conn, &sql);
            assert!(steps[0].starts_with("SEARCH gb_edges USING INDEX"), "{query:?}: {steps:?}");
            // An object of a subject, or a relation, in an order without an index: few rows, or a rare question.
            let told = query.order == EdgeOrder::NewestTold;
            let sorted = !(sql.contains("gb_edges_source_target") && (told || query.filter.relation.is_none())
                || sql.contains("gb_edges_relation_valid") && told);
            if sorted {
                assert_eq!(steps.len(), 1, "{query:?}: {steps:?}");
            }
        }
    }
}

#[test]
fn versions_of_the_past_are_found_in_an_index() {
    let (_directory, conn) = database();
    let past = find::Past { known_at: Micros(5), next_edge: 9 };
    for query in shapes() {
        for sql in find::statements(1, Some(past), &query).iter().filter(|sql| sql.contains("gb_edge_events")) {
            let steps = explain(&conn, sql);
            assert!(steps[0].starts_with("SEARCH v USING INDEX gb_edge_events_"), "{query:?}: {steps:?}");
            assert!(steps[1].starts_with("SEARCH e USING INDEX sqlite_autoindex_gb_edges_1"), "{query:?}: {steps:?}");
            if query.order != EdgeOrder::NewestTold {
                assert_eq!(steps.len(), 2, "{query:?}: {steps:?}");
            }
        }
    }
}
