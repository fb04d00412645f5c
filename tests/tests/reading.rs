//! Reads through the real component.

use gligabao::memory::Limits;
use gligabao_artifact::MEMORY;
use gligabao_core::model::ArtifactId;
use gligabao_core::remember::Extractor;

use crate::support::{memory, scope, store, text};

#[tokio::test]
async fn a_list_of_long_texts_is_as_short_as_one_of_short_ones() {
    let memory = memory(MEMORY, store(), Limits { instances: 2, ..Limits::default() });
    let ana = scope("ana");
    let long = |number: u64| format!("{number:02}{}", "x".repeat((1 << 20) - 2));
    for number in 1..=40 {
        let mut request = text(&long(number));
        request.extractor = Some(Extractor::Off);
        memory.remember(&ana, request).await.unwrap();
    }
    let list = memory.list_artifacts(&ana, None, None, 1_000, None).await.unwrap();
    let ids: Vec<u64> = list.artifacts.iter().map(|artifact| artifact.id.0).collect();
    assert_eq!((ids, list.cursor), ((1..=40).rev().collect(), None));
    assert!(list.artifacts.iter().all(|artifact| artifact.bytes == 1 << 20));
    assert!(memory.get_artifact(&ana, ArtifactId(40)).await.unwrap().text == long(40));
}
