//! The edges that a commit is about, and the names that they are read by. Neither ever changes; bounds do, and those here
//! are as of any time.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Edge, EdgeId, EntityId, Target};
use crate::storage::{Change, CommitLog, Snapshot, StorageResult};

/// Most rows that are asked for at once: an answer holds so much text and no more.
pub(super) const ROWS: usize = 1_000;

/// Edges with their names.
#[derive(Debug, Default)]
pub(super) struct Rows {
    edges: BTreeMap<EdgeId, Edge>,
    names: BTreeMap<EntityId, String>,
}

impl Rows {
    /// These edges, as far as the commit adds them or storage has them.
    pub(super) fn load<S: Snapshot>(snapshot: &S, commit: &CommitLog, ids: &BTreeSet<EdgeId>) -> StorageResult<Self> {
        let mut rows = Self::default();
        for change in &commit.changes {
            match change {
                Change::AddEdge(add) if ids.contains(&add.edge.id) => {
                    rows.edges.insert(add.edge.id, add.edge.clone());
                }
                Change::AddEntity(add) => {
                    rows.names.insert(add.entity.id, add.entity.name.clone());
                }
                _ => {}
            }
        }
        let known: Vec<EdgeId> = ids.iter().copied().filter(|id| !rows.edges.contains_key(id)).collect();
        for ids in known.chunks(ROWS) {
            rows.edges.extend(snapshot.get_edges(ids)?.into_iter().map(|edge| (edge.id, edge)));
        }
        let ends: BTreeSet<EntityId> = rows.edges.values().flat_map(ends).collect();
        let known: Vec<EntityId> = ends.into_iter().filter(|id| !rows.names.contains_key(id)).collect();
        for ids in known.chunks(ROWS) {
            rows.names.extend(snapshot.get_entities(ids)?.into_iter().map(|entity| (entity.id, entity.name)));
        }
        Ok(rows)
    }

    /// An edge.
    pub(super) fn edge(&self, id: EdgeId) -> Option<&Edge> {
        self.edges.get(&id)
    }

    /// The name of an entity.
    pub(super) fn name(&self, id: EntityId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The name of the object of an edge, if that is an entity.
    pub(super) fn target(&self, edge: &Edge) -> Option<&str> {
        match edge.target {
            Target::Entity(id) => Some(self.name(id)),
            Target::Text(_) => None,
        }
    }

    /// An edge as people read it: `Alice works_at Acme`.
    pub(super) fn fact(&self, id: EdgeId) -> String {
        let Some(edge) = self.edge(id) else { return "(deleted)".to_owned() };
        let object = match &edge.target {
            Target::Entity(id) => self.name(*id),
            Target::Text(text) => text,
        };
        format!("{} {} {object}", self.name(edge.source), edge.relation)
    }
}

/// The entities that an edge touches.
pub(super) fn ends(edge: &Edge) -> impl Iterator<Item = EntityId> + use<> {
    let target = match edge.target {
        Target::Entity(id) => Some(id),
        Target::Text(_) => None,
    };
    std::iter::once(edge.source).chain(target)
}
