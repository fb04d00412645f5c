//! Anchors: what a series is tied to.
//!
//! A request says what it expects to find; the target is looked up when entities and facts of the call are known. What
//! happens where nothing is found is decided here, the looking up is the caller's.

use std::collections::BTreeMap;

use crate::check::{label, optional_label};
use crate::model::{self, AnchorTarget, ArtifactId, EdgeId, EntityId, Failure, FailureCode, words};
use crate::names::normalize;
use crate::privacy::has_private;
use crate::storage::rules::{MAX_LITERAL, MAX_NAME};
use crate::time::Micros;
use crate::vocabulary;

/// Most anchors of a series in one request.
pub const MAX_ANCHORS: usize = 20;

/// Longest role, in bytes.
pub const MAX_ROLE: usize = 64;

/// Longest type of an entity in a selector, in bytes.
const MAX_TYPE: usize = 256;

words! {
    /// What to do when a selector matches nothing.
    OnUnmatched {
        /// Make the entity.
        Create = "create",
        /// Leave the anchor out and say so.
        Ignore = "ignore",
        /// Fail: nothing is stored.
        Error = "error",
    }
}

/// Whether there is an artifact that `artifact: true` can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The series come with a text.
    Text,
    /// They come by themselves.
    Alone,
}

/// An entity by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntitySelector {
    /// Its name or one of its aliases, in any spelling.
    pub name: String,
    /// Only of this type; `None`: any. A new entity gets it.
    pub r#type: Option<String>,
}

/// A live fact by its ends, the newest of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeSelector {
    /// Name of the subject.
    pub source: String,
    /// In any spelling that means the relation.
    pub relation: String,
    /// Name of the object, or the literal.
    pub target: String,
}

/// An anchor as sent: exactly one of the first six says what it is tied to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnchorRequest {
    /// The artifact of the text that comes with the series.
    pub artifact: bool,
    /// A stored artifact.
    pub artifact_id: Option<ArtifactId>,
    /// An entity by its name.
    pub entity: Option<EntitySelector>,
    /// A stored entity.
    pub entity_id: Option<EntityId>,
    /// A fact by its ends.
    pub edge: Option<EdgeSelector>,
    /// A stored fact.
    pub edge_id: Option<EdgeId>,
    /// What the series is to the target; at most 64 bytes.
    pub role: Option<String>,
    /// The slice that matters to the target, both bounds inside; `None`: the whole series.
    pub window: Option<(Micros, Micros)>,
    /// `None`: `create` for an entity, `ignore` for a fact. An ID has to exist whatever this says.
    pub on_unmatched: Option<OnUnmatched>,
}

/// What an anchor is tied to, before it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// The artifact of the call.
    ThisArtifact,
    /// A stored artifact.
    ArtifactId(ArtifactId),
    /// An entity by its name.
    Entity(EntitySelector),
    /// A stored entity.
    EntityId(EntityId),
    /// A fact by its ends, its relation in snake_case.
    Edge(EdgeSelector),
    /// A stored fact.
    EdgeId(EdgeId),
}

/// An anchor that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Where it is in the request, for messages.
    pub place: String,
    /// What it is tied to.
    pub selector: Selector,
    /// What the series is to the target.
    pub role: Option<String>,
    /// The slice that matters to the target.
    pub window: Option<(Micros, Micros)>,
    /// What to do when there is no such target.
    pub on_unmatched: OnUnmatched,
}

/// Checks one anchor of a request.
///
/// # Errors
/// What is malformed, with its place.
pub fn check(place: &str, home: Home, request: &AnchorRequest) -> Result<Anchor, Failure> {
    let selector = selector(place, home, request)?;
    let role = optional_label(&format!("{place}.role"), request.role.as_deref(), MAX_ROLE)?;
    if let Some((start, end)) = request.window.filter(|(start, end)| start > end) {
        return Err(Failure::field(format!("{place}.window"), format!("starts at {start}, after its end {end}")));
    }
    let on_unmatched = match (&selector, request.on_unmatched) {
        (Selector::Entity(_), given) => given.unwrap_or(OnUnmatched::Create),
        (_, Some(OnUnmatched::Create)) => {
            let message = "'create' is possible for an entity by name only; use 'ignore' or 'error'";
            return Err(Failure::field(format!("{place}.on_unmatched"), message));
        }
        (Selector::Edge(_), given) => given.unwrap_or(OnUnmatched::Ignore),
        _ => OnUnmatched::Error,
    };
    Ok(Anchor { place: place.to_owned(), selector, role, window: request.window, on_unmatched })
}

