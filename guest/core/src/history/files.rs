//! What a commit does to files: each thing that it touches, as it is from then on.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::Call;
use super::rows::{ROWS, Rows};
use super::sources::Sources;
use super::{csv, log};
use crate::commit::Trouble;
use crate::git::files::{self, ChildKind, GIT_ATTRIBUTES, Layout, Readme};
use crate::git::{FileChange, TreePath};
use crate::model::{
    Artifact, ArtifactId, ArtifactKind, Bounds, Edge, EdgeEventKind, EdgeId, Entity, EntityId, SeriesId,
};
use crate::storage::{AddArtifact, Change, CommitLog, SetDataset, Snapshot, StorageResult};

/// The files of a dataset, commit by commit.
#[derive(Debug)]
pub(super) struct Replay {
    dataset: String,
    layout: Layout,
    series: bool,
    mentions: Sources<EntityId>,
    statements: Sources<EdgeId>,
}

impl Replay {
    /// Of the dataset of this name; `series`: with the points of series.
    pub(super) fn new(dataset: String, layout: Layout, series: bool) -> Self {
        Self { dataset, layout, series, mentions: Sources::new(), statements: Sources::new() }
    }

    /// The files of a dataset that nothing was told.
    pub(super) fn begin(&self) -> Vec<FileChange> {
        vec![put(path(".gitattributes"), GIT_ATTRIBUTES), self.readme(&SetDataset::default())]
    }

    /// The log of a call.
    pub(super) fn run(&self, call: &Call) -> Option<FileChange> {
        call.run.as_ref().map(|run| put(self.layout.run(run.kind, run.id), log::file(run)))
    }

    /// What a commit changes, but for the log of its call. `rows` has every edge that it touches.
    pub(super) fn changes<S: Snapshot>(
        &mut self,
        snapshot: &S,
        commit: &CommitLog,
        rows: &Rows,
    ) -> Result<Vec<FileChange>, Trouble> {
        let mut changes = Vec::new();
        self.artifacts(snapshot, commit, &mut changes)?;
        self.entities(snapshot, commit, &mut changes)?;
        self.edges(snapshot, commit, rows, &mut changes)?;
        if self.series {
            self.series(snapshot, commit, &mut changes)?;
        }
        for change in &commit.changes {
            if let Change::SetDataset(set) = change {
                changes.push(self.readme(set));
            }
        }
        Ok(changes)
    }

    /// What people say of the dataset is told in full whenever it changes, and nothing is said before.
    fn readme(&self, set: &SetDataset) -> FileChange {
        let readme = Readme {
            dataset: &self.dataset,
            description: set.description.as_deref().unwrap_or_default(),
            tags: set.tags.as_deref().unwrap_or_default(),
            layout: self.layout,
            series: self.series,
        };
        put(path("README.md"), readme.to_markdown())
    }

    fn artifacts<S: Snapshot>(
        &self,
        snapshot: &S,
        commit: &CommitLog,
        changes: &mut Vec<FileChange>,
    ) -> StorageResult<()> {
        let mut parents: BTreeMap<ArtifactId, Option<ArtifactId>> = BTreeMap::new();
        let mut chunks: BTreeMap<ArtifactId, u32> = BTreeMap::new();
        for change in &commit.changes {
            let Change::AddArtifact(AddArtifact { artifact, text }) = change else { continue };
            parents.insert(artifact.id, artifact.parent);
            let kind = artifact.parent.and_then(|parent| child_kind(artifact.kind, chunks.entry(parent).or_default()));
            let path = match (artifact.parent, kind) {
                (Some(parent), Some(kind)) => {
                    self.layout.child(root(snapshot, &mut parents, parent)?, artifact.id, kind)
                }
                _ => self.layout.artifact(artifact.id),
            };
            changes.push(put(path, files::artifact(artifact, None, &[], text)));
        }
        Ok(())
    }

    fn entities<S: Snapshot>(
        &mut self,
        snapshot: &S,
        commit: &CommitLog,
        changes: &mut Vec<FileChange>,
    ) -> StorageResult<()> {
        let mut new: BTreeMap<EntityId, Vec<ArtifactId>> = BTreeMap::new();
        let mut entities: BTreeMap<EntityId, Entity> = BTreeMap::new();
        for change in &commit.changes {
            match change {
                Change::AddEntity(add) => {
                    new.entry(add.entity.id).or_default();
                    entities.insert(add.entity.id, add.entity.clone());
                }
                Change::AddEntityEvent(event) => drop(new.entry(event.entity).or_default()),
                Change::AddMention(mention) => new.entry(mention.entity).or_default().push(mention.artifact),
                _ => {}
            }
        }
        let before = known(new.keys(), &entities, |ids| snapshot.get_entities_at(ids, commit.seq - 1))?;
        let before: BTreeMap<EntityId, Entity> = before.into_iter().map(|entity| (entity.id, entity)).collect();
        entities.extend(before.iter().map(|(id, entity)| (*id, entity.clone())));
        for change in &commit.changes {
            if let Change::AddEntityEvent(event) = change
                && let Some(entity) = entities.get_mut(&event.entity)
            {
                entity.r#type.clone_from(&event.r#type);
                entity.description.clone_from(&event.description);
            }
        }
        for (id, entity) in &entities {
            let path = self.entity(entity);
            let Some(before) = before.get(id) else {
                changes.push(put(path, files::entity(entity, &[], &new[id])));
                continue;
            };
            let moved = Some(self.entity(before)).filter(|before| *before != path);
            changes.extend(moved.map(|path| FileChange::Remove { path }));
            let read = |page| {
                let found = snapshot.list_mentions(*id, Some(commit.seq), page)?;
                Ok((found.artifacts, found.next))
            };
            changes.push(put(path, files::entity(entity, &[], self.mentions.with(*id, &new[id], read)?)));
        }
        Ok(())
    }

