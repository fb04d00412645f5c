//! Datasets of users: isolation, deletion, counts.

use gligabao_core::history::Layout;
use gligabao_core::model::EdgeEventKind;
use gligabao_core::storage::{Change, EventFilter, SetDataset, StorageError};
use gligabao_core::time::Micros;

use super::plans::{Draft, any, closed, from, retracted};
use super::{Bench, name, user};
use crate::store::{DatasetId, GitSettings, RunEnd, RunKind, RunLog};

pub async fn a_user_sees_only_their_own_datasets(bench: Bench) {
    let other = bench.store.create_dataset(&user("bob"), &name("main")).await.unwrap();
    assert_ne!(other, bench.dataset);
    assert_eq!(bench.store.find_dataset(&user("ana"), &name("main")).await.unwrap(), Some(bench.dataset));
    assert_eq!(bench.store.find_dataset(&user("bob"), &name("main")).await.unwrap(), Some(other));
    assert_eq!(bench.store.find_dataset(&user("bob"), &name("other")).await.unwrap(), None);
    assert_eq!(bench.store.find_dataset(&user("Ana"), &name("main")).await.unwrap(), None);
    assert_eq!(bench.store.list_datasets(&user("bob"), None, 10).await.unwrap().len(), 1);
    assert!(bench.store.list_datasets(&user("carol"), None, 10).await.unwrap().is_empty());
}

pub async fn datasets_are_listed_by_name_page_after_page(bench: Bench) {
    for dataset in ["z", "b-1", "b.1", "a", "b_1", "b1"] {
        bench.store.create_dataset(&user("ana"), &name(dataset)).await.unwrap();
    }
    let mut names = Vec::new();
    loop {
        let after = names.last().map(|last: &String| name(last));
        let page = bench.store.list_datasets(&user("ana"), after.as_ref(), 3).await.unwrap();
        if page.is_empty() {
            break;
        }
        names.extend(page.into_iter().map(|dataset| dataset.head.name));
    }
    assert_eq!(names, ["a", "b-1", "b.1", "b1", "b_1", "main", "z"]);
}

pub async fn a_dataset_is_made_once(bench: Bench) {
    bench.clock.set(Micros(9_000));
    assert_eq!(bench.store.create_dataset(&user("ana"), &name("main")).await.unwrap(), bench.dataset);
    let summary = bench.store.summarize_dataset(bench.dataset).await.unwrap();
    let head = &summary.head;
    assert_eq!((head.name.as_str(), head.created_at, head.last_at), ("main", Micros(1_000), Micros(1_000)));
    assert_eq!((head.seq, head.version, head.tags.len(), head.description.as_str()), (0, 0, 0, ""));
    assert_eq!((head.next.artifact.0, head.next.entity.0, head.next.edge.0), (1, 1, 1));
    assert_eq!(bench.latest().await.head().await.unwrap(), *head);
    let (bob, new) = (user("bob"), name("new"));
    let (one, two) = tokio::join!(bench.store.create_dataset(&bob, &new), bench.store.create_dataset(&bob, &new));
    assert_eq!(one.unwrap(), two.unwrap());
}

