//! Conversion between this crate's types and the bindings that both sides of the WIT generate from it.
//!
//! Guest and host generate the same Rust shapes from the same WIT, so [`crate::conversions`] spells the mapping out
//! once; each side expands it where the modules of its bindings that are named as the interfaces are in scope.

use crate::model::{ArtifactId, EdgeId, EntityId, RunId, SeriesId};
use crate::time::{Instant, Micros};

/// Turns a value into its twin on the other side of the bindings. Never fails and never loses anything.
pub trait Convert<T> {
    /// The twin.
    fn convert(self) -> T;
}

macro_rules! same {
    ($($type:ty),*) => { $(impl Convert<$type> for $type { fn convert(self) -> $type { self } })* };
}
same!(bool, f64, i64, u8, u32, u64, String, ());

macro_rules! newtype {
    ($($name:ident($inner:ty)),*) => { $(
        impl Convert<$name> for $inner { fn convert(self) -> $name { $name(self) } }
        impl Convert<$inner> for $name { fn convert(self) -> $inner { self.0 } }
    )* };
}
newtype!(ArtifactId(u64), EntityId(u64), EdgeId(u64), SeriesId(u64), RunId(u64), Instant(i64), Micros(i64));

impl<A: Convert<B>, B> Convert<Option<B>> for Option<A> {
    fn convert(self) -> Option<B> {
        self.map(Convert::convert)
    }
}

impl<A: Convert<B>, B> Convert<Vec<B>> for Vec<A> {
    fn convert(self) -> Vec<B> {
        self.into_iter().map(Convert::convert).collect()
    }
}

impl<A: Convert<B>, B, C: Convert<D>, D> Convert<(B, D)> for (A, C) {
    fn convert(self) -> (B, D) {
        (self.0.convert(), self.1.convert())
    }
}

impl<A: Convert<B>, B, E: Convert<F>, F> Convert<Result<B, F>> for Result<A, E> {
    fn convert(self) -> Result<B, F> {
        self.map(Convert::convert).map_err(Convert::convert)
    }
}

/// Both directions for one record. Fields have the same names on both sides, but those after the semicolon, which the
/// bindings call otherwise.
#[doc(hidden)]
#[macro_export]
macro_rules! convert_record {
    ($wit:path, $core:path, { $($field:ident),* $(,)? $(; $core_field:ident = $wit_field:ident)? }) => {
        impl $crate::convert::Convert<$core> for $wit {
            fn convert(self) -> $core {
                type Core = $core;
                Core {
                    $($field: $crate::convert::Convert::convert(self.$field),)*
                    $($core_field: $crate::convert::Convert::convert(self.$wit_field),)?
                }
            }
        }
        impl $crate::convert::Convert<$wit> for $core {
            fn convert(self) -> $wit {
                type Wit = $wit;
                Wit {
                    $($field: $crate::convert::Convert::convert(self.$field),)*
                    $($wit_field: $crate::convert::Convert::convert(self.$core_field),)?
                }
            }
        }
    };
}

/// Both directions for one enum or variant; a case with a payload is written `Case(value)`.
#[doc(hidden)]
#[macro_export]
macro_rules! convert_variant {
    ($wit:path, $core:path, { $($case:ident $(($payload:ident))?),* $(,)? }) => {
        impl $crate::convert::Convert<$core> for $wit {
            fn convert(self) -> $core {
                type Core = $core;
                match self {
                    $(Self::$case $(($payload))? => Core::$case $(($crate::convert::Convert::convert($payload)))?),*
                }
            }
        }
        impl $crate::convert::Convert<$wit> for $core {
            fn convert(self) -> $wit {
                type Wit = $wit;
                match self {
                    $(Self::$case $(($payload))? => Wit::$case $(($crate::convert::Convert::convert($payload)))?),*
                }
            }
        }
    };
}

