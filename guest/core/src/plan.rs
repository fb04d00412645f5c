//! A plan as a value that prints well: every change with its reason.

use std::fmt;

use crate::model::{Bounds, Edge, Stage, Target};
use crate::storage::{Change, Plan};
use crate::time::Micros;

/// A change and why it is made, in a short sentence for people; storage never sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The change.
    pub change: Change,
    /// Why.
    pub reason: String,
}

/// A plan that is being made.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The version that it is made from.
    pub version: u64,
    /// In the order in which they apply.
    pub steps: Vec<Step>,
    /// The stages of the call that makes it.
    pub stages: Vec<Stage>,
}

impl Draft {
    /// What storage gets to see of it.
    #[must_use]
    pub fn into_plan(self) -> Plan {
        let changes = self.steps.into_iter().map(|step| step.change).collect();
        Plan { version: self.version, changes, stages: self.stages }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan on version {}", self.version)?;
        for Step { change, reason } in &self.steps {
            writeln!(f, "{}  # {reason}", Line(change))?;
        }
        Ok(())
    }
}

struct Line<'a>(&'a Change);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Change::AddArtifact(add) => {
                let artifact = &add.artifact;
                write!(
                    f,
                    "+ artifact {} {} {} of {} bytes",
                    artifact.id, artifact.kind, artifact.valid_at, artifact.bytes
                )
            }
            Change::AddParent(add) => write!(f, "+ parent {} of artifact {}", add.parent, add.artifact),
            Change::AddEntity(add) => {
                write!(f, "+ entity {} {} {:?}", add.entity.id, add.entity.r#type, add.entity.name)
            }
            Change::AddEntityEvent(event) => {
                write!(f, "~ entity {} {} {} {:?}", event.entity, event.kind, event.r#type, event.description)
            }
            Change::AddMention(mention) => {
                write!(f, "+ mention of entity {} in artifact {}", mention.entity, mention.artifact)
            }
            Change::AddEdge(add) => write!(f, "+ edge {}", Row(&add.edge)),
            Change::AddStatement(statement) => {
                write!(f, "+ statement of edge {} in artifact {}", statement.edge, statement.artifact)
            }
            Change::AddEvent(event) => write!(f, "~ edge {} {} {}", event.edge, event.kind, Span(&event.after)),
            Change::PutPredicate(predicate) => {
                write!(f, "+ predicate {}{}", predicate.name, if predicate.functional { " functional" } else { "" })
            }
            Change::SetDataset(set) => write!(f, "~ dataset description {:?} tags {:?}", set.description, set.tags),
            Change::PutSeries(put) => {
                write!(f, "~ series {} {:?} {:?}", put.series.id, put.series.key, put.series.field)
            }
            Change::PutPoints(put) => write!(f, "+ {} points of series {}", put.points.len(), put.series),
            Change::DeletePoints(delete) => {
                let side = |at: Option<Micros>| at.map_or_else(|| "open".to_owned(), |at| at.to_string());
                write!(f, "- points of series {} [{}, {}]", delete.series, side(delete.from), side(delete.to))
            }
            Change::PutAnchor(anchor) => {
                write!(f, "~ anchor of series {} at {}", anchor.series, anchor.target)?;
                anchor.role.iter().try_for_each(|role| write!(f, " as {role:?}"))?;
                anchor.window.iter().try_for_each(|(start, end)| write!(f, " in [{start}, {end}]"))
            }
            Change::DeleteAnchor(delete) => write!(f, "- anchor of series {} at {}", delete.series, delete.target),
            Change::DeleteSeries(id) => write!(f, "- series {id}"),
        }
    }
}

struct Row<'a>(&'a Edge);

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = self.0;
        write!(f, "{} entity {} {} ", edge.id, edge.source, edge.relation)?;
        match &edge.target {
            Target::Entity(id) => write!(f, "entity {id}")?,
            Target::Text(text) => write!(f, "{text:?}")?,
        }
        write!(f, " {}", Span(&edge.bounds))
    }
}

struct Span<'a>(&'a Bounds);

impl fmt::Display for Span<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = self.0;
        write!(f, "[{} {}, ", bounds.valid_at, bounds.start_source)?;
        match bounds.invalid_at {
            Some(end) => write!(f, "{end})")?,
            None => f.write_str("open)")?,
        }
        if let Some(stated) = bounds.stated_end.filter(|stated| Some(*stated) != bounds.invalid_at) {
            write!(f, " stated end {stated}")?;
        }
        if let Some(expired) = bounds.expired_at {
            write!(f, " expired {expired}")?;
        }
        if let Some(retracted) = bounds.retracted_at {
            write!(f, " retracted {retracted}")?;
        }
        if bounds.contested {
            f.write_str(" contested")?;
        }
        Ok(())
    }
}
