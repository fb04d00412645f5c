//! A dataset that calls are made to, as a host makes and logs them, and what it held after each.

use std::cell::{Cell, Ref, RefCell};

use gligabao_core::knowledge::{self, DatasetRequest};
use gligabao_core::llm::NoLlm;
use gligabao_core::model::{
    Artifact, ArtifactId, ArtifactKind, Call, EdgeEventKind, EdgeId, EntityEventKind, EntityId, ModelCall, Moment, Run,
    RunId, RunKind, Series, SeriesSource, Stage,
};
use gligabao_core::reference::{ReferenceDataset, ReferenceSnapshot};
use gligabao_core::remember::{Request, remember};
use gligabao_core::series::Point;
use gligabao_core::storage::{
    AddArtifact, AddEntityEvent, AddEvent, AddParent, Change, Committed, Dataset, Plan, PutPoints, PutSeries, Snapshot,
    StorageResult, Turn,
};
use gligabao_core::time::{Instant, Micros};

/// A call to make. Numbers stand for one of what there is.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A text with a session.
    Remember(String, Option<String>),
    /// A call that fails.
    FailedRemember(String),
    /// A question.
    Query(String),
    /// A fact is taken out of belief.
    Retract(usize),
    /// Description and tag of the dataset.
    Describe(String, String),
    /// An entity has another type, or another description.
    Entity(usize, EntityEventKind, String),
    /// Something happens to a fact that no text says.
    Fact(usize, EdgeEventKind),
    /// An edit of what no file has.
    Unseen,
    /// A series with points is written, told in words if there is a text.
    Series(usize, Vec<(i64, f64)>, Option<String>),
}

/// What a call left.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) run: Run,
    pub(super) after: ReferenceSnapshot,
}

/// A dataset with a clock of its own.
#[derive(Debug)]
pub(super) struct Memory {
    dataset: RefCell<ReferenceDataset>,
    clock: Cell<i64>,
    runs: Cell<u64>,
    pub(super) created: ReferenceSnapshot,
    pub(super) done: Vec<Done>,
}

impl Dataset for Memory {
    type Snapshot = ReferenceSnapshot;

    fn latest(&self, _turn: Turn) -> StorageResult<ReferenceSnapshot> {
        Ok(self.dataset.borrow().snapshot())
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        self.dataset.borrow_mut().commit(plan, RunId(self.runs.get()), Micros(self.clock.get()))
    }
}

impl Memory {
    pub(super) fn new(created_at: i64) -> Self {
        let dataset = ReferenceDataset::new("main", Micros(created_at));
        let created = dataset.snapshot();
        Self { dataset: RefCell::new(dataset), clock: Cell::new(created_at), runs: Cell::new(0), created, done: vec![] }
    }

    /// The dataset after these calls, the n-th of which is made at the n-th time.
    pub(super) fn after(created_at: i64, steps: &[(i64, Step)]) -> Self {
        let mut memory = Self::new(created_at);
        steps.iter().for_each(|(at, step)| memory.make(*at, step));
        memory
    }

