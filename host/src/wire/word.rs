//! Closed sets of words: the core's enums as JSON strings, with the core's own spelling.

use std::borrow::Cow;
use std::fmt;

use gligabao_core::history::{Format, Layout};
use gligabao_core::model::{ArtifactKind, Direction, EdgeEventKind, SeriesSource};
use gligabao_core::recall::QueryMode;
use gligabao_core::remember::{Extractor, Outcome};
use gligabao_core::series::Trend;
use gligabao_core::series::anchor::OnUnmatched;
use gligabao_core::series::bucket::{Aggregate, Bucket};
use gligabao_core::time::Precision;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::nearest::nearest;
use crate::store::{RunKind, RunStatus};

/// An enum whose values have one word each.
pub trait Words: Copy + 'static {
    /// Name of its schema.
    const NAME: &'static str;
    /// Every value, in order.
    const ALL: &'static [Self];
    /// Its word.
    fn word(self) -> &'static str;
}

macro_rules! words {
    ($($type:ident),+ $(,)?) => { $(
        impl Words for $type {
            const NAME: &'static str = stringify!($type);
            const ALL: &'static [Self] = $type::ALL;
            fn word(self) -> &'static str {
                self.as_str()
            }
        }
    )+ };
}
words!(
    Aggregate,
    ArtifactKind,
    Bucket,
    Direction,
    EdgeEventKind,
    Extractor,
    Format,
    Layout,
    OnUnmatched,
    Outcome,
    QueryMode,
    RunKind,
    RunStatus,
    SeriesSource,
    Trend,
);

impl Words for Precision {
    const NAME: &'static str = "Precision";
    const ALL: &'static [Self] = &[Self::Year, Self::Month, Self::Day, Self::Second];
    fn word(self) -> &'static str {
        self.as_str()
    }
}

/// One of the words of `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<T>(pub T);

/// What an artifact is.
pub type KindWord = Word<ArtifactKind>;
/// Which end of a fact an entity is.
pub type DirectionWord = Word<Direction>;
/// What happened to a fact.
pub type EventWord = Word<EdgeEventKind>;
/// Who finds the facts of a text.
pub type ExtractorWord = Word<Extractor>;
/// How objects of a repository are stored.
pub type FormatWord = Word<Format>;
/// How files of a repository are spread over directories.
pub type LayoutWord = Word<Layout>;
/// How a question was answered.
pub type ModeWord = Word<QueryMode>;
/// What became of a fact that a text states.
pub type OutcomeWord = Word<Outcome>;
/// What kind of call a run logs.
pub type RunKindWord = Word<RunKind>;
/// How far a run is.
pub type RunStatusWord = Word<RunStatus>;
/// What to do when a selector matches nothing.
pub type OnUnmatchedWord = Word<OnUnmatched>;
/// Where the points of a series come from.
pub type SeriesSourceWord = Word<SeriesSource>;
/// The period of a bucket.
pub type BucketWord = Word<Bucket>;
/// What is told of the points of a bucket.
pub type AggregateWord = Word<Aggregate>;
/// Where a series goes.
pub type TrendWord = Word<Trend>;
/// How finely a date was stated.
pub type PrecisionWord = Word<Precision>;

impl<T: Words> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.word())
    }
}

impl<T: Words> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Words> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some(value) = T::ALL.iter().copied().find(|value| value.word() == text) {
            return Ok(Self(value));
        }
        let words: Vec<_> = T::ALL.iter().map(|value| value.word()).collect();
        let hint = nearest(&text, words.iter().copied()).map(|word| format!("; did you mean {word}?"));
        Err(de::Error::custom(format!("must be one of {}{}", words.join(", "), hint.unwrap_or_default())))
    }
}

impl<T: Words> PartialSchema for Word<T> {
    fn schema() -> RefOr<Schema> {
        let words = T::ALL.iter().map(|value| value.word());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
    }
}

impl<T: Words> ToSchema for Word<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for &kind in ArtifactKind::ALL {
            let json = serde_json::to_string(&Word(kind)).expect("a string");
            assert_eq!(serde_json::from_str::<Word<ArtifactKind>>(&json).expect("a word"), Word(kind));
        }
    }

    #[test]
    fn another_word_is_refused_with_the_nearest_one() {
        let error = serde_json::from_str::<Word<Direction>>("\"botch\"").expect_err("no word");
        assert_eq!(error.to_string(), "must be one of out, in, both; did you mean both?");
    }
}
