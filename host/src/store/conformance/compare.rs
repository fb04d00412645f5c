//! Comparing two stores that took the same plans, read by read.

use std::fmt::Debug;

use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeEventKind, EdgeId, EntityId, Page, SeriesId};
use gligabao_core::storage::{ArtifactFilter, EdgeQuery, EventFilter, PointFilter, SeriesKey, StorageResult};
use gligabao_core::time::Micros;

use crate::store::Snapshot;

/// What is asked of both.
#[derive(Debug, Clone)]
pub struct Questions {
    pub names: Vec<String>,
    pub types: Vec<String>,
    pub artifacts: Vec<ArtifactFilter>,
    pub edges: Vec<EdgeQuery>,
    pub known_at: Vec<Micros>,
    /// How many items a page of any other list has.
    pub limit: u32,
    /// Whether the log of calls is asked for.
    pub runs: bool,
}

/// Asserts that both give the same answer to every question.
pub async fn assert_same(one: &dyn Snapshot, other: &dyn Snapshot, questions: &Questions) {
    let (one, other) = (answers(one, questions).await, answers(other, questions).await);
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    assert_eq!(one.len(), other.len());
}

/// Every answer, each with its question.
async fn answers(snapshot: &dyn Snapshot, questions: &Questions) -> Vec<String> {
    let mut answers = Vec::new();
    let mut note = |question: &dyn Debug, answer: &dyn Debug| answers.push(format!("{question:?}: {answer:?}"));
    let head = snapshot.head().await.unwrap();
    note(&"head", &head);
    for seq in 0..=head.seq + 1 {
        note(&("changed_at", seq), &snapshot.changed_at(seq).await);
    }
    let first = Page { limit: questions.limit, after: None };
    note(&"names", &snapshot.find_names(&questions.names).await);
    note(&"predicates", &snapshot.get_predicates(&questions.names).await);
    for after in questions.names.iter().map(|name| Some(name.as_str())).chain([None]) {
        note(&("all predicates", after), &snapshot.list_predicates(after, questions.limit).await);
    }
    let entities: Vec<EntityId> = (0..=head.next.entity.0).map(EntityId).collect();
    let artifacts: Vec<ArtifactId> = (0..=head.next.artifact.0).map(ArtifactId).collect();
    let edges: Vec<EdgeId> = (0..=head.next.edge.0).map(EdgeId).collect();
    note(&"entities", &snapshot.get_entities(&entities).await);
    note(&"degrees", &snapshot.degrees(&entities).await);
    note(&"artifacts", &snapshot.get_artifacts(&artifacts).await);
    note(&"texts", &snapshot.get_texts(&artifacts).await);
    note(&"edges", &snapshot.get_edges(&edges).await);
    for kinds in EdgeEventKind::ALL.windows(2) {
        note(&("last events", kinds), &snapshot.last_events(&edges, kinds, None).await);
        for known_at in &questions.known_at {
            note(&("last events", kinds, known_at), &snapshot.last_events(&edges, kinds, Some(*known_at)).await);
        }
    }
    for entity in &entities {
        note(&("aliases", entity), &snapshot.aliases(*entity).await);
        let pages = pages(questions.limit, async |page| {
            let list = snapshot.list_mentions(*entity, None, page).await?;
            Ok((list.artifacts, list.next))
        });
        note(&("mentions", entity), &pages.await);
        for seq in 0..=head.seq {
            note(&("mentions", entity, seq), &snapshot.list_mentions(*entity, Some(seq), first).await);
        }
    }
    for edge in &edges {
        let statements = pages(questions.limit, async |page| {
            let list = snapshot.list_statements(*edge, None, page).await?;
            Ok((list.statements, list.next))
        });
        note(&("statements", edge), &statements.await);
        for seq in 0..=head.seq {
            note(&("statements", edge, seq), &snapshot.list_statements(*edge, Some(seq), first).await);
        }
    }
    for seq in 0..=head.seq {
        note(&("commits", seq), &snapshot.list_commits(seq, questions.limit).await);
        if questions.runs {
            note(&("runs", seq), &snapshot.list_runs(seq, questions.limit).await);
        }
    }
    let of_edges = edges.iter().flat_map(|edge| [EventFilter::Edge(*edge), EventFilter::Cause(*edge)]);
    for filter in of_edges.chain((0..=head.seq + 1).map(EventFilter::Seq)) {
        let events = pages(questions.limit, async |page| {
            let list = snapshot.list_events(filter, page).await?;
            Ok((list.events, list.next))
        });
        note(&("events", filter), &events.await);
    }
    for r#type in questions.types.iter().map(|r#type| Some(r#type.as_str())).chain([None]) {
        let list = pages(questions.limit, async |page| {
            let list = snapshot.list_entities(r#type, page).await?;
            Ok((list.entities, list.next))
        });
        note(&("entities of type", r#type), &list.await);
    }
    for filter in &questions.artifacts {
        let list = pages(questions.limit, async |page| {
            let list = snapshot.list_artifacts(filter, page).await?;
            Ok((list.artifacts, list.next))
        });
        note(filter, &list.await);
    }
    note(&"all queries", &snapshot.find_edges(&questions.edges).await);
    for query in &questions.edges {
        let list = pages(query.page.limit, async |page| {
            let mut pages = snapshot.find_edges(&[EdgeQuery { page, ..query.clone() }]).await?;
            let page = pages.remove(0);
            Ok((page.edges, page.next))
        });
        note(query, &list.await);
    }
    answers.extend(answers_of_series(snapshot, questions, head.next.series).await);
    answers
}

/// Every answer about series below an ID.
async fn answers_of_series(snapshot: &dyn Snapshot, questions: &Questions, next: SeriesId) -> Vec<String> {
    let mut answers = Vec::new();
    let mut note = |question: &dyn Debug, answer: &dyn Debug| answers.push(format!("{question:?}: {answer:?}"));
    let ids: Vec<SeriesId> = (0..=next.0).map(SeriesId).collect();
    note(&"series", &snapshot.get_series(&ids).await);
    let key = |key: &String| SeriesKey { provider: None, key: key.clone(), field: "value".to_owned() };
    note(&"keys", &snapshot.find_series(&questions.names.iter().map(key).collect::<Vec<_>>()).await);
    let targets: Vec<AnchorTarget> = (0..6)
        .flat_map(|id| {
            let (artifact, entity, edge) = (ArtifactId(id), EntityId(id), EdgeId(id));
            [AnchorTarget::Artifact(artifact), AnchorTarget::Entity(entity), AnchorTarget::Edge(edge)]
        })
        .collect();
    note(&"anchors of targets", &snapshot.find_anchors(&targets, questions.limit).await);
    for target in targets.into_iter().map(Some).chain([None]) {
        let list = pages(questions.limit, async |page| {
            let list = snapshot.list_series(target, page).await?;
            Ok((list.series, list.next))
        });
        note(&("series of", target), &list.await);
    }
    for id in ids {
        let list = pages(questions.limit, async |page| {
            let list = snapshot.list_anchors(id, page).await?;
            Ok((list.anchors, list.next))
        });
        note(&("anchors", id), &list.await);
        let times: Vec<Micros> = (-10..300).step_by(3).map(Micros).collect();
        note(&("points at times", id), &snapshot.get_points(id, &times).await);
        for known_at in questions.known_at.iter().copied().map(Some).chain([None]) {
            for (from, to, limit) in [(None, None, 1_000), (Some(Micros(5)), Some(Micros(90)), questions.limit)] {
                let filter = PointFilter { from, to, known_at };
                note(&(id, filter, limit), &snapshot.list_points(id, filter, limit).await);
            }
        }
    }
    answers
}

/// Every page of a list.
async fn pages<T>(
    limit: u32,
    list: impl AsyncFn(Page) -> StorageResult<(Vec<T>, Option<gligabao_core::model::Position>)>,
) -> StorageResult<Vec<Vec<T>>> {
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let (items, next) = list(Page { limit, after }).await?;
        pages.push(items);
        match next {
            Some(_) => after = next,
            None => return Ok(pages),
        }
    }
}
