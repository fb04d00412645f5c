//! What every store must do: one set of cases, each over a [`Bench`] that a store's tests make.
//!
//! ```ignore
//! gligabao::store_conformance!(bench());
//! ```
#![expect(clippy::unwrap_used, reason = "a failed expectation is what a test is for")]

pub mod compare;
pub mod datasets;
pub mod edges;
pub mod events;
pub mod history;
pub mod lists;
pub mod log;
pub mod past;
pub mod plans;
pub mod points;
pub mod refusals;
pub mod runs;
pub mod series;
pub mod strings;
pub mod texts;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gligabao_core::model::{Edge, EdgeId, Page, Position};
use gligabao_core::storage::{Committed, EdgeFilter, EdgeOrder, EdgeQuery, StorageError, StorageResult};
use gligabao_core::time::Micros;

use super::{Clock, DatasetId, DatasetName, RunKind, Snapshot, Store, UserId};
use plans::Draft;

/// A clock that stands still until a test moves it.
#[derive(Debug, Default)]
pub struct TestClock(AtomicI64);

impl TestClock {
    /// Sets the time, backwards too.
    pub fn set(&self, now: Micros) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Micros {
        Micros(self.0.load(Ordering::SeqCst))
    }
}

/// A fresh store with a clock, and one dataset to work on.
pub struct Bench {
    pub store: Arc<dyn Store>,
    pub clock: Arc<TestClock>,
    pub dataset: DatasetId,
    /// What must live as long as the store.
    _keep: Box<dyn Any + Send + Sync>,
}

impl Bench {
    /// Makes the dataset `main` of the user `ana` at the time 1,000 µs, in a store that is given the clock. What `make`
    /// gives beside the store lives as long.
    pub async fn new<S: Store, K: Any + Send + Sync>(make: impl FnOnce(Arc<dyn Clock>) -> (S, K)) -> Self {
        let clock = Arc::new(TestClock::default());
        clock.set(Micros(1_000));
        let (store, keep) = make(Arc::clone(&clock) as Arc<dyn Clock>);
        let store: Arc<dyn Store> = Arc::new(store);
        let dataset = store.create_dataset(&user("ana"), &DatasetName::default()).await.unwrap();
        Self { store, clock, dataset, _keep: Box::new(keep) }
    }

    /// The newest version.
    pub async fn latest(&self) -> Box<dyn Snapshot> {
        self.store.snapshot(self.dataset).await.unwrap()
    }

    /// An empty plan from the newest version.
    pub async fn draft(&self) -> Draft {
        Draft::on(&self.latest().await.head().await.unwrap())
    }

    /// Commits a plan in a run of its own.
    pub async fn try_commit(&self, draft: Draft) -> StorageResult<Committed> {
        let run = self.store.begin_run(self.dataset, RunKind::Edit.into()).await?;
        self.store.commit(self.dataset, run, draft.plan, Vec::new()).await
    }

    /// Commits a plan that must be accepted.
    pub async fn commit(&self, draft: Draft) -> Committed {
        self.try_commit(draft).await.unwrap()
    }

    /// Every edge of a filter in an order, page after page of `limit`.
    pub async fn find(&self, filter: &EdgeFilter, order: EdgeOrder, limit: u32) -> Vec<Edge> {
        let snapshot = self.latest().await;
        let mut found = Vec::new();
        let mut after: Option<Position> = None;
        loop {
            let query = EdgeQuery { filter: filter.clone(), order, page: Page { limit, after } };
            let page = snapshot.find_edges(&[query]).await.unwrap().remove(0);
            assert!(page.edges.len() <= limit as usize);
            found.extend(page.edges);
            match page.next {
                Some(next) => after = Some(next),
                None => return found,
            }
        }
    }

    /// The IDs of every edge of a filter, oldest first.
    pub async fn find_ids(&self, filter: &EdgeFilter) -> Vec<EdgeId> {
        ids(&self.find(filter, EdgeOrder::OldestValid, 100).await)
    }
}

/// A user by ID.
pub fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

/// A dataset's name.
pub fn name(name: &str) -> DatasetName {
    DatasetName::new(name).unwrap()
}

/// From the start, at most `limit`.
pub fn first(limit: u32) -> Page {
    Page { limit, after: None }
}

/// The IDs of edges.
pub fn ids(edges: &[Edge]) -> Vec<EdgeId> {
    edges.iter().map(|edge| edge.id).collect()
}

/// What a refused plan says.
pub fn refusal<T: std::fmt::Debug>(result: StorageResult<T>) -> String {
    match result.unwrap_err() {
        StorageError::Invalid(what) => what,
        other => panic!("refused as {other:?}"),
    }
}

