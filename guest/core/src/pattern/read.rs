//! From clauses to facts: who, what, when.

use super::bounds::{Bounds, bounds};
use super::calendar::Today;
use super::clause::{self, Clause, Subject};
use super::join::{LOOK_BACK, Read, share_objects, spread_dates};
use super::name::{self, NEVER, Role};
use super::object::{self, Rest};
use super::person::{Gender, Persons};
use super::scan::Scan;
use super::set::model::{Meaning, Number};
use super::set::table::{Pattern, class};
use super::when::Times;

/// Most persons that one list of subjects names.
const MOST_SUBJECTS: usize = 8;

/// Longest raw text, in bytes.
const MOST_RAW: usize = 300;

/// A fact of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Fact<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) source: String,
    pub(super) target: String,
    pub(super) bounds: Bounds,
    /// First byte of the verb, which orders the facts of a sentence.
    pub(super) position: usize,
    pub(super) raw_text: &'a str,
}

/// Who speaks, and who was spoken of.
pub(super) struct Reader<'r> {
    pub(super) speaker: Option<&'r str>,
    pub(super) today: Today,
}

/// The subject of the clause before, for one that leaves it out.
#[derive(Default, Clone)]
struct Last {
    names: Vec<String>,
    /// Whether only a finite verb goes on with it: after `doesn't live in Accra` comes `works at`, not `work at`.
    finite: bool,
    objects: Vec<String>,
}