/// Implements [`convert::Convert`](crate::convert::Convert) both ways for every type of the WIT package.
/// Wants the modules of the caller's bindings that are named as the interfaces in scope.
#[macro_export]
macro_rules! conversions {
    () => {
        use $crate::{convert_record as record, convert_variant as variant};

        variant!(types::Precision, $crate::time::Precision, { Year, Month, Day, Second });
        record!(types::Date, $crate::time::Date, { at, precision });
        variant!(types::Moment, $crate::model::Moment, { Now, At(value) });
        variant!(types::ArtifactKind, $crate::model::ArtifactKind, {
            Knowledge, Episode, Chunk, Summary, WebSearch, SeriesObservation,
        });
        record!(types::Artifact, $crate::model::Artifact, {
            id, parent, series, kind, bytes, title, session_id, wing, valid_at, created_at,
        });
        record!(types::Entity, $crate::model::Entity, {
            id, name, description, model, created_at; r#type = type_
        });
        variant!(types::Target, $crate::model::Target, { Entity(value), Text(value) });
        variant!(types::StartSource, $crate::model::StartSource, { Stated, Fallback, Unknown });
        record!(types::Bounds, $crate::model::Bounds, {
            valid_at, start_source, stated_end, contradicted_at, invalid_at, expired_at, retracted_at, contested,
        });
        record!(types::Edge, $crate::model::Edge, {
            id, source, relation, target, description, bounds, created_at, artifact, model, confidence, wing, raw_text,
        });
        variant!(types::EdgeEventKind, $crate::model::EdgeEventKind, {
            Created, Confirmed, Ended, Revised, Invalidated, Superseded, Contested, Affirmed, Retracted, Reopened,
            Merged, Split,
        });
        record!(types::EdgeEvent, $crate::model::EdgeEvent, {
            seq, number, edge, kind, at, run, artifact, cause, before, after,
        });
        variant!(types::EntityEventKind, $crate::model::EntityEventKind, { Created, Described, Retyped });
        record!(types::Predicate, $crate::model::Predicate, { name, functional, description });
        record!(types::Point, $crate::series::Point, { at, value });
        variant!(types::SeriesSource, $crate::model::SeriesSource, { Supplied, Fetched });
        record!(types::Series, $crate::model::Series, {
            id, provider, key, field, name, unit, frequency, source, definition, created_at,
        });
        variant!(types::AnchorTarget, $crate::model::AnchorTarget, { Artifact(value), Entity(value), Edge(value) });
        record!(types::Anchor, $crate::model::Anchor, { series, target, role, window });
        variant!(types::Direction, $crate::model::Direction, { Outgoing, Incoming, Both });
        record!(types::Position, $crate::model::Position, { at, id });
        record!(types::Page, $crate::model::Page, { limit, after });
        record!(types::Call, $crate::model::Call, { now });
        variant!(types::FailureCode, $crate::model::FailureCode, {
            Invalid, NotFound, Conflict, TooLarge, Unsatisfiable, Limited, Model, Unavailable, Internal,
        });
        record!(types::ModelChoice, $crate::model::ModelChoice, { stage, model });
        record!(types::Stage, $crate::model::Stage, { name, label, output, error });
        variant!(types::RunKind, $crate::model::RunKind, { Remember, Query, Edit });
        record!(types::ModelCall, $crate::model::ModelCall, {
            stage, model, provider, reasoning, tokens_in, tokens_out, cost_usd, latency_ms, attempts, error,
        });
        record!(types::Run, $crate::model::Run, {
            id, seq, kind, params, session_id, started_at, ended_at, changed_at, error, stages, model_calls,
        });
        record!(types::Failure, $crate::model::Failure, { code, message, field, retry_after, stages });

        variant!(storage::StorageError, $crate::storage::StorageError, {
            Conflict(value), SnapshotGone, NoDataset, TooLarge(value), Invalid(value), Unavailable(value),
        });
        record!(storage::Counters, $crate::storage::Counters, { artifact, entity, edge, series });
        record!(storage::Head, $crate::storage::Head, {
            name, description, tags, created_at, seq, version, last_at, next,
        });
        record!(storage::NameMatch, $crate::storage::NameMatch, { name, entity });
        record!(storage::Degree, $crate::storage::Degree, { entity, edges });
        variant!(storage::TargetKey, $crate::storage::TargetKey, { Entity(value), Text(value) });
        variant!(storage::Validity, $crate::storage::Validity, { Any, At(value), Meets(value) });
        variant!(storage::Standing, $crate::storage::Standing, { Live, Believed, Any });
        record!(storage::EdgeFilter, $crate::storage::EdgeFilter, {
            entity, direction, relation, target, validity, known_at, standing, unknown_start, wing,
        });
        variant!(storage::EdgeOrder, $crate::storage::EdgeOrder, { OldestValid, LatestValid, NewestTold });
        record!(storage::EdgeQuery, $crate::storage::EdgeQuery, { filter, order, page });
        record!(storage::EdgePage, $crate::storage::EdgePage, { edges, next });
        record!(storage::EntityPage, $crate::storage::EntityPage, { entities, next });
        record!(storage::ArtifactFilter, $crate::storage::ArtifactFilter, { parent, series, valid_at, session_id, wing });
        record!(storage::ArtifactPage, $crate::storage::ArtifactPage, { artifacts, next });
        record!(storage::ArtifactText, $crate::storage::ArtifactText, { artifact, text });
        record!(storage::Mention, $crate::storage::Mention, { entity, artifact, description });
        record!(storage::Statement, $crate::storage::Statement, { edge, artifact, description, raw_text });
        record!(storage::MentionPage, $crate::storage::MentionPage, { artifacts, next });
        record!(storage::StatementPage, $crate::storage::StatementPage, { statements, next });
        variant!(storage::EventFilter, $crate::storage::EventFilter, { Edge(value), Cause(value), Seq(value) });
        record!(storage::EventPage, $crate::storage::EventPage, { events, next });
        record!(storage::SeriesKey, $crate::storage::SeriesKey, { provider, key, field });
        record!(storage::StoredSeries, $crate::storage::StoredSeries, { series, points, state });
        record!(storage::SeriesPage, $crate::storage::SeriesPage, { series, next });
        record!(storage::AnchorPage, $crate::storage::AnchorPage, { anchors, next });
        record!(storage::PointFilter, $crate::storage::PointFilter, { from, to, known_at });
        record!(storage::PointPage, $crate::storage::PointPage, { points, more });
        record!(storage::CommitLog, $crate::storage::CommitLog, { seq, at, changes, series });
        record!(storage::CommitPage, $crate::storage::CommitPage, { commits, more });
        record!(storage::RunPage, $crate::storage::RunPage, { runs, more });
        record!(storage::AddParent, $crate::storage::AddParent, { artifact, parent });
        record!(storage::PutSeries, $crate::storage::PutSeries, { series, state });
        record!(storage::PutPoints, $crate::storage::PutPoints, { series, points });
        record!(storage::DeletePoints, $crate::storage::DeletePoints, { series, from, to });
        record!(storage::DeleteAnchor, $crate::storage::DeleteAnchor, { series, target });
        record!(storage::AddArtifact, $crate::storage::AddArtifact, { artifact, text });
        record!(storage::AddEntity, $crate::storage::AddEntity, { entity, normalized_name });
        record!(storage::AddEntityEvent, $crate::storage::AddEntityEvent, {
            entity, kind, artifact, description; r#type = type_
        });
        record!(storage::AddEdge, $crate::storage::AddEdge, { edge, normalized_target });
        record!(storage::AddEvent, $crate::storage::AddEvent, { edge, kind, artifact, cause, after });
        record!(storage::SetDataset, $crate::storage::SetDataset, { description, tags });
        variant!(storage::Change, $crate::storage::Change, {
            AddArtifact(value), AddEntity(value), AddEntityEvent(value), AddMention(value), AddEdge(value),
            AddStatement(value), AddEvent(value), PutPredicate(value), SetDataset(value), AddParent(value),
            PutSeries(value), PutPoints(value), DeletePoints(value), PutAnchor(value), DeleteAnchor(value),
            DeleteSeries(value),
        });
        record!(storage::Plan, $crate::storage::Plan, { version, changes, stages });
        record!(storage::Committed, $crate::storage::Committed, { seq, at });
        variant!(storage::Turn, $crate::storage::Turn, { Race, Queue });

        record!(llm::Prompt, $crate::llm::Prompt, { stage, model, system, document, schema });
        record!(llm::Completion, $crate::llm::Completion, { text, model });
        variant!(llm::LlmError, $crate::llm::LlmError, {
            Missing(value), Limited(value), Refused(value), Unavailable(value),
        });

        variant!(remember::Extractor, $crate::remember::Extractor, { Off, Pattern, Llm, Both });
        record!(remember::Request, $crate::remember::Request, {
            text, kind, reference_time, title, session_id, wing, extractor, timezone, speaker, language, patterns,
            models, timeseries,
        });
        variant!(remember::Outcome, $crate::remember::Outcome, { Created, Confirmed, Revised, Ended, Superseded });
        record!(remember::ToldFact, $crate::remember::ToldFact, { fact, outcome });
        record!(remember::ToldEntity, $crate::remember::ToldEntity, { entity, created });
        record!(remember::Dropped, $crate::remember::Dropped, { pii, empty, self_loop, invalid });
        record!(remember::Answer, $crate::remember::Answer, {
            artifact_id, entities, edges, invalidated_edges, dropped, timeseries,
        });
        record!(remember::Timeseries, $crate::remember::Timeseries, { series, observations, clip, future });
        variant!(remember::Observed, $crate::remember::Observed, { Nothing, Written, All });
        record!(remember::SeriesPut, $crate::remember::SeriesPut, {
            series, observations, future, extractor, wing, models,
        });
        record!(remember::SeriesObservation, $crate::remember::SeriesObservation, {
            series_id, key, field, artifact_id, text, known, entities, edges, invalidated_edges, error,
        });
        record!(remember::SeriesPutAnswer, $crate::remember::SeriesPutAnswer, { series, observations, warnings });

        record!(series::EntitySelector, $crate::series::anchor::EntitySelector, { name; r#type = type_ });
        record!(series::EdgeSelector, $crate::series::anchor::EdgeSelector, { source, relation, target });
        variant!(series::OnUnmatched, $crate::series::anchor::OnUnmatched, { Create, Ignore, Error });
        record!(series::AnchorRequest, $crate::series::anchor::AnchorRequest, {
            artifact, artifact_id, entity, entity_id, edge, edge_id, role, window, on_unmatched,
        });
        record!(series::SeriesRequest, $crate::series::request::SeriesRequest, {
            key, field, name, unit, frequency, points, inexact, anchors,
        });
        record!(series::SkippedAnchor, $crate::series::anchor::Skipped, { kind, name, reason });
        record!(series::WrittenAnchor, $crate::series::answer::WrittenAnchor, { anchor, created });
        record!(series::WrittenSeries, $crate::series::answer::WrittenSeries, {
            id, key, field, created, points, replaced, point_count, anchors, skipped_anchors,
        });
        variant!(series::Trend, $crate::series::Trend, { Up, Down, Flat });
        record!(series::Move, $crate::series::Move, { from, to, from_value, to_value, pct });
        record!(series::Stats, $crate::series::Stats, {
            count, first_ts, last_ts, first, last, min, min_ts, max, max_ts, mean, change, pct_change, trend,
            largest_move,
        });
        record!(series::SeriesSummary, $crate::series::answer::SeriesSummary, { series, stats, anchors });
        record!(series::SeriesList, $crate::series::answer::SeriesList, { series, cursor });
        variant!(series::Bucket, $crate::series::bucket::Bucket, { Hour, Day, Week, Month, Year });
        variant!(series::Aggregate, $crate::series::bucket::Aggregate, { Mean, Min, Max, Last, Count, Ohlc });
        record!(series::ReadRequest, $crate::series::reading::ReadRequest, {
            from, to, limit, known_at, bucket, aggregate, cursor,
        });
        record!(series::Ohlc, $crate::series::bucket::Ohlc, { open, high, low, close });
        variant!(series::BucketValue, $crate::series::bucket::BucketValue, { Number(value), Count(value), Ohlc(value) });
        record!(series::BucketRow, $crate::series::bucket::BucketRow, { start, value });
        variant!(series::Rows, $crate::series::reading::Rows, { Points(value), Buckets(value) });
        record!(series::SeriesAnswer, $crate::series::answer::SeriesAnswer, { summary, rows, cursor, window_stats });

        variant!(recall::When, $crate::recall::When, { Now, At(value), Any, Meets(value) });
        variant!(recall::Known, $crate::recall::Known, { Now, At(value), Version(value) });
        record!(recall::FactsRequest, $crate::recall::FactsRequest, {
            entity, direction, relation, at, known_at, wing, limit, cursor,
        });
        record!(recall::Fact, $crate::recall::Fact, { edge, source_name, target_name, superseded });
        record!(recall::FactsAnswer, $crate::recall::FactsAnswer, { facts, cursor });
        record!(recall::Closing, $crate::recall::Closing, { event, at, artifact_id, edge_id });
        record!(recall::TimelineFact, $crate::recall::TimelineFact, { fact, closed_by });
        record!(recall::TimelineAnswer, $crate::recall::TimelineAnswer, { facts, cursor });
        record!(recall::Turn, $crate::recall::Turn, { question, answer });
        record!(recall::QueryRequest, $crate::recall::QueryRequest, {
            question, at, known_at, wing, limit, history, models,
        });
        variant!(recall::QueryMode, $crate::recall::QueryMode, { Llm, Evidence });
        record!(recall::EvidenceSeries, $crate::recall::EvidenceSeries, {
            edge_id, anchor, summary, window_stats, asked_stats,
        });
        record!(recall::QueryAnswer, $crate::recall::QueryAnswer, { answer, mode, evidence, series, used, stages });
        record!(recall::EntitiesAnswer, $crate::recall::EntitiesAnswer, { entities, cursor });
        record!(recall::EntityAnswer, $crate::recall::EntityAnswer, { entity, aliases, artifacts });
        record!(recall::ArtifactsAnswer, $crate::recall::ArtifactsAnswer, { artifacts, cursor });
        record!(recall::ArtifactAnswer, $crate::recall::ArtifactAnswer, { artifact, text, children });
        record!(recall::EdgeAnswer, $crate::recall::EdgeAnswer, { fact, artifacts, events });
        record!(recall::Span, $crate::recall::Span, { start, end });
        record!(recall::Source, $crate::recall::Source, { artifact, description, raw_text, span, series });
        record!(recall::WhyAnswer, $crate::recall::WhyAnswer, { fact, sources, events });

        record!(knowledge::Retraction, $crate::knowledge::Retraction, { fact, reopened_edges });
        record!(knowledge::DatasetRequest, $crate::knowledge::DatasetRequest, { description, tags });

        record!(history::HistoryRequest, $crate::history::HistoryRequest, { entity, edge, limit, cursor });
        record!(history::Entry, $crate::history::Entry, { seq, run_id, kind, at, failed, subject, lines });
        record!(history::HistoryAnswer, $crate::history::HistoryAnswer, { entries, cursor });
        variant!(history::Layout, $crate::history::Layout, { Flat, Sharded });
        variant!(history::Format, $crate::history::Format, { Loose, Pack });
        record!(history::Resume, $crate::history::Resume, { head, state, packs });
        record!(history::ExportRequest, $crate::history::ExportRequest, { layout, series, format, pack_limit, resume });
        record!(history::Part, $crate::git::Part, { path, bytes, last });
        record!(history::Progress, $crate::history::Progress, { seq, until, commits });
    };
}
