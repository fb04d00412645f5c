//! What happens after an attempt that failed: a pure decision.

use std::time::Duration;

/// Longest pause that is made without the server's asking for it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Longest `Retry-After` that is passed on, in seconds: a day.
const LONGEST_WAIT: u64 = 86_400;

/// What may be tried, and how far a call is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tries {
    /// Attempts at most.
    pub(super) attempts: u32,
    /// Pause before the second one.
    pub(super) pause: Duration,
    /// Attempts made.
    pub(super) made: u32,
    /// Time that is left for all of them.
    pub(super) left: Duration,
}

impl Tries {
    /// How long to wait before the next attempt; none if there is none in time. A server that says when to come back
    /// is not asked before.
    pub(super) fn next(self, retry_after: Option<Duration>) -> Option<Duration> {
        if self.made >= self.attempts {
            return None;
        }
        let wait = self.backoff().max(retry_after.unwrap_or_default());
        (wait < self.left).then_some(wait)
    }

    /// Seconds after which a caller may try again.
    pub(super) fn come_back(self, retry_after: Option<Duration>) -> u32 {
        let wait = retry_after.unwrap_or_else(|| self.backoff());
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
        u32::try_from(seconds.clamp(1, LONGEST_WAIT)).unwrap_or(u32::MAX)
    }

    fn backoff(self) -> Duration {
        let doublings = self.made.saturating_sub(1).min(16);
        self.pause.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
    }
}

/// The `Retry-After` of a response: seconds, or a date that is compared with `now` (Unix time in seconds).
pub(super) fn retry_after(value: &str, now: i64) -> Option<Duration> {
    let value = value.trim();
    let seconds = match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => return Some(Duration::from_secs_f64(seconds.clamp(0.0, 1e6))),
        Ok(_) => return None,
        Err(_) => chrono::DateTime::parse_from_rfc2822(value).ok()?.timestamp().saturating_sub(now),
    };
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn tries(made: u32, left: u64) -> Tries {
        Tries { attempts: 9, pause: seconds(1), made, left: seconds(left) }
    }

    #[test]
    fn pauses_double_up_to_a_bound_and_stay_within_the_time() {
        let pauses: Vec<_> = (1..=9).map(|made| tries(made, 1_000).next(None).map(|pause| pause.as_secs())).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30].map(Some).into_iter().chain([None]).collect::<Vec<_>>());
        assert_eq!(tries(3, 4).next(None), None);
        assert_eq!(tries(3, 5).next(None), Some(seconds(4)));
    }

    #[test]
    fn a_server_s_word_goes_before_the_pause_and_not_beyond_the_time() {
        assert_eq!(tries(1, 60).next(Some(seconds(20))), Some(seconds(20)));
        assert_eq!(tries(4, 60).next(Some(seconds(1))), Some(seconds(8)));
        assert_eq!(tries(1, 60).next(Some(seconds(61))), None);
        assert_eq!(tries(1, 60).come_back(Some(seconds(61))), 61);
        assert_eq!(tries(2, 60).come_back(None), 2);
        assert_eq!(tries(1, 60).come_back(Some(Duration::ZERO)), 1);
        assert_eq!(tries(1, 60).come_back(Some(Duration::MAX)), 86_400);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        for (value, expected) in [
            ("7", Some(seconds(7))),
            (" 0.5 ", Some(Duration::from_millis(500))),
            ("-3", Some(Duration::ZERO)),
            ("Wed, 01 Jan 2025 00:00:30 GMT", Some(seconds(30))),
            ("Tue, 31 Dec 2024 00:00:00 GMT", Some(Duration::ZERO)),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(value, 1_735_689_600), expected, "{value}");
        }
    }
}