impl Reader<'_> {
    /// The facts of a sentence, in the order of their verbs.
    pub(super) fn sentence<'a>(&self, scan: &Scan<'a>, question: bool, persons: &mut Persons) -> Vec<Fact<'a>> {
        let clauses = clause::clauses(scan, &self.today);
        let doubt = if question { Some(0) } else { first_doubt(scan) };
        let mut last = Last::default();
        let mut all = Vec::new();
        for clause in &clauses {
            let pattern = scan.pattern(&clause.anchor);
            let end = clause.anchor.suffix.unwrap_or(clause.end);
            let rest = object::rest(scan, pattern, clause.anchor.end, end.min(clause.end), &self.today);
            let subjects = self.subjects(scan, clause, pattern, &mut last, persons);
            let refused = clause.swallowed || rest.doubted || doubt.is_some_and(|doubt| doubt < clause.anchor.start);
            let objects = if refused { Vec::new() } else { self.objects(scan, clause, pattern, &rest) };
            last.objects.clone_from(&objects);
            let live = !refused && !subjects.is_empty();
            let found: &[String] = if live { &objects } else { &[] };
            let (first, second) = if clause.anchor.object_first { (found, &*subjects) } else { (&*subjects, found) };
            mention(scan, pattern, first, second, self.speaker, persons);
            if live {
                all.push(self.read(scan, clause, pattern, subjects, objects, rest.times));
            }
        }
        share_objects(&mut all);
        spread_dates(&mut all);
        self.facts(all)
    }

    fn read<'a>(
        &self,
        scan: &Scan<'a>,
        clause: &Clause,
        pattern: &'a Pattern,
        subjects: Vec<String>,
        objects: Vec<String>,
        after: Times,
    ) -> Read<'a> {
        let mut times = clause.times;
        times.join(after);
        let (subjects, objects) = if clause.anchor.object_first { (objects, subjects) } else { (subjects, objects) };
        Read {
            pattern,
            subjects,
            objects,
            times,
            leading: clause.times.said,
            joined: clause.joined,
            position: scan.tokens[clause.anchor.start].start,
            raw_text: raw(scan, clause),
        }
    }

    /// The names of a clause's subjects; none when it is no fact.
    fn subjects(
        &self,
        scan: &Scan<'_>,
        clause: &Clause,
        pattern: &Pattern,
        last: &mut Last,
        persons: &mut Persons,
    ) -> Vec<String> {
        let names = match clause.subject {
            Subject::Dead => Vec::new(),
            Subject::Null => self.null(scan, pattern, persons),
            Subject::Relative => last.objects.last().cloned().into_iter().collect(),
            Subject::Inherited if pattern.number == Number::Speaker => {
                self.speaker.map(str::to_owned).into_iter().collect()
            }
            Subject::Inherited => {
                let bare = matches!(pattern.number, Number::Plural | Number::Group);
                return if last.finite && bare { Vec::new() } else { last.names.clone() };
            }
            Subject::Span(start, end) => {
                if let Some(denied) = denial(scan, pattern, start, end) {
                    let name = run_before(scan, start, denied).filter(|_| !self.is_of_speaker(pattern));
                    let name = name.or_else(|| self.pronoun(scan, start, denied, persons));
                    *last = Last { names: name.into_iter().collect(), finite: true, objects: Vec::new() };
                    mention(scan, pattern, &last.names, &[], self.speaker, persons);
                    return Vec::new();
                }
                self.span(scan, pattern, start, end, persons)
            }
        };
        if names.is_empty()
            && let Subject::Span(start, end) = clause.subject
            && let Some(name) = run_before(scan, start, end)
        {
            mention(scan, pattern, &[name], &[], self.speaker, persons);
        }
        *last = Last { names: names.clone(), finite: false, objects: Vec::new() };
        names
    }

    fn is_of_speaker(&self, pattern: &Pattern) -> bool {
        pattern.number == Number::Speaker
    }

    /// The subject of a sentence that starts with its verb.
    fn null(&self, scan: &Scan<'_>, pattern: &Pattern, persons: &Persons) -> Vec<String> {
        let name = match pattern.number {
            Number::Speaker => self.speaker.map(str::to_owned),
            Number::Singular if scan.table.null_subject && pattern.subject_type == "person" => persons.last_subject(),
            _ => None,
        };
        name.into_iter().collect()
    }

    fn pronoun(&self, scan: &Scan<'_>, start: usize, end: usize, persons: &Persons) -> Option<String> {
        let (start, end) = name::trim(scan, start, end)?;
        if end != start + scan.length(start) {
            return None;
        }
        if scan.is(start, class::SPEAKER) {
            return self.speaker.map(str::to_owned);
        }
        let gender = gender(scan, start)?;
        persons.resolve(gender)
    }

    /// The names that tokens before a verb spell.
    fn span(&self, scan: &Scan<'_>, pattern: &Pattern, start: usize, end: usize, persons: &mut Persons) -> Vec<String> {
        if self.is_of_speaker(pattern) {
            let own = name::trim(scan, start, end)
                .is_some_and(|(start, end)| scan.is(start, class::SPEAKER) && end == start + 1);
            return self.speaker.filter(|_| own).map(str::to_owned).into_iter().collect();
        }
        if let Some(name) = self.pronoun(scan, start, end, persons) {
            let told = name::trim(scan, start, end).and_then(|(start, _)| gender(scan, start));
            persons.mention(scan.table, &name, told, true);
            return vec![name];
        }
        if pattern.bare_subject && scan.is(start, class::ARTICLE) {
            return Vec::new();
        }
        let listed = match pattern.number {
            Number::Plural | Number::Group => true,
            Number::Any => pattern.subject_type == "person",
            Number::Singular | Number::Speaker => false,
        };
        let items = name::items(scan, start, end);
        if listed && items.len() > 1 && items.len() <= MOST_SUBJECTS {
            return self.listed(scan, &items, persons);
        }
        name::name(scan, start, end, Role::Subject).map(str::to_owned).into_iter().collect()
    }

    /// The names of several subjects. `Alice and her brother` names only Alice; any other word that is no name makes
    /// the whole list none.
    fn listed(&self, scan: &Scan<'_>, items: &[(usize, usize)], persons: &Persons) -> Vec<String> {
        let mut names = Vec::new();
        for (start, end) in items {
            let name = self.pronoun(scan, *start, *end, persons);
            let name = name.or_else(|| name::name(scan, *start, *end, Role::Subject).map(str::to_owned));
            let unnamed = scan.is(*start, class::POSSESSIVE) || *end == start + 1;
            match name {
                Some(name) => names.push(name),
                None if unnamed => {}
                None => return Vec::new(),
            }
        }
        names
    }

    /// The names of a clause's objects.
    fn objects(&self, scan: &Scan<'_>, clause: &Clause, pattern: &Pattern, rest: &Rest) -> Vec<String> {
        let (start, end) = (clause.anchor.end, rest.end);
        let role = match pattern.object_type.as_str() {
            _ if clause.anchor.object_first => Role::Subject,
            "number" | "text" => Role::Literal,
            "place" | "organization" => Role::Place,
            _ => Role::Object,
        };
        if role == Role::Literal {
            let numbered =
                |text: &&str| pattern.object_type == "text" || text.bytes().any(|byte| byte.is_ascii_digit());
            return name::name(scan, start, end, role).filter(numbered).map(str::to_owned).into_iter().collect();
        }
        let items = if pattern.list { name::items(scan, start, end) } else { vec![(start, end)] };
        let mut names = Vec::new();
        for (at, (start, end)) in items.into_iter().enumerate() {
            // `gosta de café e de chá`: the verb's last word may be said again.
            let again = at > 0 && end > start + 1 && pattern.links.binary_search(&scan.ids[start]).is_ok();
            let start = if again { start + 1 } else { start };
            names.extend(self.object(scan, pattern, start, end, role));
        }
        names
    }

    fn object(&self, scan: &Scan<'_>, pattern: &Pattern, start: usize, end: usize, role: Role) -> Option<String> {
        let (first, after) = name::trim(scan, start, end)?;
        if scan.is(first, class::SPEAKER_OBJECT) && after == first + 1 {
            return self.speaker.map(str::to_owned);
        }
        let name = name::name(scan, start, end, role)?;
        let bare = first + usize::from(scan.is(first, class::ARTICLE));
        let words = scan.ids.get(bare..after).unwrap_or_default();
        let refused = role != Role::Subject && pattern.not_objects.iter().any(|refused| refused == words);
        (!refused).then(|| name.to_owned())
    }

    fn facts<'a>(&self, all: Vec<Read<'a>>) -> Vec<Fact<'a>> {
        let mut facts: Vec<Fact<'a>> = Vec::new();
        for read in all {
            let own = bounds(read.pattern.meaning, read.times, &self.today);
            let look_back = if read.pattern.meaning == Meaning::Ending { LOOK_BACK } else { 0 };
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
                        source: source.clone(),
                        target: target.clone(),
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

/// Where a doubt stands that takes everything after it along.
fn first_doubt(scan: &Scan<'_>) -> Option<usize> {
    let mut anchors = scan.anchors.iter().peekable();
    let mut at = 0;
    while at < scan.tokens.len() {
        if let Some(anchor) = anchors.next_if(|anchor| anchor.start <= at) {
            at = at.max(anchor.end);
            continue;
        }
        if scan.is(at, class::DOUBT) || (scan.is(at, class::CONDITION) && can_start_clause(scan, at)) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether a clause can start at a token: `se` is `if` there, and a pronoun elsewhere.
fn can_start_clause(scan: &Scan<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    scan.is(before, class::SEPARATOR | NEVER) || !matches!(scan.tokens[before].kind, super::set::fold::Kind::Word)
}

/// Where a word stands that denies what follows.
fn denial(scan: &Scan<'_>, pattern: &Pattern, start: usize, end: usize) -> Option<usize> {
    let denied = (start..end).find(|at| scan.is(*at, class::DENIAL));
    let bare = matches!(pattern.number, Number::Plural | Number::Group);
    denied.or_else(|| (bare && scan.is(end - 1, class::MODAL)).then_some(end - 1))
}

/// The last run of words before `end` that can be a name.
fn run_before(scan: &Scan<'_>, start: usize, end: usize) -> Option<String> {
    let last = (start..end).rev().find(|at| !scan.is(*at, NEVER | class::MODAL))?;
    let first =
        (start..last).rev().find(|at| scan.is(*at, NEVER | class::MODAL | class::SEPARATOR)).map_or(start, |at| at + 1);
    name::name(scan, first, last + 1, Role::Subject).map(str::to_owned)
}

fn gender(scan: &Scan<'_>, at: usize) -> Option<Gender> {
    if scan.is(at, class::SHE) { Some(Gender::She) } else { scan.is(at, class::HE).then_some(Gender::He) }
}

/// Remembers the persons of a clause for pronouns.
fn mention(
    scan: &Scan<'_>,
    pattern: &Pattern,
    subjects: &[String],
    objects: &[String],
    speaker: Option<&str>,
    persons: &mut Persons,
) {
    for (names, r#type, subject) in [(subjects, &pattern.subject_type, true), (objects, &pattern.object_type, false)] {
        if r#type == "person" {
            for name in names.iter().filter(|name| Some(name.as_str()) != speaker) {
                persons.mention(scan.table, name, None, subject);
            }
        }
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
