//! Finding edges: every candidate is looked at, nothing is clever.

use super::snapshot::in_wing;
use super::{EdgeRow, ReferenceDataset};
use crate::model::{Bounds, Direction, Edge, EdgeId, EntityId, Position, StartSource};
use crate::storage::rules::check_page;
use crate::storage::{
    EdgeFilter, EdgeOrder, EdgePage, EdgeQuery, Standing, StorageError, StorageResult, TargetKey, Validity, answer,
};

impl ReferenceDataset {
    pub(super) fn find_edges(&self, query: &EdgeQuery) -> StorageResult<EdgePage> {
        check_page(query.page)?;
        let backwards = query.order != EdgeOrder::OldestValid;
        let key = |edge: &Edge| match query.order {
            EdgeOrder::OldestValid | EdgeOrder::LatestValid => (edge.bounds.valid_at.at.0, edge.id.0),
            EdgeOrder::NewestTold => (0, edge.id.0),
        };
        let mut edges: Vec<Edge> = self.candidates(&query.filter).filter_map(|row| fit(row, &query.filter)).collect();
        if let Some(after) = query.page.after {
            let after = if query.order == EdgeOrder::NewestTold { (0, after.id) } else { (after.at, after.id) };
            edges.retain(|edge| if backwards { key(edge) < after } else { key(edge) > after });
        }
        edges.sort_by_key(key);
        if backwards {
            edges.reverse();
        }
        let (edges, more) = answer::page(edges.into_iter().map(Ok::<Edge, StorageError>), query.page.limit)?;
        let next = edges.last().filter(|_| more).map(|edge| {
            let (at, id) = key(edge);
            Position { at, id }
        });
        Ok(EdgePage { edges, next })
    }

    /// A list, without repetition, that holds every edge that fits.
    fn candidates<'a>(&'a self, filter: &EdgeFilter) -> Box<dyn Iterator<Item = &'a EdgeRow> + 'a> {
        let Some(entity) = filter.entity else {
            return match &filter.target {
                Some(key) => Box::new(self.incoming(key.clone())),
                None => Box::new(self.edges.values().map(|row| &**row)),
            };
        };
        let incoming = self.incoming(TargetKey::Entity(entity));
        match filter.direction {
            Direction::Outgoing => Box::new(self.outgoing(entity)),
            Direction::Incoming => Box::new(incoming),
            Direction::Both => {
                Box::new(self.outgoing(entity).chain(incoming.filter(move |row| row.edge.source != entity)))
            }
        }
    }

    fn outgoing(&self, entity: EntityId) -> impl Iterator<Item = &EdgeRow> {
        let keys = self.by_source.range((entity, EdgeId(0))..).take_while(move |(source, _)| *source == entity);
        keys.map(|(_, id)| &*self.edges[id])
    }

    fn incoming(&self, key: TargetKey) -> impl Iterator<Item = &EdgeRow> {
        let from = (key.clone(), EdgeId(0));
        self.by_target.range(from..).take_while(move |(target, _)| *target == key).map(|(_, id)| &*self.edges[id])
    }
}

/// The edge with the bounds of the time that was asked about, if it is one of those asked for.
fn fit(row: &EdgeRow, filter: &EdgeFilter) -> Option<Edge> {
    let bounds = row.bounds_at(filter.known_at)?;
    let fits = filter.relation.as_ref().is_none_or(|relation| *relation == row.edge.relation)
        && filter.target.as_ref().is_none_or(|target| *target == row.key)
        && in_wing(row.edge.wing.as_deref(), filter.wing.as_deref())
        && stands(&bounds, filter.standing)
        && (filter.unknown_start || bounds.start_source != StartSource::Unknown)
        && is_valid(&bounds, filter.validity);
    fits.then(|| Edge { bounds, ..row.edge.clone() })
}

fn stands(bounds: &Bounds, standing: Standing) -> bool {
    match standing {
        Standing::Live => bounds.is_live(),
        Standing::Believed => bounds.retracted_at.is_none(),
        Standing::Any => true,
    }
}

fn is_valid(bounds: &Bounds, validity: Validity) -> bool {
    let interval = bounds.interval();
    match validity {
        Validity::Any => true,
        Validity::At(at) => interval.contains(at),
        Validity::Meets((from, until)) => {
            !interval.is_empty()
                && from.zip(until).is_none_or(|(from, until)| from <= until)
                && until.is_none_or(|until| interval.start <= until)
                && from.is_none_or(|from| interval.end.is_none_or(|end| from < end))
        }
    }
}
