//! Every statement finds its rows by an index.

use gligabao_core::model::{Direction, EdgeEventKind, EdgeId, EntityId, Page, Position};
use gligabao_core::storage::{EdgeFilter, EdgeOrder, EdgeQuery, EventFilter, Standing, TargetKey, Validity};
use gligabao_core::time::{Instant, Micros};
use rusqlite::{Connection, StatementStatus};

use super::super::open::{open_reader, open_writer};
use super::super::{events, find, runs};
use crate::store::conformance::plans::{any, closed, from, touching};
use crate::store::{RunFilter, RunKind, RunStatus};

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
                        for (after, standing) in [
                            (None, Standing::Any),
                            (Some(Position { at: 1, id: 1 }), Standing::Believed),
                            (None, Standing::Live),
                            (Some(Position { at: 1, id: 1 }), Standing::Live),
                        ] {
                            let filter = EdgeFilter {
                                entity: entity.map(|_| EntityId(1)),
                                direction: entity.unwrap_or(Direction::Both),
                                relation: relation.map(str::to_owned),
                                target: target.clone(),
                                validity,
                                standing,
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

#[test]
fn what_is_live_at_an_end_is_found_in_an_index_of_nothing_else() {
    let (_directory, conn) = database();
    for query in shapes().into_iter().filter(|query| query.filter.standing == Standing::Live) {
        for sql in find::statements(1, None, &query) {
            let step = explain(&conn, &sql).remove(0);
            let index = step.strip_prefix("SEARCH gb_edges USING INDEX ").unwrap().split(' ').next().unwrap();
            let told = query.order == EdgeOrder::NewestTold;
            let expected = match (sql.contains("source_id = :source"), sql.contains("target_key = :target")) {
                (true, true) => "gb_edges_source_target",
                (true, false) => ["gb_edges_source_live", "gb_edges_source_told"][usize::from(told)],
                (false, true) => ["gb_edges_target_live", "gb_edges_target_told"][usize::from(told)],
                (false, false) => index,
            };
            assert_eq!(index, expected, "{query:?}");
        }
    }
}

#[test]
fn each_list_of_runs_is_merged_from_stretches_of_an_index() {
    let (_directory, conn) = database();
    let options = |session: bool| session.then(|| "s".to_owned());
    for kind in [None, Some(RunKind::Query)] {
        for status in [None, Some(RunStatus::Failed)] {
            for session_id in [options(false), options(true)] {
                let filter = RunFilter { kind, status, session_id };
                let expected = match &filter {
                    RunFilter { session_id: Some(_), .. } => {
                        "INDEX gb_runs_by_session (dataset_id=? AND session_id=? AND kind=? AND status=? AND run_id<?)"
                    }
                    RunFilter { kind: None, status: None, .. } => "PRIMARY KEY (dataset_id=? AND run_id<?)",
                    _ => "INDEX gb_runs_by_kind (dataset_id=? AND kind=? AND status=? AND run_id<?)",
                };
                let statements = runs::statements(&filter);
                assert!(statements.len() <= 9);
                for sql in statements {
                    let steps = explain(&conn, &sql);
                    assert_eq!(steps, [format!("SEARCH gb_runs USING {expected}")], "{filter:?}");
                }
            }
        }
    }
}

#[test]
fn the_log_is_found_in_an_index_that_is_sorted_already() {
    let (_directory, conn) = database();
    let after = [None, Some(Position { at: 1, id: 1 })];
    for (filter, expected) in [
        (EventFilter::Edge(EdgeId(1)), "gb_edge_events_by_edge (dataset_id=? AND edge_id=?"),
        (EventFilter::Cause(EdgeId(1)), "gb_edge_events_by_cause (dataset_id=? AND cause_edge_id=?"),
        (EventFilter::Seq(1), "PRIMARY KEY (dataset_id=? AND seq=?"),
    ] {
        for after in after {
            let sql = events::statement(1, filter, Page { limit: 10, after }).unwrap();
            let steps = explain(&conn, &sql);
            assert_eq!(steps.len(), 2, "{filter:?}: {steps:?}");
            assert!(steps[0].contains(expected), "{filter:?}: {steps:?}");
            assert_eq!(steps[0].contains('>'), after.is_some(), "{filter:?}: {steps:?}");
            let before = "SEARCH b USING PRIMARY KEY (dataset_id=? AND seq=? AND number=?) LEFT-JOIN";
            assert_eq!(steps[1], before, "{filter:?}");
        }
    }
}

/// Steps of the database's machine that the statements of a query take.
fn steps(conn: &Connection, dataset: i64, query: &EdgeQuery) -> i32 {
    let mut steps = 0;
    for sql in find::statements(dataset, None, query) {
        let statement = conn.prepare_cached(&sql).unwrap();
        steps -= statement.get_status(StatementStatus::VmStep);
    }
    let found = find::find_edges(conn, dataset, Micros(i64::MAX), query).unwrap();
    assert_eq!(found.edges.len(), 3, "{query:?}");
    for sql in find::statements(dataset, None, query) {
        steps += conn.prepare_cached(&sql).unwrap().get_status(StatementStatus::VmStep);
    }
    steps
}

#[tokio::test]
async fn closed_rows_are_not_walked_for_what_is_live() {
    let directory = tempfile::tempdir().unwrap();
    let bench = super::bench_in(&directory).await;
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    for n in 0..10_000 {
        let edge = draft.edge(ana, "knows", bob, from(n));
        if n % 4_000 != 0 {
            draft.event(edge, EdgeEventKind::Invalidated, closed(from(n), n + 1));
        }
    }
    bench.commit(draft).await;
    let conn = open_reader(&super::file(&directory), std::time::Duration::ZERO).unwrap();
    for end in [touching(ana, Direction::Outgoing), touching(bob, Direction::Incoming)] {
        for relation in [None, Some("knows".to_owned())] {
            for order in [EdgeOrder::OldestValid, EdgeOrder::LatestValid] {
                let filter = EdgeFilter { standing: Standing::Live, relation: relation.clone(), ..end.clone() };
                let query = EdgeQuery { filter, order, page: Page { limit: 10, after: None } };
                let taken = steps(&conn, bench.dataset.0, &query);
                assert!((10..1_000).contains(&taken), "{taken} steps for {query:?}");
            }
        }
    }
}
