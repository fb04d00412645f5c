//! Series told in words: each text is an artifact whose facts are told like those of any text.

use super::cast::Cast;
use super::extract::{Known, sift};
use super::material::{Found, Material};
use super::series::{Item, Written, write};
use super::state::{Question, State, Unread, Which};
use super::tell::{Source, ToldText, Untold, tell};
use super::validate::{Batch, Manner};
use super::{Extractor, Observed, SeriesObservation, SeriesPutAnswer};
use crate::commit::Stop;
use crate::model::{Artifact, ArtifactId, ArtifactKind, EntityId, Moment, Page, SeriesId};
use crate::plan::Draft;
use crate::prompt::Problems;
use crate::reconcile::Overlay;
use crate::series::number::TimeStyle;
use crate::series::observation::{Described, MAX_OBSERVATIONS, Observation, facts, period};
use crate::series::{Accumulator, Point, Stats, first_entity, pages};
use crate::stage::Log;
use crate::storage::{AddArtifact, AddParent, ArtifactFilter, Change, PointFilter, Snapshot, StorageResult};
use crate::time::Instant;

/// The series of a call and what is told of them.
#[derive(Debug)]
pub(super) struct ToldSeries<'r> {
    written: Written<'r>,
    observations: Vec<Observing>,
}

/// What is to be told of a series.
struct Text {
    which: Which,
    series: SeriesId,
    /// Whether it can have been told before.
    is_stored: bool,
    field: String,
    about: Option<(String, EntityId)>,
    observation: Observation,
    text: String,
    /// The time of the last point.
    at: Instant,
}

/// A text that is an artifact by now.
#[derive(Debug)]
struct Observing {
    which: Which,
    log: Log,
    answer: SeriesObservation,
    /// What became of its facts; `None` where they are missing.
    told: Option<ToldText>,
}

/// Plans the series of a call and what is told of them, for a text if they came with one.
pub(super) fn tell_series<'a, 'r, S: Snapshot>(
    mut overlay: Overlay<'a, S>,
    batch: &'r Batch,
    manner: &Manner,
    text: Option<(ArtifactId, &Cast)>,
    state: &mut State,
) -> Result<(Overlay<'a, S>, ToldSeries<'r>), Stop<Question>> {
    let (home, cast) = text.unzip();
    let written = write(&mut overlay, batch, home, cast)?;
    let mut texts = Vec::new();
    if batch.observed != Observed::Nothing {
        for (place, item) in written.items.iter().take(MAX_OBSERVATIONS).enumerate() {
            texts.extend(describe(&overlay, batch, place, item)?);
        }
    }
    if manner.extractor.asks_a_model() {
        let unread = texts.iter().filter(|text| state.reading(&text.text).is_none());
        let unread = unread.map(|text| text.unread(overlay.snapshot())).collect::<StorageResult<Vec<Unread>>>()?;
        if !unread.is_empty() {
            return Err(state.read_first(unread));
        }
    }
    let mut observations = Vec::with_capacity(texts.len());
    for text in texts {
        let (next, observing) = observe(overlay, text, manner, home, state)?;
        overlay = next;
        observations.push(observing);
    }
    Ok((overlay, ToldSeries { written, observations }))
}

/// What there is to tell of a series; `None` where no point is to be told of.
fn describe<S: Snapshot>(
    overlay: &Overlay<'_, S>,
    batch: &Batch,
    place: usize,
    item: &Item<'_>,
) -> StorageResult<Option<Text>> {
    let sent = item.sent.points.as_deref().unwrap_or_default();
    let (from, to) = match batch.observed {
        Observed::All => (None, None),
        Observed::Nothing | Observed::Written if sent.is_empty() => return Ok(None),
        Observed::Nothing | Observed::Written => {
            (sent.first().map(|point| point.at), sent.last().map(|point| point.at))
        }
    };
    let now = Some(batch.reference_time.to_micros()).filter(|_| !batch.future);
    let to = [to, now].into_iter().flatten().min();
    let Some((stats, style)) = window(overlay.snapshot(), item, PointFilter { from, to, known_at: None })? else {
        return Ok(None);
    };
    let about = about(overlay, item)?;
    let series = &item.series;
    let described = Described {
        key: series.key.clone(),
        field: series.field.clone(),
        name: series.title().to_owned(),
        unit: series.unit.clone(),
        frequency: series.frequency.clone(),
        provider: series.provider.clone(),
        entity: about.as_ref().map(|(name, _)| name.clone()),
    };
    let observation = Observation::new(described, &stats, style);
    Ok(Some(Text {
        which: Which::Observation { place, key: series.key.clone() },
        series: series.id,
        is_stored: item.is_stored,
        field: series.field.clone(),
        about,
        text: observation.to_string(),
        observation,
        at: stats.last_ts.to_instant(),
    }))
}

