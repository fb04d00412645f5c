//! The things that a memory holds, as `wit/memory/types.wit` names them.

mod call;
mod run;
mod series;

pub use self::call::{Call, Failure, FailureCode, ModelChoice, Stage};
pub use self::run::{ModelCall, Run, RunKind};
pub use self::series::{Anchor, AnchorTarget, Series, SeriesSource};
use crate::time::{Date, Instant, Interval, Micros};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// Number of an artifact in its dataset, from 1.
    ArtifactId
);
id!(
    /// Number of an entity in its dataset, from 1.
    EntityId
);
id!(
    /// Number of an edge in its dataset, from 1.
    EdgeId
);
id!(
    /// Number of a time series in its dataset, from 1.
    SeriesId
);
id!(
    /// Number of a logged call in its dataset, from 1.
    RunId
);

/// Makes an enum whose values have one word each, the same on the wire, in storage and in texts.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$case_doc])* $case),+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &[Self] = &[$(Self::$case),+];

            /// Its word.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$case => $word),+
                }
            }

            /// The value with this word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What an artifact is.
    ArtifactKind {
        /// Knowledge without a moment of its own.
        Knowledge = "knowledge",
        /// Something that happened at its reference time.
        Episode = "episode",
        /// A part of a long text; derived.
        Chunk = "chunk",
        /// A summary of a long text; derived.
        Summary = "summary",
        /// A briefing made of a web search; derived.
        WebSearch = "web_search",
        /// The text that tells a time series; derived.
        SeriesObservation = "series_observation",
    }
}

words! {
    /// Where the start of an edge comes from.
    StartSource {
        /// The text states it.
        Stated = "stated",
        /// The reference time of the text stands in for it.
        Fallback = "fallback",
        /// Only the end is known.
        Unknown = "unknown",
    }
}

words! {
    /// What happened to an edge.
    EdgeEventKind {
        /// It was told for the first time.
        Created = "created",
        /// It was told again.
        Confirmed = "confirmed",
        /// A text stated its end.
        Ended = "ended",
        /// Its start moved earlier, or a rule's limit moved later.
        Revised = "revised",
        /// A newer fact closed it.
        Invalidated = "invalidated",
        /// A fact that was known already closed it when it was told.
        Superseded = "superseded",
        /// It contradicts another one and no rule settles it.
        Contested = "contested",
        /// A contest was settled in its favour.
        Affirmed = "affirmed",
        /// It was taken out of belief.
        Retracted = "retracted",
        /// What had closed it fell away.
        Reopened = "reopened",
        /// Its entity was merged into another.
        Merged = "merged",
        /// A merge of its entity was undone.
        Split = "split",
    }
}

words! {
    /// What happened to an entity.
    EntityEventKind {
        /// It was mentioned for the first time.
        Created = "created",
        /// It has another description.
        Described = "described",
        /// It has another type.
        Retyped = "retyped",
    }
}

words! {
    /// Which ends of an edge touch an entity.
    Direction {
        /// The entity is the source.
        Outgoing = "out",
        /// The entity is the target.
        Incoming = "in",
        /// Either.
        Both = "both",
    }
}

/// A transaction time. Storage assigns it at commit, so a plan says [`Moment::Now`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The time of the commit that is being planned. Never in what storage answers.
    Now,
    /// A commit of the past.
    At(Micros),
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Now => f.write_str("NOW"),
            Self::At(at) => at.fmt(f),
        }
    }
}

/// One piece of ingested data, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its number.
    pub id: ArtifactId,
    /// The artifact that it was derived from; `None` for what a caller sent.
    pub parent: Option<ArtifactId>,
    /// The series that it tells; `None` for every other text.
    pub series: Option<SeriesId>,
    /// What it is.
    pub kind: ArtifactKind,
    /// Length of its text in bytes.
    pub bytes: u32,
    /// A heading, where the caller gave one.
    pub title: Option<String>,
    /// The caller's session.
    pub session_id: Option<String>,
    /// The wing that its facts inherit; `None` is neutral.
    pub wing: Option<String>,
    /// The reference time: what "now" means inside the text.
    pub valid_at: Instant,
    /// When the store learned it.
    pub created_at: Moment,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its number.
    pub id: EntityId,
    /// As first written.
    pub name: String,
    /// As first known.
    pub r#type: String,
    /// One sentence, or empty.
    pub description: String,
    /// The model that found it; `None` for patterns and people.
    pub model: Option<String>,
    /// When the store learned it.
    pub created_at: Moment,
}

