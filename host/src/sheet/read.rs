//! A file as series.

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord};
use gligabao_core::series::Point;
use gligabao_core::series::points;
use gligabao_core::time::Micros;

use super::columns::{Layout, layout};
use super::dates::{self, DateFormat, DateProblem};

/// What a file does not say of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Name of the column of times.
    pub(crate) time: Option<String>,
    /// Names of the columns of values; all that have numbers when empty.
    pub(crate) values: Vec<String>,
    /// Name of the column that says which series a row belongs to.
    pub(crate) by: Option<String>,
    /// How times are written.
    pub(crate) date_format: Option<DateFormat>,
}

/// The points of a column, of one group where rows belong to groups.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// What the column of the groups says; `None` where there is none.
    pub(crate) group: Option<String>,
    /// Name of the column.
    pub(crate) name: String,
    /// In the order of the file; never empty.
    pub(crate) points: Vec<Point>,
}

/// What a file has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sheet {
    /// By group in the order of the file, then by column.
    pub(crate) columns: Vec<Column>,
    /// How many cells had no value.
    pub(crate) skipped: usize,
    /// How many values are integers that no double has.
    pub(crate) inexact: usize,
    /// Columns without numbers, which were left out.
    pub(crate) left_out: Vec<String>,
}

/// Why a file can't be read, with the line, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SheetError {
    #[error("line {0} is no UTF-8; save the file as UTF-8")]
    NotText(usize),
    #[error("line {0}: {1}")]
    Csv(u64, String),
    #[error("has no rows of values")]
    NoRows,
    #[error("line {0} has {1} columns, and the first line {2}")]
    Ragged(u64, usize, usize),
    #[error("has no column {0}; its columns are {1}")]
    NoColumn(String, String),
    #[error("has no column of times that can be found; name it with --time (columns are {0})")]
    NoTime(String),
    #[error("has no column of numbers; name one with --value (columns are {0})")]
    NoValues(String),
    #[error("column {0} can't be two things at once; check --time, --by and --value")]
    TwoRoles(String),
    #[error("line {0}: {1} has day and month in one order or the other; add --date-format dmy or --date-format mdy")]
    Ambiguous(u64, String),
    #[error(
        "line {0}: {1:?} is no time that can be read; 2024-06-10 and 2024-06-10T08:30:00Z are, and --date-format names others"
    )]
    NoDate(u64, String),
    #[error("line {0}, column {1}: {2:?} is no number; write 1234.5, without separators of thousands and units")]
    NoNumber(u64, String, String),
    #[error(
        "line {0} gives {1} another value than a line before it; which series each is of may be said by a column: add --by {2}"
    )]
    Repeated(u64, Micros, String),
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Sheet, SheetError> {
    let text = text(bytes)?;
    let mut rows = rows(text)?;
    let Some((_, first)) = rows.first() else { return Err(SheetError::NoRows) };
    let width = first.len();
    let is_data = first.iter().any(|cell| dates::read(cell, options.date_format) != Err(DateProblem::Unreadable));
    let names: Vec<String> = if is_data {
        (1..=width).map(|number| number.to_string()).collect()
    } else {
        rows.remove(0).1.iter().map(|name| name.trim().to_owned()).collect()
    };
    if rows.is_empty() {
        return Err(SheetError::NoRows);
    }
    if let Some((line, row)) = rows.iter().find(|(_, row)| row.len() != width) {
        return Err(SheetError::Ragged(*line, row.len(), width));
    }
    let layout = layout(names, &rows, options)?;
    collect(&rows, &layout, options)
}

/// The file without its byte order mark.
fn text(bytes: &[u8]) -> Result<&str, SheetError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        SheetError::NotText(1 + before.iter().filter(|byte| **byte == b'\n').count())
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The rows that say anything, each with its line.
fn rows(text: &str) -> Result<Vec<(u64, StringRecord)>, SheetError> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter(text)).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            SheetError::Csv(line, "the row can't be read; look at its quotes".to_owned())
        })?;
        if record.iter().any(|cell| !cell.trim().is_empty()) {
            rows.push((record.position().map_or(0, |start| line(text, start)), record));
        }
    }
    Ok(rows)
}

/// The line of a row. What precedes it without saying anything is to the reader a part of it.
fn line(text: &str, start: &csv::Position) -> u64 {
    let rest = usize::try_from(start.byte()).ok().and_then(|byte| text.as_bytes().get(byte..)).unwrap_or_default();
    let breaks = rest.iter().take_while(|byte| b"\r\n".contains(byte)).filter(|byte| **byte == b'\n');
    start.line() + breaks.count() as u64
}

