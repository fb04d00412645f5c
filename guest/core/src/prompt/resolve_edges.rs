//! `resolve_edges`: which new facts are stored already in other words, and which stored facts they contradict.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Ask;
use super::lenient::{self, Problems};
use super::statement::{Existing, Statement};
use crate::model::EdgeId;

/// Pairs of one list of an answer.
const MAX_PAIRS: usize = 1_000;

/// A fact that the text states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct New {
    /// Its number, from 0.
    pub(crate) index: usize,
    /// The fact.
    #[serde(flatten)]
    pub(crate) fact: Statement,
}

/// The inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ResolveEdges {
    /// Told facts that no rule settles, each with its place here as index.
    pub(crate) new: Vec<New>,
    /// Stored facts about the same entities.
    pub(crate) existing: Vec<Existing>,
}

/// A told fact, by its index, and a stored one.
pub(crate) type Pair = (usize, EdgeId);

/// What the model says of new and stored facts: pairs of the document only, each at most in one list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pairs {
    /// The same fact.
    pub(crate) duplicates: BTreeSet<Pair>,
    /// Both can't be true at a time.
    pub(crate) contradictions: BTreeSet<Pair>,
}

#[derive(Serialize)]
struct Document<'a> {
    stage: &'static str,
    new: &'a [New],
    existing: &'a [Existing],
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_error: Option<&'a str>,
}

impl Ask for ResolveEdges {
    const STAGE: &'static str = "resolve_edges";
    const WORDS: &'static str = include_str!("resolve_edges.md");
    type Answer = Pairs;

    fn document(&self, previous_error: Option<&str>) -> String {
        let document = Document { stage: Self::STAGE, new: &self.new, existing: &self.existing, previous_error };
        serde_json::to_string(&document).expect("strings and lists are JSON")
    }

    fn schema() -> Value {
        let pairs = json!({"type": "array", "items": {
            "type": "object",
            "properties": {"new": {"type": "integer"}, "existing": {"type": "integer"}},
            "required": ["new", "existing"],
            "additionalProperties": false,
        }});
        json!({
            "type": "object",
            "properties": {"duplicates": pairs, "contradictions": pairs},
            "required": ["duplicates", "contradictions"],
            "additionalProperties": false,
        })
    }

    fn read(&self, answer: &str, problems: &mut Problems) -> Result<Pairs, String> {
        let object = lenient::object(answer, &["duplicates", "contradictions"], problems)?;
        let duplicates = self.pairs(&object, "duplicates", problems)?;
        let mut contradictions = self.pairs(&object, "contradictions", problems)?;
        let named = contradictions.len();
        contradictions.retain(|pair| !duplicates.contains(pair));
        problems.add("a pair that was named as both was taken for a duplicate", named - contradictions.len());
        Ok(Pairs { duplicates, contradictions })
    }
}

impl ResolveEdges {
    fn pairs(&self, object: &Map<String, Value>, key: &str, problems: &mut Problems) -> Result<BTreeSet<Pair>, String> {
        let ids: BTreeSet<u64> = self.existing.iter().map(|existing| existing.id).collect();
        let mut pairs = BTreeSet::new();
        for (place, item) in lenient::list(object, key, MAX_PAIRS, problems)?.into_iter().enumerate() {
            lenient::unknown(item, &["new", "existing"], problems);
            let [new, existing] =
                ["new", "existing"].map(|end| lenient::number(item.get(end), &format!("{key}[{place}].{end}")));
            let new = new?.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < self.new.len());
            let existing = existing?.filter(|id| ids.contains(id));
            match new.zip(existing) {
                Some((new, existing)) => _ = pairs.insert((new, EdgeId(existing))),
                None => problems.note(format!("{key}: a pair of what was not asked about was dropped")),
            }
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(target: &str, valid_at: Option<&str>, invalid_at: Option<&str>) -> Statement {
        Statement {
            source: "Alice".to_owned(),
            relation: "leads".to_owned(),
            target: target.to_owned(),
            description: format!("Alice leads {target}."),
            valid_at: valid_at.map(str::to_owned),
            invalid_at: invalid_at.map(str::to_owned),
        }
    }

    fn asked() -> ResolveEdges {
        let new = ["Atlas", "Zephyr"].into_iter().enumerate();
        ResolveEdges {
            new: new.map(|(index, name)| New { index, fact: fact(name, Some("2024-06"), None) }).collect(),
            existing: vec![Existing { id: 7, fact: fact("Orion", None, Some("2030")) }],
        }
    }

    #[test]
    fn a_document_shows_new_and_stored_facts_alike() {
        insta::assert_snapshot!(asked().document(None), @r#"{"stage":"resolve_edges","new":[{"index":0,"source":"Alice","relation":"leads","target":"Atlas","description":"Alice leads Atlas.","valid_at":"2024-06"},{"index":1,"source":"Alice","relation":"leads","target":"Zephyr","description":"Alice leads Zephyr.","valid_at":"2024-06"}],"existing":[{"id":7,"source":"Alice","relation":"leads","target":"Orion","description":"Alice leads Orion.","invalid_at":"2030"}]}"#);
    }

    #[test]
    fn only_pairs_that_were_asked_about_are_taken() {
        for (answer, expected, problems) in [
            (r#"{"duplicates": [], "contradictions": []}"#, "[] []", ""),
            (
                r#"{"duplicates": [{"new": 0, "existing": 7}], "contradictions": [{"new": "1", "existing": 7}]}"#,
                "[(0, EdgeId(7))] [(1, EdgeId(7))]",
                "",
            ),
            (
                r#"{"duplicates": {"new": 0, "existing": 7}, "contradictions": [{"new": 0, "existing": 7}]}"#,
                "[(0, EdgeId(7))] []",
                "a pair that was named as both was taken for a duplicate, duplicates: one object was taken for a list of one",
            ),
            (
                r#"{"duplicates": [{"new": 2, "existing": 7}, {"new": -1, "existing": 7}],
                   "contradictions": [{"new": 0, "existing": 8}, {"new": 0.5, "existing": 7}]}"#,
                "[] []",
                "contradictions: a pair of what was not asked about was dropped (2 times), \
                 duplicates: a pair of what was not asked about was dropped (2 times)",
            ),
        ] {
            let mut told = Problems::default();
            let pairs = asked().read(answer, &mut told).unwrap();
            let read = format!(
                "{:?} {:?}",
                pairs.duplicates.iter().collect::<Vec<_>>(),
                pairs.contradictions.iter().collect::<Vec<_>>()
            );
            assert_eq!((read.as_str(), told.sentences().join(", ").as_str()), (expected, problems), "{answer}");
        }
    }

    #[test]
    fn wrong_types_and_missing_keys_are_errors() {
        for (answer, expected) in [
            (r#"{"duplicates": []}"#, "the key \"contradictions\" is missing"),
            (r#"{"duplicates": 3, "contradictions": []}"#, "duplicates: a number where a list is meant"),
            (r#"{"duplicates": [{"new": 0}], "contradictions": []}"#, "duplicates[0].existing is missing"),
            (
                r#"{"duplicates": [{"new": [0], "existing": 7}], "contradictions": []}"#,
                "duplicates[0].new: a list where a number is meant",
            ),
        ] {
            assert_eq!(asked().read(answer, &mut Problems::default()), Err(expected.to_owned()), "{answer}");
        }
    }
}
