//! What dates mean beside a verb: the start and the end of a fact.

use super::calendar::Today;
use super::set::model::Meaning;
use super::when::{Dated, Times};
use crate::time::{Date, Instant};

/// A fact's stated start and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bounds {
    pub(super) start: Option<Dated>,
    pub(super) end: Option<Dated>,
}

/// The bounds of a fact whose verb means `meaning`, told today.
pub(super) fn bounds(meaning: Meaning, times: Times, today: &Today) -> Bounds {
    let Times { at, since, until, lasting, weekday, unread: _, said: _ } = times;
    let reference = today.reference;
    // What is so today need not have begun today.
    let at = at.filter(|at| meaning != Meaning::State || Some(at.date) != today.date());
    let now = Some(Dated { date: Date::second(reference), words: None });
    match meaning {
        Meaning::State => Bounds { start: since.or(at).or(lasting), end: until.filter(|_| !weekday) },
        Meaning::Beginning => Bounds { start: at.or(since), end: until },
        Meaning::Event => Bounds { start: at.or(since), end: None },
        Meaning::Ending => Bounds { start: None, end: at.or(until).or(since).or(now) },
        Meaning::Past => match (at, since, until) {
            (_, None, None) => match at {
                Some(at) => Bounds { start: Some(at), end: Some(end_of(at, reference)) },
                None => Bounds { start: None, end: now },
            },
            (_, since, until) => Bounds { start: since, end: until },
        },
    }
    .settled(reference)
}

impl Bounds {
    /// An end inside the period that the start names means the end of that period; any other end that is not after
    /// the start is dropped.
    pub(super) fn settled(self, reference: Instant) -> Self {
        let (Some(start), Some(end)) = (self.start, self.end) else { return self };
        if end.date.at > start.date.at {
            return self;
        }
        let end = end.date.contains(start.date.at).then(|| end_of(end, reference));
        let end = end.filter(|end| end.date.at > start.date.at);
        Self { end, ..self }
    }
}

/// The end of a period, or the reference time when that comes first: what is told as over has ended by then.
fn end_of(period: Dated, reference: Instant) -> Dated {
    let end = period.date.period_end();
    let date = if end > reference && period.date.at < reference {
        Date::second(reference)
    } else {
        Date { at: end, precision: period.date.precision }
    };
    Dated { date, ..period }
}
