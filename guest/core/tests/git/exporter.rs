//! The exporter over real data: what git reads at every commit is what the dataset held after that call.

mod dataset;
mod flaky;
mod lists;
mod naive;
mod random;
mod resumed;
mod written;

use gligabao_core::git::{Format, PACK_LIMIT, Part};
use gligabao_core::history::{ExportRequest, Exporter, Layout, Resume};
use gligabao_core::model::Failure;
use gligabao_core::reference::ReferenceSnapshot;

use crate::oracle::Repository;

/// A new repository with everything.
fn anew(layout: Layout, format: Format) -> ExportRequest {
    ExportRequest { layout, series: true, format, pack_limit: u32::try_from(PACK_LIMIT).unwrap(), resume: None }
}

/// All parts of an export.
fn export(snapshot: &ReferenceSnapshot, request: ExportRequest) -> Result<Vec<Part>, Failure> {
    let mut exporter = Exporter::new(request);
    let mut parts = Vec::new();
    while let Some(some) = exporter.next(snapshot)? {
        parts.extend(some);
    }
    let progress = exporter.progress();
    assert_eq!(progress.seq, progress.until);
    Ok(parts)
}

/// A repository of a dataset, without a fault.
fn repository(snapshot: &ReferenceSnapshot, request: ExportRequest) -> Repository {
    let mut repository = Repository::new();
    export(snapshot, request).unwrap().iter().for_each(|part| repository.save(part));
    repository.check();
    repository
}

/// Where a repository stands, as a host finds it on its disk.
fn stand(repository: &Repository, with_state: bool) -> Resume {
    let head = repository.git(&["rev-parse", "main"]).trim().to_owned();
    let state = std::fs::read(repository.path().join(format!("gligabao/states/{head}"))).unwrap();
    let list = std::fs::read_to_string(repository.path().join("objects/info/packs")).unwrap();
    let packs = list.lines().filter_map(|line| line.strip_prefix("P ")?.strip_suffix(".pack"));
    Resume { head, state: with_state.then_some(state), packs: packs.map(str::to_owned).collect() }
}
