//! Strings of plans: how long they may be, and what they may not hold.

use gligabao_core::model::{Artifact, ArtifactId, Edge, EdgeId, Entity, EntityEventKind, EntityId, Predicate, Target};
use gligabao_core::storage::{AddArtifact, AddEdge, AddEntity, AddEntityEvent, Change, Mention, SetDataset, Statement};

use super::plans::{edge, entity};
use super::refusals::{entity_event, text, told};
use super::{Bench, refusal};

/// One change with every kind of string, of which `of` says what it is.
fn strings(of: &dyn Fn(&str) -> String) -> Vec<Change> {
    let some = |field| Some(of(field));
    let artifact = Artifact {
        bytes: u32::try_from(of("text").len()).unwrap(),
        title: some("title"),
        session_id: some("session_id"),
        wing: some("wing"),
        ..text(2)
    };
    let entity = Entity {
        id: EntityId(2),
        name: of("name"),
        r#type: of("type"),
        description: of("description"),
        model: some("model"),
        ..entity("")
    };
    let told = Edge {
        id: EdgeId(2),
        description: of("description"),
        model: some("model"),
        wing: some("wing"),
        raw_text: some("raw_text"),
        ..edge(EntityId(1), &of("relation"), Target::Text(of("target")))
    };
    let (first, artifact_id) = (EdgeId(1), ArtifactId(1));
    let mut tags = vec![of("tags")];
    tags.dedup();
    vec![
        Change::AddArtifact(AddArtifact { artifact, text: of("text") }),
        Change::AddEntity(AddEntity { entity, normalized_name: of("normalized_name") }),
        Change::AddEntityEvent(AddEntityEvent {
            r#type: of("type"),
            description: of("description"),
            ..entity_event(EntityEventKind::Retyped)
        }),
        Change::AddMention(Mention { entity: EntityId(1), artifact: artifact_id, description: of("description") }),
        Change::AddEdge(AddEdge { edge: told, normalized_target: some("normalized_target") }),
        Change::AddStatement(Statement {
            edge: first,
            artifact: artifact_id,
            description: of("description"),
            raw_text: some("raw_text"),
        }),
        Change::PutPredicate(Predicate { name: of("name"), functional: true, description: of("description") }),
        Change::SetDataset(SetDataset { description: some("description"), tags: Some(tags) }),
    ]
}

/// The longest string that a field may have; a name of a predicate is a relation.
fn longest(change: &Change, field: &str) -> Option<usize> {
    match (change, field) {
        (Change::PutPredicate(_), "name") | (_, "relation") => Some(64),
        (_, "name" | "normalized_name") => Some(256),
        (_, "target" | "normalized_target") => Some(4_096),
        _ => None,
    }
}

const FIELDS: [&str; 14] = [
    "text",
    "title",
    "session_id",
    "wing",
    "name",
    "normalized_name",
    "type",
    "description",
    "model",
    "relation",
    "target",
    "normalized_target",
    "raw_text",
    "tags",
];

pub async fn strings_are_taken_up_to_their_limits(bench: Bench) {
    let mut draft = told(&bench).await;
    for number in 0..strings(&|_| String::new()).len() {
        let kind = strings(&|_| "x".to_owned()).swap_remove(number);
        let full = |field: &str| "x".repeat(longest(&kind, field).unwrap_or(10_000));
        draft.change(strings(&full).swap_remove(number));
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    assert_eq!(snapshot.get_entities(&[EntityId(2)]).await.unwrap()[0].name.len(), 256);
    assert_eq!(snapshot.get_edges(&[EdgeId(2)]).await.unwrap()[0].relation.len(), 64);
    assert_eq!(snapshot.get_predicates(&["x".repeat(64)]).await.unwrap().len(), 1);
}

pub async fn strings_over_their_limits_or_with_a_nul_are_refused(bench: Bench) {
    let draft = told(&bench).await;
    let before = bench.latest().await.head().await.unwrap();
    let mut refused = 0;
    let plain = |_: &str| "x".to_owned();
    for (number, change) in strings(&plain).iter().enumerate() {
        for field in FIELDS {
            let broken = |string: String| {
                let of = |other: &str| if other == field { string.clone() } else { plain(other) };
                let mut draft = draft.clone();
                draft.change(strings(&of).swap_remove(number));
                (draft.plan.changes[0] != *change).then_some(draft)
            };
            let Some(nul) = broken("a\0b".to_owned()) else { continue };
            refused += 1;
            let said = refusal(bench.try_commit(nul).await);
            assert_eq!(said, format!("change 0 of the plan: {field}: has a NUL"), "{change:?}");
            if let Some(longest) = longest(change, field) {
                let long = "é".repeat(longest / 2 + 1);
                let what = format!("{field}: has {} bytes, at most {longest} are possible", long.len());
                let said = refusal(bench.try_commit(broken(long).unwrap()).await);
                assert_eq!(said, format!("change 0 of the plan: {what}"), "{change:?}");
            }
        }
    }
    assert_eq!(refused, 25);
    assert_eq!(bench.latest().await.head().await.unwrap().version, before.version);
}
