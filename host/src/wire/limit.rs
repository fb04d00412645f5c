//! How many items a list has at most.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// 1 to `MAX`; `DEFAULT` when a request doesn't say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit<const DEFAULT: u32, const MAX: u32>(pub u32);

/// Of a list.
pub type ListLimit = Limit<100, 1000>;

/// Of the evidence for an answer.
pub type EvidenceLimit = Limit<20, 100>;

impl<const DEFAULT: u32, const MAX: u32> Default for Limit<DEFAULT, MAX> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const DEFAULT: u32, const MAX: u32> Deserialize<'de> for Limit<DEFAULT, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer)
            .ok()
            .filter(|limit| (1..=MAX).contains(limit))
            .map(Self)
            .ok_or_else(|| de::Error::custom(format!("must be a whole number from 1 to {MAX}")))
    }
}

impl<const DEFAULT: u32, const MAX: u32> PartialSchema for Limit<DEFAULT, MAX> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(MAX))
            .default(Some(DEFAULT.into()))
            .into()
    }
}

impl<const DEFAULT: u32, const MAX: u32> ToSchema for Limit<DEFAULT, MAX> {
    fn name() -> Cow<'static, str> {
        format!("Limit{MAX}").into()
    }
}
