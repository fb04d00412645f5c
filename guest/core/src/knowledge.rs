//! What people change by hand. Each call is one commit.

use crate::model::EdgeId;
use crate::recall::Fact;

/// What a retraction changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Retraction {
    /// The fact, out of belief from now on.
    pub fact: Fact,
    /// Facts that it had closed and that hold longer now, ascending.
    pub reopened_edges: Vec<EdgeId>,
}

/// What people say of a dataset; `None` leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetRequest {
    /// At most 4,000 bytes.
    pub description: Option<String>,
    /// At most 64 tags of 1 to 64 bytes.
    pub tags: Option<Vec<String>>,
}
