//! Live rows as a plan leaves them.

use super::queries::live;
use super::{FactKey, Overlay, QUERIES_A_CALL};
use crate::model::{Edge, EdgeId, EntityId, Target};
use crate::storage::{EdgeQuery, Snapshot, StorageResult};

impl<S: Snapshot> Overlay<'_, S> {
    /// Whether the plan added or changed a row.
    #[must_use]
    pub fn touches(&self, id: EdgeId) -> bool {
        self.rows.contains_key(&id)
    }

    /// The rows that the plan added or changed, are live and touch one of these entities.
    #[must_use]
    pub fn live_at(&self, entities: &[EntityId]) -> Vec<Edge> {
        let touch = |row: &Edge| {
            let target = matches!(row.target, Target::Entity(id) if entities.contains(&id));
            target || entities.contains(&row.source)
        };
        self.rows.values().filter(|row| row.bounds.is_live() && touch(row)).cloned().collect()
    }

    /// For each of these facts the newest row that is live.
    ///
    /// # Errors
    /// When storage fails.
    pub fn newest_live(&self, keys: &[FactKey]) -> StorageResult<Vec<Option<EdgeId>>> {
        let mut newest = Vec::with_capacity(keys.len());
        for keys in keys.chunks(QUERIES_A_CALL) {
            let queries: Vec<EdgeQuery> = keys.iter().map(live).collect();
            for (key, page) in keys.iter().zip(self.ask(&queries)?) {
                let stored = page.edges.iter().map(|row| row.id).filter(|id| !self.rows.contains_key(id));
                let ours = self.facts.get(key).into_iter().flatten();
                let ours = ours.copied().filter(|id| self.rows.get(id).is_some_and(|row| row.bounds.is_live()));
                newest.push(stored.chain(ours).max());
            }
        }
        Ok(newest)
    }
}