    fn entity(&self, entity: &Entity) -> TreePath {
        self.layout.entity(&entity.r#type, &entity.name, entity.id)
    }

    fn edges<S: Snapshot>(
        &mut self,
        snapshot: &S,
        commit: &CommitLog,
        rows: &Rows,
        changes: &mut Vec<FileChange>,
    ) -> StorageResult<()> {
        let mut new: BTreeMap<EdgeId, Vec<ArtifactId>> =
            touched(commit).into_iter().map(|id| (id, Vec::new())).collect();
        let mut bounds: BTreeMap<EdgeId, Bounds> = BTreeMap::new();
        let mut added = BTreeSet::new();
        for change in &commit.changes {
            match change {
                Change::AddEdge(add) => {
                    added.insert(add.edge.id);
                    bounds.insert(add.edge.id, add.edge.bounds);
                }
                Change::AddEvent(event) => drop(bounds.insert(event.edge, event.after)),
                Change::AddStatement(statement) => new.entry(statement.edge).or_default().push(statement.artifact),
                _ => {}
            }
        }
        let all = EdgeEventKind::ALL;
        let last = known(new.keys(), &bounds, |ids| snapshot.last_events(ids, all, Some(commit.at)))?;
        bounds.extend(last.into_iter().map(|event| (event.edge, event.after)));
        for (id, new) in &new {
            // What was deleted since is in no commit.
            let (Some(row), Some(bounds)) = (rows.edge(*id), bounds.get(id)) else { continue };
            let artifacts = if added.contains(id) {
                new
            } else {
                self.statements.with(*id, new, |page| {
                    let found = snapshot.list_statements(*id, Some(commit.seq), page)?;
                    Ok((found.statements.into_iter().map(|statement| statement.artifact).collect(), found.next))
                })?
            };
            let edge = Edge { bounds: *bounds, ..row.clone() };
            let file = files::edge(&edge, rows.name(edge.source), rows.target(&edge), artifacts);
            changes.push(put(self.layout.edge(&edge.relation, *id), file));
        }
        Ok(())
    }

    /// A series lies under its key, which never changes, as its name may.
    fn series<S: Snapshot>(
        &self,
        snapshot: &S,
        commit: &CommitLog,
        changes: &mut Vec<FileChange>,
    ) -> Result<(), Trouble> {
        let mut taken = 0;
        for ids in commit.series.chunks(ROWS) {
            for stored in snapshot.get_series(ids)? {
                let SeriesId(id) = stored.series.id;
                let file = csv::file(snapshot, stored.series.id, commit.at, taken)?;
                taken += file.len();
                changes.push(put(self.layout.series(&stored.series.key, id), file));
            }
        }
        Ok(())
    }
}

/// The edges that a commit touches.
pub(super) fn touched(commit: &CommitLog) -> BTreeSet<EdgeId> {
    let edge = |change: &Change| match change {
        Change::AddEdge(add) => Some(add.edge.id),
        Change::AddStatement(statement) => Some(statement.edge),
        Change::AddEvent(event) => Some(event.edge),
        _ => None,
    };
    commit.changes.iter().filter_map(edge).collect()
}

/// What storage has of those things that the commit itself does not tell.
fn known<'k, K: Ord + Copy + 'k, V, T>(
    keys: impl Iterator<Item = &'k K>,
    told: &BTreeMap<K, V>,
    read: impl Fn(&[K]) -> StorageResult<Vec<T>>,
) -> StorageResult<Vec<T>> {
    let keys: Vec<K> = keys.filter(|key| !told.contains_key(key)).copied().collect();
    let mut known = Vec::new();
    for keys in keys.chunks(ROWS) {
        known.extend(read(keys)?);
    }
    Ok(known)
}

/// What kind of child an artifact is. Chunks of a text come in one commit and in order, so that they are counted.
fn child_kind(kind: ArtifactKind, chunks: &mut u32) -> Option<ChildKind> {
    match kind {
        ArtifactKind::Chunk => {
            *chunks += 1;
            Some(ChildKind::Chunk(*chunks))
        }
        ArtifactKind::Summary => Some(ChildKind::Summary),
        ArtifactKind::WebSearch => Some(ChildKind::WebSearch),
        ArtifactKind::SeriesObservation => Some(ChildKind::SeriesObservation),
        ArtifactKind::Knowledge | ArtifactKind::Episode => None,
    }
}

/// The artifact at the top of the parents of one. Parents are older than their children, so there is an end.
fn root<S: Snapshot>(
    snapshot: &S,
    parents: &mut BTreeMap<ArtifactId, Option<ArtifactId>>,
    artifact: ArtifactId,
) -> StorageResult<ArtifactId> {
    let mut root = artifact;
    loop {
        let parent = match parents.get(&root) {
            Some(parent) => *parent,
            None => snapshot.get_artifacts(&[root])?.pop().and_then(|Artifact { parent, .. }| parent),
        };
        parents.insert(root, parent);
        match parent {
            Some(parent) => root = parent,
            None => return Ok(root),
        }
    }
}

fn path(name: &str) -> TreePath {
    TreePath::new(name).expect("a name of ours")
}

fn put(path: TreePath, content: impl Into<Vec<u8>>) -> FileChange {
    FileChange::Put { path, content: content.into() }
}
