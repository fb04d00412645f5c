//! Which column of a file is what.

use csv::StringRecord;

use super::dates::{self, DateProblem};
use super::read::{Options, SheetError, number};

/// What columns of times are called.
const TIME_NAMES: [&str; 8] = ["ts", "time", "timestamp", "datetime", "date", "day", "month", "period"];

/// What the columns of a file are.
#[derive(Debug)]
pub(super) struct Layout {
    /// Names of all columns.
    pub(super) names: Vec<String>,
    /// The column of times.
    pub(super) time: usize,
    /// The column with the names of series, in a long file.
    pub(super) by: Option<usize>,
    /// Columns of values.
    pub(super) values: Vec<usize>,
    /// Columns that are nothing of this.
    pub(super) others: Vec<usize>,
}

/// Looks at the header and the rows below it.
pub(super) fn layout(
    names: Vec<String>,
    rows: &[(u64, StringRecord)],
    options: &Options,
) -> Result<Layout, SheetError> {
    let time = match &options.time {
        Some(name) => find(&names, name)?,
        None => time_column(&names, rows, options)?,
    };
    let by = options.by.as_deref().map(|name| find(&names, name)).transpose()?;
    let chosen: Vec<_> = options.values.iter().map(|name| find(&names, name)).collect::<Result<_, _>>()?;
    let rest = (0..names.len()).filter(|column| *column != time && Some(*column) != by);
    let (values, others): (Vec<_>, Vec<_>) = if chosen.is_empty() {
        rest.partition(|column| has_numbers(*column, rows))
    } else {
        (chosen.clone(), rest.filter(|column| !chosen.contains(column)).collect())
    };
    if let Some(column) = values.iter().find(|column| **column == time || Some(**column) == by) {
        return Err(SheetError::TwoRoles(names[*column].clone()));
    }
    if values.is_empty() {
        return Err(SheetError::NoValues(names.join(", ")));
    }
    Ok(Layout { names, time, by, values, others })
}

/// The column of a name, else of that name in another case.
fn find(names: &[String], name: &str) -> Result<usize, SheetError> {
    let same = names.iter().position(|known| known == name);
    let alike = || names.iter().position(|known| known.eq_ignore_ascii_case(name));
    same.or_else(alike).ok_or_else(|| SheetError::NoColumn(name.to_owned(), names.join(", ")))
}

fn time_column(names: &[String], rows: &[(u64, StringRecord)], options: &Options) -> Result<usize, SheetError> {
    let named = names.iter().position(|name| TIME_NAMES.contains(&name.to_ascii_lowercase().as_str()));
    if let Some(column) = named {
        return Ok(column);
    }
    let Some((line, first)) = rows.first() else { return Err(SheetError::NoRows) };
    let read: Vec<_> = first.iter().map(|cell| dates::read(cell, options.date_format)).collect();
    if let Some(column) = read.iter().position(Result::is_ok) {
        return Ok(column);
    }
    match read.iter().position(|read| *read == Err(DateProblem::Ambiguous)) {
        Some(column) => Err(SheetError::Ambiguous(*line, first[column].to_owned())),
        None => Err(SheetError::NoTime(names.join(", "))),
    }
}

/// Whether the first cell of a column that says anything begins like a number.
fn has_numbers(column: usize, rows: &[(u64, StringRecord)]) -> bool {
    let cells = rows.iter().filter_map(|(_, row)| row.get(column)).map(str::trim);
    let first = cells.into_iter().find(|cell| !number::is_absent(cell));
    first.is_some_and(|cell| cell.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit()))
}
