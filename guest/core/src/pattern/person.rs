//! Who `she` is: the persons of a sentence, kept for the pronouns of the next.

use super::scan::Scan;
use super::set::fold::{Kind, Token, fold, tokenize};
use super::set::table::{Class, Table, class};

/// A pronoun's gender; `None` is a clause without subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gender {
    She,
    He,
}

#[derive(Debug, Clone, Copy)]
struct Person<'a> {
    name: &'a str,
    gender: Option<Gender>,
    /// Whether the gender is more than a guess by the name's ending.
    certain: bool,
    subject: bool,
    /// Whether it was only seen, beside a verb that no pattern has.
    noted: bool,
}

/// The persons named so far, by sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Persons<'a> {
    before: Vec<Person<'a>>,
    here: Vec<Person<'a>>,
    /// The last organizations of the text.
    organizations: Vec<&'a str>,
}

/// Most persons that are remembered of a sentence, and organizations of a text: the last ones.
const MOST: usize = 16;

/// Classes of a given name.
const GIVEN: Class = class::FEMALE | class::MALE;

impl<'a> Persons<'a> {
    /// A new sentence starts.
    pub(super) fn next_sentence(&mut self) {
        self.before = std::mem::take(&mut self.here);
    }

    /// A person is mentioned.
    pub(super) fn mention(&mut self, table: &Table, name: &'a str, told: Option<Gender>, subject: bool) {
        if self.here.iter().any(|person| person.name == name && (person.certain || told.is_none())) {
            return;
        }
        let known = self.before.iter().find(|person| person.name == name && person.certain);
        let (gender, certain) = match (told, known) {
            (Some(gender), _) => (Some(gender), true),
            (None, Some(person)) => (person.gender, true),
            (None, None) => gender_of(table, name),
        };
        self.here.retain(|person| person.name != name);
        if self.here.len() == MOST {
            self.here.remove(0);
        }
        self.here.push(Person { name, gender, certain, subject, noted: false });
    }

    /// Whether this sentence names a person.
    pub(super) fn are_named(&self) -> bool {
        !self.here.is_empty()
    }

    /// Remembers the given names of a sentence that speaks of no other person: `I called Clara Nunes`.
    pub(super) fn note_given(&mut self, scan: &Scan<'a>) {
        let mut at = 0;
        while at < scan.tokens.len() {
            if !scan.is(at, GIVEN) {
                at += 1;
                continue;
            }
            let start = at;
            at += 1;
            while at < scan.tokens.len() && goes_on(scan, start, at) {
                at += 1;
            }
            let name = &scan.text[scan.tokens[start].start..scan.tokens[at - 1].end];
            // Two languages may keep more and less of one name.
            if self.here.iter().any(|person| person.name.starts_with(name) || name.starts_with(person.name)) {
                continue;
            }
            self.mention(scan.table, name, None, false);
            if let Some(person) = self.here.last_mut() {
                person.noted = true;
            }
        }
    }

    /// Organizations are mentioned.
    pub(super) fn mention_organizations(&mut self, names: &[&'a str]) {
        for name in names {
            self.organizations.retain(|known| known != name);
            if self.organizations.len() == MOST {
                self.organizations.remove(0);
            }
            self.organizations.push(name);
        }
    }

    /// Whether a name is that of an organization, by its last word or because the text said so.
    pub(super) fn is_organization(&self, table: &Table, name: &str) -> bool {
        let tokens = tokenize(name);
        let class = |token: &Token| {
            let node = table.tree.next(0, table.vocabulary.id(&fold(&name[token.start..token.end])));
            node.map_or(0, |node| table.tree.class(node))
        };
        let last = tokens.iter().rfind(|token| token.kind == Kind::Word).map_or(0, class);
        // `A Volt` at a sentence's start keeps its article.
        let bare = match tokens.as_slice() {
            [first, second, ..] if class(first) & class::ARTICLE != 0 => &name[second.start..],
            _ => name,
        };
        let told =
            (self.organizations.contains(&name) || self.organizations.contains(&bare)) && !gender_of(table, name).1;
        told || last & class::COMPANY != 0
    }

    /// Whom a pronoun refers to: the last person of this sentence, else of the sentence before, whose gender fits.
    pub(super) fn resolve(&self, gender: Gender) -> Option<&'a str> {
        best(&self.here, gender).or_else(|| best(&self.before, gender))
    }

    /// Whom a clause without subject speaks of: the last subject of the sentence before.
    pub(super) fn last_subject(&self) -> Option<&'a str> {
        self.before.iter().rev().find(|person| person.subject).map(|person| person.name)
    }
}

/// Whether a word is a surname: one in capitals after a given name that is written so. Which facts there are can't hang
/// on it, only how much of the name is kept.
fn goes_on(scan: &Scan<'_>, start: usize, at: usize) -> bool {
    let titled = |at: usize| {
        let mut letters = scan.spelling(at).chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
    };
    scan.tokens[at].kind == Kind::Word && titled(start) && titled(at) && !scan.has_class(at, !GIVEN)
}

/// The last of those that fit best; of several beside a verb that no pattern has none is more likely than the others.
fn best<'a>(persons: &[Person<'a>], gender: Gender) -> Option<&'a str> {
    let rank = |person: &Person<'_>| match (person.gender, person.certain) {
        (Some(own), true) if own == gender => Some(3),
        (Some(own), false) if own == gender => Some(2),
        (Some(_), true) => None,
        (None, _) => Some(1),
        (Some(_), false) => Some(0),
    };
    let ranked = || persons.iter().filter_map(|person| rank(person).map(|rank| (rank, person)));
    let (most, best) = ranked().max_by_key(|(rank, _)| *rank)?;
    let alike = ranked().filter(|(rank, person)| *rank == most && person.noted).count();
    (alike < 2).then_some(best.name)
}

/// The gender of a name by its first words, else by its ending.
fn gender_of(table: &Table, name: &str) -> (Option<Gender>, bool) {
    let mut guess = None;
    for (at, token) in tokenize(name).iter().take(3).enumerate() {
        let word = fold(&name[token.start..token.end]);
        let node = table.tree.next(0, table.vocabulary.id(&word));
        let classes = node.map_or(0, |node| table.tree.class(node));
        if classes & class::FEMALE != 0 {
            return (Some(Gender::She), true);
        }
        if classes & class::MALE != 0 {
            return (Some(Gender::He), true);
        }
        let ends = |endings: &[String]| endings.iter().any(|ending| word.ends_with(ending.as_str()));
        if at == 0 && ends(&table.female_endings) {
            guess = Some(Gender::She);
        } else if at == 0 && ends(&table.male_endings) {
            guess = Some(Gender::He);
        }
        // `Maria José` is told by its first word; a title's dot is no word.
        if classes & (class::TITLE | class::ABBREVIATION) == 0 && at > 0 {
            break;
        }
    }
    (guess, false)
}
