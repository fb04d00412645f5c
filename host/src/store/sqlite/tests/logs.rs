//! The logs that no verb reads yet, and what came in with which commit.

use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeEventKind, EntityEventKind, EntityId, Predicate, Stage};
use gligabao_core::storage::{AddEntityEvent, Change, SetDataset};
use gligabao_core::time::Micros;
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

use super::super::datasets;
use super::super::open::open_writer;
use super::{bench_in, file};
use crate::store::conformance::plans::{closed, from};
use crate::store::conformance::{Bench, name, user};
use crate::store::{ModelCall, RunEnd, RunKind, RunLog};

/// Columns of a table, each row as text, sorted by the first two.
fn lines(directory: &TempDir, columns: &str, table: &str) -> Vec<String> {
    let conn = Connection::open(file(directory)).unwrap();
    let sql = include_str!("sql/rows.sql").replace("{columns}", columns).replace("{table}", table);
    let mut statement = conn.prepare(&sql).unwrap();
    let columns = statement.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let columns = (0..columns).map(|column| {
            Ok(match row.get(column)? {
                Value::Null => "-".to_owned(),
                Value::Integer(number) => number.to_string(),
                Value::Text(text) => format!("{text:?}"),
                other => format!("{other:?}"),
            })
        });
        Ok(columns.collect::<rusqlite::Result<Vec<_>>>()?.join(" "))
    };
    statement.query_map([], line).unwrap().map(Result::unwrap).collect()
}

async fn call_without_change(bench: &Bench) {
    let run = bench.store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
    bench.store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await.unwrap();
}

#[tokio::test]
async fn the_log_of_entities_holds_every_type_and_description() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    bench.clock.set(Micros(2_000));
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    draft.entity_event(ana, EntityEventKind::Retyped, "person", "");
    bench.commit(draft).await;
    call_without_change(&bench).await;
    bench.clock.set(Micros(3_000));
    let mut draft = bench.draft().await;
    let told = draft.artifact("Bob is a dog.");
    draft.change(Change::AddEntityEvent(AddEntityEvent {
        entity: bob,
        kind: EntityEventKind::Described,
        artifact: Some(told),
        r#type: "animal".to_owned(),
        description: "a dog".to_owned(),
    }));
    draft.entity("Eve");
    bench.commit(draft).await;
    let columns = "seq, number, entity_id, kind, at, run_id, artifact_id, type, description";
    assert_eq!(
        lines(&directory, columns, "gb_entity_events"),
        [
            r#"1 0 1 "created" 2000 1 - "unknown" """#,
            r#"1 1 2 "created" 2000 1 - "unknown" """#,
            r#"1 2 1 "retyped" 2000 1 - "person" """#,
            r#"3 0 2 "described" 3000 3 1 "animal" "a dog""#,
            r#"3 1 3 "created" 3000 3 - "unknown" """#,
        ]
    );
    let entities = bench.latest().await.get_entities(&[EntityId(1), bob]).await.unwrap();
    assert_eq!(entities.iter().map(|entity| entity.r#type.as_str()).collect::<Vec<_>>(), ["person", "animal"]);
}

#[tokio::test]
async fn the_log_of_a_dataset_begins_with_its_making() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    bench.store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    let set = |description: Option<&str>, tags: Option<&[&str]>| {
        let tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect());
        Change::SetDataset(SetDataset { description: description.map(ToOwned::to_owned), tags })
    };
    bench.clock.set(Micros(2_000));
    let mut draft = bench.draft().await;
    draft.change(set(Some("mine"), None));
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.entity("Ana");
    bench.commit(draft).await;
    bench.clock.set(Micros(3_000));
    let mut draft = bench.draft().await;
    draft.change(set(Some("ours"), None));
    draft.change(set(None, Some(&["a", "b"])));
    bench.commit(draft).await;
    assert_eq!(
        lines(&directory, "seq, at, run_id, description, tags", "gb_dataset_events"),
        [r#"0 1000 - "" "[]""#, r#"1 2000 1 "mine" "[]""#, r#"3 3000 3 "ours" "[\"a\",\"b\"]""#]
    );
}

