//! Who a clause speaks of.

use super::clause::{Clause, Subject};
use super::explain::Reason;
use super::name::{self, GIVEN, Held, NEVER, Role};
use super::person::{Gender, Persons};
use super::read::Reader;
use super::scan::Scan;
use super::sentence::Inside;
use super::set::model::Number;
use super::set::table::{Pattern, class};

/// Most persons that one list of subjects names.
const MOST_SUBJECTS: usize = 8;

/// The subject of the clause before, for one that leaves it out.
#[derive(Default, Clone)]
pub(super) struct Last<'a> {
    names: Vec<&'a str>,
    /// Whether only a finite verb goes on with it: after `doesn't live in Accra` comes `works at`, not `work at`.
    finite: bool,
    pub(super) objects: Vec<&'a str>,
    pub(super) object_type: &'a str,
}

impl<'a> Last<'a> {
    /// One subject that the next clause may leave out.
    pub(super) fn only(&mut self, name: &'a str) {
        self.names = vec![name];
    }

    /// What a relative pronoun stands for: not `Berlin` in `lives in Berlin with Tom, who works at SAP`.
    fn antecedent(&self, pattern: &Pattern) -> Option<&'a str> {
        const NAMED: [&str; 3] = ["person", "organization", "place"];
        let known = NAMED.contains(&self.object_type) && NAMED.contains(&pattern.subject_type.as_str());
        let other = known && (self.object_type == "person") != (pattern.subject_type == "person");
        self.objects.last().copied().filter(|_| !other)
    }
}

