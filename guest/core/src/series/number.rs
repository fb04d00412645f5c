//! Numbers and times as people write them in a text.

use crate::time::Micros;

/// Most significant digits of a number in a text.
const DIGITS: usize = 12;

/// Where numbers begin to need a power of ten.
const PLAIN_BELOW: f64 = 1e15;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// A decimal number: its significant digits without zeros at either end, and the power of ten of the first.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// The nearest with this many significant digits; `None` for 0, whatever its sign.
    fn of(value: f64, significant: usize) -> Option<Self> {
        let written = format!("{:.*e}", significant.saturating_sub(1), value.abs());
        let (mantissa, exponent) = written.split_once('e')?;
        let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() {
            return None;
        }
        Some(Self { negative: value < 0.0, digits: digits.to_owned(), exponent: exponent.parse().ok()? })
    }

    /// Plain from a millionth to under a quadrillion, else with a power of ten.
    fn write(&self) -> String {
        let Self { negative, digits, exponent } = self;
        let sign = if *negative { "-" } else { "" };
        match usize::try_from(*exponent) {
            Ok(exponent) if exponent < 15 => {
                let (whole, fraction) = digits.split_at(digits.len().min(exponent + 1));
                let dot = if fraction.is_empty() { "" } else { "." };
                format!("{sign}{whole:0<width$}{dot}{fraction}", width = exponent + 1)
            }
            Err(_) if *exponent >= -6 => {
                let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
                format!("{sign}0.{:0<zeros$}{digits}", "")
            }
            _ => {
                let (whole, fraction) = digits.split_at(1);
                let dot = if fraction.is_empty() { "" } else { "." };
                format!("{sign}{whole}{dot}{fraction} × 10^{exponent}")
            }
        }
    }
}

/// A number with at most 12 significant digits: `0.3`, `-12.5`, `1.5 × 10^21`.
#[must_use]
pub fn number(value: f64) -> String {
    significant(value, DIGITS)
}

/// A percentage, without the sign `%`: at most two digits after the dot, and two significant ones where that would leave
/// fewer. Those that need a power of ten have three.
#[must_use]
pub fn percent(value: f64) -> String {
    if value.abs() < PLAIN_BELOW { rounded(value, 2, 2) } else { significant(value, 3) }
}

/// A number with at most so many significant digits.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    Decimal::of(value, digits.min(DIGITS)).map_or_else(|| "0".to_owned(), |decimal| decimal.write())
}

/// A number with at most so many digits after the dot, but no fewer than so many significant digits, and 12 at most.
#[must_use]
pub fn rounded(value: f64, fraction: usize, least: usize) -> String {
    let Some(exact) = Decimal::of(value, DIGITS) else { return "0".to_owned() };
    let fraction = i32::try_from(fraction).unwrap_or(i32::MAX);
    let wanted = usize::try_from(exact.exponent.saturating_add(fraction).saturating_add(1)).unwrap_or(0);
    significant(value, wanted.clamp(least, DIGITS))
}

/// Digits after the dot of a number as [`number`] writes it; `None` if it has a power of ten.
#[must_use]
pub fn fraction_digits(value: f64) -> Option<usize> {
    let written = number(value);
    if written.contains('^') { None } else { Some(written.split_once('.').map_or(0, |(_, fraction)| fraction.len())) }
}

/// How the times of a text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeStyle {
    /// As dates: all of them are midnights in UTC.
    Dates,
    /// As RFC 3339.
    Instants,
}

impl TimeStyle {
    /// Dates if every time is a midnight.
    #[must_use]
    pub fn of(mut times: impl Iterator<Item = Micros>) -> Self {
        if times.all(|at| at.0.rem_euclid(DAY) == 0) { Self::Dates } else { Self::Instants }
    }

    /// The time as a word.
    #[must_use]
    pub fn write(self, at: Micros) -> String {
        let mut text = at.to_string();
        if self == Self::Dates {
            text.truncate(text.find('T').unwrap_or(text.len()));
        }
        text
    }

    /// The time with its preposition: `on 2024-01-01`, `at 2024-01-01T09:30:00Z`.
    #[must_use]
    pub fn point_in_time(self, at: Micros) -> String {
        let preposition = if self == Self::Dates { "on" } else { "at" };
        format!("{preposition} {}", self.write(at))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-12.5, "-12.5"),
            (0.1 + 0.2, "0.3"),
            (101.916_666_666_666_67, "101.916666667"),
            (1_234_567.89, "1234567.89"),
            (999_999_999_999.9, "1000000000000"),
            (0.999_999_999_999_9, "1"),
            (123_456_789_012_345.0, "123456789012000"),
            (1e15, "1 × 10^15"),
            (1e21, "1 × 10^21"),
            (-1.5e21, "-1.5 × 10^21"),
            (f64::MAX, "1.79769313486 × 10^308"),
            (0.000_001, "0.000001"),
            (0.000_012_5, "0.0000125"),
            (1e-7, "1 × 10^-7"),
            (f64::from_bits(1), "4.94065645841 × 10^-324"),
            (1e14, "100000000000000"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), expected, "{value:e}");
        }
    }

    #[test]
    fn percentages_have_two_digits_after_the_dot_and_two_significant_ones() {
        for (value, expected) in [
            (2.25, "2.25"),
            (12.3, "12.3"),
            (33.333_333_333, "33.33"),
            (-66.666_666_7, "-66.67"),
            (0.012_345, "0.012"),
            (0.0, "0"),
            (99.999_9, "100"),
            (1234.5678, "1234.57"),
            (1.234_56e18, "1.23 × 10^18"),
            (0.000_000_123_4, "1.2 × 10^-7"),
        ] {
            assert_eq!(percent(value), expected, "{value}");
        }
    }

    #[test]
    fn times_are_dates_only_if_all_of_them_are_midnights() {
        let midnights = [Micros(0), Micros(-DAY), Micros(DAY)];
        assert_eq!(TimeStyle::of(midnights.into_iter()), TimeStyle::Dates);
        assert_eq!(TimeStyle::of([Micros(0), Micros(1)].into_iter()), TimeStyle::Instants);
        assert_eq!(TimeStyle::Dates.point_in_time(Micros(-DAY)), "on 1969-12-31");
        assert_eq!(TimeStyle::Instants.point_in_time(Micros(500_000)), "at 1970-01-01T00:00:00.5Z");
    }

    proptest! {
        #[test]
        fn a_number_reads_back_as_nearly_what_it_was(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            let written = number(value);
            prop_assert!(!written.contains('e') && written.bytes().filter(u8::is_ascii_digit).count() < 32, "{}", written);
            let read: f64 = written.replace(" × 10^", "e").parse().expect("a number");
            prop_assert!(read == value || (read / 2.0 - value / 2.0).abs() <= (value / 2.0).abs() * 5.1e-12 || value.abs() < 1e-300);
        }
    }
}
