//! A memory of one subject and one functional relation, told fact by fact through the core's own plans.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod script;

use std::collections::BTreeMap;

use gligabao_core::model::{Bounds, Call, Direction, EdgeId, Entity, EntityId, Moment, Predicate, Target};
use gligabao_core::recall::{self, FactsRequest, Known, When};
use gligabao_core::reconcile::Overlay;
use gligabao_core::reconcile::apply::{NewFact, tell};
use gligabao_core::reconcile::told::Told;
use gligabao_core::reference::ReferenceStore;
use gligabao_core::storage::{AddEntity, Change, Dataset, Snapshot, Turn};
use gligabao_core::time::{Date, Instant, Micros};

/// The one relation; the rules are given to the plan, not looked up.
pub(crate) const RELATION: &str = "works_at";

/// A dataset in memory.
pub(crate) struct Memory {
    /// What is stored.
    pub(crate) store: ReferenceStore,
    functional: bool,
}

/// A fact as a test sees it: value, start, end, whether a rule closed it.
pub(crate) type Seen = (String, Instant, Option<Instant>, bool);

impl Memory {
    pub(crate) fn new(functional: bool) -> Self {
        Self { store: ReferenceStore::new(Micros(1)), functional }
    }

    /// Tells that the subject has this value; the row that it is now.
    pub(crate) fn tell(&self, value: &str, told: Told) -> EdgeId {
        self.tell_fact("Subject", RELATION, value, told, None)
    }

    /// Tells any fact; a target in quotes is a literal.
    pub(crate) fn tell_fact(
        &self,
        source: &str,
        relation: &str,
        target: &str,
        told: Told,
        wing: Option<&str>,
    ) -> EdgeId {
        let snapshot = self.store.latest(Turn::Race).unwrap();
        let head = snapshot.head().unwrap();
        let mut overlay = Overlay::new(&snapshot, &head);
        let functional = self.functional && relation == RELATION;
        let predicate = Predicate { name: relation.to_owned(), functional, description: String::new() };
        overlay.push(Change::PutPredicate(predicate), "for the test");
        let source = entity(&snapshot, &mut overlay, source);
        let target = match target.strip_prefix('"') {
            Some(text) => Target::Text(text.trim_end_matches('"').to_owned()),
            None => Target::Entity(entity(&snapshot, &mut overlay, target)),
        };
        let fact = NewFact {
            source,
            relation: relation.to_owned(),
            target,
            told,
            functional,
            description: String::new(),
            raw_text: None,
            confidence: 0.5,
            model: None,
            wing: wing.map(str::to_owned),
            artifact: None,
        };
        let (edge, _) = tell(&mut overlay, &fact).unwrap();
        self.store.commit(&overlay.into_draft().into_plan()).unwrap();
        edge
    }

    /// Takes a row out of belief.
    pub(crate) fn retract(&self, edge: EdgeId) {
        gligabao_core::knowledge::retract(&self.store, &call(), edge).unwrap();
    }

    /// The facts as of two times.
    pub(crate) fn facts(&self, at: When, known_at: Known) -> Vec<Seen> {
        let snapshot = self.store.latest(Turn::Race).unwrap();
        let request = FactsRequest {
            entity: Some("subject".to_owned()),
            direction: Direction::Outgoing,
            relation: Some(RELATION.to_owned()),
            at,
            known_at,
            wing: None,
            limit: 1_000,
            cursor: None,
        };
        let answer = recall::facts(&snapshot, &call(), &request).unwrap();
        let seen = answer.facts.into_iter().map(|fact| {
            let interval = fact.edge.bounds.interval();
            (fact.target_name.unwrap(), interval.start, interval.end, fact.superseded)
        });
        seen.collect()
    }

    /// Every row in belief with its bounds, by row.
    pub(crate) fn rows(&self) -> BTreeMap<EdgeId, Bounds> {
        let snapshot = self.store.latest(Turn::Race).unwrap();
        let next = snapshot.head().unwrap().next.edge;
        let ids: Vec<EdgeId> = (1..next.0).map(EdgeId).collect();
        let rows = snapshot.get_edges(&ids).unwrap();
        rows.into_iter().filter(|row| row.bounds.retracted_at.is_none()).map(|row| (row.id, row.bounds)).collect()
    }
}

fn entity<S: Snapshot>(snapshot: &S, overlay: &mut Overlay<'_, S>, name: &str) -> EntityId {
    let normalized_name = gligabao_core::names::normalize(name);
    if let Some(found) = snapshot.find_names(std::slice::from_ref(&normalized_name)).unwrap().first() {
        return found.entity;
    }
    let entity = Entity {
        id: overlay.new_entity_id(),
        name: name.to_owned(),
        r#type: "unknown".to_owned(),
        description: String::new(),
        model: None,
        created_at: Moment::Now,
    };
    let id = entity.id;
    overlay.push(Change::AddEntity(AddEntity { entity, normalized_name }), "for the test");
    id
}

/// A call at some time after everything that tests tell.
pub(crate) fn call() -> Call {
    Call { now: Instant(1_900_000_000).to_micros() }
}

/// A date that a test writes down.
pub(crate) fn date(text: &str) -> Date {
    Date::parse(text).expect("a date")
}
