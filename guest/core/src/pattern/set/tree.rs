//! Building the tree that phrases and verbs are looked up in.

use std::collections::{BTreeMap, BTreeSet};

use super::compile::{Way, ids};
use super::table::{self, Around, Class, Slot, Tree, UNKNOWN, Vocabulary, WordId, class};

/// A node of the tree while it is built.
#[derive(Default)]
struct Node {
    edges: BTreeMap<WordId, usize>,
    class: Class,
    /// Whether a template's verb goes on after it.
    inside: bool,
    templates: Vec<table::Template>,
}

fn insert(nodes: &mut Vec<Node>, phrase: &[WordId]) -> usize {
    let mut node = 0;
    for word in phrase {
        let fresh = nodes.len();
        node = *nodes[node].edges.entry(*word).or_insert(fresh);
        if node == fresh {
            nodes.push(Node::default());
        }
    }
    node
}

/// The tree of all phrases and verbs, and the words around the names of its templates.
pub(super) fn plant(
    vocabulary: &Vocabulary,
    phrases: &[(Vec<String>, Class)],
    ways: &[Way],
    time: &table::Time,
) -> (Tree, Vec<Around>) {
    let mut nodes = vec![Node::default()];
    for (phrase, class) in phrases {
        let node = insert(&mut nodes, &ids(vocabulary, phrase));
        nodes[node].class |= class;
    }
    for word in time_starts(time) {
        let node = insert(&mut nodes, &[word]);
        nodes[node].class |= class::TIME;
    }
    let mut around = vec![Around::default()];
    for way in ways {
        let (prefix, suffix) = (ids(vocabulary, &way.prefix), ids(vocabulary, &way.suffix));
        let own = Around { prefix, suffix, next: way.next };
        if !own.prefix.is_empty() {
            let node = insert(&mut nodes, &own.prefix);
            nodes[node].class |= class::PREFIX;
        }
        let index = around.iter().position(|known| *known == own).unwrap_or_else(|| {
            around.push(own);
            around.len() - 1
        });
        let middle = ids(vocabulary, &way.middle);
        let first = insert(&mut nodes, &middle[..1]);
        let word = way.middle[0].starts_with(char::is_alphabetic);
        if word && nodes[first].class & class::SEPARATOR != 0 {
            nodes[first].class |= class::COPULA;
        }
        let node = insert(&mut nodes, &middle);
        for after in 1..middle.len() {
            let node = insert(&mut nodes, &middle[..after]);
            nodes[node].inside = true;
        }
        nodes[node].templates.push(table::Template {
            pattern: u32::try_from(way.pattern).unwrap_or(u32::MAX),
            around: u32::try_from(index).unwrap_or(u32::MAX),
            object_first: way.object_first,
        });
    }
    let mut tree = Tree { first: vec![0], own: vec![0], ..Tree::default() };
    let last = nodes[0].edges.keys().last().map_or(0, |word| *word as usize + 1);
    tree.starts = vec![UNKNOWN; last];
    for (word, to) in std::mem::take(&mut nodes[0].edges) {
        tree.starts[word as usize] = u32::try_from(to).unwrap_or(UNKNOWN);
    }
    tree.inside = nodes
        .chunks(32)
        .map(|some| some.iter().rev().fold(0, |bits, node| bits << 1 | u32::from(node.inside)))
        .collect();
    for node in nodes {
        tree.words.extend(node.edges.keys());
        tree.to.extend(node.edges.values().map(|to| u32::try_from(*to).unwrap_or(u32::MAX)));
        tree.first.push(u32::try_from(tree.words.len()).unwrap_or(u32::MAX));
        let prefixed = |template: &table::Template| !around[template.around as usize].prefix.is_empty();
        let prefixed = !node.templates.is_empty() && node.templates.iter().all(prefixed);
        tree.classify(if prefixed { node.class | class::PREFIXED } else { node.class });
        // A template with words around the names says more than one without, so it is tried first.
        let mut own = node.templates;
        own.sort_by_key(|template| {
            let words = &around[template.around as usize];
            std::cmp::Reverse(words.prefix.len() + words.suffix.len())
        });
        for template in own {
            tree.push(template);
        }
        tree.own.push(u32::try_from(tree.patterns.len()).unwrap_or(u32::MAX));
    }
    (tree, around)
}

/// Words that a phrase about time can start with.
fn time_starts(time: &table::Time) -> BTreeSet<WordId> {
    let phrases = time.phrases.iter().map(|(_, slots)| slots);
    let dates = time.dates.iter().map(|(slots, _)| slots);
    let all = phrases.chain(dates).chain(time.relative.iter().map(|counted| &counted.slots));
    let mut starts: BTreeSet<WordId> = all
        .filter_map(|slots| match slots.first() {
            Some(Slot::Word(word)) => Some(*word),
            _ => None,
        })
        .collect();
    starts.extend(time.values.iter().map(|(word, _)| *word));
    starts
}
