//! What was read where, and what was held back and why: for whoever writes a pattern set or wonders about a fact.

use std::fmt;
use std::ops::Range;

use super::join::LOOK_BACK;
use super::name::Held as HeldTokens;
use super::read::{Fact, Seen};
use super::scan::Scan;
use super::sentence::Inside;
use super::set::model::Meaning;
use super::set::table::Pattern;
use super::when::Dated;
use crate::clean::clean;
use crate::time::Date;

/// A sentence, and what came of its clauses. All spans are bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The sentence without its final mark.
    pub span: Range<usize>,
    /// The language that it was read in: that which knows most of its words.
    pub language: String,
    /// One a verb of a pattern, in the order of the text, then those that only other languages read. None when no
    /// pattern's verb stands in the sentence.
    pub clauses: Vec<ExplainedClause>,
}

/// A verb that a pattern knows, with what was read around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedClause {
    /// From its subject or its first date to the end of its object and dates.
    pub span: Range<usize>,
    /// The verb.
    pub verb: Range<usize>,
    /// Language of the pattern.
    pub language: String,
    /// Name of the pattern.
    pub pattern: String,
    /// Its relation.
    pub relation: String,
    /// The names before the verb, or those that it inherits; the antecedent of a pronoun.
    pub subjects: Vec<ExplainedName>,
    /// The names after the verb.
    pub objects: Vec<ExplainedName>,
    /// The facts that it gives.
    pub facts: Vec<ExplainedFact>,
    /// What was held back. With facts, what else the clause might have given.
    pub held: Vec<Held>,
}

/// A name and where it is spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedName {
    /// As the text spells it.
    pub name: String,
    /// Where, which may be a sentence before; `None` for the speaker.
    pub span: Option<Range<usize>>,
}

/// A fact and where its dates come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedFact {
    /// Its source.
    pub subject: String,
    /// Its relation.
    pub relation: String,
    /// Its target.
    pub object: String,
    /// The stated start.
    pub valid_at: Option<ExplainedDate>,
    /// The stated end.
    pub invalid_at: Option<ExplainedDate>,
}

/// A date and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedDate {
    /// The date.
    pub date: Date,
    /// The words that state it, maybe of a joined clause; `None` when it is the reference time, by which what is told as
    /// over has ended.
    pub words: Option<Words>,
}

/// Words of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// As spelled.
    pub text: String,
    /// Where.
    pub span: Range<usize>,
}

/// Why something is no fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Why.
    pub reason: Reason,
    /// The words that say so, if any do.
    pub words: Option<Words>,
}

/// Why something is no fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A question mark ends the sentence.
    Question,
    /// A negation, a wish or a plan.
    Denied,
    /// Doubt or hearsay.
    Doubted,
    /// A condition.
    Condition,
    /// An auxiliary right before the verb makes it a passive, or a form that no template has.
    Passive,
    /// It stands in quotes.
    Quoted,
    /// It stands in parentheses, where only dates are read.
    Parenthesized,
    /// First person after a colon: somebody else's words.
    Reported,
    /// Nothing before the verb says who.
    NoSubject,
    /// First person, and the request names no speaker.
    NoSpeaker,
    /// A pronoun, and nobody before whom it could mean.
    NoAntecedent,
    /// `my`, `this`, `another`: it points at something without naming it.
    Possessive,
    /// A word that names nothing in particular.
    Vague,
    /// A word that no name contains, or too many words.
    NotAName,
    /// An article, where this pattern wants a person's name.
    Article,
    /// Nothing after the verb says what.
    NoObject,
    /// One of the pattern's `not_objects`.
    NotAnObject,
    /// A time that no date stands for, or a date that doesn't exist: what begins, ends or is over then isn't so now.
    UnreadDate,
    /// A date or a length of time instead of a place or an organization.
    NotAPlace,
    /// The pattern wants a number.
    NotANumber,
    /// An organization, where only a person can be.
    Organization,
    /// Nothing parts it from another verb.
    Unparted,
    /// It ends a fact of a clause before, and is no fact of its own.
    Ends,
    /// Another language knows more words of the sentence.
    Language,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Question => "a question",
            Self::Denied => "denied, wished or planned",
            Self::Doubted => "in doubt, or hearsay",
            Self::Condition => "a condition",
            Self::Passive => "passive, or another form of the verb",
            Self::Quoted => "in quotes",
            Self::Parenthesized => "in parentheses",
            Self::Reported => "somebody else's first person",
            Self::NoSubject => "no subject",
            Self::NoSpeaker => "first person without a speaker",
            Self::NoAntecedent => "a pronoun without antecedent",
            Self::Possessive => "points at something without naming it",
            Self::Vague => "names nothing in particular",
            Self::NotAName => "not a name",
            Self::Article => "an article, where only a person's name may stand",
            Self::NoObject => "no object",
            Self::NotAnObject => "not an object of this pattern",
            Self::UnreadDate => "a date that can't be read",
            Self::NotAPlace => "a time, not a place or an organization",
            Self::NotANumber => "no number",
            Self::Organization => "an organization, where only a person can be",
            Self::Unparted => "not parted from another verb",
            Self::Ends => "ends a fact of a clause before",
            Self::Language => "another language knows more of the sentence",
        })
    }
}

