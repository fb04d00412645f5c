//! A guest that misbehaves on request, for the tests of the host's sandbox.
//!
//! It has the world of the memory component. The text that it is told to remember, or the entity that it is asked for,
//! names what it does; `tests/tests/containment.rs` says what must come of each. Anything else it does properly.

mod ask;
mod bindings;
mod exhaust;
mod forge;
mod overfill;
mod polite;
mod sums;
mod writes;

use bindings::exports::gligabao::memory::{history, knowledge, recall, remember, series};
use bindings::gligabao::memory::storage::{Dataset, Snapshot};
use bindings::gligabao::memory::types::{AnchorTarget, Call, Failure};

struct Component;

bindings::export!(Component with_types_in bindings);

impl remember::Guest for Component {
    fn remember(dataset: &Dataset, _: Call, request: remember::Request) -> Result<remember::Answer, Failure> {
        let deed = request.text.clone();
        match deed.as_str() {
            "reach for other datasets" => forge::datasets(dataset),
            "reach for other snapshots" => forge::snapshots(dataset),
            "use a snapshot after its end" => forge::use_after_drop(dataset),
            "drop a snapshot twice" => forge::drop_twice(dataset),
            "commit twice" => writes::commit_twice(dataset),
            "commit without a snapshot" => writes::commit_blindly(dataset),
            "commit and trap" => writes::commit_and_trap(dataset),
            "commit foreign numbers" => writes::commit_foreign_numbers(dataset),
            "commit onto another version" => writes::commit_onto_another_version(dataset),
            "commit too much" => writes::commit_too_much(dataset),
            "keep the turn" => writes::keep_the_turn(dataset),
            "touch nothing" => Ok(polite::answer(1)),
            "hoard snapshots" => exhaust::hoard_snapshots(dataset),
            "answer with a forged length" => Ok(overfill::forged_length()),
            "fail at length" => Err(polite::failure(&"x".repeat(4 << 20))),
            text if text.starts_with("ask ") => ask::remember(dataset, text),
            text if exhaust::exhausts(text) => Err(polite::failure("it could go on")),
            _ => polite::remember(dataset, request),
        }
    }

    fn put_series(_: &Dataset, _: Call, _: remember::SeriesPut) -> Result<remember::SeriesPutAnswer, Failure> {
        Ok(polite::series())
    }

    fn preview(_: &Snapshot, _: Call, _: remember::Request) -> Result<remember::Answer, Failure> {
        Ok(polite::answer(1))
    }
}

impl recall::Guest for Component {
    fn facts(snapshot: &Snapshot, _: Call, request: recall::FactsRequest) -> Result<recall::FactsAnswer, Failure> {
        match request.entity.as_deref().unwrap_or_default() {
            "write through a snapshot" => forge::write_through_snapshot(snapshot),
            "ask storage a thousand times" => polite::ask_often(snapshot),
            "ask storage without end" => exhaust::ask_without_end(snapshot),
            "hand over too long a list" => overfill::long_list(snapshot),
            "hand over too much" => overfill::huge_list(snapshot),
            "read every text at once" => overfill::all_texts(snapshot),
            "hand over one text many times" => overfill::multiplied_list(snapshot),
            deed if deed.starts_with("sum up ") => sums::sum_up(snapshot, deed),
            deed if exhaust::exhausts(deed) => Err(polite::failure("it could go on")),
            _ => polite::facts(snapshot),
        }
    }

    fn timeline(_: &Snapshot, _: Call, _: recall::FactsRequest) -> Result<recall::TimelineAnswer, Failure> {
        Ok(recall::TimelineAnswer { facts: Vec::new(), cursor: None })
    }

    fn query(snapshot: &Snapshot, _: Call, request: recall::QueryRequest) -> Result<recall::QueryAnswer, Failure> {
        if request.question != "touch nothing" {
            snapshot.head().map_err(polite::refused)?;
        }
        if request.question.starts_with("ask ") {
            return Ok(ask::query(snapshot, &request.question));
        }
        if exhaust::exhausts(&request.question) {
            return Err(polite::failure("it could go on"));
        }
        if request.question == "fail with stages" {
            let stages = vec![polite::stage("extract_graph", "{\"edges\": []}")];
            return Err(Failure { stages, ..polite::failure("the model gave no usable answer") });
        }
        let told = |turn: recall::Turn| format!("{} {}", turn.question, turn.answer);
        let history: Vec<String> = request.history.into_iter().map(told).collect();
        Ok(recall::QueryAnswer {
            answer: format!(
                "{}{}",
                request.question,
                history.iter().map(|turn| format!("({turn})")).collect::<String>()
            ),
            mode: recall::QueryMode::Evidence,
            evidence: Vec::new(),
            series: Vec::new(),
            used: Vec::new(),
            stages: vec![polite::stage(&"query ".repeat(100_000), "no JSON")],
        })
    }

