//! The component's exports over the core's functions.

use std::cell::RefCell;

use gligabao_core::convert::Convert;
use gligabao_core::model::{ArtifactId, EdgeId, EntityId, SeriesId};
use gligabao_core::time::Micros;

use crate::Component;
use crate::bindings::exports::gligabao::memory::{history, knowledge, recall, remember, series};
use crate::bindings::gligabao::memory::storage::{Dataset, Snapshot};
use crate::bindings::gligabao::memory::types::{AnchorTarget, Call, Failure};
use crate::llm::HostLlm;

impl remember::Guest for Component {
    fn remember(dataset: &Dataset, call: Call, request: remember::Request) -> Result<remember::Answer, Failure> {
        gligabao_core::remember::remember(dataset, &HostLlm, &call.convert(), request.convert()).convert()
    }

    fn put_series(
        dataset: &Dataset,
        call: Call,
        request: remember::SeriesPut,
    ) -> Result<remember::SeriesPutAnswer, Failure> {
        gligabao_core::remember::put_series(dataset, &HostLlm, &call.convert(), request.convert()).convert()
    }

    fn preview(snapshot: &Snapshot, call: Call, request: remember::Request) -> Result<remember::Answer, Failure> {
        gligabao_core::remember::preview(snapshot, &HostLlm, &call.convert(), request.convert()).convert()
    }
}

impl recall::Guest for Component {
    fn facts(snapshot: &Snapshot, call: Call, request: recall::FactsRequest) -> Result<recall::FactsAnswer, Failure> {
        gligabao_core::recall::facts(snapshot, &call.convert(), &request.convert()).convert()
    }

    fn timeline(
        snapshot: &Snapshot,
        call: Call,
        request: recall::FactsRequest,
    ) -> Result<recall::TimelineAnswer, Failure> {
        gligabao_core::recall::timeline(snapshot, &call.convert(), &request.convert()).convert()
    }

    fn query(snapshot: &Snapshot, call: Call, request: recall::QueryRequest) -> Result<recall::QueryAnswer, Failure> {
        gligabao_core::recall::query(snapshot, &HostLlm, &call.convert(), &request.convert()).convert()
    }

    fn list_entities(
        snapshot: &Snapshot,
        type_: Option<String>,
        limit: u32,
        cursor: Option<String>,
    ) -> Result<recall::EntitiesAnswer, Failure> {
        gligabao_core::recall::list_entities(snapshot, type_.as_deref(), limit, cursor.as_deref()).convert()
    }

    fn get_entity(snapshot: &Snapshot, id: u64) -> Result<recall::EntityAnswer, Failure> {
        gligabao_core::recall::get_entity(snapshot, EntityId(id)).convert()
    }

    fn list_artifacts(
        snapshot: &Snapshot,
        session_id: Option<String>,
        wing: Option<String>,
        limit: u32,
        cursor: Option<String>,
    ) -> Result<recall::ArtifactsAnswer, Failure> {
        gligabao_core::recall::list_artifacts(
            snapshot,
            session_id.as_deref(),
            wing.as_deref(),
            limit,
            cursor.as_deref(),
        )
        .convert()
    }

    fn get_artifact(snapshot: &Snapshot, id: u64) -> Result<recall::ArtifactAnswer, Failure> {
        gligabao_core::recall::get_artifact(snapshot, ArtifactId(id)).convert()
    }

    fn get_edge(snapshot: &Snapshot, id: u64) -> Result<recall::EdgeAnswer, Failure> {
        gligabao_core::recall::get_edge(snapshot, EdgeId(id)).convert()
    }

    fn why(snapshot: &Snapshot, id: u64) -> Result<recall::WhyAnswer, Failure> {
        gligabao_core::recall::why(snapshot, EdgeId(id)).convert()
    }
}

impl knowledge::Guest for Component {
    fn retract(dataset: &Dataset, call: Call, edge: u64) -> Result<knowledge::Retraction, Failure> {
        gligabao_core::knowledge::retract(dataset, &call.convert(), EdgeId(edge)).convert()
    }

    fn put_dataset(dataset: &Dataset, call: Call, request: knowledge::DatasetRequest) -> Result<bool, Failure> {
        gligabao_core::knowledge::put_dataset(dataset, &call.convert(), &request.convert()).convert()
    }
}

impl series::Guest for Component {
    fn list_series(
        snapshot: &Snapshot,
        target: Option<AnchorTarget>,
        limit: u32,
        cursor: Option<String>,
    ) -> Result<series::SeriesList, Failure> {
        gligabao_core::series::list_series(snapshot, target.convert(), limit, cursor.as_deref()).convert()
    }

    fn get_series(snapshot: &Snapshot, id: u64, request: series::ReadRequest) -> Result<series::SeriesAnswer, Failure> {
        gligabao_core::series::get_series(snapshot, SeriesId(id), &request.convert()).convert()
    }

    fn delete_series(dataset: &Dataset, call: Call, id: u64) -> Result<(), Failure> {
        gligabao_core::series::delete_series(dataset, &call.convert(), SeriesId(id)).convert()
    }

    fn delete_points(
        dataset: &Dataset,
        call: Call,
        id: u64,
        from: Option<i64>,
        to: Option<i64>,
    ) -> Result<u64, Failure> {
        let [from, to] = [from, to].map(|at| at.map(Micros));
        gligabao_core::series::delete_points(dataset, &call.convert(), SeriesId(id), from, to).convert()
    }

    fn delete_anchor(dataset: &Dataset, call: Call, id: u64, target: AnchorTarget) -> Result<(), Failure> {
        gligabao_core::series::delete_anchor(dataset, &call.convert(), SeriesId(id), target.convert()).convert()
    }
}

/// An export that the host pulls.
pub(crate) struct Exporter(RefCell<gligabao_core::history::Exporter>);

impl history::GuestExporter for Exporter {
    fn new(request: history::ExportRequest) -> Self {
        Self(RefCell::new(gligabao_core::history::Exporter::new(request.convert())))
    }

    fn next(&self, snapshot: &Snapshot) -> Result<Option<Vec<history::Part>>, Failure> {
        self.0.borrow_mut().next(snapshot).convert()
    }

    fn progress(&self) -> history::Progress {
        self.0.borrow().progress().convert()
    }
}

impl history::Guest for Component {
    type Exporter = Exporter;

    fn list_history(snapshot: &Snapshot, request: history::HistoryRequest) -> Result<history::HistoryAnswer, Failure> {
        gligabao_core::history::list_history(snapshot, &request.convert()).convert()
    }
}
