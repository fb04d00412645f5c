//! Opaque cursors: where a list goes on, as a text that a caller hands back with the same request.

use std::fmt::Debug;

use crate::model::{Failure, Position};

/// A list that a cursor belongs to: which it is, and what narrows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct List(u32);

impl List {
    /// The list of this name, narrowed by these filters.
    pub(crate) fn new(name: &str, filters: &impl Debug) -> Self {
        // FNV-1a: a mark against mistakes, not against forgery; a forged cursor reaches nothing that its list does not.
        let mark = |mark: u32, byte: u8| (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        Self(format!("{name} {filters:?}").bytes().fold(0x811c_9dc5, mark))
    }

    /// The cursor of a position in it.
    pub(crate) fn cursor(self, position: Position) -> String {
        format!("{:08x}.{}.{}", self.0, position.at, position.id)
    }

    /// The position of a cursor that this list gave.
    pub(crate) fn position(self, cursor: Option<&str>) -> Result<Option<Position>, Failure> {
        let Some(cursor) = cursor else { return Ok(None) };
        let read = || {
            let (list, position) = cursor.split_once('.')?;
            let (at, id) = position.split_once('.')?;
            let position = Position { at: at.parse().ok()?, id: id.parse().ok()? };
            let is_of_this = list == format!("{:08x}", self.0) && i64::try_from(position.id).is_ok();
            is_of_this.then_some(position)
        };
        let words = "is no cursor of this list; hand back the one that came with it, with the same parameters";
        read().map(Some).ok_or_else(|| Failure::field("cursor", words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_its_list_and_to_what_narrows_it() {
        let position = Position { at: -17, id: 3 };
        let list = List::new("facts", &("Ana", 1));
        let cursor = list.cursor(position);
        assert_eq!(list.position(Some(&cursor)), Ok(Some(position)));
        assert_eq!(list.position(None), Ok(None));
        for other in [List::new("facts", &("Ana", 2)), List::new("timeline", &("Ana", 1))] {
            assert!(other.position(Some(&cursor)).is_err());
        }
        for text in ["", ".", "..", "1.2", &cursor[1..], &format!("{cursor}0000000000000000000"), &format!(" {cursor}")]
        {
            assert!(list.position(Some(text)).is_err(), "{text:?}");
        }
    }
}
