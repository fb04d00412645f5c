//! How long each of many calls took.

use std::fmt;
use std::time::{Duration, Instant};

/// Times of calls, the shortest first.
#[derive(Debug, Clone)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Of so many calls, one after the other; each is told its number.
    pub async fn of(calls: u64, work: impl AsyncFn(u64)) -> Self {
        let mut times = Vec::new();
        for call in 0..calls {
            let start = Instant::now();
            work(call).await;
            times.push(start.elapsed());
        }
        Self::new(times)
    }

    /// Times in any order.
    #[must_use]
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that this share of the calls did not exceed, in milliseconds.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        let place = (self.0.len() as f64 * share) as usize;
        self.0.get(place).or(self.0.last()).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} / {:.2}", self.at(0.5), self.at(0.99))
    }
}
