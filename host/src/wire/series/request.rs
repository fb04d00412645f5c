//! Series as requests carry them.

use gligabao_core::model::{ArtifactId, EdgeId, EntityId};
use gligabao_core::remember::{self, Observed};
use gligabao_core::series::anchor;
use gligabao_core::series::request;
use serde::{Deserialize, Deserializer, de};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

use super::points::Points;
use crate::wire::llm::{self, Models};
use crate::wire::time::{PointTime, PointUntil};
use crate::wire::word::{ExtractorWord, OnUnmatchedWord};

/// A series as sent. One that is stored already, by key and field, gets what is sent.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "key": "AAPL", "field": "close", "unit": "USD",
    "points": [["2007-01-09T00:00:00Z", 92.57], ["2007-01-10T00:00:00Z", 97]],
    "anchors": [{"entity": {"name": "Apple"}, "role": "share price"}],
}))]
pub struct SeriesInput {
    /// Your identifier; 1 to 256 bytes.
    pub key: String,
    /// Which value of the key, at most 64 bytes; `value` when absent.
    pub field: Option<String>,
    /// For people; as stored, or the key, when absent.
    pub name: Option<String>,
    /// Of the values; as stored when absent.
    pub unit: Option<String>,
    /// A label such as `1d`; as stored when absent.
    pub frequency: Option<String>,
    /// 1 to 100,000; when absent only labels and anchors of a stored series change.
    #[schema(inline)]
    pub points: Option<Points>,
    /// What it is tied to; at most 20.
    pub anchors: Option<Vec<AnchorInput>>,
}

impl From<SeriesInput> for request::SeriesRequest {
    fn from(series: SeriesInput) -> Self {
        let (points, inexact) = series.points.map(|sent| (sent.points, sent.inexact)).unzip();
        Self {
            key: series.key,
            field: series.field,
            name: series.name,
            unit: series.unit,
            frequency: series.frequency,
            points,
            inexact: inexact.unwrap_or_default(),
            anchors: series.anchors.into_iter().flatten().map(Into::into).collect(),
        }
    }
}

/// What a series is tied to: exactly one of `artifact`, `artifact_id`, `entity`, `entity_id`, `edge` and `edge_id`.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "entity": {"name": "Apple"}, "role": "share price", "window": ["2007-01-09", "2008-07-11"],
}))]
pub struct AnchorInput {
    /// The text that comes with the series.
    pub artifact: Option<bool>,
    /// A stored text, by its number.
    pub artifact_id: Option<u64>,
    /// An entity by its name.
    pub entity: Option<EntityInput>,
    /// A stored entity, by its number.
    pub entity_id: Option<u64>,
    /// A fact by its ends.
    pub edge: Option<EdgeInput>,
    /// A stored fact, by its number.
    pub edge_id: Option<u64>,
    /// What the series is to it; at most 64 bytes.
    pub role: Option<String>,
    /// The slice that matters to it, from a time to a time, both inside; all of the series when absent.
    #[schema(value_type = Option<Vec<String>>, min_items = 2, max_items = 2)]
    pub window: Option<(PointTime, PointUntil)>,
    /// What to do when there is none: `create` (an entity; when absent), `ignore` (a fact; when absent), `error`.
    #[schema(inline)]
    pub on_unmatched: Option<OnUnmatchedWord>,
}

impl From<AnchorInput> for anchor::AnchorRequest {
    fn from(anchor: AnchorInput) -> Self {
        Self {
            artifact: anchor.artifact.unwrap_or(false),
            artifact_id: anchor.artifact_id.map(ArtifactId),
            entity: anchor.entity.map(|entity| anchor::EntitySelector { name: entity.name, r#type: entity.r#type }),
            entity_id: anchor.entity_id.map(EntityId),
            edge: anchor.edge.map(|EdgeInput { source, relation, target }| anchor::EdgeSelector {
                source,
                relation,
                target,
            }),
            edge_id: anchor.edge_id.map(EdgeId),
            role: anchor.role,
            window: anchor.window.map(|(start, end)| (start.0, end.0)),
            on_unmatched: anchor.on_unmatched.map(|word| word.0),
        }
    }
}

/// An entity by its name.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntityInput {
    /// Its name or one of its aliases, in any spelling.
    pub name: String,
    /// Only of this type; any when absent. A new entity gets it.
    pub r#type: Option<String>,
}

/// A fact that holds, by its ends; the newest of several.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeInput {
    /// Name of the subject.
    pub source: String,
    /// `works_at`, in any spelling.
    pub relation: String,
    /// Name of the object, or the literal.
    pub target: String,
}

