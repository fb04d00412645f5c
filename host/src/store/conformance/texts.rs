//! Artifacts and their texts, and texts that break what isn't careful.

use gligabao_core::model::{
    Artifact, ArtifactId, ArtifactKind, Edge, EdgeId, Entity, EntityId, Moment, Page, Predicate, Target,
};
use gligabao_core::storage::rules::MAX_RELATION;
use gligabao_core::storage::{
    AddEdge, AddEntity, ArtifactFilter, ArtifactText, Change, EdgeFilter, EdgeOrder, EdgeQuery, NameMatch, TargetKey,
};
use gligabao_core::time::Instant;

use super::plans::{any, artifact, edge, entity};
use super::{Bench, first};

pub async fn artifacts_are_listed_newest_first_by_parent_session_and_wing(bench: Bench) {
    let some = |text: &str| Some(text.to_owned());
    let mut draft = bench.draft().await;
    let whole = draft.add_artifact("one. two.", Artifact { session_id: some("s"), wing: some("work"), ..artifact() });
    for text in ["one.", "two."] {
        let (parent, kind, session_id) = (Some(whole), ArtifactKind::Chunk, some("s"));
        draft.add_artifact(text, Artifact { parent, kind, session_id, ..artifact() });
    }
    draft.add_artifact("four", Artifact { session_id: some("s"), wing: some("home"), ..artifact() });
    let full = Artifact {
        kind: ArtifactKind::Episode,
        title: some("a title"),
        session_id: some("t"),
        valid_at: Instant(-5),
        ..artifact()
    };
    draft.add_artifact("five", full.clone());
    let at = bench.commit(draft).await.at;
    let snapshot = bench.latest().await;
    let filter = |parent: Option<u64>, session: Option<&str>, wing: Option<&str>| ArtifactFilter {
        parent: parent.map(ArtifactId),
        session_id: session.map(ToOwned::to_owned),
        wing: wing.map(ToOwned::to_owned),
        ..ArtifactFilter::default()
    };
    for (filter, expected) in [
        (filter(None, None, None), vec![5, 4, 1]),
        (filter(Some(1), None, None), vec![3, 2]),
        (filter(None, Some("s"), None), vec![4, 1]),
        (filter(None, Some("t"), None), vec![5]),
        (filter(Some(1), Some("s"), None), vec![3, 2]),
        (filter(Some(1), Some("t"), None), vec![]),
        (filter(None, None, Some("work")), vec![5, 1]),
        (filter(None, Some("s"), Some("home")), vec![4]),
        (filter(Some(9), None, None), vec![]),
    ] {
        for limit in [1, 2, 10] {
            let mut found = Vec::new();
            let mut after = None;
            loop {
                let page = snapshot.list_artifacts(&filter, Page { limit, after }).await.unwrap();
                found.extend(page.artifacts.iter().map(|artifact| artifact.id.0));
                let Some(next) = page.next else { break };
                after = Some(next);
            }
            assert_eq!(found, expected, "{filter:?} {limit}");
        }
    }
    let got = snapshot.get_artifacts(&[ArtifactId(5), ArtifactId(6), ArtifactId(2)]).await.unwrap();
    assert_eq!(got[1], Artifact { id: ArtifactId(5), bytes: 4, created_at: Moment::At(at), ..full });
    assert_eq!((got[0].id, got[0].parent), (ArtifactId(2), Some(whole)));
}

/// Texts that break what isn't careful.
const HOSTILE: [&str; 7] = [
    "'; DROP TABLE gb_edges; --",
    "\"quoted\"",
    "🦀👩‍👩‍👧",
    "%_*?",
    "\u{202e}rtl",
    " \t\r\n ",
    "\u{1}\u{7f}\u{85}\u{fffe}",
];