pub async fn what_one_dataset_holds_no_other_sees(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let told = draft.artifact("told");
    let knows = draft.edge(ana, "knows", ana, from(1));
    draft.mention(ana, told);
    draft.statement(knows, told);
    bench.commit(draft).await;
    let other = bench.store.create_dataset(&user("ana"), &name("other")).await.unwrap();
    let snapshot = bench.store.snapshot(other).await.unwrap();
    let first = super::first(10);
    assert!(snapshot.find_names(&["ana".to_owned()]).await.unwrap().is_empty());
    assert!(snapshot.get_entities(&[ana]).await.unwrap().is_empty());
    assert!(snapshot.get_edges(&[knows]).await.unwrap().is_empty());
    assert!(snapshot.get_artifacts(&[told]).await.unwrap().is_empty());
    assert!(snapshot.get_texts(&[told]).await.unwrap().is_empty());
    assert!(snapshot.list_events(EventFilter::Cause(knows), first).await.unwrap().events.is_empty());
    assert!(snapshot.list_events(EventFilter::Seq(1), first).await.unwrap().events.is_empty());
    assert!(snapshot.list_entities(None, first).await.unwrap().entities.is_empty());
    assert!(snapshot.list_events(EventFilter::Edge(knows), first).await.unwrap().events.is_empty());
    assert!(snapshot.list_mentions(ana, None, first).await.unwrap().artifacts.is_empty());
    assert!(snapshot.list_statements(knows, None, first).await.unwrap().statements.is_empty());
    assert!(snapshot.last_events(&[knows], EdgeEventKind::ALL, None).await.unwrap().is_empty());
    assert_eq!(snapshot.changed_at(9).await.unwrap(), None);
    let mut draft = Draft::on(&snapshot.head().await.unwrap());
    assert_eq!(draft.entity("Bob").0, 1);
    let run = bench.store.begin_run(other, RunKind::Edit.into()).await.unwrap();
    assert_eq!((run.0, bench.store.commit(other, run, draft.plan, Vec::new()).await.unwrap().seq), (1, 1));
    assert_eq!(bench.latest().await.get_entities(&[ana]).await.unwrap()[0].name, "Ana");
}

pub async fn a_deleted_dataset_is_gone_and_its_id_is_never_used_again(bench: Bench) {
    let mut draft = bench.draft().await;
    draft.entity("Ana");
    bench.commit(draft).await;
    let draft = bench.draft().await;
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    bench.store.delete_dataset(bench.dataset).await.unwrap();
    let gone = |id: DatasetId| {
        let store = bench.store.clone();
        async move {
            assert_eq!(store.delete_dataset(id).await, Err(StorageError::NoDataset));
            assert_eq!(store.summarize_dataset(id).await, Err(StorageError::NoDataset));
            assert_eq!(store.snapshot(id).await.err(), Some(StorageError::NoDataset));
            assert_eq!(store.begin_run(id, RunKind::Edit.into()).await, Err(StorageError::NoDataset));
        }
    };
    gone(bench.dataset).await;
    gone(DatasetId::from_store(0)).await;
    gone(DatasetId::from_store(-1)).await;
    assert_eq!(bench.store.commit(bench.dataset, run, draft.plan, Vec::new()).await, Err(StorageError::NoDataset));
    assert_eq!(
        bench.store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await,
        Err(StorageError::NoDataset)
    );
    assert_eq!(bench.store.find_dataset(&user("ana"), &name("main")).await.unwrap(), None);
    let again = bench.store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    assert_ne!(again, bench.dataset);
    assert_eq!(bench.store.summarize_dataset(again).await.unwrap().entities, 0);
}

pub async fn a_snapshot_outlives_the_deletion_of_its_dataset_or_says_so(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    bench.store.delete_dataset(bench.dataset).await.unwrap();
    match snapshot.get_entities(&[ana]).await {
        Ok(entities) => assert_eq!(entities[0].name, "Ana"),
        Err(error) => assert_eq!(error, StorageError::SnapshotGone),
    }
}

pub async fn a_large_dataset_is_deleted_whole(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    for n in 0..5_000 {
        let told = draft.artifact("told");
        let edge = draft.edge(ana, "counts", ana, from(n));
        draft.statement(edge, told);
        draft.mention(ana, told);
    }
    bench.commit(draft).await;
    let other = bench.store.create_dataset(&user("ana"), &name("other")).await.unwrap();
    bench.store.delete_dataset(bench.dataset).await.unwrap();
    let left = bench.store.list_datasets(&user("ana"), None, 10).await.unwrap();
    assert_eq!(left.into_iter().map(|dataset| dataset.head.name).collect::<Vec<_>>(), ["other"]);
    bench.store.summarize_dataset(other).await.unwrap();
    bench.store.ping().await.unwrap();
}

