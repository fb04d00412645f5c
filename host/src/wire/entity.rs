//! Entities.

use gligabao_core::{model, recall};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::time::Time;

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Entity {
    /// Number of the entity in its dataset.
    pub id: u64,
    /// As first written.
    pub name: String,
    /// `person`, `organization`, `place` …
    pub r#type: String,
    /// One sentence, or empty.
    pub description: String,
    /// When the store learned it.
    pub created_at: Time,
}

impl From<model::Entity> for Entity {
    fn from(entity: model::Entity) -> Self {
        Self {
            id: entity.id.0,
            name: entity.name,
            r#type: entity.r#type,
            description: entity.description,
            created_at: entity.created_at.into(),
        }
    }
}

/// A part of a list of entities, by ID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Entities {
    /// The entities.
    pub entities: Vec<Entity>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<recall::EntitiesAnswer> for Entities {
    fn from(answer: recall::EntitiesAnswer) -> Self {
        Self { entities: answer.entities.into_iter().map(Entity::from).collect(), cursor: answer.cursor }
    }
}

/// An entity with what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntityDetail {
    /// The entity.
    #[serde(flatten)]
    pub entity: Entity,
    /// Other names that find it, normalized.
    pub aliases: Vec<String>,
    /// The first 1,000 artifacts that mention it, ascending.
    pub artifacts: Vec<u64>,
}

impl From<recall::EntityAnswer> for EntityDetail {
    fn from(answer: recall::EntityAnswer) -> Self {
        Self {
            entity: answer.entity.into(),
            aliases: answer.aliases,
            artifacts: answer.artifacts.into_iter().map(|id| id.0).collect(),
        }
    }
}

/// Which entities.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EntitiesParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Entities of this type.
    pub r#type: Option<String>,
    /// How many entities at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}
