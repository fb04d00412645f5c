//! The request, checked and with its defaults filled in, before anything is read or spent.

use super::{Extractor, Observed, Request, SeriesPut, Timeseries};
use crate::check::{MAX_LABEL, MAX_WING, optional_label, text};
use crate::extract::Extraction;
use crate::model::{ArtifactKind, Call, Failure, FailureCode, ModelChoice};
use crate::pattern::{self, PatternContext, PatternError, Patterns};
use crate::prompt::extract_graph::ExtractGraph;
use crate::prompt::resolve_edges::ResolveEdges;
use crate::prompt::{Ask, check_models};
use crate::series::anchor::{Anchor, Home};
use crate::series::observation::MAX_OBSERVATIONS;
use crate::series::request::{self as series, SentSeries};
use crate::storage::rules::LAST_INSTANT;
use crate::time::{Instant, UNKNOWN_START};

const MAX_TEXT: usize = 1 << 20;

/// A request that can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checked {
    pub(super) text: String,
    pub(super) kind: ArtifactKind,
    pub(super) reference_time: Instant,
    pub(super) title: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) manner: Manner,
    pub(super) timezone: chrono_tz::Tz,
    pub(super) speaker: Option<String>,
    pub(super) language: Option<String>,
    pub(super) batch: Batch,
    patterns: Option<Vec<u8>>,
}

/// Who reads the texts of a call, and where their facts belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manner {
    pub(super) extractor: Extractor,
    pub(super) models: Vec<ModelChoice>,
    pub(super) wing: Option<String>,
}

/// Series that come in one call, and what is told of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Batch {
    pub(super) series: Vec<SentSeries>,
    pub(super) observed: Observed,
    /// Whether what comes after the reference time is told too.
    pub(super) future: bool,
    pub(super) reference_time: Instant,
    /// What is odd about them as they were sent.
    pub(super) warnings: Vec<String>,
}

/// Checks series that come by themselves.
pub(super) fn check_put(request: SeriesPut, call: &Call) -> Result<(Batch, Manner), Failure> {
    if request.series.is_empty() {
        return Err(Failure::field("series", "is empty; give it a series"));
    }
    let (series, warnings) = series::check("series", Home::Alone, request.series)?;
    let SeriesPut { observations: observed, future, .. } = request;
    let manner = Manner::check(request.extractor, &request.models, request.wing.as_deref())?;
    let batch = Batch { series, observed, future, reference_time: call.now.to_instant(), warnings };
    Ok((batch.within_limits("observations"), manner))
}

/// Checks series that come with a text.
fn check_timeseries(timeseries: Timeseries, reference_time: Instant) -> Result<Batch, Failure> {
    let Timeseries { series, observations, clip, future } = timeseries;
    if observations && series.is_empty() {
        return Err(Failure::field("timeseries.observations", "there is no series to tell of; send one in series"));
    }
    let (mut series, mut warnings) = series::check("timeseries.series", Home::Text, series)?;
    for series in series.iter_mut().filter(|_| clip) {
        let dropped = series.clip(reference_time);
        if dropped > 0 {
            warnings.push(format!("{}.points: {dropped} after the reference time were dropped", series.place));
        }
    }
    for series in series.iter_mut().filter(|series| series.anchors.is_empty()) {
        series.anchors.push(Anchor::to_text(&series.place));
    }
    let observed = if observations { Observed::Written } else { Observed::Nothing };
    Ok(Batch { series, observed, future, reference_time, warnings }.within_limits("timeseries.observations"))
}

impl Batch {
    /// Warns of series that are not told.
    fn within_limits(mut self, field: &str) -> Self {
        if self.observed != Observed::Nothing && self.series.len() > MAX_OBSERVATIONS {
            let count = self.series.len();
            self.warnings.push(format!("{field}: the first {MAX_OBSERVATIONS} of {count} series are told; send less"));
        }
        self
    }
}

impl Manner {
    fn check(extractor: Option<Extractor>, models: &[ModelChoice], wing: Option<&str>) -> Result<Self, Failure> {
        Ok(Self {
            extractor: extractor.unwrap_or(Extractor::Pattern),
            models: check_models(models, &[ExtractGraph::STAGE, ResolveEdges::STAGE])?,
            wing: optional_label("wing", wing, MAX_WING)?,
        })
    }
}

pub(super) fn check(request: Request, call: &Call) -> Result<Checked, Failure> {
    text("text", &request.text, MAX_TEXT)?;
    if !matches!(request.kind, ArtifactKind::Knowledge | ArtifactKind::Episode) {
        let message = format!("'{}' is derived; send 'knowledge' or 'episode'", request.kind);
        return Err(Failure::field("kind", message));
    }
    let reference_time = request.reference_time.unwrap_or_else(|| call.now.to_instant());
    if !(UNKNOWN_START..=LAST_INSTANT).contains(&reference_time) {
        return Err(Failure::field("reference_time", "must be in the years 1 to 9999"));
    }
    let batch = check_timeseries(request.timeseries.unwrap_or_default(), reference_time)?;
    let zone = request.timezone.as_deref().unwrap_or("UTC");
    let timezone = zone.parse().map_err(|_| {
        Failure::field("timezone", format!("{zone:?} is no IANA time zone; 'Europe/Lisbon' would be one"))
    })?;
    let checked = Checked {
        kind: request.kind,
        reference_time,
        title: optional_label("title", request.title.as_deref(), MAX_LABEL)?,
        session_id: optional_label("session_id", request.session_id.as_deref(), MAX_LABEL)?,
        manner: Manner::check(request.extractor, &request.models, request.wing.as_deref())?,
        timezone,
        speaker: optional_label("speaker", request.speaker.as_deref(), MAX_LABEL)?,
        language: request.language,
        batch,
        patterns: request.patterns,
        text: request.text,
    };
    // Before a model is asked; patterns alone say it themselves.
    if checked.language.is_some() && checked.manner.extractor != Extractor::Pattern {
        checked.read_by_patterns("")?;
    }
    Ok(checked)
}

impl Checked {
    /// What the patterns read from a text.
    pub(super) fn read_by_patterns(&self, text: &str) -> Result<Extraction, Failure> {
        let context = PatternContext {
            reference_time: self.reference_time,
            timezone: self.timezone,
            speaker: self.speaker.as_deref(),
            language: self.language.as_deref(),
        };
        let extraction = match &self.patterns {
            None => pattern::extract(text, &context),
            Some(bytes) => Patterns::from_bytes(bytes).and_then(|patterns| patterns.extract(text, &context)),
        };
        extraction.map_err(|error| {
            let message = error.to_string();
            match error {
                PatternError::UnknownLanguage { .. } => Failure::new(FailureCode::Invalid, message).about("language"),
                _ => Failure::new(FailureCode::Internal, message),
            }
        })
    }
}
