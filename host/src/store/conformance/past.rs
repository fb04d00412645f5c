//! What commits changed, as it was told, and the calls that made them.

use gligabao_core::model::{
    AnchorTarget, Artifact, ArtifactId, Bounds, Edge, EdgeEventKind, Entity, EntityEventKind, EntityId, Moment, Page,
    Predicate, Run, RunId, SeriesId, Stage,
};
use gligabao_core::storage::{
    AddArtifact, AddEdge, AddEntity, AddEvent, AddParent, Change, CommitLog, DeletePoints, Mention, Plan, PutSeries,
    SetDataset, Statement,
};
use gligabao_core::time::Micros;

use super::compare::{Questions, assert_same};
use super::plans::{artifact, closed, edge, entity, from, series};
use super::{Bench, first, refusal};
use crate::store::memory::MemoryStore;
use crate::store::{ModelCall, NewRun, RunEnd, RunKind, RunLog};

/// Every commit, page after page of `limit`.
pub async fn commits(bench: &Bench, limit: u32) -> Vec<CommitLog> {
    let snapshot = bench.latest().await;
    let mut commits: Vec<CommitLog> = Vec::new();
    loop {
        let after = commits.last().map_or(0, |last| last.seq);
        let page = snapshot.list_commits(after, limit).await.unwrap();
        assert!(page.commits.len() <= limit as usize);
        assert!(!page.more || !page.commits.is_empty());
        commits.extend(page.commits);
        if !page.more {
            return commits;
        }
    }
}

/// A dataset in memory to which the commits of another were told again, without its series.
pub async fn replay(source: &Bench) -> Bench {
    let bench = Bench::new(|clock| (MemoryStore::new(clock), ())).await;
    let mut commits = commits(source, 100).await.into_iter();
    let mut opened = RunId(0);
    for run in source.latest().await.list_runs(0, 10_000).await.unwrap().runs {
        while opened < run.id {
            opened = bench.store.begin_run(bench.dataset, run.kind.into()).await.unwrap();
        }
        if run.changed_at.is_none() {
            bench.store.end_run(bench.dataset, opened, RunEnd::Done, RunLog::default()).await.unwrap();
            continue;
        }
        let log = commits.next().unwrap();
        bench.clock.set(log.at);
        let changes = log.changes.into_iter().map(|change| as_planned(change, log.at)).collect();
        let plan = Plan { version: bench.latest().await.head().await.unwrap().version, changes, stages: Vec::new() };
        let committed = bench.store.commit(bench.dataset, opened, plan, Vec::new()).await.unwrap();
        assert_eq!((committed.seq, committed.at), (log.seq, log.at));
    }
    assert_eq!(commits.next(), None);
    bench
}

/// A change as a plan has it: the time of its commit is now.
fn as_planned(mut change: Change, at: Micros) -> Change {
    let now = |moment: Moment| if moment == Moment::At(at) { Moment::Now } else { moment };
    let bounds = |bounds: Bounds| Bounds {
        expired_at: bounds.expired_at.map(now),
        retracted_at: bounds.retracted_at.map(now),
        ..bounds
    };
    match &mut change {
        Change::AddArtifact(add) => (add.artifact.created_at, add.artifact.series) = (Moment::Now, None),
        Change::AddEntity(add) => add.entity.created_at = Moment::Now,
        Change::AddEdge(add) => {
            (add.edge.created_at, add.edge.bounds) = (Moment::Now, bounds(add.edge.bounds));
        }
        Change::AddEvent(add) => add.after = bounds(add.after),
        _ => {}
    }
    change
}

async fn call(bench: &Bench, end: RunEnd) -> RunId {
    let run = bench.store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
    bench.store.end_run(bench.dataset, run, end, RunLog::default()).await.unwrap();
    run
}

fn predicate(name: &str, functional: bool) -> Predicate {
    Predicate { name: name.to_owned(), functional, description: String::new() }
}

fn set(description: Option<&str>, tags: Option<&[&str]>) -> SetDataset {
    let tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect());
    SetDataset { description: description.map(str::to_owned), tags }
}