pub async fn counts_follow_what_is_stored(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    draft.artifact("told");
    draft.artifact("told");
    let edges: Vec<_> = (0..4).map(|_| draft.edge(ana, "knows", ana, from(1))).collect();
    draft.edge(ana, "knows", ana, closed(from(1), 2));
    draft.event(edges[0], EdgeEventKind::Retracted, retracted(from(1)));
    bench.commit(draft).await;
    let counts = |bench: &Bench| {
        let (store, dataset) = (bench.store.clone(), bench.dataset);
        async move {
            let summary = store.summarize_dataset(dataset).await.unwrap();
            (summary.artifacts, summary.entities, summary.edges, summary.live_edges)
        }
    };
    assert_eq!(counts(&bench).await, (2, 1, 5, 3));
    let mut draft = bench.draft().await;
    draft.event(edges[0], EdgeEventKind::Reopened, from(1));
    draft.event(edges[1], EdgeEventKind::Invalidated, closed(from(1), 2));
    draft.event(edges[2], EdgeEventKind::Confirmed, from(1));
    draft.event(edges[2], EdgeEventKind::Invalidated, closed(from(1), 2));
    draft.event(edges[2], EdgeEventKind::Retracted, retracted(from(1)));
    bench.commit(draft).await;
    assert_eq!(counts(&bench).await, (2, 1, 5, 2));
    assert_eq!(bench.find_ids(&any()).await.len(), 5);
}

pub async fn description_and_tags_are_replaced_one_by_one(bench: Bench) {
    let set = |description: Option<&str>, tags: Option<&[&str]>| {
        let tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect());
        Change::SetDataset(SetDataset { description: description.map(ToOwned::to_owned), tags })
    };
    for (change, description, tags) in [
        (set(Some("mine"), Some(&["a", "b\"c", "é"])), "mine", &["a", "b\"c", "é"][..]),
        (set(None, None), "mine", &["a", "b\"c", "é"][..]),
        (set(None, Some(&[])), "mine", &[][..]),
        (set(Some(""), None), "", &[][..]),
    ] {
        let mut draft = bench.draft().await;
        draft.change(change);
        bench.commit(draft).await;
        let head = bench.store.summarize_dataset(bench.dataset).await.unwrap().head;
        assert_eq!(
            (head.description.as_str(), head.tags.as_slice()),
            (description, &*tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>())
        );
    }
}

pub async fn how_a_dataset_is_exported_is_fixed_once(bench: Bench) {
    let Bench { store, dataset, .. } = &bench;
    let sharded = GitSettings { layout: Layout::Sharded, series: true };
    let flat = GitSettings { layout: Layout::Flat, series: false };
    assert_eq!(store.git_settings(*dataset).await.unwrap(), None);
    assert_eq!(store.fix_git_settings(*dataset, sharded).await.unwrap(), sharded);
    assert_eq!(store.fix_git_settings(*dataset, flat).await.unwrap(), sharded);
    assert_eq!(store.git_settings(*dataset).await.unwrap(), Some(sharded));
    let mut draft = bench.draft().await;
    draft.entity("Ana");
    bench.commit(draft).await;
    assert_eq!(store.git_settings(*dataset).await.unwrap(), Some(sharded), "it outlives commits");
    let other = store.create_dataset(&user("ana"), &name("other")).await.unwrap();
    assert_eq!(store.git_settings(other).await.unwrap(), None, "it is the dataset's own");
    store.delete_dataset(*dataset).await.unwrap();
    assert_eq!(store.git_settings(*dataset).await, Err(StorageError::NoDataset));
    assert_eq!(store.fix_git_settings(*dataset, flat).await, Err(StorageError::NoDataset));
    let again = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    assert_eq!(store.git_settings(again).await.unwrap(), None, "a dataset that is made anew begins anew");
}
