//! Time series without their points, and what ties them to the rest.

use super::{ArtifactId, EdgeId, EntityId, Moment, SeriesId, words};
use crate::time::Micros;

words! {
    /// Where the points of a series come from.
    SeriesSource {
        /// A caller sent them.
        Supplied = "supplied",
        /// A provider gave them.
        Fetched = "fetched",
    }
}

/// A time series, without its points. Provider, key and field identify it in its dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its number.
    pub id: SeriesId,
    /// Who was asked for it; `None` for what callers send.
    pub provider: Option<String>,
    /// The caller's or the provider's name of it.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// For people; `None`: the key.
    pub name: Option<String>,
    /// Of the values.
    pub unit: Option<String>,
    /// A label.
    pub frequency: Option<String>,
    /// Where its points come from.
    pub source: SeriesSource,
    /// What the provider was asked for.
    pub definition: Option<String>,
    /// When the store learned it.
    pub created_at: Moment,
}

impl Series {
    /// What people call it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.key)
    }
}

/// What a series can be tied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorTarget {
    /// An artifact.
    Artifact(ArtifactId),
    /// An entity.
    Entity(EntityId),
    /// A fact.
    Edge(EdgeId),
}

impl AnchorTarget {
    /// What kind of thing it is.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Artifact(_) => "artifact",
            Self::Entity(_) => "entity",
            Self::Edge(_) => "edge",
        }
    }

    /// Its number among its kind.
    #[must_use]
    pub fn number(self) -> u64 {
        match self {
            Self::Artifact(id) => id.0,
            Self::Entity(id) => id.0,
            Self::Edge(id) => id.0,
        }
    }
}

impl std::fmt::Display for AnchorTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind(), self.number())
    }
}

/// That a series is tied to something; a series has one anchor for a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The series.
    pub series: SeriesId,
    /// What it is tied to.
    pub target: AnchorTarget,
    /// What the series is to the target.
    pub role: Option<String>,
    /// The slice that matters to the target, both bounds inside and in order; `None`: the whole series.
    pub window: Option<(Micros, Micros)>,
}
