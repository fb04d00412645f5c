//! What of an extraction can become entities and facts.

use std::collections::BTreeSet;

use super::Dropped;
use crate::extract::{ExtractedEdge, ExtractedEntity, ExtractedTarget, Extraction};
use crate::names::normalize;
use crate::privacy::has_private;
use crate::storage::rules::{MAX_LITERAL, MAX_NAME};
use crate::vocabulary;

/// What one extractor read from the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) extraction: Extraction,
    /// The model that read it; `None` for patterns.
    pub(super) model: Option<String>,
}

/// What is fit to be stored, and how much was not.
#[derive(Debug, Clone, Default)]
pub(super) struct Material {
    pub(super) entities: Vec<Mention>,
    pub(super) edges: Vec<Sifted>,
    pub(super) dropped: Dropped,
}

/// An entity that the text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) entity: ExtractedEntity,
    pub(super) model: Option<String>,
}

/// A fact whose relation and endpoints are fit to be stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sifted {
    pub(super) relation: String,
    pub(super) edge: ExtractedEdge,
    pub(super) model: Option<String>,
}

impl Sifted {
    /// Normalized source, relation, normalized target: what makes it equal to what another extractor read.
    fn key(&self) -> (String, String, String) {
        (normalize(&self.edge.source), self.relation.clone(), normalize(object(&self.edge)))
    }

    /// Normalized source and relation.
    fn subject(&self) -> (String, String) {
        (normalize(&self.edge.source), self.relation.clone())
    }

    /// Its endpoints that are entities, by name.
    fn endpoints(&self) -> impl Iterator<Item = &String> {
        let target = match &self.edge.target {
            ExtractedTarget::Entity(name) => Some(name),
            ExtractedTarget::Text(_) => None,
        };
        std::iter::once(&self.edge.source).chain(target)
    }
}

impl Material {
    /// Sifts what the extractors read. Of equal facts, and of two values of a relation that has one at a time, that of
    /// the extractor before stays.
    pub(super) fn sift(found: &[Found]) -> Self {
        let mut material = Self::default();
        // Values of private facts: they must not come in as entities either.
        let mut private = BTreeSet::new();
        let mut known = BTreeSet::new();
        // Of whom a model states the one value of a relation: the same value in other words must not end it.
        let mut settled = BTreeSet::new();
        for Found { extraction, model } in found {
            let before = material.edges.len();
            for edge in &extraction.edges {
                if let Some(sifted) = material.fact(edge, model.as_ref(), &mut private)
                    && (known.is_empty() || !known.contains(&sifted.key()))
                    && (settled.is_empty() || !settled.contains(&sifted.subject()))
                {
                    material.edges.push(sifted);
                }
            }
            // Only with the next extractor: one may tell the same fact of several times.
            if found.len() > 1 {
                let told = &material.edges[before..];
                known.extend(told.iter().map(Sifted::key));
                let functional = |sifted: &&Sifted| vocabulary::predicate(&sifted.relation).functional;
                settled.extend(told.iter().filter(functional).map(Sifted::subject));
            }
        }
        material.name_entities(found, &private);
        material
    }

    fn fact(&mut self, edge: &ExtractedEdge, model: Option<&String>, private: &mut BTreeSet<String>) -> Option<Sifted> {
        let mut edge = edge.clone();
        let dropped = &mut self.dropped;
        match fit(&mut edge) {
            Ok(relation) => return Some(Sifted { relation, edge, model: model.cloned() }),
            Err(Unfit::Private) => {
                dropped.pii += 1;
                private.insert(normalize(value(&edge)));
            }
            Err(Unfit::Empty) => dropped.empty += 1,
            Err(Unfit::SelfLoop) => dropped.self_loop += 1,
            Err(Unfit::TooLong) => dropped.invalid += 1,
        }
        None
    }

