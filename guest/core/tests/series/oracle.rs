//! Stats by the book: exact sums of whole numbers, every step divided, everything looked at anew.

use gligabao_core::series::{Move, Point, Stats, Trend};

/// A sum of doubles, exactly: a number of 2^-1074s in two's complement, the least significant digit first.
#[derive(Clone)]
pub(crate) struct Exact([u32; 72]);

impl Exact {
    pub(crate) fn sum(values: impl Iterator<Item = f64>) -> Self {
        let mut sum = Self([0; 72]);
        for value in values {
            sum.add(value);
        }
        sum
    }

    fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let (mantissa, shift) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let place = usize::try_from(shift / 32).expect("under 64");
        let digits = u128::from(mantissa) << (shift % 32);
        let mut carry = 0i64;
        for (at, digit) in self.0.iter_mut().enumerate().skip(place) {
            let part = if at < place + 3 { i64::from((digits >> (32 * (at - place))) as u32) } else { 0 };
            let sum = i64::from(*digit) + carry + if value < 0.0 { -part } else { part };
            *digit = sum as u32;
            carry = sum >> 32;
        }
    }

    /// The double that is nearest to it, divided by `count`; ties away from zero.
    pub(crate) fn over(&self, count: u32) -> f64 {
        let negative = self.0[71] >> 31 == 1;
        let mut digits = self.0;
        if negative {
            let mut carry = true;
            for digit in &mut digits {
                (*digit, carry) = (!*digit).overflowing_add(u32::from(carry));
            }
        }
        let mut rest = 0u64;
        for digit in digits.iter_mut().rev() {
            let part = rest << 32 | u64::from(*digit);
            *digit = u32::try_from(part / u64::from(count)).expect("the rest is under the count");
            rest = part % u64::from(count);
        }
        let Some(top) = (0..72 * 32).rev().find(|bit| digits[bit / 32] >> (bit % 32) & 1 == 1) else {
            let tiny = if 2 * rest >= u64::from(count) { f64::from_bits(1) } else { 0.0 };
            return if negative { -tiny } else { tiny };
        };
        let low = top.saturating_sub(52);
        let bit = |at: usize| u64::from(digits[at / 32] >> (at % 32) & 1);
        let mantissa = (low..=top).fold(0, |mantissa, at| mantissa | bit(at) << (at - low));
        let up = if low > 0 { bit(low - 1) } else { u64::from(2 * rest >= u64::from(count)) };
        let exact = (mantissa + up) as f64;
        // In two steps, because a power of its own can be beyond the doubles where the product is not.
        let (half, rest) = (low / 2, low - low / 2);
        let power = |steps: usize| 2f64.powi(i32::try_from(steps).expect("small") - 537);
        let scaled = exact * power(half) * power(rest);
        if negative { -scaled } else { scaled }
    }
}

/// Stats without any care for speed.
pub(crate) fn stats(points: &[Point]) -> Option<Stats> {
    let (first, last) = points.first().zip(points.last())?;
    let by = |better: fn(f64, f64) -> bool| {
        points.iter().fold(*first, |best, point| if better(point.value, best.value) { *point } else { best })
    };
    let (min, max) = (by(|a, b| a < b), by(|a, b| a > b));
    let steps = points.windows(2).filter(|step| step[0].value != 0.0).map(|step| {
        let pct = 100.0 * (step[1].value - step[0].value) / step[0].value.abs();
        (
            pct,
            Move {
                from: step[0].at,
                to: step[1].at,
                from_value: step[0].value,
                to_value: step[1].value,
                pct: Some(pct),
            },
        )
    });
    let largest = steps.reduce(|best, step| if step.0.abs() > best.0.abs() { step } else { best });
    let finite = |value: f64| value.is_finite().then_some(value);
    let pct = if first.value == 0.0 { None } else { finite(100.0 * (last.value - first.value) / first.value.abs()) };
    let by_sign = |difference: f64, threshold: f64| match difference {
        up if up > threshold => Trend::Up,
        down if down < -threshold => Trend::Down,
        _ => Trend::Flat,
    };
    Some(Stats {
        count: points.len() as u64,
        first_ts: first.at,
        last_ts: last.at,
        first: first.value,
        last: last.value,
        min: min.value,
        min_ts: min.at,
        max: max.value,
        max_ts: max.at,
        mean: Exact::sum(points.iter().map(|point| point.value)).over(u32::try_from(points.len()).expect("few")),
        change: finite(last.value - first.value),
        pct_change: pct,
        trend: pct.map_or_else(|| by_sign(last.value - first.value, 0.0), |pct| by_sign(pct, 1.0)),
        largest_move: largest.map(|(pct, step)| Move { pct: finite(pct), ..step }),
    })
}

#[test]
fn exact_sums_are_what_they_say() {
    for (values, expected) in [
        (&[1.0, 2.0, 3.0][..], 2.0),
        (&[1e308, 1e308, 1e308, 1e308], 1e308),
        (&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX / 3.0),
        (&[5e-324, 5e-324], 5e-324),
        (&[-5e-324, -1.5e-323], -1e-323),
        (&[1e16, 1.0, -1e16, 1.0], 0.5),
        (&[-0.0], 0.0),
        (&[0.1; 10], 0.1),
    ] {
        assert_eq!(
            Exact::sum(values.iter().copied()).over(u32::try_from(values.len()).expect("few")),
            expected,
            "{values:?}"
        );
    }
}