/// Two commits: the second says otherwise what the first said.
async fn two_commits(bench: &Bench) -> [Micros; 2] {
    let mut draft = bench.draft().await;
    draft.change(Change::SetDataset(set(Some("mine"), None)));
    draft.change(Change::PutPredicate(predicate("knows", false)));
    draft.change(Change::PutPredicate(predicate("likes", true)));
    draft.change(Change::PutPredicate(predicate("knows", true)));
    let (bob, ana) = (draft.entity("Bob"), draft.entity("Ana"));
    let (told, chunk) = (draft.artifact("Ana knows Bob."), draft.artifact("Ana"));
    draft.parent(chunk, told);
    draft.parent(chunk, told);
    draft.mention(ana, chunk);
    draft.mention(bob, told);
    draft.mention(ana, told);
    draft.mention(ana, told);
    let likes = draft.literal(ana, "likes", "Tea", from(5));
    let knows = draft.edge(ana, "knows", bob, closed(from(1), 9));
    draft.statement(knows, told);
    draft.statement(likes, told);
    draft.event(likes, EdgeEventKind::Confirmed, from(5));
    draft.entity_event(bob, EntityEventKind::Retyped, "dog", "");
    draft.change(Change::SetDataset(set(None, Some(&["a"]))));
    let one = bench.commit(draft).await.at;
    call(bench, RunEnd::Done).await;
    let mut draft = bench.draft().await;
    draft.entity_event(ana, EntityEventKind::Described, "person", "a friend");
    draft.event(likes, EdgeEventKind::Invalidated, closed(from(5), 7));
    draft.mention(ana, told);
    draft.parent(chunk, told);
    draft.change(Change::PutPredicate(predicate("likes", false)));
    draft.change(Change::SetDataset(set(Some("ours"), None)));
    [one, bench.commit(draft).await.at]
}

pub async fn a_commit_is_told_as_it_was_then(bench: Bench) {
    let [one, two] = two_commits(&bench).await;
    let at = |at| Moment::At(at);
    let new_artifact = |id: u64, text: &str| {
        let bytes = u32::try_from(text.len()).unwrap();
        let artifact = Artifact { id: ArtifactId(id), bytes, created_at: at(one), ..artifact() };
        Change::AddArtifact(AddArtifact { artifact, text: text.to_owned() })
    };
    let new_entity = |id: u64, name: &str| {
        let entity = Entity { id: EntityId(id), created_at: at(one), ..entity(name) };
        Change::AddEntity(AddEntity { entity, normalized_name: name.to_lowercase() })
    };
    let (edge_id, mention, statement) = (gligabao_core::model::EdgeId, "mentioned", "stated");
    let mentioned = |entity: u64, artifact: u64| {
        let (entity, artifact) = (EntityId(entity), ArtifactId(artifact));
        Change::AddMention(Mention { entity, artifact, description: mention.to_owned() })
    };
    let stated = |edge: u64| {
        let (edge, artifact, description) = (edge_id(edge), ArtifactId(1), statement.to_owned());
        Change::AddStatement(Statement { edge, artifact, description, raw_text: None })
    };
    let text = gligabao_core::model::Target::Text("Tea".to_owned());
    let person = gligabao_core::model::Target::Entity(EntityId(1));
    let likes = Edge { id: edge_id(1), created_at: at(one), bounds: from(5), ..edge(EntityId(2), "likes", text) };
    let knows_bounds = Bounds { expired_at: Some(at(one)), ..closed(from(1), 9) };
    let knows =
        Edge { id: edge_id(2), created_at: at(one), bounds: knows_bounds, ..edge(EntityId(2), "knows", person) };
    let event = |kind, after| Change::AddEvent(AddEvent { edge: edge_id(1), kind, artifact: None, cause: None, after });
    let retyped = |entity: u64, kind, r#type: &str, description: &str| {
        let (r#type, description) = (r#type.to_owned(), description.to_owned());
        let entity = EntityId(entity);
        Change::AddEntityEvent(gligabao_core::storage::AddEntityEvent {
            entity,
            kind,
            artifact: None,
            r#type,
            description,
        })
    };
    let expected = vec![
        new_artifact(1, "Ana knows Bob."),
        new_artifact(2, "Ana"),
        Change::AddParent(AddParent { artifact: ArtifactId(2), parent: ArtifactId(1) }),
        new_entity(1, "Bob"),
        new_entity(2, "Ana"),
        retyped(1, EntityEventKind::Retyped, "dog", ""),
        mentioned(1, 1),
        mentioned(2, 1),
        mentioned(2, 2),
        Change::AddEdge(AddEdge { edge: likes, normalized_target: Some("tea".to_owned()) }),
        Change::AddEdge(AddEdge { edge: knows, normalized_target: None }),
        stated(1),
        stated(2),
        event(EdgeEventKind::Confirmed, from(5)),
        Change::PutPredicate(predicate("knows", true)),
        Change::PutPredicate(predicate("likes", true)),
        Change::SetDataset(set(Some("mine"), Some(&["a"]))),
    ];
    let second = vec![
        retyped(2, EntityEventKind::Described, "person", "a friend"),
        event(EdgeEventKind::Invalidated, Bounds { expired_at: Some(at(two)), ..closed(from(5), 7) }),
        Change::PutPredicate(predicate("likes", false)),
        Change::SetDataset(set(Some("ours"), Some(&["a"]))),
    ];
    let log = |seq, at, changes| CommitLog { seq, at, changes, series: Vec::new() };
    let expected = [log(1, one, expected), log(3, two, second)];
    for limit in [1, 2, 10_000] {
        assert_eq!(commits(&bench, limit).await, expected);
    }
    let snapshot = bench.latest().await;
    for (after, seqs) in [(0, vec![1, 3]), (1, vec![3]), (2, vec![3]), (3, vec![]), (u64::MAX, vec![])] {
        let page = snapshot.list_commits(after, 10).await.unwrap();
        assert_eq!(page.commits.iter().map(|log| log.seq).collect::<Vec<_>>(), seqs, "{after}");
    }
}