    fn list_entities(
        _: &Snapshot,
        _: Option<String>,
        _: u32,
        _: Option<String>,
    ) -> Result<recall::EntitiesAnswer, Failure> {
        Ok(recall::EntitiesAnswer { entities: Vec::new(), cursor: None })
    }

    fn get_entity(snapshot: &Snapshot, id: u64) -> Result<recall::EntityAnswer, Failure> {
        let entity = snapshot.get_entities(&[1]).map_err(polite::refused)?.pop();
        let entity = entity.ok_or_else(|| polite::failure("there is no entity 1"))?;
        let (aliases, artifacts) = match id {
            2 => (overfill::multiplied(), Vec::new()),
            3 => (Vec::new(), vec![7; 12_500_000]),
            _ => (Vec::new(), Vec::new()),
        };
        Ok(recall::EntityAnswer { entity, aliases, artifacts })
    }

    fn list_artifacts(
        snapshot: &Snapshot,
        _: Option<String>,
        _: Option<String>,
        limit: u32,
        _: Option<String>,
    ) -> Result<recall::ArtifactsAnswer, Failure> {
        polite::artifacts(snapshot, limit)
    }

    fn get_artifact(_: &Snapshot, _: u64) -> Result<recall::ArtifactAnswer, Failure> {
        Err(polite::failure("there is no such artifact"))
    }

    fn get_edge(_: &Snapshot, _: u64) -> Result<recall::EdgeAnswer, Failure> {
        Err(polite::failure("there is no such edge"))
    }

    fn why(_: &Snapshot, _: u64) -> Result<recall::WhyAnswer, Failure> {
        Err(polite::failure("it has no facts"))
    }
}

impl knowledge::Guest for Component {
    fn retract(dataset: &Dataset, _: Call, _: u64) -> Result<knowledge::Retraction, Failure> {
        dataset.latest(bindings::gligabao::memory::storage::Turn::Race).map_err(polite::refused)?;
        Err(polite::failure("there is no such edge"))
    }

    fn put_dataset(_: &Dataset, _: Call, _: knowledge::DatasetRequest) -> Result<bool, Failure> {
        Ok(false)
    }
}

impl series::Guest for Component {
    fn list_series(
        _: &Snapshot,
        _: Option<AnchorTarget>,
        _: u32,
        _: Option<String>,
    ) -> Result<series::SeriesList, Failure> {
        Ok(series::SeriesList { series: Vec::new(), cursor: None })
    }

    fn get_series(_: &Snapshot, _: u64, _: series::ReadRequest) -> Result<series::SeriesAnswer, Failure> {
        Err(polite::failure("there is no such series"))
    }

    fn delete_series(_: &Dataset, _: Call, _: u64) -> Result<(), Failure> {
        Err(polite::failure("there is no such series"))
    }

    fn delete_points(_: &Dataset, _: Call, _: u64, _: Option<i64>, _: Option<i64>) -> Result<u64, Failure> {
        Err(polite::failure("there is no such series"))
    }

    fn delete_anchor(_: &Dataset, _: Call, _: u64, _: AnchorTarget) -> Result<(), Failure> {
        Err(polite::failure("there is no such anchor"))
    }
}

/// An export that does what the newest text says.
pub(crate) struct Exporter;

impl history::GuestExporter for Exporter {
    fn new(_: history::ExportRequest) -> Self {
        Self
    }

    fn next(&self, snapshot: &Snapshot) -> Result<Option<Vec<history::Part>>, Failure> {
        let newest = snapshot.head().map_err(polite::refused)?.next.artifact - 1;
        let texts = snapshot.get_texts(&[newest]).map_err(polite::refused)?;
        match texts.first().map_or("", |text| text.text.as_str()) {
            "write outside" => Ok(Some(vec![polite::part("../outside")])),
            "write a hook" => Ok(Some(vec![polite::part("hooks/post-checkout")])),
            deed if exhaust::exhausts(deed) => Err(polite::failure("it could go on")),
            _ => Ok(None),
        }
    }

    fn progress(&self) -> history::Progress {
        history::Progress { seq: 0, until: 0, commits: 0 }
    }
}

impl history::Guest for Component {
    type Exporter = Exporter;

    fn list_history(_: &Snapshot, _: history::HistoryRequest) -> Result<history::HistoryAnswer, Failure> {
        Ok(history::HistoryAnswer { entries: Vec::new(), cursor: None })
    }
}