pub async fn texts_are_given_apart_from_their_artifacts(bench: Bench) {
    let long = "Ω\r\n\u{1}".repeat(512 * 1024);
    let texts = ["told", "", long.as_str(), "told"];
    let mut draft = bench.draft().await;
    let ids: Vec<ArtifactId> = texts.iter().map(|text| draft.artifact(text)).collect();
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let listed = snapshot.list_artifacts(&ArtifactFilter::default(), first(9)).await.unwrap().artifacts;
    let bytes: Vec<_> = listed.iter().rev().map(|artifact| artifact.bytes as usize).collect();
    assert_eq!(bytes, texts.map(str::len));
    let asked = [ids[3], ids[2], ArtifactId(9), ids[0], ids[2], ArtifactId(0), ids[1]];
    let expected: Vec<_> =
        ids.iter().zip(texts).map(|(id, text)| ArtifactText { artifact: *id, text: text.to_owned() }).collect();
    let got = snapshot.get_texts(&asked).await.unwrap();
    assert!(got == expected, "texts differ");
    assert!(snapshot.get_texts(&[]).await.unwrap().is_empty());
}

pub async fn hostile_texts_come_back_byte_for_byte(bench: Bench) {
    // The longest name and the longest relation that there can be.
    let (long, wide) = ("x".repeat(MAX_RELATION), "Ω".repeat(MAX_RELATION / 2));
    let texts: Vec<&str> = HOSTILE.into_iter().chain([long.as_str(), wide.as_str()]).collect();
    let mut draft = bench.draft().await;
    for (n, text) in texts.iter().enumerate() {
        let own = (*text).to_owned();
        let (title, session_id, wing) = (Some(own.clone()), Some(own.clone()), Some(own.clone()));
        draft.add_artifact(text, Artifact { title, session_id, wing, ..artifact() });
        let id = EntityId(n as u64 + 1);
        let plain = Entity { id, r#type: own.clone(), description: own.clone(), ..entity(text) };
        draft.next.entity.0 += 1;
        draft.change(Change::AddEntity(AddEntity { entity: plain, normalized_name: own.clone() }));
        let mut told = edge(id, text, Target::Text(own.clone()));
        (told.description, told.raw_text, told.wing) = (own.clone(), Some(own.clone()), Some(own.clone()));
        let id = EdgeId(n as u64 + 1);
        draft.next.edge.0 += 1;
        draft.change(Change::AddEdge(AddEdge { edge: Edge { id, ..told }, normalized_target: Some(own.clone()) }));
        draft.change(Change::PutPredicate(Predicate { name: own.clone(), functional: true, description: own }));
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    for (n, text) in texts.iter().enumerate() {
        let id = n as u64 + 1;
        let own = || Some((*text).to_owned());
        let (names, filter) =
            (own().into_iter().collect::<Vec<_>>(), ArtifactFilter { session_id: own(), ..ArtifactFilter::default() });
        assert_eq!(
            snapshot.find_names(&names).await.unwrap(),
            [NameMatch { name: names[0].clone(), entity: EntityId(id) }]
        );
        let artifacts = snapshot.list_artifacts(&filter, first(9)).await.unwrap().artifacts;
        assert_eq!(
            artifacts.iter().map(|a| (a.id.0, a.bytes as usize, a.title.as_deref())).collect::<Vec<_>>(),
            [(id, text.len(), Some(*text))]
        );
        assert_eq!(snapshot.get_texts(&[ArtifactId(id)]).await.unwrap()[0].text, *text);
        let entities = snapshot.list_entities(Some(text), first(9)).await.unwrap().entities;
        assert_eq!(
            entities.iter().map(|e| (e.id.0, &*e.name, &*e.description)).collect::<Vec<_>>(),
            [(id, *text, *text)]
        );
        let target = own().map(TargetKey::Text);
        for filter in
            [EdgeFilter { target, wing: own(), ..any() }, EdgeFilter { relation: own(), wing: own(), ..any() }]
        {
            let query = EdgeQuery { filter, order: EdgeOrder::LatestValid, page: first(9) };
            let edges = snapshot.find_edges(&[query]).await.unwrap().remove(0).edges;
            assert_eq!(
                edges.iter().map(|e| (e.id.0, &*e.relation, &*e.description)).collect::<Vec<_>>(),
                [(id, *text, *text)]
            );
            assert_eq!((&edges[0].target, &edges[0].raw_text), (&Target::Text((*text).to_owned()), &own()));
        }
        assert_eq!(snapshot.get_predicates(&names).await.unwrap()[0].description, *text);
    }
}