pub async fn commits_come_in_pages(bench: Bench) {
    let long = "x".repeat(1 << 20);
    for _ in 0..40 {
        let mut draft = bench.draft().await;
        draft.artifact(&long);
        bench.commit(draft).await;
    }
    // A page ends before it holds more text than an answer may.
    let snapshot = bench.latest().await;
    let page = snapshot.list_commits(0, 10_000).await.unwrap();
    assert!(page.more && (2..40).contains(&page.commits.len()), "{} commits", page.commits.len());
    let all = commits(&bench, 10_000).await;
    assert_eq!(all.iter().map(|log| log.seq).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
    for limit in [0, 10_001] {
        let said = format!("limit: {limit} is not in 1 to 10000");
        assert_eq!(refusal(snapshot.list_commits(0, limit).await), said);
        assert_eq!(refusal(snapshot.list_runs(0, limit).await), said);
    }
}

pub async fn a_replay_of_the_commits_is_the_dataset(bench: Bench) {
    two_commits(&bench).await;
    let mut draft = bench.draft().await;
    let (told, eve) = (draft.artifact("Eve"), draft.entity("Eve"));
    draft.mention(EntityId(1), told);
    draft.edge(eve, "knows", EntityId(1), from(3));
    bench.commit(draft).await;
    let all = commits(&bench, 2).await;
    let again = replay(&bench).await;
    assert_eq!(commits(&again, 2).await, all);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let questions = Questions {
        names: texts(&["ana", "bob", "eve", "knows", "likes"]),
        types: texts(&["unknown", "person", "dog"]),
        artifacts: Vec::new(),
        edges: Vec::new(),
        known_at: all.iter().map(|log| log.at).collect(),
        limit: 2,
        runs: false,
    };
    assert_same(&*bench.latest().await, &*again.latest().await, &questions).await;
}

pub async fn runs_are_told_in_the_order_of_their_ends(bench: Bench) {
    let store = &bench.store;
    let asked =
        NewRun { kind: RunKind::Query, params: r#"{"question":"who"}"#.to_owned(), session_id: Some("s".to_owned()) };
    bench.clock.set(Micros(2_000));
    let late = store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    bench.clock.set(Micros(3_000));
    let failed = store.begin_run(bench.dataset, asked).await.unwrap();
    store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
    let stage = |name: &str| Stage {
        name: name.to_owned(),
        label: Some("label".to_owned()),
        output: "{}".to_owned(),
        error: None,
    };
    let asked_model = ModelCall { stage: "a".to_owned(), tokens_in: Some(7), ..ModelCall::default() };
    bench.clock.set(Micros(4_000));
    let log = RunLog { stages: vec![stage("a"), stage("b")], calls: vec![asked_model.clone()], answer: None };
    store.end_run(bench.dataset, failed, RunEnd::Failed("why".to_owned()), log).await.unwrap();
    bench.clock.set(Micros(5_000));
    let mut draft = bench.draft().await;
    draft.entity("Ana");
    draft.plan.stages = vec![stage("c")];
    store.commit(bench.dataset, late, draft.plan, Vec::new()).await.unwrap();
    let expected = [
        Run {
            id: failed,
            seq: 1,
            kind: RunKind::Query,
            params: r#"{"question":"who"}"#.to_owned(),
            session_id: Some("s".to_owned()),
            started_at: Micros(3_000),
            ended_at: Micros(4_000),
            changed_at: None,
            error: Some("why".to_owned()),
            stages: vec![stage("a"), stage("b")],
            model_calls: vec![asked_model],
        },
        Run {
            id: late,
            seq: 2,
            kind: RunKind::Edit,
            params: "{}".to_owned(),
            session_id: None,
            started_at: Micros(2_000),
            ended_at: Micros(5_000),
            changed_at: Some(Micros(5_000)),
            error: None,
            stages: vec![stage("c")],
            model_calls: Vec::new(),
        },
    ];
    let snapshot = bench.latest().await;
    for (after, limit, runs, more) in
        [(0, 10, &expected[..], false), (0, 1, &expected[..1], true), (1, 1, &expected[1..], false), (2, 9, &[], false)]
    {
        let page = snapshot.list_runs(after, limit).await.unwrap();
        assert_eq!((&page.runs[..], page.more), (runs, more), "{after} {limit}");
    }
}

pub async fn sources_are_those_of_the_commit_asked_about(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let (one, two) = (draft.artifact("one"), draft.artifact("two"));
    let edge = draft.edge(ana, "knows", ana, from(1));
    draft.mention(ana, two);
    draft.statement(edge, two);
    bench.commit(draft).await;
    call(&bench, RunEnd::Done).await;
    // An older text is found to say the same, then a new one.
    let mut draft = bench.draft().await;
    let three = draft.artifact("three");
    for artifact in [one, two, three] {
        draft.mention(ana, artifact);
        draft.statement(edge, artifact);
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    for (seq, expected) in [
        (Some(0), vec![]),
        (Some(1), vec![two]),
        (Some(2), vec![two]),
        (Some(3), vec![one, two, three]),
        (Some(u64::MAX), vec![one, two, three]),
        (None, vec![one, two, three]),
    ] {
        for limit in [1, 9] {
            let (mut mentions, mut statements) = (Vec::new(), Vec::new());
            let mut after = None;
            loop {
                let page = snapshot.list_mentions(ana, seq, Page { limit, after }).await.unwrap();
                mentions.extend(page.artifacts);
                let Some(next) = page.next else { break };
                after = Some(next);
            }
            let mut after = None;
            loop {
                let page = snapshot.list_statements(edge, seq, Page { limit, after }).await.unwrap();
                statements.extend(page.statements.into_iter().map(|statement| statement.artifact));
                let Some(next) = page.next else { break };
                after = Some(next);
            }
            assert_eq!((&mentions, &statements), (&expected, &expected), "{seq:?} {limit}");
        }
    }
}

pub async fn a_commit_names_the_series_that_it_touched(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, cpi, gdp) = (draft.entity("Ana"), draft.series("cpi"), draft.series("gdp"));
    draft.points(gdp, &[(1, 1.0)]);
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.points(gdp, &[(1, 1.0)]);
    draft.anchor(cpi, AnchorTarget::Entity(ana));
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.change(Change::DeletePoints(DeletePoints { series: cpi, from: None, to: None }));
    let put = PutSeries { series: gligabao_core::model::Series { id: gdp, ..series("gdp") }, state: Vec::new() };
    draft.change(Change::PutSeries(put));
    bench.commit(draft).await;
    let touched = async || -> Vec<Vec<u64>> {
        let commits = commits(&bench, 2).await;
        commits.iter().map(|log| log.series.iter().map(|id| id.0).collect()).collect()
    };
    assert_eq!(touched().await, [vec![1, 2], vec![2], vec![1, 2]]);
    let before = bench.latest().await;
    let mut draft = bench.draft().await;
    draft.change(Change::DeleteSeries(gdp));
    draft.series("gdp");
    bench.commit(draft).await;
    assert_eq!(touched().await, [vec![1], vec![], vec![1], vec![3]]);
    assert_eq!(before.list_commits(0, 1).await.unwrap().commits[0].series, [SeriesId(1), SeriesId(2)]);
    assert_eq!(before.list_anchors(cpi, first(9)).await.unwrap().anchors.len(), 1);
}
