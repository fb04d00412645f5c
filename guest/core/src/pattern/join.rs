//! What joined clauses share: objects and dates.

use super::set::model::Meaning;
use super::set::table::Pattern;
use super::when::Times;

/// How many facts back in its sentence an ending looks for what it ends.
pub(super) const LOOK_BACK: usize = 16;

/// Most objects that verbs share, so that many verbs before a long list cost no more than the text.
const MOST_SHARED: usize = 8;

/// A clause with what was found in it.
pub(super) struct Read<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) subjects: Vec<&'a str>,
    pub(super) objects: Vec<&'a str>,
    /// Whether a word that is no name stands where the object would.
    pub(super) blocked: bool,
    pub(super) times: Times,
    /// Whether its dates stand before the verb.
    pub(super) leading: bool,
    pub(super) joined: bool,
    /// Number of its clause in what was seen.
    pub(super) seen: usize,
    pub(super) position: usize,
    pub(super) raw_text: &'a str,
}

/// A verb without an object shares that of the next verb, `joined and left Spotify`, or an ending that of what it
/// ends: `joined Spotify in 2015 and left in 2019`.
pub(super) fn share_objects(all: &mut [Read<'_>]) {
    for at in (0..all.len()).rev() {
        if all[at].objects.is_empty()
            && !all[at].blocked
            && let Some(next) = all.get(at + 1)
            && next.objects.len() <= MOST_SHARED
            && next.joined
            && next.pattern.relation == all[at].pattern.relation
            && next.subjects == all[at].subjects
        {
            all[at].objects = next.objects.clone();
        }
    }
    for at in 1..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let ending = &mut rest[0];
        if ending.objects.is_empty() && ending.pattern.meaning == Meaning::Ending {
            let begun = before
                .iter()
                .rev()
                .take(LOOK_BACK)
                .find(|read| read.pattern.relation == ending.pattern.relation && read.subjects == ending.subjects);
            if let Some(begun) = begun.filter(|begun| begun.objects.len() <= MOST_SHARED) {
                ending.objects = begun.objects.clone();
            }
        }
    }
}

/// A date at the end of joined clauses, or at their start, also dates those that begin or end something.
pub(super) fn spread_dates(all: &mut [Read<'_>]) {
    let changes = |read: &Read<'_>| matches!(read.pattern.meaning, Meaning::Beginning | Meaning::Ending);
    let stated: Vec<Times> = all.iter().map(|read| read.times).collect();
    for at in 0..all.len() {
        let Times { at: date, unread, .. } = stated[at];
        if date.is_none() && unread.is_none() {
            continue;
        }
        let times = Times { at: date, unread, said: true, ..Times::default() };
        if all[at].leading {
            let mut next = at + 1;
            while all.get(next).is_some_and(|read| read.joined && !read.times.said) {
                if changes(&all[next]) {
                    all[next].times = times;
                }
                next += 1;
            }
        } else {
            let mut this = at;
            while this > 0 && all[this].joined && !all[this - 1].times.said {
                this -= 1;
                if changes(&all[this]) {
                    all[this].times = times;
                }
            }
        }
    }
}