/// Series that come with a text.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeseriesInput {
    /// At most 20. One without anchors is anchored to the text.
    pub series: Option<Vec<SeriesInput>>,
    /// Whether they are told in words, of which the facts are stored: the first 10. False when absent.
    pub observations: Option<bool>,
    /// Whether points after the reference time are dropped; false when absent.
    pub clip: Option<bool>,
    /// Whether points after the reference time are told; false when absent.
    pub future: Option<bool>,
}

impl From<TimeseriesInput> for remember::Timeseries {
    fn from(sent: TimeseriesInput) -> Self {
        Self {
            series: sent.series.into_iter().flatten().map(Into::into).collect(),
            observations: sent.observations.unwrap_or(false),
            clip: sent.clip.unwrap_or(false),
            future: sent.future.unwrap_or(false),
        }
    }
}

/// Series that come by themselves.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "user_id": "me", "series": [{"key": "AAPL", "points": [["2007-01-09T00:00:00Z", 92.57]]}],
}))]
pub struct PutSeriesRequest {
    /// Whose data it is; also accepted as parameter or as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset, which must exist; `main` when absent.
    pub dataset: Option<String>,
    /// 1 to 20.
    pub series: Vec<SeriesInput>,
    /// Which points are told in words, of which the facts are stored: none (`false`, when absent), from the first to
    /// the last of those that are sent (`true`), or `"all"`. Of more than 10 series the first 10 are.
    #[schema(schema_with = observed_schema)]
    pub observations: Option<ObservedInput>,
    /// Whether points after now are told; false when absent.
    pub future: Option<bool>,
    /// Who finds the facts of what is told; the operator's choice when absent.
    #[schema(inline)]
    pub extractor: Option<ExtractorWord>,
    /// The wing of those facts; at most 64 bytes.
    pub wing: Option<String>,
    /// Models of stages, as `{"extract_graph": "…"}`; the operator's where a stage has none here.
    pub models: Option<Models>,
}

impl From<PutSeriesRequest> for remember::SeriesPut {
    fn from(request: PutSeriesRequest) -> Self {
        Self {
            series: request.series.into_iter().map(Into::into).collect(),
            observations: request.observations.map_or(Observed::Nothing, |observed| observed.0),
            future: request.future.unwrap_or(false),
            extractor: request.extractor.map(|extractor| extractor.0),
            wing: request.wing,
            models: llm::choices(request.models),
        }
    }
}

/// Which points are told: `false`, `true` or `"all"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedInput(pub Observed);

impl<'de> Deserialize<'de> for ObservedInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = ObservedInput;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a boolean or \"all\"")
            }

            fn visit_bool<E: de::Error>(self, told: bool) -> Result<ObservedInput, E> {
                Ok(ObservedInput(if told { Observed::Written } else { Observed::Nothing }))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ObservedInput, E> {
                match text {
                    "all" => Ok(ObservedInput(Observed::All)),
                    _ => Err(E::custom("must be a boolean or \"all\"")),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

fn observed_schema() -> impl Into<RefOr<Schema>> {
    OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Boolean))
        .item(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["all"])))
        .description(Some(
            "Which points are told in words, of which the facts are stored: none (`false`, when absent), from the \
             first to the last of those that are sent (`true`), or `\"all\"`. Of more than 10 series the first 10 are.",
        ))
}
