//! Reads through the real component.

use gligabao::memory::Limits;
use gligabao_artifact::MEMORY;
use gligabao_core::remember::Extractor;

use crate::support::{memory, scope, store, text};

#[tokio::test]
async fn a_list_of_long_texts_goes_on_instead_of_breaking() {
    let memory = memory(MEMORY, store(), Limits { instances: 2, ..Limits::default() });
    let ana = scope("ana");
    for number in 0..40 {
        let mut request = text(&format!("{number:02}{}", "x".repeat((1 << 20) - 2)));
        request.extractor = Some(Extractor::Off);
        memory.remember(&ana, request).await.unwrap();
    }
    let (mut lists, mut seen, mut cursor) = (0, Vec::new(), None);
    loop {
        let list = memory.list_artifacts(&ana, None, None, 1_000, cursor.as_deref()).await.unwrap();
        lists += 1;
        seen.extend(list.artifacts.into_iter().map(|artifact| artifact.id.0));
        cursor = list.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(lists > 1, "40 MiB in one answer");
    assert_eq!(seen, (1..=40).rev().collect::<Vec<_>>());
}
