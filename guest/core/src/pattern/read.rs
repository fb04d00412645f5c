//! From clauses to facts: who, what, when.

use super::bounds::{Bounds, bounds};
use super::calendar::Today;
use super::clause::{self, Clause, Subject};
use super::doubt::{self, Doubts};
use super::explain::Reason;
use super::gap::{self, Gap};
use super::join::{LOOK_BACK, Read, share_objects, spread_dates};
use super::name::{self, Held, Role};
use super::object::{self, Rest, Within};
use super::person::Persons;
use super::scan::Scan;
use super::set::model::Meaning;
use super::set::table::{Pattern, class};
use super::subject::Last;
use super::when::{self, Times};

/// Longest raw text, in bytes.
const MOST_RAW: usize = 300;

/// A fact of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Fact<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    pub(super) bounds: Bounds,
    /// First byte of the verb: of two languages the one whose first verb stands further left is right.
    pub(super) position: usize,
    pub(super) raw_text: &'a str,
}

/// What came of a clause, for who asks why.
pub(super) struct Seen<'a> {
    pub(super) clause: Clause,
    pub(super) subjects: Vec<&'a str>,
    pub(super) objects: Vec<&'a str>,
    pub(super) held: Vec<Held>,
}

/// Who speaks, and when.
pub(super) struct Reader<'a> {
    pub(super) speaker: Option<&'a str>,
    pub(super) today: Today,
    /// Whether what came of each clause is kept.
    pub(super) explains: bool,
}