/// A sentence as one language reads it, with what each of its clauses gave.
pub(super) struct Account<'r, 'a> {
    pub(super) scan: &'r Scan<'a>,
    pub(super) facts: &'r [Fact<'a>],
    pub(super) seen: &'r [Seen<'a>],
}

impl<'a> Account<'_, 'a> {
    /// The facts of the clause with this verb: they come in the order of their verbs.
    fn facts_of(&self, verb: &Range<usize>) -> &[Fact<'a>] {
        let from = self.facts.partition_point(|fact| fact.position < verb.start);
        let to = self.facts.partition_point(|fact| fact.position <= verb.start);
        &self.facts[from..to]
    }

    /// Whether a clause gave its end to a fact of a clause before.
    fn ends(&self, seen: &Seen<'_>, pattern: &Pattern, verb: &Range<usize>) -> bool {
        let to = self.facts.partition_point(|fact| fact.position < verb.start);
        let mut before = self.facts[..to].iter().rev().take(LOOK_BACK);
        let ended = |fact: &Fact<'_>| fact.pattern.relation == pattern.relation && seen.subjects.contains(&fact.source);
        pattern.meaning == Meaning::Ending && before.any(ended)
    }
}

/// What came of a sentence; the first account is that of the chosen language.
pub(super) fn explained(accounts: &[Account<'_, '_>], quoted: &Scan<'_>) -> Option<Explained> {
    let (chosen, others) = accounts.split_first()?;
    let scan = chosen.scan;
    let (first, last) = (scan.tokens.first()?, scan.tokens.last()?);
    let mut clauses: Vec<ExplainedClause> = chosen.seen.iter().map(|seen| clause(chosen, seen)).collect();
    clauses.extend(enclosed(scan, quoted));
    clauses.sort_by_key(|clause| clause.verb.start);
    for other in others {
        let gives = |seen: &&Seen<'_>| !other.facts_of(&verb(other.scan, seen)).is_empty();
        clauses.extend(other.seen.iter().filter(gives).map(|seen| {
            let held = vec![Held { reason: Reason::Language, words: None }];
            ExplainedClause { facts: Vec::new(), held, ..clause(other, seen) }
        }));
    }
    Some(Explained { span: first.start..last.end, language: scan.table.language.clone(), clauses })
}

fn verb(scan: &Scan<'_>, seen: &Seen<'_>) -> Range<usize> {
    bytes(scan, seen.clause.anchor.start, seen.clause.anchor.end)
}

fn bytes(scan: &Scan<'_>, start: usize, end: usize) -> Range<usize> {
    scan.tokens[start].start..scan.tokens[end - 1].end
}

fn clause(account: &Account<'_, '_>, seen: &Seen<'_>) -> ExplainedClause {
    let scan = account.scan;
    let pattern = scan.pattern(&seen.clause.anchor);
    let verb = verb(scan, seen);
    let facts = account.facts_of(&verb);
    let mut held: Vec<Held> = seen.held.iter().map(|held| words_held(scan, *held)).collect();
    held.dedup();
    if !facts.is_empty() {
        // It shares the object of another clause.
        held.retain(|held| held.reason != Reason::NoObject);
    } else if held.iter().all(|held| held.reason == Reason::NoObject) && account.ends(seen, pattern, &verb) {
        held = vec![Held { reason: Reason::Ends, words: None }];
    }
    let start = seen.clause.start.min(seen.clause.anchor.start);
    let end = seen.clause.end.max(seen.clause.anchor.end);
    let names = |names: &[&str]| names.iter().map(|name| spelled(scan.text, name)).collect();
    ExplainedClause {
        span: bytes(scan, start, end),
        verb,
        language: scan.table.language.clone(),
        pattern: pattern.name.clone(),
        relation: pattern.relation.clone(),
        subjects: names(&seen.subjects),
        objects: names(&seen.objects),
        facts: facts.iter().map(|fact| explained_fact(scan.text, fact)).collect(),
        held,
    }
}