#[tokio::test]
async fn everything_keeps_the_seq_that_it_came_in_with() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    let predicate = |functional| {
        let (name, description) = ("knows".to_owned(), String::new());
        Change::PutPredicate(Predicate { name, functional, description })
    };
    for round in 1..=2_u64 {
        let mut draft = bench.draft().await;
        let told = draft.artifact("told");
        let entity = draft.entity("Ana");
        let edge = draft.edge(entity, "knows", entity, from(10));
        for artifact in 1..=told.0 {
            draft.mention(EntityId(1), ArtifactId(artifact));
            draft.statement(gligabao_core::model::EdgeId(1), ArtifactId(artifact));
        }
        draft.change(predicate(false));
        draft.change(predicate(round == 1));
        draft.event(edge, EdgeEventKind::Invalidated, closed(from(10), 20));
        bench.commit(draft).await;
        call_without_change(&bench).await;
    }
    for (columns, table, expected) in [
        ("artifact_id, seq", "gb_artifacts", ["1 1", "2 3"]),
        ("entity_id, seq", "gb_entities", ["1 1", "2 3"]),
        ("edge_id, seq", "gb_edges", ["1 1", "2 3"]),
        ("artifact_id, seq", "gb_entity_artifacts", ["1 1", "2 3"]),
        ("artifact_id, seq", "gb_edge_artifacts", ["1 1", "2 3"]),
        ("seq, functional", "gb_predicates", ["1 1", "3 0"]),
        ("last_seq, last_number", "gb_edges", ["1 1", "3 1"]),
    ] {
        assert_eq!(lines(&directory, columns, table), expected, "{table}");
    }
    let now = bench.latest().await.get_predicates(&["knows".to_owned()]).await.unwrap();
    assert!(!now[0].functional);
}

#[tokio::test]
async fn few_texts_are_removed_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    let mut draft = bench.draft().await;
    for _ in 0..20 {
        draft.artifact("told");
    }
    bench.commit(draft).await;
    let conn = open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    let dataset = conn.query_row(include_str!("../sql/find_dataset.sql"), ["ana", "main"], |row| row.get(0)).unwrap();
    datasets::mark_deleted(&conn, dataset, Micros(2_000)).unwrap();
    let mut left = vec![20];
    while !datasets::remove_slice(&conn, dataset).unwrap() {
        left.push(lines(&directory, "dataset_id, 0", "gb_artifact_texts").len());
    }
    left.dedup();
    assert_eq!(left, [20, 4, 0]);
}

#[tokio::test]
async fn nothing_of_a_deleted_dataset_is_left_in_any_table() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    let mut draft = bench.draft().await;
    let (told, ana) = (draft.artifact("told"), draft.entity("Ana"));
    let edge = draft.edge(ana, "knows", ana, from(10));
    draft.mention(ana, told);
    draft.statement(edge, told);
    draft.entity_event(ana, EntityEventKind::Described, "person", "a friend");
    let (name, description) = ("knows".to_owned(), String::new());
    draft.change(Change::PutPredicate(Predicate { name, functional: true, description }));
    draft.change(Change::SetDataset(SetDataset { description: Some("mine".to_owned()), tags: None }));
    let (chunk, id) = (draft.artifact("chunk"), draft.series("cpi"));
    draft.parent(chunk, told);
    for target in [AnchorTarget::Artifact(told), AnchorTarget::Entity(ana), AnchorTarget::Edge(edge)] {
        draft.anchor(id, target);
    }
    draft.points(id, &(0..1_000).map(|n| (n, 1.0)).collect::<Vec<_>>());
    bench.commit(draft).await;
    // One value is replaced, and one point is loose.
    let mut draft = bench.draft().await;
    draft.points(id, &[(7, 2.0), (2_000, 1.0)]);
    let stage = |name: &str| Stage { name: name.to_owned(), label: None, output: "{}".to_owned(), error: None };
    draft.plan.stages = vec![stage("a"), stage("b")];
    let run = bench.store.begin_run(bench.dataset, RunKind::Remember.into()).await.unwrap();
    bench.store.commit(bench.dataset, run, draft.plan, vec![ModelCall::default(); 2]).await.unwrap();
    let tables = lines(&directory, "name, type", "pragma_table_list WHERE name LIKE 'gb_%'");
    let tables: Vec<&str> = tables.iter().map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(tables.len(), 22);
    let left = |tables: &[&str]| -> usize {
        tables.iter().filter(|table| !lines(&directory, "dataset_id, 0", table).is_empty()).count()
    };
    assert_eq!(left(&tables), tables.len());
    bench.store.delete_dataset(bench.dataset).await.unwrap();
    assert_eq!(left(&tables), 0);
}
