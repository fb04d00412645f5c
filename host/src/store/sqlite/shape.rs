//! Statements with optional lines: one file holds every line, a query keeps those of its shape.

use gligabao_core::storage::answer::{self, Weigh};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};

/// What marks a line as optional; the name of its shape follows.
const MARK: &str = "-- for ";

/// The optional lines that a query keeps, and the values that it binds.
#[derive(Default)]
pub(super) struct Shape<'a> {
    lines: Vec<&'static str>,
    values: Vec<(&'static str, ToSqlOutput<'a>)>,
}

impl<'a> Shape<'a> {
    /// Keeps the lines of this name.
    pub(super) fn keep(&mut self, line: &'static str) {
        self.lines.push(line);
    }

    /// Binds a parameter.
    pub(super) fn bind(&mut self, name: &'static str, value: impl Into<ToSqlOutput<'a>>) {
        self.values.push((name, value.into()));
    }

    /// Keeps a line and binds its parameter.
    pub(super) fn keep_with(&mut self, line: &'static str, name: &'static str, value: impl Into<ToSqlOutput<'a>>) {
        self.keep(line);
        self.bind(name, value);
    }

    /// The statement of this shape.
    pub(super) fn text(&self, file: &str) -> String {
        let mut text = String::with_capacity(file.len());
        for line in file.lines() {
            let (statement, name) = line.split_once(MARK).unwrap_or((line, ""));
            if (name.is_empty() && !line.starts_with("--")) || self.lines.contains(&name) {
                text.push_str(statement.trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// The rows of the statement of this shape, as far as an answer can reach.
    pub(super) fn rows<T: Weigh>(
        &self,
        conn: &Connection,
        file: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = conn.prepare_cached(&self.text(file))?;
        let params: Vec<(&str, &dyn ToSql)> =
            self.values.iter().map(|(name, value)| (*name, value as &dyn ToSql)).collect();
        answer::reach(statement.query_map(&*params, read)?)
    }
}

/// A text to bind, where it is.
pub(super) fn text(text: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_line_is_kept_in_queries_of_its_shape_only() {
        let file = "-- a remark\nFROM t\n  INDEXED BY a -- for a\n  INDEXED BY b -- for b\nWHERE x = 1\n";
        let mut shape = Shape::default();
        shape.keep("b");
        assert_eq!(shape.text(file), "FROM t\n  INDEXED BY b\nWHERE x = 1\n");
    }
}
