//! A pattern set as its YAML file has it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A language's patterns and the words that decide how they are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PatternSet {
    /// A lower-case language tag: `en`, `pt-br`.
    pub language: String,
    /// The file's own version; shown, never interpreted.
    pub version: String,
    /// What stands between two clauses of a sentence.
    pub clause_separators: Vec<String>,
    /// Words that decide whether something is a fact and where a name ends. Left out, those of the built-in set of
    /// the same language hold.
    pub words: Option<Words>,
    /// How dates are said; left out as `words`.
    pub time: Option<TimeWords>,
    /// The patterns; of two that match the same words the first counts.
    pub patterns: Vec<Pattern>,
}

/// One meaning and the ways to say it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pattern {
    /// Unique within the set.
    pub name: String,
    /// The fact's relation, in snake_case.
    pub relation: String,
    /// Rules of the relation for whoever stores the facts: `functional`, `one_source`, `symmetric`, `immutable`.
    pub rules: Vec<String>,
    /// 0 to 1; 0.5 when left out.
    pub confidence: Option<f64>,
    /// What a date beside it means.
    pub meaning: Meaning,
    /// Which subjects the verb's form goes with.
    pub number: Number,
    /// Whether objects joined by list separators are a fact each.
    pub list: bool,
    /// Ways to say it, `{{subject}}` and `{{object}}` once each, and `{{next}}` at the end where there is a `next`.
    pub templates: Vec<String>,
    /// `person`, `organization`, `place` or another type; `unknown` when left out.
    pub subject_type: Option<String>,
    /// As `subject_type`; `text` makes the object a literal, `number` a literal that has a digit in it, `date`
    /// a literal that is a day with its month and year.
    pub object_type: Option<String>,
    /// Words that end the object; left out, `words.object_ends`.
    pub object_ends: Option<Vec<String>>,
    /// The only objects that there are, where there are few: languages. Empty for any.
    pub objects: Vec<String>,
    /// Objects that make it no fact; `{{words}}` at an object's end stands for any.
    pub not_objects: Vec<String>,
    /// Whether an article before the subject makes it no fact, unless a given name or a title follows it.
    pub bare_subject: bool,
    /// Name of the pattern that what stands at `{{next}}` is the object of, with the same subject and dates: in `moved
    /// from {{object}} to {{next}}` that of `moved to`.
    pub next: Option<String>,
    /// Name of the pattern that the verb is of when its subject is an organization: for `moved to` that of a seat.
    /// Without it a person's verb gives no fact of an organization.
    pub of_organization: Option<String>,
}

/// What the time of a fact is, seen from the verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// It holds: works at.
    #[default]
    State,
    /// It held and is over: worked at.
    Past,
    /// It starts: joined.
    Beginning,
    /// It ends: left, no longer works at.
    Ending,
    /// It happens: met.
    Event,
}

/// Which subjects a verb's form goes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// One: works, trabalha.
    #[default]
    Singular,
    /// Several, and I in English: work, trabalham.
    Plural,
    /// Plural, and only after `I`, a list or another clause of this kind: `like`, which is a preposition elsewhere.
    Group,
    /// Any: worked.
    Any,
    /// The speaker alone, named or left out: trabalho.
    Speaker,
}