/// What stands between cells: of comma, semicolon and tab what the first line has most of, quotes apart.
fn delimiter(text: &str) -> u8 {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| {
        let mut quoted = false;
        let outside = line.bytes().filter(|byte| {
            quoted ^= *byte == b'"';
            !quoted && *byte == delimiter
        });
        outside.count()
    };
    // The last of equal ones wins.
    *b"\t;,".iter().max_by_key(|delimiter| count(**delimiter)).expect("there are three")
}

fn collect(rows: &[(u64, StringRecord)], layout: &Layout, options: &Options) -> Result<Sheet, SheetError> {
    let mut groups: Vec<Option<&str>> = Vec::new();
    let mut index: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut found: Vec<Vec<Vec<Point>>> = Vec::new();
    let (mut skipped, mut inexact) = (0, 0);
    let mut seen = Seen::new(layout);
    for (line, row) in rows {
        let at = time(*line, &row[layout.time], options)?;
        let group = layout.by.map(|by| row[by].trim());
        let place = *index.entry(group).or_insert_with(|| {
            groups.push(group);
            found.push(vec![Vec::new(); layout.values.len()]);
            groups.len() - 1
        });
        for (column, points) in layout.values.iter().zip(&mut found[place]) {
            let cell = row[*column].trim();
            if number::is_absent(cell) {
                skipped += 1;
                continue;
            }
            let value = number::read(cell)
                .ok_or_else(|| SheetError::NoNumber(*line, layout.names[*column].clone(), cell.to_owned()))?;
            inexact += usize::from(points::is_inexact(cell));
            seen.check(*line, *column, at, value)?;
            points.push(Point::new(at, value));
        }
    }
    let columns = groups.into_iter().zip(found).flat_map(|(group, found)| {
        let named = layout.values.iter().zip(found).filter(|(_, points)| !points.is_empty());
        named.map(move |(column, points)| Column {
            group: group.map(str::to_owned),
            name: layout.names[*column].clone(),
            points,
        })
    });
    let columns: Vec<_> = columns.collect();
    if columns.is_empty() {
        return Err(SheetError::NoRows);
    }
    let left_out = layout.others.iter().map(|column| layout.names[*column].clone()).collect();
    Ok(Sheet { columns, skipped, inexact, left_out })
}

fn time(line: u64, cell: &str, options: &Options) -> Result<Micros, SheetError> {
    dates::read(cell, options.date_format).map_err(|problem| match problem {
        DateProblem::Ambiguous => SheetError::Ambiguous(line, cell.trim().to_owned()),
        DateProblem::Unreadable => SheetError::NoDate(line, cell.to_owned()),
    })
}

/// Looks for a long file that is read as if it were none: times come again with other values, and a column without
/// numbers could say of which series.
struct Seen<'a> {
    by: Option<&'a str>,
    values: BTreeMap<(usize, Micros), u64>,
}

impl<'a> Seen<'a> {
    fn new(layout: &'a Layout) -> Self {
        let by = layout.others.first().filter(|_| layout.by.is_none()).map(|column| layout.names[*column].as_str());
        Self { by, values: BTreeMap::new() }
    }

    fn check(&mut self, line: u64, column: usize, at: Micros, value: f64) -> Result<(), SheetError> {
        let Some(by) = self.by else { return Ok(()) };
        let before = self.values.insert((column, at), value.to_bits());
        match before.filter(|before| *before != value.to_bits()) {
            Some(_) => Err(SheetError::Repeated(line, at, by.to_owned())),
            None => Ok(()),
        }
    }
}

/// Values as cells have them.
pub(super) mod number {
    /// Whether a cell says that there is no value.
    pub(crate) fn is_absent(cell: &str) -> bool {
        ["", "-", "na", "n/a", "nan", "null", "none"].iter().any(|absent| cell.eq_ignore_ascii_case(absent))
    }