/// Makes one `#[tokio::test]` of each case, over the bench that the expression makes.
#[macro_export]
macro_rules! store_conformance {
    ($bench:expr) => {
        $crate::store_conformance! { @cases $bench;
            datasets::a_user_sees_only_their_own_datasets
            datasets::datasets_are_listed_by_name_page_after_page
            datasets::a_dataset_is_made_once
            datasets::what_one_dataset_holds_no_other_sees
            datasets::a_deleted_dataset_is_gone_and_its_id_is_never_used_again
            datasets::a_snapshot_outlives_the_deletion_of_its_dataset_or_says_so
            datasets::a_large_dataset_is_deleted_whole
            datasets::counts_follow_what_is_stored
            datasets::description_and_tags_are_replaced_one_by_one
            datasets::how_a_dataset_is_exported_is_fixed_once
            edges::each_end_of_an_edge_finds_it
            edges::a_loop_is_found_once
            edges::an_edge_is_found_by_relation_and_object
            edges::an_edge_holds_from_its_start_until_before_its_end
            edges::a_stretch_meets_what_it_touches_at_either_side
            edges::an_empty_interval_is_found_without_validity_only
            edges::retracted_edges_and_unknown_starts_are_given_when_asked_for
            edges::standing_tells_live_from_believed
            edges::what_is_live_is_found_among_much_that_is_closed
            edges::a_wing_sees_its_own_edges_and_neutral_ones
            edges::orders_are_total_and_pages_lose_nothing
            edges::several_queries_are_answered_in_their_order
            edges::an_edge_comes_back_as_it_was_told
            events::the_log_of_an_edge_comes_in_pages
            events::events_are_numbered_through_each_commit
            events::events_are_listed_by_cause_and_by_commit
            events::a_page_of_the_log_begins_anywhere
            events::a_commit_with_a_long_log_comes_in_pages
            history::every_kind_of_event_sets_the_bounds_from_its_commit_on
            history::events_of_one_commit_are_one_step_of_history
            history::standing_is_that_of_the_time_asked_about
            history::a_contradiction_is_part_of_the_bounds
            history::a_closed_fact_keeps_its_past
            history::a_past_time_sees_the_order_and_pages_of_then
            history::last_events_are_the_newest_of_their_kinds
            history::a_version_is_addressed_by_any_seq_up_to_the_next
            lists::names_find_every_entity_that_has_them
            lists::entities_are_listed_by_id_and_type
            lists::an_entity_takes_a_new_type_and_description
            lists::entities_keep_their_order_when_they_are_retyped
            texts::artifacts_are_listed_newest_first_by_parent_session_and_wing
            lists::sources_are_listed_once_each
            lists::predicates_are_replaced_by_name
            lists::degrees_count_each_edge_once
            texts::texts_are_given_apart_from_their_artifacts
            texts::hostile_texts_come_back_byte_for_byte
            lists::ten_thousand_items_go_in_one_list_and_no_more
            lists::an_answer_holds_no_more_text_than_fits
            lists::a_limit_must_be_in_range
            lists::ids_beyond_any_dataset_find_nothing
            lists::a_list_goes_on_after_a_place_where_nothing_is
            refusals::a_plan_from_another_version_conflicts
            refusals::each_broken_rule_is_refused_and_nothing_changes
            strings::strings_are_taken_up_to_their_limits
            strings::strings_over_their_limits_or_with_a_nul_are_refused
            refusals::a_plan_repeats_when_an_edge_was_closed_and_retracted
            refusals::times_of_one_plan_are_said_as_now
            refusals::a_plan_refers_only_backwards
            refusals::a_later_change_that_breaks_a_rule_undoes_the_earlier_ones
            runs::seq_counts_every_call_and_version_only_changes
            runs::a_run_ends_once
            runs::a_conflict_leaves_the_run_open
            runs::time_never_goes_back
            runs::concurrent_commits_serialize
            runs::open_runs_of_this_process_are_left_alone
            log::a_run_keeps_what_was_asked_for_reached_and_spent
            log::a_plan_that_is_refused_leaves_nothing_in_its_run
            log::runs_are_listed_newest_first_by_kind_status_and_session
            log::a_session_remembers_its_last_answered_questions
            log::a_dataset_has_its_own_log
            series::series_are_found_by_what_identifies_them
            series::a_series_that_is_put_again_keeps_its_key_and_its_points
            series::series_are_listed_by_id_and_by_what_they_are_tied_to
            series::a_series_has_one_anchor_for_a_target
            series::the_anchors_of_targets_are_those_of_the_newest_series
            points::every_bit_of_a_point_comes_back
            points::points_are_listed_by_time_within_bounds
            points::a_point_is_known_until_another_replaces_it
            points::a_series_is_known_at_every_commit_as_a_copy_of_then_says
            series::a_deleted_series_is_gone_and_its_key_is_free
            series::artifacts_are_listed_by_the_series_that_they_tell
            series::series_that_break_a_rule_are_refused
            points::what_a_refused_plan_wrote_of_points_is_undone
            past::a_commit_is_told_as_it_was_then
            past::commits_come_in_pages
            past::a_replay_of_the_commits_is_the_dataset
            past::runs_are_told_in_the_order_of_their_ends
            past::sources_are_those_of_the_commit_asked_about
            past::a_commit_names_the_series_that_it_touched
        }
    };
    (@cases $bench:expr; $($module:ident :: $case:ident)*) => {
        $(
            #[tokio::test]
            async fn $case() {
                $crate::store::conformance::$module::$case($bench.await).await;
            }
        )*
    };
}
