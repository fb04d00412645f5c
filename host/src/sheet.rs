//! Series as CSV: written with their points, and read as real files have them.
//!
//! A file has a row a time. What stands in its other columns are values, a series a column, or, in a long file, the name
//! of the series that a row belongs to. Nothing is guessed that could be meant in two ways: the error says what to add.

mod columns;
mod dates;
mod read;

pub(crate) use self::dates::DateFormat;
pub(crate) use self::read::{Column, Options, read};
use crate::wire::series::read::Row;

/// Points or buckets as CSV, with a header.
pub(crate) fn write(rows: &[Row]) -> String {
    let header = match rows.first() {
        Some(Row::Count(..)) => "ts,count",
        Some(Row::Ohlc(..)) => "ts,open,high,low,close",
        Some(Row::Number(..)) | None => "ts,value",
    };
    let mut text = format!("{header}\n");
    for row in rows {
        text += &row.at().to_string();
        // `{:?}` is the shortest number that reads back as the same double.
        match row {
            Row::Number(_, value) => text += &format!(",{value:?}"),
            Row::Count(_, count) => text += &format!(",{count}"),
            Row::Ohlc(_, values) => values.iter().for_each(|value| text += &format!(",{value:?}")),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use gligabao_core::series::points::{FIRST_TIME, LAST_TIME};
    use gligabao_core::time::Micros;
    use proptest::prelude::*;

    use super::*;
    use crate::wire::time::Time;

    #[test]
    fn rows_are_written_with_the_header_of_their_kind() {
        let at = Time(Micros(500_000));
        for (rows, text) in [
            (vec![], "ts,value\n"),
            (vec![Row::Number(at, -0.0)], "ts,value\n1970-01-01T00:00:00.5Z,-0.0\n"),
            (vec![Row::Count(at, 3)], "ts,count\n1970-01-01T00:00:00.5Z,3\n"),
            (
                vec![Row::Ohlc(at, [1.0, 1e300, 0.1, 2.5])],
                "ts,open,high,low,close\n1970-01-01T00:00:00.5Z,1.0,1e300,0.1,2.5\n",
            ),
        ] {
            assert_eq!(write(&rows), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_bit_for_bit(
            values in proptest::collection::vec(
                (FIRST_TIME.0..=LAST_TIME.0, proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO),
                1..40,
            )
        ) {
            let rows: Vec<_> = values.iter().map(|&(at, value)| Row::Number(Time(Micros(at)), value)).collect();
            let sheet = read(write(&rows).as_bytes(), &Options::default()).expect("it is fine");
            let points: Vec<_> = sheet.columns[0].points.iter().map(|point| (point.at.0, point.value.to_bits())).collect();
            prop_assert_eq!(points, values.iter().map(|(at, value)| (*at, value.to_bits())).collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_make_reading_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200), by in proptest::option::of("[a-c]"),
        ) {
            let _ = read(&bytes, &Options { by, ..Options::default() });
        }

        #[test]
        fn no_text_that_looks_like_csv_makes_reading_panic(
            text in "([0-9a-zé\"',;\t/.: -]{0,12}[,;\n\r]){0,12}", format in proptest::sample::select(&DateFormat::ALL),
        ) {
            let _ = read(text.as_bytes(), &Options { date_format: Some(format), ..Options::default() });
        }
    }
}