    /// A finite number, with a point before its fraction.
    pub(crate) fn read(cell: &str) -> Option<f64> {
        let is_written_so = cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        cell.parse().ok().filter(|value: &f64| is_written_so && value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file gives, a line a series.
    fn shown(text: &str, options: &Options) -> String {
        let sheet = match read(text.as_bytes(), options) {
            Ok(sheet) => sheet,
            Err(error) => return error.to_string(),
        };
        let line = |column: &Column| {
            let points = column.points.iter().map(|point| format!(" {}={}", point.at, point.value));
            let group = column.group.as_ref().map_or_else(String::new, |group| format!("{group}/"));
            format!("{group}{}:{}\n", column.name, points.collect::<String>())
        };
        let mut shown: String = sheet.columns.iter().map(line).collect();
        shown += &format!("{} skipped, {} inexact, without {:?}", sheet.skipped, sheet.inexact, sheet.left_out);
        shown.replace("T00:00:00Z", "")
    }

    fn by(column: &str) -> Options {
        Options { by: Some(column.to_owned()), ..Options::default() }
    }

    #[test]
    fn files_are_read_as_they_are_found() {
        let plain = Options::default();
        for (text, options, expected) in [
            (
                "ts,value\n2024-01-01,1\n2024-01-02,2.5\n",
                &plain,
                "value: 2024-01-01=1 2024-01-02=2.5\n0 skipped, 0 inexact, without []",
            ),
            ("2024-01-01,1\n2024-01-02,2\n", &plain, "2: 2024-01-01=1 2024-01-02=2\n0 skipped, 0 inexact, without []"),
            (
                "\u{feff}date;a;b\r\n2024-01-01;1;x\r\n\r\n2024-01-02;;y\r\n",
                &plain,
                "a: 2024-01-01=1\n1 skipped, 0 inexact, without [\"b\"]",
            ),
            ("when\tv\n\"Jan 1, 2024\"\t1e3\n", &plain, "v: 2024-01-01=1000\n0 skipped, 0 inexact, without []"),
            (
                "date,a,b\n2024-01-01,1,9007199254740993\n2024-01-02,NaN,null\n",
                &plain,
                "a: 2024-01-01=1\nb: 2024-01-01=9007199254740992\n2 skipped, 1 inexact, without []",
            ),
            (
                "symbol,date,price\nA,2024-01-01,1\nB,2024-01-01,2\nA,2024-01-02,3\n",
                &by("symbol"),
                "A/price: 2024-01-01=1 2024-01-02=3\nB/price: 2024-01-01=2\n0 skipped, 0 inexact, without []",
            ),
            ("date,\"a,b\"\n2024-01-01,\"1\"\n", &plain, "a,b: 2024-01-01=1\n0 skipped, 0 inexact, without []"),
        ] {
            assert_eq!(shown(text, options), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        let plain = Options::default();
        let value = Options { values: vec!["date".to_owned()], ..Options::default() };
        for (text, options, start) in [
            ("", &plain, "has no rows"),
            ("date,value\n", &plain, "has no rows"),
            ("date,value\n2024-01-01,\n", &plain, "has no column of numbers; name one with --value"),
            ("date,value\n2024-01-01,1\n2024-01-02\n", &plain, "line 3 has 1 columns, and the first line 2"),
            ("date,value\n01/02/2024,1\n", &plain, "line 2: 01/02/2024 has day and month in one order or the other"),
            ("a,b\n01/02/2024,1\n", &plain, "line 2: 01/02/2024 has day and month in one order or the other"),
            ("01/02/2024,1\n", &plain, "line 1: 01/02/2024 has day and month in one order or the other"),
            ("date,value\n2024-01-01,1\n\ntomorrow,2\n", &plain, "line 4: \"tomorrow\" is no time that can be read"),
            ("date,value\n2024-01-01,\"1,234.5\"\n", &plain, "line 2, column value: \"1,234.5\" is no number"),
            ("date;value\n2024-01-01;1,5\n", &plain, "line 2, column value: \"1,5\" is no number"),
            ("date,value\n2024-01-01,1\n2024-01-02,inf\n", &plain, "line 3, column value: \"inf\" is no number"),
            ("a,b\nx,1\n", &plain, "has no column of times that can be found; name it with --time (columns are a, b)"),
            ("date,value\n2024-01-01,1\n", &by("symbol"), "has no column symbol; its columns are date, value"),
            ("date,value\n2024-01-01,1\n", &value, "column date can't be two things at once"),
            ("s,date,v\nA,2024-01-01,1\nB,2024-01-01,2\n", &plain, "line 3 gives 2024-01-01T00:00:00Z another value"),
        ] {
            let shown = shown(text, options);
            assert!(shown.starts_with(start), "{text}: {shown}");
        }
        assert_eq!(read(b"a,b\n\xff,1\n", &plain), Err(SheetError::NotText(2)));
    }

    #[test]
    fn the_real_files_of_the_examples_are_read() {
        let stocks = read(include_bytes!("../../../examples/data/stocks.csv"), &by("symbol")).expect("it is fine");
        let named: Vec<_> =
            stocks.columns.iter().map(|column| (column.group.as_deref(), column.points.len())).collect();
        let names = ["MSFT", "AMZN", "IBM", "GOOG", "AAPL"];
        assert_eq!(named, names.map(|name| (Some(name), if name == "GOOG" { 68 } else { 123 })));
        let plain = read(include_bytes!("../../../examples/data/stocks.csv"), &Options::default());
        assert!(matches!(plain, Err(SheetError::Repeated(_, _, by)) if by == "symbol"));

        let weather = include_bytes!("../../../examples/data/seattle-weather.csv");
        let weather = read(weather, &Options::default()).expect("it is fine");
        let named: Vec<_> = weather.columns.iter().map(|column| (&*column.name, column.points.len())).collect();
        assert_eq!(named, ["precipitation", "temp_max", "temp_min", "wind"].map(|name| (name, 1_461)));
        assert_eq!((weather.skipped, weather.left_out), (0, vec!["weather".to_owned()]));
    }
}