    /// The entities that were found, and the endpoints of facts that are missing among them.
    fn name_entities(&mut self, found: &[Found], private: &BTreeSet<String>) {
        let of_facts: BTreeSet<String> =
            self.edges.iter().flat_map(Sifted::endpoints).map(|name| normalize(name)).collect();
        let mut seen = BTreeSet::new();
        let entities =
            found.iter().flat_map(|found| found.extraction.entities.iter().map(|entity| (entity, &found.model)));
        for (entity, model) in entities {
            let name = normalize(&entity.name);
            if name.is_empty() {
                self.dropped.empty += 1;
            } else if name.len() > MAX_NAME || entity.name.len() > MAX_NAME {
                self.dropped.invalid += 1;
            } else if has_private(&entity.name) {
                self.dropped.pii += u32::from(!private.contains(&name));
            } else if (of_facts.contains(&name) || !private.contains(&name)) && seen.insert(name) {
                let mut entity = entity.clone();
                if has_private(&entity.description) {
                    entity.description.clear();
                }
                self.entities.push(Mention { entity, model: model.clone() });
            }
        }
        for sifted in &self.edges {
            for name in sifted.endpoints() {
                if seen.insert(normalize(name)) {
                    let (name, r#type) = (name.clone(), "unknown".to_owned());
                    let entity = ExtractedEntity { name, r#type, description: String::new() };
                    self.entities.push(Mention { entity, model: sifted.model.clone() });
                }
            }
        }
    }
}

enum Unfit {
    Private,
    Empty,
    SelfLoop,
    TooLong,
}

fn object(edge: &ExtractedEdge) -> &str {
    match &edge.target {
        ExtractedTarget::Entity(name) | ExtractedTarget::Text(name) => name,
    }
}

/// The end of a private fact that its value stands at: `4711 is_password_of Al` has it before the relation.
fn value(edge: &ExtractedEdge) -> &str {
    let before = has_private(&edge.source) || vocabulary::relation(&edge.relation).is_some_and(|name| is_of(&name));
    if before && !has_private(object(edge)) { &edge.source } else { object(edge) }
}

/// Whether what stands before a relation belongs to what stands after it.
fn is_of(relation: &str) -> bool {
    relation.rsplit('_').next().is_some_and(|last| matches!(last, "of" | "de" | "do" | "da"))
}

/// The relation of a fact that can be stored. What its relation makes a literal becomes one.
fn fit(edge: &mut ExtractedEdge) -> Result<String, Unfit> {
    let Some(relation) = vocabulary::relation(&edge.relation) else {
        return Err(if edge.relation.contains(char::is_alphanumeric) { Unfit::TooLong } else { Unfit::Empty });
    };
    if vocabulary::is_private(&relation) || has_private(&edge.source) || has_private(object(edge)) {
        return Err(Unfit::Private);
    }
    // A fact stays without the words that tell a private value beside it.
    edge.description = edge.description.take().filter(|description| !has_private(description));
    edge.raw_text = edge.raw_text.take().filter(|words| !has_private(words));
    if vocabulary::has_literal_object(&relation) {
        edge.target = ExtractedTarget::Text(object(edge).to_owned());
    }
    let (source, target) = (normalize(&edge.source), normalize(object(edge)));
    if source.is_empty() || target.is_empty() {
        return Err(Unfit::Empty);
    }
    let is_entity = matches!(edge.target, ExtractedTarget::Entity(_));
    let max = if is_entity { MAX_NAME } else { MAX_LITERAL };
    if source.len().max(edge.source.len()) > MAX_NAME || target.len().max(object(edge).len()) > max {
        return Err(Unfit::TooLong);
    }
    if source == target && is_entity {
        return Err(Unfit::SelfLoop);
    }
    Ok(relation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: Option<&str>, edges: &[(&str, &str, &str)]) -> Found {
        let edges = edges.iter().map(|(source, relation, target)| ExtractedEdge {
            source: (*source).to_owned(),
            relation: (*relation).to_owned(),
            target: ExtractedTarget::Entity((*target).to_owned()),
            description: None,
            valid_at: None,
            invalid_at: None,
            confidence: 0.5,
            raw_text: None,
        });
        let extraction = Extraction { entities: Vec::new(), edges: edges.collect() };
        Found { extraction, model: model.map(str::to_owned) }
    }

    #[test]
    fn private_values_are_dropped_and_words_that_tell_them_are_left_out() {
        let mut read =
            found(Some("m"), &[("Alice", "reachable_at", "alice@example.com"), ("Alice", "works_at", "Acme")]);
        read.extraction.edges[1].description = Some("Alice (+351 912 345 678) works at Acme.".to_owned());
        read.extraction.edges[1].raw_text = Some("Alice, card 4111 1111 1111 1111, works at Acme".to_owned());
        let entity = |name: &str, description: &str| ExtractedEntity {
            name: name.to_owned(),
            r#type: "unknown".to_owned(),
            description: description.to_owned(),
        };
        read.extraction.entities = vec![
            entity("Alice", "Has the CPF 529.982.247-25."),
            entity("alice@example.com", ""),
            entity("078-05-1120", ""),
        ];
        let material = Material::sift(&[read]);
        assert_eq!(material.dropped, Dropped { pii: 2, ..Dropped::default() });
        assert_eq!(material.edges.len(), 1);
        assert_eq!((&material.edges[0].edge.description, &material.edges[0].edge.raw_text), (&None, &None));
        let entities: Vec<_> = material.entities.iter().map(|m| (&*m.entity.name, &*m.entity.description)).collect();
        assert_eq!(entities, [("Alice", ""), ("Acme", "")]);
    }

    #[test]
    fn a_private_value_is_none_of_a_fact_wherever_it_stands() {
        let private = [
            ("4111 1111 1111 1111", "belongs_to", "Al"),
            ("al@example.com", "is", "Al"),
            ("+14155552671", "phone_number_of", "Al"),
            ("hunter2", "is_password_of", "Al"),
            ("Al", "pho\u{200b}ne", "12"),
            ("Al", "pays_with", "card 4111 1111 1111 1111 exp 12/30"),
            ("Al", "writes_to", "al@example.com and bob@example.com"),
        ];
        let mut read = found(Some("m"), &private);
        let entity = |name: &str| ExtractedEntity {
            name: name.to_owned(),
            r#type: "unknown".to_owned(),
            description: String::new(),
        };
        read.extraction.entities =
            private.iter().flat_map(|(source, _, target)| [entity(source), entity(target)]).collect();
        let material = Material::sift(&[read]);
        assert_eq!((material.dropped.pii, material.edges.len()), (7, 0));
        let names: Vec<_> = material.entities.iter().map(|mention| &*mention.entity.name).collect();
        assert_eq!(names, ["Al"]);
    }

    #[test]
    fn patterns_add_no_second_value_of_a_relation_that_has_one() {
        let model = found(Some("m"), &[("Ana", "works_at", "Acme Inc"), ("Ana", "likes", "tea")]);
        let patterns =
            found(None, &[("ana", "works_for", "Acme"), ("Ana", "likes", "green tea"), ("Bia", "works_at", "Acme")]);
        let material = Material::sift(&[model, patterns]);
        let facts: Vec<_> = material.edges.iter().map(|sifted| (&*sifted.edge.source, object(&sifted.edge))).collect();
        assert_eq!(facts, [("Ana", "Acme Inc"), ("Ana", "tea"), ("Ana", "green tea"), ("Bia", "Acme")]);
    }

    #[test]
    fn of_equal_facts_of_two_extractors_that_of_the_first_stays() {
        let model = found(
            Some("m"),
            &[("Alice", "works at", "Acme"), ("alice", "employed_by", "ACME"), ("Tea", "costs", "2 €")],
        );
        let patterns =
            found(None, &[("ALICE", "works_for", "Ácme"), ("Alice", "likes", "tea"), ("tea", "price", "2 €")]);
        let material = Material::sift(&[model, patterns]);
        let facts: Vec<String> = material
            .edges
            .iter()
            .map(|sifted| {
                format!("{} {} {:?} {:?}", sifted.edge.source, sifted.relation, sifted.edge.target, sifted.model)
            })
            .collect();
        insta::assert_snapshot!(facts.join("\n"), @r#"
        Alice works_at Entity("Acme") Some("m")
        alice works_at Entity("ACME") Some("m")
        Tea costs Text("2 €") Some("m")
        Alice likes Entity("tea") None
        "#);
        let names: Vec<_> =
            material.entities.iter().map(|mention| (&*mention.entity.name, mention.model.as_deref())).collect();
        assert_eq!(names, [("Alice", Some("m")), ("Acme", Some("m")), ("Tea", Some("m"))]);
    }
}