    pub(super) fn dataset(&self) -> Ref<'_, ReferenceDataset> {
        self.dataset.borrow()
    }

    pub(super) fn snapshot(&self) -> ReferenceSnapshot {
        self.dataset.borrow().snapshot()
    }

    /// Makes a call, if there is what it is about.
    pub(super) fn make(&mut self, at: i64, step: &Step) {
        self.clock.set(at);
        self.runs.set(self.runs.get() + 1);
        let version = self.dataset().head().version;
        let (kind, params, session_id) = asked(step);
        let error = self.answer(at, step).err();
        let head = self.dataset().head().clone();
        let changed_at = (head.version != version).then_some(head.last_at);
        let seq = if changed_at.is_some() { head.version } else { self.dataset.borrow_mut().end_call() };
        let run = Run {
            id: RunId(self.runs.get()),
            seq,
            kind,
            params,
            session_id,
            started_at: Micros(at),
            ended_at: Micros(at.saturating_add(7)),
            changed_at,
            error,
            stages: stages(),
            model_calls: vec![ModelCall {
                tokens_in: Some(12),
                cost_usd: Some(0.000_1),
                ..ModelCall::new("extract_graph", "small", "localhost:1")
            }],
        };
        self.dataset.borrow_mut().log_run(run.clone());
        self.done.push(Done { run, after: self.snapshot() });
    }

    fn answer(&self, at: i64, step: &Step) -> Result<(), String> {
        let call = Call { now: Micros(at) };
        let head = self.dataset().head().clone();
        let (edges, entities) = (head.next.edge.0 - 1, head.next.entity.0 - 1);
        let pick = |number: usize, count: u64| number as u64 % count + 1;
        match step {
            Step::Remember(text, session) => {
                let request = Request { session_id: session.clone(), ..Request::new(text.as_str()) };
                remember(self, &NoLlm, &call, request).map(drop).map_err(|failure| failure.message)
            }
            Step::FailedRemember(error) => Err(error.clone()),
            Step::Query(_) => Ok(()),
            Step::Retract(_) | Step::Fact(..) if edges == 0 => Err("there is no edge".to_owned()),
            Step::Entity(..) if entities == 0 => Err("there is no entity".to_owned()),
            Step::Retract(number) => knowledge::retract(self, &call, EdgeId(pick(*number, edges)))
                .map(drop)
                .map_err(|failure| failure.message),
            Step::Describe(description, tag) => {
                let tags = Some(vec![tag.clone()]).filter(|_| !tag.trim().is_empty());
                let request = DatasetRequest { description: Some(description.clone()), tags };
                knowledge::put_dataset(self, &call, &request).map(drop).map_err(|failure| failure.message)
            }
            Step::Entity(number, kind, word) => {
                let id = EntityId(pick(*number, entities));
                let now = self.snapshot().get_entities(&[id]).unwrap().remove(0);
                let (r#type, description) = match kind {
                    EntityEventKind::Retyped => (word.clone(), now.description),
                    _ => (now.r#type, word.clone()),
                };
                let event = AddEntityEvent { entity: id, kind: *kind, artifact: None, r#type, description };
                self.plan(vec![Change::AddEntityEvent(event)])
            }
            Step::Fact(number, kind) => {
                let edge = EdgeId(pick(*number, edges));
                let mut after = self.snapshot().get_edges(&[edge]).unwrap().remove(0).bounds;
                after.contested = *kind == EdgeEventKind::Contested;
                let event = AddEvent { edge, kind: *kind, artifact: None, cause: None, after };
                self.plan(vec![Change::AddEvent(event)])
            }
            Step::Unseen => {
                let predicate = gligabao_core::vocabulary::predicate("works_at");
                self.plan(vec![Change::PutPredicate(predicate)])
            }
            Step::Series(number, points, text) => self.plan(self.series(*number, points, text.as_deref())),
        }
    }

    fn plan(&self, changes: Vec<Change>) -> Result<(), String> {
        let plan = Plan { version: self.dataset().head().version, changes, stages: Vec::new() };
        self.commit(&plan).map(drop).map_err(|error| error.to_string())
    }

    /// Of three series; told beside an artifact if there is one, and once more as a child of all that come later.
    fn series(&self, number: usize, points: &[(i64, f64)], text: Option<&str>) -> Vec<Change> {
        let key = format!("key {}", number % 3);
        let snapshot = self.snapshot();
        let head = snapshot.head().unwrap();
        let key = gligabao_core::storage::SeriesKey { provider: None, key, field: "value".to_owned() };
        let known = snapshot.find_series(std::slice::from_ref(&key)).unwrap().pop();
        let id = known.map_or(head.next.series, |stored| stored.series.id);
        let series = Series {
            id,
            provider: None,
            key: key.key,
            field: key.field,
            name: Some(format!("name {number}")),
            unit: None,
            frequency: None,
            source: SeriesSource::Supplied,
            definition: None,
            created_at: Moment::Now,
        };
        let mut changes = vec![Change::PutSeries(PutSeries { series, state: Vec::new() })];
        if !points.is_empty() {
            let points = points.iter().map(|(at, value)| Point::new(Micros(*at), *value)).collect();
            changes.push(Change::PutPoints(PutPoints { series: id, points }));
        }
        let Some(text) = text else { return changes };
        let parent =
            Some(ArtifactId(head.next.artifact.0 - 1)).filter(|parent| parent.0 > 0 && number.is_multiple_of(2));
        let artifact = Artifact {
            id: head.next.artifact,
            parent,
            series: Some(id),
            kind: ArtifactKind::SeriesObservation,
            bytes: u32::try_from(text.len()).unwrap(),
            title: None,
            session_id: None,
            wing: None,
            valid_at: Instant(0),
            created_at: Moment::Now,
        };
        let artifact_id = artifact.id;
        changes.push(Change::AddArtifact(AddArtifact { artifact, text: text.to_owned() }));
        if parent != Some(ArtifactId(1)) && artifact_id.0 > 1 {
            changes.push(Change::AddParent(AddParent { artifact: artifact_id, parent: ArtifactId(1) }));
        }
        changes
    }
}

/// What the log says of a call.
fn asked(step: &Step) -> (RunKind, String, Option<String>) {
    let operation = |name: &str| serde_json::json!({"operation": name, "ratio": 1.50}).to_string();
    match step {
        Step::Remember(text, session) => {
            (RunKind::Remember, serde_json::json!({"text_bytes": text.len()}).to_string(), session.clone())
        }
        Step::FailedRemember(_) => (RunKind::Remember, "{}".to_owned(), None),
        Step::Query(question) => (RunKind::Query, serde_json::json!({"question": question}).to_string(), None),
        Step::Retract(_) => (RunKind::Edit, operation("retract"), None),
        Step::Describe(..) => (RunKind::Edit, operation("put_dataset"), None),
        Step::Entity(..) | Step::Fact(..) | Step::Unseen => (RunKind::Edit, operation("change"), None),
        Step::Series(..) => (RunKind::Edit, operation("put_series"), None),
    }
}

fn stages() -> Vec<Stage> {
    let stage =
        |name: &str, output: &str| Stage { name: name.to_owned(), label: None, output: output.to_owned(), error: None };
    vec![stage("extract_graph", "{\"b\":1.0,\"a\":[]}"), stage("store_artifact", "{\"n\":123456789012345678901}")]
}