impl<'a> Reader<'a> {
    /// The names of a clause's subjects, or why it is no fact.
    pub(super) fn subjects(
        &self,
        scan: &Scan<'a>,
        clause: &Clause,
        pattern: &Pattern,
        last: &mut Last<'a>,
        persons: &mut Persons<'a>,
    ) -> Result<Vec<&'a str>, Held> {
        let names = match clause.subject {
            Subject::Dead(held) => Err(held),
            Subject::Null => self.null(scan, pattern, persons),
            Subject::Relative => {
                last.antecedent(pattern).map(|name| vec![name]).ok_or(Held::missing(Reason::NoAntecedent))
            }
            Subject::Inherited if pattern.number == Number::Speaker => self.spoken(),
            Subject::Inherited => {
                let bare = matches!(pattern.number, Number::Plural | Number::Group);
                return match &last.names {
                    _ if last.finite && bare => Err(Held::missing(Reason::Denied)),
                    names if names.is_empty() => Err(Held::missing(Reason::NoSubject)),
                    names => Ok(names.clone()),
                };
            }
            Subject::Span(start, end) => {
                if let Some(denied) = denial(scan, pattern, start, end) {
                    // `I wish Ana, CTO of Volt, lived in Porto` denies what follows the aside too.
                    if clause.anchor.is_aside(scan) {
                        *last = Last::default();
                        return Err(Held::at(scan, Reason::Denied, denied));
                    }
                    let name = run_before(scan, start, denied).filter(|_| !is_of_speaker(pattern));
                    let name = name.or_else(|| self.pronoun(scan, start, denied, persons)?.ok());
                    *last = Last { names: name.into_iter().collect(), finite: true, ..Last::default() };
                    self.mention(scan, pattern, &last.names, &[], persons);
                    return Err(Held::at(scan, Reason::Denied, denied));
                }
                self.span(scan, pattern, start, end, persons)
            }
        };
        if names.is_err()
            && let Subject::Span(start, end) = clause.subject
            && let Some(name) = run_before(scan, start, end)
        {
            self.mention(scan, pattern, &[name], &[], persons);
        }
        // What is said of an object in an aside changes nobody that the sentence is about.
        if clause.subject == Subject::Relative && clause.anchor.is_aside(scan) {
            return names;
        }
        let own = names.as_deref().unwrap_or_default();
        *last = Last { names: own.to_vec(), finite: false, ..Last::default() };
        names
    }

    fn spoken(&self) -> Result<Vec<&'a str>, Held> {
        self.speaker.map(|speaker| vec![speaker]).ok_or(Held::missing(Reason::NoSpeaker))
    }

    /// The subject of a sentence that starts with its verb.
    fn null(&self, scan: &Scan<'_>, pattern: &Pattern, persons: &Persons<'a>) -> Result<Vec<&'a str>, Held> {
        match pattern.number {
            Number::Speaker => self.spoken(),
            Number::Singular if scan.table.null_subject && pattern.subject_type == "person" => {
                persons.last_subject().map(|name| vec![name]).ok_or(Held::missing(Reason::NoAntecedent))
            }
            _ => Err(Held::missing(Reason::NoSubject)),
        }
    }

    /// Whom a pronoun stands for; `None` when the tokens are no pronoun.
    fn pronoun(
        &self,
        scan: &Scan<'_>,
        start: usize,
        end: usize,
        persons: &Persons<'a>,
    ) -> Option<Result<&'a str, Held>> {
        let (start, end) = name::trim(scan, start, end)?;
        if end != start + scan.length(start) {
            return None;
        }
        if scan.is(start, class::SPEAKER) {
            return Some(self.speaker.ok_or(Held::at(scan, Reason::NoSpeaker, start)));
        }
        let gender = gender(scan, start)?;
        Some(persons.resolve(gender).ok_or(Held::at(scan, Reason::NoAntecedent, start)))
    }

    /// The names that tokens before a verb spell.
    fn span(
        &self,
        scan: &Scan<'a>,
        pattern: &Pattern,
        start: usize,
        end: usize,
        persons: &mut Persons<'a>,
    ) -> Result<Vec<&'a str>, Held> {
        if is_of_speaker(pattern) {
            let trimmed = name::trim(scan, start, end).unwrap_or((start, end));
            let own = scan.is(trimmed.0, class::SPEAKER) && trimmed.1 == trimmed.0 + 1;
            return if own { self.spoken() } else { Err(Held { reason: Reason::NotAName, tokens: Some(trimmed) }) };
        }
        if let Some(name) = self.pronoun(scan, start, end, persons) {
            let told = name::trim(scan, start, end).and_then(|(start, _)| gender(scan, start));
            persons.mention(scan.table, name?, told, true);
            return Ok(vec![name?]);
        }
        if pattern.bare_subject
            && scan.is(start, class::ARTICLE)
            && !scan.is(start + 1, GIVEN)
            && !is_named_organization(scan, start + 1, end, persons)
        {
            return Err(Held::at(scan, Reason::Article, start));
        }
        // `no fim de semana mora em`: where a person's name would be.
        if pattern.subject_type == "person" && scan.is(start, class::OBJECT_END) && !scan.is(start, GIVEN) {
            return Err(Held::at(scan, Reason::NotAName, start));
        }
        let listed = match pattern.number {
            Number::Plural | Number::Group => true,
            Number::Any => pattern.subject_type == "person",
            Number::Singular | Number::Speaker => false,
        };
        let items = if listed { name::items(scan, start, end) } else { Vec::new() };
        if items.len() > 1 && items.len() <= MOST_SUBJECTS {
            return self.listed(scan, &items, persons);
        }
        name::name(scan, start, end, Role::Subject).map(|name| vec![name])
    }

    /// The names of several subjects. `Alice and her brother` names only Alice; any other word that is no name makes
    /// the whole list none.
    fn listed(&self, scan: &Scan<'a>, items: &[(usize, usize)], persons: &Persons<'a>) -> Result<Vec<&'a str>, Held> {
        let mut names = Vec::new();
        let mut held = None;
        for (start, end) in items {
            let pronoun = self.pronoun(scan, *start, *end, persons);
            let unnamed = scan.is(*start, class::POSSESSIVE) || *end == start + 1;
            match pronoun.unwrap_or_else(|| name::name(scan, *start, *end, Role::Subject)) {
                Ok(name) => names.push(name),
                Err(why) if unnamed => held = held.or(Some(why)),
                Err(why) => return Err(why),
            }
        }
        match held {
            Some(held) if names.is_empty() => Err(held),
            _ => Ok(names),
        }
    }

    /// Whether a clause speaks of an organization: its name ends in `Inc.`, an aside says so, `Volt (a company)`, or
    /// the text did.
    pub(super) fn is_organization(
        &self,
        scan: &Scan<'_>,
        clause: &Clause,
        names: &[&str],
        persons: &Persons<'_>,
    ) -> bool {
        let Some(name) = names.first().filter(|name| Some(**name) != self.speaker) else { return false };
        let aside = match clause.subject {
            Subject::Span(start, _) => (start..clause.anchor.start)
                .any(|at| scan.inside[at] == Inside::Parentheses && scan.has_class(at, class::COMPANY)),
            _ => false,
        };
        aside || persons.is_organization(scan.table, name)
    }

    /// Remembers the persons and the organizations of a clause.
    pub(super) fn mention(
        &self,
        scan: &Scan<'_>,
        pattern: &Pattern,
        subjects: &[&'a str],
        objects: &[&'a str],
        persons: &mut Persons<'a>,
    ) {
        let both = [(subjects, &pattern.subject_type, true), (objects, &pattern.object_type, false)];
        for (names, r#type, _) in both {
            if r#type == "organization" {
                persons.mention_organizations(names);
            }
        }
        for (names, _, subject) in both.into_iter().filter(|(_, r#type, _)| *r#type == "person") {
            for name in names.iter().filter(|name| Some(**name) != self.speaker) {
                persons.mention(scan.table, name, None, subject);
            }
        }
    }
}

/// Whether tokens after an article are the name of an organization, not only a word for one: `the company`.
fn is_named_organization(scan: &Scan<'_>, start: usize, end: usize, persons: &Persons<'_>) -> bool {
    let name = name::name(scan, start, end, Role::Subject);
    !scan.is(start, class::COMPANY) && name.is_ok_and(|name| persons.is_organization(scan.table, name))
}

fn is_of_speaker(pattern: &Pattern) -> bool {
    pattern.number == Number::Speaker
}

/// Where a word stands that denies what follows.
fn denial(scan: &Scan<'_>, pattern: &Pattern, start: usize, end: usize) -> Option<usize> {
    let denied = (start..end).find(|at| scan.is(*at, class::DENIAL));
    let bare = matches!(pattern.number, Number::Plural | Number::Group);
    denied.or_else(|| (bare && scan.is(end - 1, class::MODAL)).then_some(end - 1))
}

/// The last run of words before `end` that can be a name.
fn run_before<'a>(scan: &Scan<'a>, start: usize, end: usize) -> Option<&'a str> {
    let last = (start..end).rev().find(|at| !scan.is(*at, NEVER | class::MODAL))?;
    let first =
        (start..last).rev().find(|at| scan.is(*at, NEVER | class::MODAL | class::SEPARATOR)).map_or(start, |at| at + 1);
    name::name(scan, first, last + 1, Role::Subject).ok()
}

fn gender(scan: &Scan<'_>, at: usize) -> Option<Gender> {
    if scan.is(at, class::SHE) { Some(Gender::She) } else { scan.is(at, class::HE).then_some(Gender::He) }
}
