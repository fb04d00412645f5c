//! Opaque cursors: where a list goes on, as a text that a caller hands back.

use crate::model::{Failure, Position};

/// The cursor of a position.
pub(crate) fn write(position: Position) -> String {
    format!("{}.{}", position.at, position.id)
}

/// The position of a cursor that [`write`] made.
pub(crate) fn read(cursor: Option<&str>) -> Result<Option<Position>, Failure> {
    let position = |text: &str| {
        let (at, id) = text.split_once('.')?;
        Some(Position { at: at.parse().ok()?, id: id.parse().ok().filter(|id| i64::try_from(*id).is_ok())? })
    };
    cursor
        .map(|text| {
            position(text).ok_or_else(|| {
                Failure::field("cursor", "is no cursor of this list; hand back the one that came with it")
            })
        })
        .transpose()
}
