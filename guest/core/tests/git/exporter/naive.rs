//! The files of a dataset as it is, without a look at its past.

use std::collections::BTreeSet;

use gligabao_core::git::files::{self, ChildKind, GIT_ATTRIBUTES, Readme};
use gligabao_core::history::Layout;
use gligabao_core::model::{Artifact, ArtifactId, ArtifactKind, EdgeId, EntityId, Page, SeriesId, Target};
use gligabao_core::reference::ReferenceSnapshot;
use gligabao_core::storage::{PointFilter, Snapshot};

use crate::model::Files;

const ALL: Page = Page { limit: 10_000, after: None };

fn artifact(dataset: &ReferenceSnapshot, id: ArtifactId) -> Artifact {
    dataset.get_artifacts(&[id]).unwrap().remove(0)
}

/// Every file but the logs of calls.
pub(super) fn files(dataset: &ReferenceSnapshot, layout: Layout, series: bool) -> Files {
    let head = dataset.head().unwrap();
    let mut all = Files::new();
    let (description, tags) = (head.description.as_str(), head.tags.as_slice());
    let readme = Readme { dataset: &head.name, description, tags, layout, series };
    all.insert("README.md".to_owned(), readme.to_markdown().into_bytes());
    all.insert(".gitattributes".to_owned(), GIT_ATTRIBUTES.into());
    for id in (1..head.next.artifact.0).map(ArtifactId) {
        let row = artifact(dataset, id);
        let path = match (row.kind, row.parent) {
            (ArtifactKind::SeriesObservation, Some(mut root)) => {
                while let Some(parent) = artifact(dataset, root).parent {
                    root = parent;
                }
                layout.child(root, id, ChildKind::SeriesObservation)
            }
            _ => layout.artifact(id),
        };
        let text = dataset.get_texts(&[id]).unwrap().remove(0).text;
        all.insert(path.to_string(), files::artifact(&row, None, &[], &text));
    }
    let name = |id: EntityId| dataset.get_entities(&[id]).unwrap().remove(0).name;
    for id in (1..head.next.entity.0).map(EntityId) {
        let row = dataset.get_entities(&[id]).unwrap().remove(0);
        let artifacts = dataset.list_mentions(id, None, ALL).unwrap().artifacts;
        let path = layout.entity(&row.r#type, &row.name, id);
        all.insert(path.to_string(), files::entity(&row, &[], &artifacts));
    }
    for id in (1..head.next.edge.0).map(EdgeId) {
        let row = dataset.get_edges(&[id]).unwrap().remove(0);
        let target = match row.target {
            Target::Entity(id) => Some(name(id)),
            Target::Text(_) => None,
        };
        let statements = dataset.list_statements(id, None, ALL).unwrap().statements;
        let artifacts: BTreeSet<ArtifactId> = statements.iter().map(|statement| statement.artifact).collect();
        let artifacts: Vec<ArtifactId> = artifacts.into_iter().collect();
        let file = files::edge(&row, &name(row.source), target.as_deref(), &artifacts);
        all.insert(layout.edge(&row.relation, id).to_string(), file);
    }
    for id in (1..head.next.series.0).map(SeriesId).filter(|_| series) {
        let Some(stored) = dataset.get_series(&[id]).unwrap().pop() else { continue };
        let points = dataset.list_points(id, PointFilter::default(), 10_000).unwrap().points;
        let lines: String = points.iter().map(|point| format!("{},{:?}\n", point.at, point.value)).collect();
        let path = layout.series(&stored.series.key, id.0);
        all.insert(path.to_string(), format!("at,value\n{lines}").into_bytes());
    }
    all
}