/// The points of a window as the call leaves them: what they amount to, and how their times are written.
fn window<S: Snapshot>(
    snapshot: &S,
    item: &Item<'_>,
    period: PointFilter,
) -> StorageResult<Option<(Stats, TimeStyle)>> {
    let (mut all, mut style) = (Accumulator::default(), TimeStyle::Dates);
    let mut take = |points: &[Point]| {
        all.extend(points);
        if style == TimeStyle::Dates {
            style = TimeStyle::of(points.iter().map(|point| point.at));
        }
    };
    let is_after = item.last.zip(period.from).is_some_and(|(last, from)| last < from);
    if item.is_stored && !is_after {
        pages::scan(snapshot, item.series.id, period, &item.writes, take)?;
    } else {
        let inside: Vec<Point> = item.writes.iter().copied().filter(|point| period.contains(point.at)).collect();
        take(&inside);
    }
    Ok(all.stats().map(|stats| (stats, style)))
}

/// The entity that a series is about: the one that its request names first, else the first that it is anchored to.
fn about<S: Snapshot>(overlay: &Overlay<'_, S>, item: &Item<'_>) -> StorageResult<Option<(String, EntityId)>> {
    if item.about.is_some() || !item.is_stored {
        return Ok(item.about.clone());
    }
    let Some(id) = first_entity(overlay.snapshot(), item.series.id)? else { return Ok(None) };
    Ok(overlay.get_entities(&[id])?.pop().map(|entity| (entity.name, id)))
}

impl Text {
    fn unread<S: Snapshot>(&self, snapshot: &S) -> StorageResult<Unread> {
        Ok(Unread {
            which: self.which.clone(),
            text: self.text.clone(),
            reference_time: self.at,
            period: period(&self.observation),
            known: Known::load(snapshot, &self.text)?,
        })
    }

    /// What it states, or why that is not known.
    fn material(&self, manner: &Manner, state: &State, log: &mut Log) -> Result<Material, String> {
        match manner.extractor {
            Extractor::Off => Ok(Material::default()),
            Extractor::Pattern => {
                let found = [Found { extraction: facts(&self.observation), model: None }];
                sift(manner.extractor, &found, 0, &Problems::default(), log).map_err(|failure| failure.message)
            }
            Extractor::Llm | Extractor::Both => {
                state.reading(&self.text).cloned().unwrap_or_else(|| Err("no model has read it".to_owned()))
            }
        }
    }
}