/// Word lists. Every entry is one word or several; case and accents don't count.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    /// Dropped before a name as the case of their first letter allows.
    pub articles: Vec<String>,
    /// Adverbs that are seen through around a verb and inside it.
    pub fillers: Vec<String>,
    /// Negations, wishes and plans: what follows in this clause is no fact.
    pub denials: Vec<String>,
    /// Words that deny what stands before them, at the end of a clause, in parentheses or as a sentence of their own.
    pub late_denials: Vec<String>,
    /// Verbs that deny only before a bare verb form and may be names elsewhere: will, may.
    pub modals: Vec<String>,
    /// Doubt and hearsay: no fact from here to the end of the sentence.
    pub doubts: Vec<String>,
    /// Words after which a doubt or a condition before them no longer holds: `but for now`.
    pub resumes: Vec<String>,
    /// Labels before a colon that say that what follows isn't so or isn't sure: `Rumor: `.
    pub labels: Vec<String>,
    /// Words before a colon after which another person speaks in the first person: `From: Ana`.
    pub senders: Vec<String>,
    /// Conditions, which are doubts only where a clause can start.
    pub conditions: Vec<String>,
    /// Words that no name contains: verbs, pronouns, conjunctions.
    pub barriers: Vec<String>,
    /// Verbs that no pattern knows: right after a separator or a name they begin a clause; elsewhere they may be names.
    pub verbs: Vec<String>,
    /// Relative pronouns, whose clause speaks of the name before.
    pub relatives: Vec<String>,
    /// Words that point at something without naming it: my, this, another, many.
    pub possessives: Vec<String>,
    /// Kinds of persons that a possessive and a name stand around: `my sister Carol` is `Carol`.
    pub kin: Vec<String>,
    /// Words for jobs, of which `{{role}}` in a template has one: engineer, head.
    pub roles: Vec<String>,
    /// Words that make a job none: former, aspiring.
    pub not_roles: Vec<String>,
    /// What stands between an owner and what is theirs: 's.
    pub genitives: Vec<String>,
    /// Words and last words of names that show an organization: company, Inc.
    pub companies: Vec<String>,
    /// Words that name no place and no organization; with `{{words}}` after them whatever starts so doesn't.
    pub things: Vec<String>,
    /// Words that name nothing in particular when they are the whole name: nobody, here.
    pub vague: Vec<String>,
    /// Prepositions that end an object.
    pub object_ends: Vec<String>,
    /// Words that start a purpose, whose date is that of the verb before: `left Acme to join Globex in 2021`.
    pub purposes: Vec<String>,
    /// What stands between the items of a list.
    pub list_separators: Vec<String>,
    /// The speaker as a subject.
    pub speaker: Vec<String>,
    /// The speaker as an object.
    pub speaker_object: Vec<String>,
    /// Pronouns for one woman.
    pub she: Vec<String>,
    /// Pronouns for one man.
    pub he: Vec<String>,
    /// Whether a clause without subject speaks of the last person.
    pub null_subject: bool,
    /// Abbreviations, without their dot, that belong to the word after them.
    pub titles: Vec<String>,
    /// Abbreviations, without their dot, that may end a sentence.
    pub abbreviations: Vec<String>,
    /// Given names and titles of women.
    pub female: Vec<String>,
    /// Given names and titles of men.
    pub male: Vec<String>,
    /// Endings of most given names of women.
    pub female_endings: Vec<String>,
    /// Endings of most given names of men.
    pub male_endings: Vec<String>,
}

/// How dates are said. Phrases have the placeholders `{{date}}`, `{{relative}}`, `{{year}}`, `{{month}}`, `{{day}}`,
/// `{{month_number}}`, `{{weekday}}`, `{{number}}`, `{{unit}}`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeWords {
    /// Name to 1–12.
    pub months: BTreeMap<String, u32>,
    /// Name to 1 (Monday) to 7.
    pub weekdays: BTreeMap<String, u32>,
    /// Number words.
    pub numbers: BTreeMap<String, u32>,
    /// Unit words.
    pub units: BTreeMap<String, Unit>,
    /// Calendar dates, as far as they are said; `YYYY-MM-DD` and its like are understood in every language.
    pub dates: Vec<String>,
    /// Calendar dates whose last part is meant: the last month of a year, the last day of a month.
    pub ends: Vec<String>,
    /// Dates counted from the reference time.
    pub relative: Vec<Relative>,
    /// A date and what it says of the fact.
    pub phrases: Phrases,
}

/// A date counted from the reference time: `back` units, or as many as its `{{number}}` says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relative {
    /// The phrase.
    pub say: String,
    /// The unit where the phrase has no `{{unit}}`.
    pub unit: Option<Unit>,
    /// How many units back; negative is ahead.
    pub back: Option<i32>,
}

/// Phrases by what their date says of the fact.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Phrases {
    /// It was, began or ended then, as the verb says.
    pub at: Vec<String>,
    /// It holds from then on.
    pub since: Vec<String>,
    /// It held until then.
    pub until: Vec<String>,
    /// It held from the first to the second date.
    pub span: Vec<String>,
    /// It has held for so long, up to now.
    pub lasting: Vec<String>,
    /// Times that no date stands for: what begins, ends or is over then is no fact.
    pub unread: Vec<String>,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// 60 seconds.
    Minute,
    /// 3,600 seconds.
    Hour,
    /// A calendar day.
    Day,
    /// Monday to Sunday; its first day stands for it.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}