fn selector(place: &str, home: Home, request: &AnchorRequest) -> Result<Selector, Failure> {
    let mut found = Vec::new();
    if request.artifact {
        found.push(("artifact", Selector::ThisArtifact));
    }
    found.extend(request.artifact_id.map(|id| ("artifact_id", Selector::ArtifactId(id))));
    found.extend(request.entity.clone().map(|entity| ("entity", Selector::Entity(entity))));
    found.extend(request.entity_id.map(|id| ("entity_id", Selector::EntityId(id))));
    found.extend(request.edge.clone().map(|edge| ("edge", Selector::Edge(edge))));
    found.extend(request.edge_id.map(|id| ("edge_id", Selector::EdgeId(id))));
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        return Err(Failure::field(place, format!("has {}; an anchor has exactly one of them", names.join(" and "))));
    }
    let Some((name, selector)) = found.pop() else {
        let message = "names nothing; give it artifact, artifact_id, entity, entity_id, edge or edge_id";
        return Err(Failure::field(place, message));
    };
    let at = |field: &str| format!("{place}.{name}.{field}");
    match selector {
        Selector::ThisArtifact if home == Home::Alone => {
            let message = "there is no text here whose artifact this could be; name one by artifact_id";
            Err(Failure::field(format!("{place}.artifact"), message))
        }
        Selector::Entity(EntitySelector { name, r#type }) => {
            let name = named(&at("name"), &name, MAX_NAME)?;
            Ok(Selector::Entity(EntitySelector {
                name,
                r#type: optional_label(&at("type"), r#type.as_deref(), MAX_TYPE)?,
            }))
        }
        Selector::Edge(EdgeSelector { source, relation, target }) => {
            let relation_at = at("relation");
            let relation = vocabulary::relation(&relation)
                .ok_or_else(|| Failure::field(relation_at, "is no relation; works_at would be one"))?;
            let source = named(&at("source"), &source, MAX_NAME)?;
            Ok(Selector::Edge(EdgeSelector { source, relation, target: named(&at("target"), &target, MAX_LITERAL)? }))
        }
        other => Ok(other),
    }
}

/// A label that names something.
fn named(field: &str, value: &str, max: usize) -> Result<String, Failure> {
    let value = label(field, value, max)?;
    if normalize(&value).is_empty() {
        return Err(Failure::field(field, "has no character that names anything"));
    }
    Ok(value)
}

impl EntitySelector {
    /// Whether an entity of this type, found by the name, is meant. One whose type is not known is.
    #[must_use]
    pub fn takes_type(&self, found: &str) -> bool {
        self.r#type.as_ref().is_none_or(|asked| found == "unknown" || normalize(asked) == normalize(found))
    }
}

/// What becomes of an anchor whose target does not exist.
#[derive(Debug, Clone, PartialEq)]
pub enum Unmatched {
    /// The entity is made, without a link to the artifact: no text mentions it.
    Create(EntitySelector),
    /// The anchor is left out.
    Skip(Skipped),
    /// Nothing is stored.
    Fail(Failure),
}

/// An anchor that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// `entity` or `edge`.
    pub kind: String,
    /// What was looked for.
    pub name: String,
    /// Why it was left out.
    pub reason: String,
}

impl Anchor {
    /// That of a series of a text which says nothing else.
    #[must_use]
    pub fn to_text(series: &str) -> Self {
        let place = format!("{series}.anchors");
        Self { place, selector: Selector::ThisArtifact, role: None, window: None, on_unmatched: OnUnmatched::Error }
    }