fn words_held(scan: &Scan<'_>, held: HeldTokens) -> Held {
    let span = held.tokens.filter(|(start, end)| start < end).map(|(start, end)| bytes(scan, start, end));
    Held { reason: held.reason, words: span.map(|span| words(scan.text, span)) }
}

fn words(text: &str, span: Range<usize>) -> Words {
    Words { text: text[span.clone()].to_owned(), span }
}

fn explained_fact(text: &str, fact: &Fact<'_>) -> ExplainedFact {
    let date = |dated: Dated| {
        let words = dated.words.map(|(start, end)| words(text, start..end));
        ExplainedDate { date: dated.date, words }
    };
    ExplainedFact {
        subject: clean(fact.source),
        relation: fact.pattern.relation.clone(),
        object: clean(fact.target),
        valid_at: fact.bounds.start.map(date),
        invalid_at: fact.bounds.end.map(date),
    }
}

/// Names are parts of the text, but for the speaker's.
fn spelled(text: &str, name: &str) -> ExplainedName {
    let offset = (name.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let span = offset.map(|start| start..start + name.len()).filter(|span| text.get(span.clone()) == Some(name));
    ExplainedName { name: clean(name), span }
}

/// The verbs in quotes and parentheses, which the sentence read as if there were neither shows.
fn enclosed<'r>(scan: &'r Scan<'_>, open: &'r Scan<'_>) -> impl Iterator<Item = ExplainedClause> + use<'r> {
    let mut enclosure = 0..0;
    open.anchors.iter().filter_map(move |anchor| {
        let inside = *scan.inside.get(anchor.start)?;
        let reason = match inside {
            Inside::Nothing => return None,
            Inside::Quotes | Inside::Reply => Reason::Quoted,
            Inside::Parentheses => Reason::Parenthesized,
        };
        if anchor.start >= enclosure.end {
            let same = |at: &usize| scan.inside[*at] == inside;
            let start = (enclosure.end..anchor.start).rev().take_while(same).last();
            let last = (anchor.start..scan.tokens.len()).take_while(same).last();
            enclosure = start.unwrap_or(anchor.start)..last.unwrap_or(anchor.start) + 1;
        }
        let pattern = open.pattern(anchor);
        Some(ExplainedClause {
            span: bytes(scan, enclosure.start, enclosure.end.max(anchor.end)),
            verb: bytes(scan, anchor.start, anchor.end),
            language: scan.table.language.clone(),
            pattern: pattern.name.clone(),
            relation: pattern.relation.clone(),
            subjects: Vec::new(),
            objects: Vec::new(),
            facts: Vec::new(),
            held: vec![Held { reason, words: None }],
        })
    })
}

/// `"Priya works at Acme" (0..19, en)`, then a line a clause, and under it its facts and what was held back.
impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}..{} {}", self.span.start, self.span.end, self.language)?;
        if self.clauses.is_empty() {
            writeln!(f, "  no pattern has a verb here")?;
        }
        self.clauses.iter().try_for_each(|clause| write!(f, "{clause}"))
    }
}

impl fmt::Display for ExplainedClause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { span, verb, language, pattern, relation, .. } = self;
        writeln!(
            f,
            "  {}..{} {language} {pattern} ({relation}), verb {}..{}",
            span.start, span.end, verb.start, verb.end
        )?;
        for (kind, names) in [("subject", &self.subjects), ("object", &self.objects)] {
            for name in names {
                writeln!(f, "    {kind} {name}")?;
            }
        }
        for fact in &self.facts {
            writeln!(f, "    fact {fact}")?;
        }
        self.held.iter().try_for_each(|held| writeln!(f, "    held back: {held}"))
    }
}

impl fmt::Display for ExplainedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.span {
            Some(span) => write!(f, "{} {}..{}", self.name, span.start, span.end),
            None => write!(f, "{}, who speaks", self.name),
        }
    }
}

impl fmt::Display for ExplainedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.subject, self.relation, self.object)?;
        for (word, date) in [("from", &self.valid_at), ("until", &self.invalid_at)] {
            let Some(ExplainedDate { date, words }) = date else { continue };
            match words {
                Some(words) => write!(f, ", {word} {date} by {words}")?,
                None => write!(f, ", {word} {date}, the reference time")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}..{}", self.text, self.span.start, self.span.end)
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words {
            Some(words) => write!(f, "{}: {words}", self.reason),
            None => self.reason.fmt(f),
        }
    }
}