/// Makes a text an artifact, or finds the one that it is, and tells its facts.
fn observe<'a, S: Snapshot>(
    mut overlay: Overlay<'a, S>,
    text: Text,
    manner: &Manner,
    home: Option<ArtifactId>,
    state: &mut State,
) -> Result<(Overlay<'a, S>, Observing), Stop<Question>> {
    let known = if text.is_stored { stored(overlay.snapshot(), &text)? } else { None };
    let artifact = match &known {
        Some(known) => known.id,
        None => add_artifact(&mut overlay, &text, home, manner),
    };
    let another = known.as_ref().zip(home).filter(|(known, home)| known.parent != Some(*home));
    if let Some((_, parent)) = another {
        overlay.push(Change::AddParent(AddParent { artifact, parent }), "the text tells the same again");
    }
    let label = text.which.label();
    let mut log = Log::default();
    let material = log.about(label.clone(), |log| {
        let count = text.observation.count;
        log.done("observe_series", &serde_json::json!({"text": text.text, "points": count, "known": known.is_some()}));
        text.material(manner, state, log)
    });
    let answer = SeriesObservation {
        series_id: text.series,
        key: text.observation.series.key.clone(),
        field: text.field,
        artifact_id: Some(artifact),
        text: text.text,
        known: known.is_some(),
        entities: Vec::new(),
        edges: Vec::new(),
        invalidated_edges: Vec::new(),
        error: None,
    };
    let which = text.which;
    let without = |which, error: String| {
        let answer = SeriesObservation { error: Some(error), ..answer.clone() };
        Observing { which, log: log.clone(), answer, told: None }
    };
    let material = match material {
        Ok(material) => material,
        Err(error) => return Ok((overlay, without(which, error))),
    };
    let meant = text.about.as_ref().map(|(name, id)| (name.as_str(), *id));
    let source = Source { artifact, reference_time: text.at, wing: manner.wing.as_deref(), meant };
    let untold = manner.extractor.asks_a_model().then(|| overlay.clone());
    let (comparison, asked) = state.compare(&which, manner);
    match asked.about(label, |log| tell(overlay, &source, &material, comparison, log)) {
        Ok((overlay, told)) => Ok((overlay, Observing { which, log, answer, told: Some(told) })),
        Err(Untold::Trouble(trouble)) => Err(trouble.into()),
        Err(Untold::Ask(question)) => Err(state.compare_first(which, question)),
        Err(Untold::Failed(failure)) => Ok((untold.expect("only a model fails"), without(which, failure.message))),
    }
}

/// The artifact that tells the same already.
fn stored<S: Snapshot>(snapshot: &S, text: &Text) -> StorageResult<Option<Artifact>> {
    let filter = ArtifactFilter { series: Some(text.series), valid_at: Some(text.at), ..ArtifactFilter::default() };
    let mut after = None;
    loop {
        let found = snapshot.list_artifacts(&filter, Page { limit: 100, after })?;
        let as_long = |artifact: &Artifact| artifact.bytes as usize == text.text.len();
        let mut possible: Vec<Artifact> = found.artifacts.into_iter().filter(as_long).collect();
        if !possible.is_empty() {
            let ids: Vec<ArtifactId> = possible.iter().map(|artifact| artifact.id).collect();
            let same = snapshot.get_texts(&ids)?.into_iter().find(|stored| stored.text == text.text);
            if let Some(same) = same {
                return Ok(possible.drain(..).find(|artifact| artifact.id == same.artifact));
            }
        }
        if found.next.is_none() {
            return Ok(None);
        }
        after = found.next;
    }
}

fn add_artifact<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    text: &Text,
    home: Option<ArtifactId>,
    manner: &Manner,
) -> ArtifactId {
    let artifact = Artifact {
        id: overlay.new_artifact_id(),
        parent: home,
        series: Some(text.series),
        kind: ArtifactKind::SeriesObservation,
        bytes: u32::try_from(text.text.len()).expect("labels and numbers are short"),
        title: None,
        session_id: None,
        wing: manner.wing.clone(),
        valid_at: text.at,
        created_at: Moment::Now,
    };
    let id = artifact.id;
    overlay.push(Change::AddArtifact(AddArtifact { artifact, text: text.text.clone() }), "the series in words");
    id
}

impl ToldSeries<'_> {
    /// The plan and what it gives.
    pub(super) fn finish<S: Snapshot>(
        self,
        mut overlay: Overlay<'_, S>,
        log: &mut Log,
    ) -> StorageResult<(Draft, SeriesPutAnswer)> {
        if !self.written.items.is_empty() {
            self.written.log(log);
        }
        let mut observations = Vec::with_capacity(self.observations.len());
        for Observing { which, log: own, mut answer, told } in self.observations {
            log.append(own);
            if let Some(told) = told {
                answer.edges = told.edges(&overlay)?;
                answer.entities = told.entities();
                log.about(which.label(), |log| told.log(&answer.edges, log));
                answer.invalidated_edges = told.closed;
            }
            observations.push(answer);
        }
        let (series, warnings) = self.written.finish(&mut overlay);
        Ok((overlay.into_draft(), SeriesPutAnswer { series, observations, warnings }))
    }
}