    /// What to do now that nothing matches.
    #[must_use]
    pub fn unmatched(&self) -> Unmatched {
        let (kind, name) = self.selector.told();
        match (&self.selector, self.on_unmatched) {
            (Selector::Entity(entity), OnUnmatched::Create) if has_private(&entity.name) => {
                let reason = "a private value is no entity".to_owned();
                Unmatched::Skip(Skipped { kind: kind.to_owned(), name, reason })
            }
            (Selector::Entity(EntitySelector { name, r#type }), OnUnmatched::Create) => {
                let r#type = r#type.clone().filter(|r#type| !has_private(r#type));
                Unmatched::Create(EntitySelector { name: name.clone(), r#type })
            }
            (Selector::Entity(_) | Selector::Edge(_), OnUnmatched::Ignore) => {
                let reason = format!("no such {kind} is stored or in the text");
                Unmatched::Skip(Skipped { kind: kind.to_owned(), name, reason })
            }
            _ => {
                let message = format!("{}: there is no {kind} {name}; nothing was stored", self.place);
                Unmatched::Fail(Failure::new(FailureCode::Unsatisfiable, message).about(self.place.clone()))
            }
        }
    }
}

impl Selector {
    /// The kind of target and what it is called.
    fn told(&self) -> (&'static str, String) {
        let (kind, name) = match self {
            Self::ThisArtifact => ("artifact", "of this text".to_owned()),
            Self::ArtifactId(id) => ("artifact", id.to_string()),
            Self::Entity(entity) => ("entity", entity.name.clone()),
            Self::EntityId(id) => ("entity", id.to_string()),
            Self::Edge(edge) => ("edge", format!("{} {} {}", edge.source, edge.relation, edge.target)),
            Self::EdgeId(id) => ("edge", id.to_string()),
        };
        // A failure is kept in the log of the call.
        (kind, if has_private(&name) { "(private)".to_owned() } else { name })
    }
}

/// The anchors to write: those of one series: the last of those with the same target, in the order of their first, without
/// those that are stored exactly so. Each replaces role and window of a stored one.
#[must_use]
pub fn to_write(stored: &[model::Anchor], asked: Vec<model::Anchor>) -> Vec<model::Anchor> {
    let mut places: BTreeMap<AnchorTarget, usize> = BTreeMap::new();
    let mut last: Vec<model::Anchor> = Vec::new();
    for anchor in asked {
        match places.get(&anchor.target) {
            Some(&place) => last[place] = anchor,
            None => {
                places.insert(anchor.target, last.len());
                last.push(anchor);
            }
        }
    }
    last.retain(|anchor| !stored.contains(anchor));
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SeriesId;

    fn entity(name: &str) -> AnchorRequest {
        let entity = EntitySelector { name: name.to_owned(), r#type: None };
        AnchorRequest { entity: Some(entity), ..AnchorRequest::default() }
    }

    fn edge(relation: &str) -> AnchorRequest {
        let relation = relation.to_owned();
        let edge = EdgeSelector { source: "Alice".to_owned(), relation, target: "Acme".to_owned() };
        AnchorRequest { edge: Some(edge), ..AnchorRequest::default() }
    }

    fn id() -> AnchorRequest {
        AnchorRequest { entity_id: Some(EntityId(7)), ..AnchorRequest::default() }
    }

    #[test]
    fn an_anchor_has_exactly_one_selector() {
        for (request, home, start) in [
            (AnchorRequest::default(), Home::Text, "a[0]: names nothing"),
            (
                AnchorRequest { artifact: true, edge_id: Some(EdgeId(1)), ..AnchorRequest::default() },
                Home::Text,
                "a[0]: has artifact and edge_id",
            ),
            (
                AnchorRequest { artifact: true, ..AnchorRequest::default() },
                Home::Alone,
                "a[0].artifact: there is no text",
            ),
            (entity("  "), Home::Text, "a[0].entity.name: is empty"),
            (entity("\"\""), Home::Text, "a[0].entity.name: has no character"),
            (edge("--"), Home::Text, "a[0].edge.relation: is no relation"),
            (AnchorRequest { role: Some("r".repeat(65)), ..id() }, Home::Text, "a[0].role: has 65 bytes"),
            (AnchorRequest { window: Some((Micros(2), Micros(1))), ..id() }, Home::Text, "a[0].window: starts at"),
            (
                AnchorRequest { on_unmatched: Some(OnUnmatched::Create), ..edge("works at") },
                Home::Text,
                "a[0].on_unmatched: 'create'",
            ),
            (
                AnchorRequest { on_unmatched: Some(OnUnmatched::Create), ..id() },
                Home::Text,
                "a[0].on_unmatched: 'create'",
            ),
        ] {
            let message = check("a[0]", home, &request).expect_err("it is malformed").message;
            assert!(message.starts_with(start), "{message}");
        }
        let whole = AnchorRequest { artifact: true, window: Some((Micros(1), Micros(1))), ..AnchorRequest::default() };
        assert!(check("a[0]", Home::Text, &whole).is_ok());
    }

    #[test]
    fn what_is_not_found_is_made_left_out_or_fails_the_call() {
        use OnUnmatched::{Create, Error, Ignore};
        for (request, on_unmatched, expected) in [
            (entity("Apple"), None, "create"),
            (entity("Apple"), Some(Create), "create"),
            (entity("Apple"), Some(Ignore), "skip"),
            (entity("al@example.com"), Some(Create), "skip"),
            (entity("Apple"), Some(Error), "fail"),
            (edge("works at"), None, "skip"),
            (edge("works at"), Some(Ignore), "skip"),
            (edge("works at"), Some(Error), "fail"),
            (id(), None, "fail"),
            (id(), Some(Ignore), "fail"),
            (id(), Some(Error), "fail"),
        ] {
            let anchor = check("a[0]", Home::Text, &AnchorRequest { on_unmatched, ..request }).expect("well formed");
            let outcome = match anchor.unmatched() {
                Unmatched::Create(_) => "create",
                Unmatched::Skip(_) => "skip",
                Unmatched::Fail(failure) => {
                    assert_eq!(failure.code, FailureCode::Unsatisfiable);
                    "fail"
                }
            };
            assert_eq!(outcome, expected, "{anchor:?}");
        }
        let mut typed = entity("Apple");
        typed.entity.iter_mut().for_each(|entity| entity.r#type = Some("al@example.com".to_owned()));
        let anchor = check("a[0]", Home::Text, &typed).expect("well formed");
        let made = EntitySelector { name: "Apple".to_owned(), r#type: None };
        assert_eq!(anchor.unmatched(), Unmatched::Create(made), "a private value is no type");
        let anchor = check("a[0]", Home::Text, &edge("works for")).expect("well formed");
        let Unmatched::Skip(skipped) = anchor.unmatched() else { panic!("it is left out") };
        assert_eq!((skipped.kind.as_str(), skipped.name.as_str()), ("edge", "Alice works_at Acme"));
    }

    #[test]
    fn a_type_is_compared_where_both_are_known() {
        let selector = EntitySelector { name: "Apple".to_owned(), r#type: Some("Organization".to_owned()) };
        assert!(selector.takes_type("organization") && selector.takes_type("unknown") && !selector.takes_type("fruit"));
        assert!(EntitySelector { r#type: None, ..selector }.takes_type("fruit"));
    }

    #[test]
    fn anchoring_again_replaces_role_and_window() {
        let anchored = |id, role: &str| model::Anchor {
            series: SeriesId(1),
            target: AnchorTarget::Entity(EntityId(id)),
            role: Some(role.to_owned()),
            window: None,
        };
        let asked = vec![anchored(1, "a"), anchored(2, "b"), anchored(1, "c"), anchored(3, "d")];
        assert_eq!(to_write(&[anchored(3, "d"), anchored(2, "x")], asked), vec![anchored(1, "c"), anchored(2, "b")]);
    }
}