/// What an edge points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Another entity.
    Entity(EntityId),
    /// A literal, as written.
    Text(String),
}

/// When an edge holds, and whether it is believed. It is true in [`Bounds::interval`], and in belief until
/// `retracted_at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Start in the world.
    pub valid_at: Date,
    /// Where that start comes from.
    pub start_source: StartSource,
    /// The end that a text stated, whatever a rule made of it.
    pub stated_end: Option<Date>,
    /// Where facts that contradict it cut it: the earliest start of those that do.
    pub contradicted_at: Option<Date>,
    /// The end that holds: the earliest of `stated_end`, `contradicted_at` and the limit that its relation sets.
    /// Exclusive; `None`: it still holds.
    pub invalid_at: Option<Date>,
    /// When a rule closed it: set exactly while `invalid_at` lies before the stated end.
    pub expired_at: Option<Moment>,
    /// When it was taken out of belief.
    pub retracted_at: Option<Moment>,
    /// Whether it contradicts another fact and no rule settles which one holds.
    pub contested: bool,
}

impl Bounds {
    /// Bounds as a text states them, before any rule.
    #[must_use]
    pub fn stated(valid_at: Date, start_source: StartSource, end: Option<Date>) -> Self {
        Self {
            valid_at,
            start_source,
            stated_end: end,
            contradicted_at: None,
            invalid_at: end,
            expired_at: None,
            retracted_at: None,
            contested: false,
        }
    }

    /// When it is true in the world.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::new(self.valid_at.at, self.invalid_at.map(|end| end.at))
    }

    /// Whether the start is more than a stand-in for "some time before its end".
    #[must_use]
    pub fn start_known(&self) -> bool {
        self.start_source != StartSource::Unknown
    }

    /// Neither closed by a rule nor retracted.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.expired_at.is_none() && self.retracted_at.is_none()
    }
}

/// A fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Its number.
    pub id: EdgeId,
    /// The subject.
    pub source: EntityId,
    /// In snake_case.
    pub relation: String,
    /// The object.
    pub target: Target,
    /// One sentence.
    pub description: String,
    /// What is true of it at the time that was asked about.
    pub bounds: Bounds,
    /// When the store began to believe it.
    pub created_at: Moment,
    /// The artifact that stated it first; `None` for a triple without source.
    pub artifact: Option<ArtifactId>,
    /// The model that extracted it; `None` for patterns and people.
    pub model: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// The wing; `None` is neutral.
    pub wing: Option<String>,
    /// The words that it was read from.
    pub raw_text: Option<String>,
}

/// One line of the append-only log of edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeEvent {
    /// The commit that it was part of.
    pub seq: u64,
    /// Its place among the events of that commit, from 0.
    pub number: u32,
    /// The edge.
    pub edge: EdgeId,
    /// What happened.
    pub kind: EdgeEventKind,
    /// When, in transaction time.
    pub at: Micros,
    /// The call that it was part of.
    pub run: RunId,
    /// The artifact that caused it.
    pub artifact: Option<ArtifactId>,
    /// The edge that limits it from now on, or whose going gave it back.
    pub cause: Option<EdgeId>,
    /// The bounds before; `None` when it was created.
    pub before: Option<Bounds>,
    /// The bounds after.
    pub after: Bounds,
}

/// The rules of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// In snake_case.
    pub name: String,
    /// One target at a time for a subject.
    pub functional: bool,
    /// For people and prompts.
    pub description: String,
}

/// Where a list goes on: the sort key of the last item given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// First part of the key; 0 where a list is sorted by ID alone.
    pub at: i64,
    /// The ID.
    pub id: u64,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// How many at most; storage may give fewer and then says where to go on.
    pub limit: u32,
    /// After this place in the order.
    pub after: Option<Position>,
}