impl<'a> Reader<'a> {
    /// The facts of a sentence, in the order of their verbs, and what came of each clause.
    pub(super) fn sentence(
        &self,
        scan: &Scan<'a>,
        question: bool,
        retracted: bool,
        persons: &mut Persons<'a>,
    ) -> (Vec<Fact<'a>>, Vec<Seen<'a>>) {
        if scan.anchors.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let mut doubts = Doubts::of(scan, retracted);
        let mut last = Last::default();
        let (mut all, mut seen): (Vec<Read<'_>>, _) = (Vec::new(), Vec::new());
        // The clause before, where it is a fact.
        let mut around = None;
        for clause in clause::clauses(scan, &self.today) {
            let pattern = scan.pattern(&clause.anchor);
            let end = clause.anchor.suffix.unwrap_or(clause.end).min(clause.end);
            let within = match scan.is(clause.start, class::RELATIVE) {
                _ if clause.anchor.is_aside(scan) => Within::Commas,
                true => Within::Clause,
                false => Within::Sentence,
            };
            let mut rest = object::rest(scan, pattern, within, (clause.anchor.end, end), &self.today);
            if pattern.object_type == "date" {
                let date = when::full_date(scan, clause.anchor.end, end, &self.today);
                (rest.end, rest.times) = date.unwrap_or_else(|| {
                    let unread = Some((clause.anchor.end, rest.end));
                    (rest.end, Times { unread, ..Times::default() })
                });
            }
            let next = self.next(scan, &clause, pattern);
            let doubted = rest.doubted.or(next.and_then(|(_, _, rest)| rest.doubted));
            let doubted =
                doubted.or_else(|| doubt::after(scan, clause.anchor.end, clause.end, within == Within::Sentence));
            let doubt = doubts.before(scan, clause.anchor.start).or(doubted);
            let refused =
                if question { Some(Held::missing(Reason::Question)) } else { doubt::refusal(scan, &clause, doubt) };
            let outer = around.take().filter(|_| clause.subject == Subject::Relative);
            if let Some(outer) = outer.and_then(|at: usize| all.get_mut(at)) {
                outer.times.join(self.after_commas(scan, rest.end, clause.end));
            }
            let mut held: Vec<Held> = refused.into_iter().collect();
            let subjects = self.subjects(scan, &clause, pattern, &mut last, persons);
            held.extend(subjects.as_ref().err());
            let mut subjects = subjects.unwrap_or_default();
            let (mut pattern, mut next) = (pattern, next);
            if pattern.subject_type == "person" && self.is_organization(scan, &clause, &subjects, persons) {
                match pattern.of_organization.and_then(|other| scan.table.patterns.get(other as usize)) {
                    Some(other) => pattern = other,
                    None => {
                        subjects.clear();
                        held.push(Held::missing(Reason::Organization));
                    }
                }
                next = next.and_then(|(next, start, rest)| {
                    let other = scan.table.patterns.get(next.of_organization? as usize)?;
                    Some((other, start, rest))
                });
            }
            let (mut objects, mut more) = (Vec::new(), Vec::new());
            if refused.is_none() {
                objects =
                    self.objects(scan, pattern, clause.anchor.object_first, (clause.anchor.end, rest.end), &mut held);
            }
            if let Some((pattern, start, rest)) = next.filter(|_| !objects.is_empty()) {
                more = self.objects(scan, pattern, false, (start, rest.end), &mut held);
                if more.is_empty() {
                    objects.clear();
                }
            }
            last.objects.clone_from(if more.is_empty() { &objects } else { &more });
            last.object_type = &pattern.object_type;
            let gaps = if refused.is_some() || objects.is_empty() || next.is_some() || clause.anchor.object_first {
                Vec::new()
            } else {
                gap::gaps(scan, pattern, (rest.end, end), &self.today)
            };
            if let Some(gap) = gaps.first() {
                rest = object::rest(scan, pattern, within, (clause.anchor.end, gap.start), &self.today);
            }
            let live = refused.is_none() && !subjects.is_empty();
            let found: &[&str] = if live { &objects } else { &[] };
            let (left, right) = if clause.anchor.object_first { (found, &*subjects) } else { (&*subjects, found) };
            self.mention(scan, pattern, left, right, persons);
            let seen_before = seen.len();
            if self.explains {
                let objects = objects.iter().chain(&more).copied().collect();
                seen.push(Seen { clause: clause.clone(), subjects: subjects.clone(), objects, held });
            }
            if live {
                let blocked = objects.is_empty() && !self.is_left_out(scan, &clause);
                let mut times = clause.times;
                let inside = clause.anchor.dated;
                let inside = inside.and_then(|at| when::phrase(scan, at, clause.anchor.end, &self.today));
                times.join(inside.map_or(Times::default(), |(_, times)| times));
                times.join(rest.times);
                let read = |pattern, subjects, objects, times, joined| Read {
                    pattern,
                    subjects,
                    objects,
                    blocked,
                    times,
                    leading: clause.times.said,
                    joined,
                    seen: seen_before,
                    position: scan.tokens[clause.anchor.start].start,
                    raw_text: raw(scan, &clause),
                };
                if let Some((next, _, rest)) = next.filter(|_| !more.is_empty()) {
                    times.join(rest.times);
                    all.push(read(pattern, subjects.clone(), objects, times, clause.joined));
                    all.push(read(next, subjects, more, times, true));
                } else if clause.anchor.object_first {
                    all.push(read(pattern, objects, subjects, times, clause.joined));
                } else {
                    all.push(read(pattern, subjects, objects, times, clause.joined));
                }
                around = Some(all.len() - 1);
                for gap in gaps {
                    if let Some((subject, objects)) = self.gap(scan, pattern, &gap, persons) {
                        last.only(subject);
                        all.push(read(pattern, vec![subject], objects, gap.rest.times, true));
                    }
                }
            }
        }
        share_objects(&mut all);
        spread_dates(&mut all);
        all.retain(|read| {
            let Times { at, since, until, .. } = read.times;
            let dated = match read.pattern.meaning {
                Meaning::State => true,
                Meaning::Past => at.is_some(),
                Meaning::Beginning | Meaning::Ending | Meaning::Event => at.or(since).or(until).is_some(),
            };
            let unread = read.times.unread.filter(|_| !dated);
            if let (Some(tokens), Some(seen)) = (unread, seen.get_mut(read.seen)) {
                seen.held.push(Held { reason: Reason::UnreadDate, tokens: Some(tokens) });
            }
            unread.is_none()
        });
        (self.facts(&all), seen)
    }

    /// The pattern whose object follows that of a clause, where it starts, and what comes after it.
    fn next(&self, scan: &Scan<'a>, clause: &Clause, pattern: &Pattern) -> Option<(&'a Pattern, usize, Rest)> {
        let start = clause.anchor.next.filter(|start| *start < clause.end)?;
        let next = scan.table.patterns.get(pattern.next? as usize)?;
        Some((next, start, object::rest(scan, next, Within::Sentence, (start, clause.end), &self.today)))
    }

    /// The date after what stands between commas, which is that of the clause around it: `married Clara, who teaches, in
    /// 2015`.
    fn after_commas(&self, scan: &Scan<'_>, start: usize, end: usize) -> Times {
        let comma = (start..end).find(|at| scan.is_mark(*at, ','));
        let date = comma.and_then(|comma| when::phrase(scan, comma + 1, end, &self.today));
        date.filter(|(after, _)| *after == end).map_or(Times::default(), |(_, times)| times)
    }

    /// The names of a half that leaves the verb out.
    fn gap(
        &self,
        scan: &Scan<'a>,
        pattern: &Pattern,
        gap: &Gap,
        persons: &mut Persons<'a>,
    ) -> Option<(&'a str, Vec<&'a str>)> {
        let subject = name::name(scan, gap.subject.0, gap.subject.1, Role::Subject).ok()?;
        let objects = self.objects(scan, pattern, false, (gap.object, gap.rest.end), &mut Vec::new());
        self.mention(scan, pattern, &[subject], &objects, persons);
        (!objects.is_empty()).then_some((subject, objects))
    }

    /// Whether a clause ends, or goes on with a date or a pronoun, where its object would stand.
    fn is_left_out(&self, scan: &Scan<'_>, clause: &Clause) -> bool {
        let at = clause.anchor.end;
        at >= clause.end
            || scan.is(at, class::SEPARATOR | class::LIST | class::VAGUE)
            || when::phrase(scan, at, clause.end, &self.today).is_some()
    }

    /// The names of a clause's objects between two tokens.
    fn objects(
        &self,
        scan: &Scan<'a>,
        pattern: &Pattern,
        first: bool,
        (start, end): (usize, usize),
        held: &mut Vec<Held>,
    ) -> Vec<&'a str> {
        let role = match pattern.object_type.as_str() {
            _ if first => Role::Subject,
            "number" | "text" | "date" => Role::Literal,
            "place" | "organization" => Role::Place,
            _ => Role::Object,
        };
        let items =
            if pattern.list && role != Role::Literal { name::items(scan, start, end) } else { vec![(start, end)] };
        let mut names = Vec::with_capacity(items.len());
        for (at, (start, end)) in items.into_iter().enumerate() {
            // `gosta de café e de chá`: the verb's last word may be said again.
            let again = at > 0 && end > start + 1 && pattern.links.binary_search(&scan.ids[start]).is_ok();
            let start = if again { start + 1 } else { start };
            match self.object(scan, pattern, start, end, role) {
                Ok(name) => names.push(name),
                Err(why) => held.push(why),
            }
        }
        if names.is_empty() && held.is_empty() {
            held.push(Held::missing(Reason::NoObject));
        }
        names
    }

