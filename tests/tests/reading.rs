//! Reads through the real component.

use gligabao::memory::Limits;
use gligabao_artifact::MEMORY;
use gligabao_core::model::ArtifactId;
use gligabao_core::remember::Extractor;

use crate::support::{memory, scope, store, text};

#[tokio::test]
async fn artifacts_with_long_texts_are_listed_in_one_go_and_read_one_by_one() {
    let memory = memory(MEMORY, store(), Limits { instances: 2, ..Limits::default() });
    let ana = scope("ana");
    let long = |number: u64| format!("{number:02}{}", "x".repeat((1 << 20) - 2));
    for number in 1..=40 {
        let mut request = text(&long(number));
        request.extractor = Some(Extractor::Off);
        memory.remember(&ana, request).await.unwrap();
    }
    let list = memory.list_artifacts(&ana, None, None, 1_000, None).await.unwrap();
    let listed: Vec<_> = list.artifacts.iter().map(|artifact| (artifact.id.0, artifact.bytes)).collect();
    assert_eq!(listed, (1..=40).rev().map(|id| (id, 1 << 20)).collect::<Vec<_>>());
    assert_eq!(list.cursor, None);
    for id in [1, 40] {
        let artifact = memory.get_artifact(&ana, ArtifactId(id)).await.unwrap();
        assert!(artifact.text == long(id), "the text of artifact {id}");
    }
}