    fn object(
        &self,
        scan: &Scan<'a>,
        pattern: &Pattern,
        start: usize,
        end: usize,
        role: Role,
    ) -> Result<&'a str, Held> {
        let missing = Held::missing(if role == Role::Subject { Reason::NoSubject } else { Reason::NoObject });
        let (first, after) = name::trim(scan, start, end).ok_or(missing)?;
        let all = Some((first, after));
        if role == Role::Literal {
            let text = name::name(scan, start, end, role)?;
            let numbered = pattern.object_type != "number" || text.bytes().any(|byte| byte.is_ascii_digit());
            return if numbered { Ok(text) } else { Err(Held { reason: Reason::NotANumber, tokens: all }) };
        }
        if scan.is(first, class::SPEAKER_OBJECT) && after == first + 1 {
            return self.speaker.ok_or(Held::at(scan, Reason::NoSpeaker, first));
        }
        let name = name::name(scan, start, end, role)?;
        let bare = first + usize::from(scan.is(first, class::ARTICLE));
        let words = scan.ids.get(bare..after).unwrap_or_default();
        // Who leaves Bob leaves no employer.
        let changes = matches!(pattern.meaning, Meaning::Beginning | Meaning::Ending);
        let person = changes
            && pattern.object_type == "organization"
            && words.len() == 1
            && scan.is(bare, class::FEMALE | class::MALE);
        if changes && role == Role::Place && words.len() > 1 && when::is_year(scan, after - 1) {
            return Err(Held { reason: Reason::UnreadDate, tokens: Some((after - 1, after)) });
        }
        // `joined the book club`, `left the Tuesday meeting`
        let common = changes && bare > first && scan.is(after - 1, class::THING);
        let thing = role == Role::Place && !pattern.list && (common || name::is_thing(scan, bare, after));
        let other = !pattern.objects.is_empty() && !pattern.objects.has(words);
        let refused = role != Role::Subject && (other || person || thing || pattern.not_objects.has(words));
        if refused { Err(Held { reason: Reason::NotAnObject, tokens: all }) } else { Ok(name) }
    }

    fn facts(&self, all: &[Read<'a>]) -> Vec<Fact<'a>> {
        let mut facts: Vec<Fact<'a>> = Vec::new();
        for read in all {
            let own = bounds(read.pattern.meaning, read.times, &self.today);
            let look_back = if read.pattern.meaning == Meaning::Ending { LOOK_BACK } else { 0 };
            facts.reserve(read.subjects.len() * read.objects.len());
            for source in &read.subjects {
                for target in &read.objects {
                    let mut before = facts.iter_mut().rev().take(look_back);
                    let begun = before.find(|fact| {
                        fact.pattern.relation == read.pattern.relation
                            && fact.bounds.end.is_none()
                            && fact.source == *source
                            && fact.target == *target
                    });
                    if let Some(begun) = begun {
                        begun.bounds = Bounds { end: own.end, ..begun.bounds }.settled(self.today.reference);
                        continue;
                    }
                    facts.push(Fact {
                        pattern: read.pattern,
                        source,
                        target,
                        bounds: own,
                        position: read.position,
                        raw_text: read.raw_text,
                    });
                }
            }
        }
        facts
    }
}

/// The words of a clause, cut where they are too many to keep with each fact.
fn raw<'a>(scan: &Scan<'a>, clause: &Clause) -> &'a str {
    let mut end = clause.end.max(clause.anchor.end);
    while end > clause.anchor.end && scan.is(end - 1, class::SEPARATOR) {
        end -= 1;
    }
    let start = scan.tokens[clause.start.min(clause.anchor.start)].start;
    let text = &scan.text[start..scan.tokens[end - 1].end];
    let most = (0..=MOST_RAW.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..most]
}
