//! Pattern sets of one's own.

use gligabao_core::pattern::{PatternContext, PatternError, PatternSet, Patterns, extract};

use crate::{CONTEXT, lines, set};

/// A small language: what a set needs and nothing else.
const ESPERANTO: &str = r#"
language: eo
version: 1
clause_separators: [kaj]
words:
  articles: [la]
  denials: [ne]
patterns:
  - name: logas
    relation: lives_in
    subject_type: person
    object_type: place
    templates: ["{{subject}} (loĝas|vivas) en {{object}}"]
  - name: hejmo
    relation: lives_in
    confidence: 0.9
    subject_type: person
    object_type: place
    templates: ["la hejmo de {{subject}} estas {{object}}", "{{object}} estas hejmo por {{subject}}", "{{subject}} havas {{object}} kiel hejmon"]
"#;

#[test]
fn a_new_language_takes_a_file_and_no_code() {
    let patterns = Patterns::built_in().clone().with(&set(ESPERANTO)).expect("a set");
    assert_eq!(patterns.languages().collect::<Vec<_>>(), ["en", "pt-br", "eo"]);
    let handed_over = Patterns::from_bytes(&patterns.to_bytes()).expect("the compiled form");
    for (text, expected) in [
        (
            "Ludoviko loĝas en Varsovio kaj vivas en Bjalistoko",
            &["Ludoviko lives_in Varsovio", "Ludoviko lives_in Bjalistoko"][..],
        ),
        ("LUDOVIKO LOGAS EN VARSOVIO", &["LUDOVIKO lives_in VARSOVIO"]),
        ("Ludoviko ne loĝas en Varsovio", &[]),
        ("La hejmo de Ludoviko estas Varsovio", &["Ludoviko lives_in Varsovio"]),
        ("Varsovio estas hejmo por Ludoviko", &["Ludoviko lives_in Varsovio"]),
        ("Ludoviko havas Varsovion kiel hejmon", &["Ludoviko lives_in Varsovion"]),
        ("Ludoviko havas Varsovion", &[]),
        ("Noor lives in Doha", &["Noor lives_in Doha"]),
    ] {
        assert_eq!(lines(&handed_over.extract(text, &CONTEXT).expect("all languages")), expected, "{text}");
    }
}

#[test]
fn a_set_of_a_known_language_replaces_it_and_keeps_its_words() {
    let yaml = "
language: EN
patterns:
  - name: feeds
    relation: feeds
    confidence: 0.8
    subject_type: person
    templates: ['{{subject}} feeds {{object}}']
";
    let patterns = Patterns::built_in().clone().with(&set(yaml)).expect("a set");
    assert_eq!(patterns.languages().collect::<Vec<_>>(), ["en", "pt-br"]);
    for (text, expected) in [
        ("The keeper feeds the otters since 2019", &["keeper feeds otters"][..]),
        ("Maybe Noor feeds the otters", &[]),
        ("Noor lives in Doha", &[]),
    ] {
        assert_eq!(lines(&patterns.extract(text, &CONTEXT).expect("all languages")), expected, "{text}");
    }
    let read = patterns.extract("The keeper feeds the otters since 2019", &CONTEXT).expect("all languages");
    assert!((read.edges[0].confidence - 0.8).abs() < 1e-9);
    assert_eq!(read.edges[0].valid_at.map(|date| date.to_string()).as_deref(), Some("2019"));
    assert_eq!(read.edges[0].raw_text.as_deref(), Some("The keeper feeds the otters since 2019"));
}

#[test]
fn what_is_wrong_with_a_set_is_named_with_its_place() {
    for (yaml, expected) in [
        ("{}", "language: missing; write a language tag such as `en` or `pt-br`"),
        ("language: eo", "patterns: there must be at least one"),
        ("patterns: [{relation: a, templates: ['{{subject}} x {{object}}']}]", "patterns[0].name: missing"),
        ("patterns: [{name: a, relation: Works At}]", "patterns[0].relation: must be in snake_case: `works_at`"),
        ("patterns: [{name: a, relation: a}]", "patterns[0].templates: there must be at least one"),
        ("patterns: [{name: a, relation: a}, {name: a, relation: a}]", "patterns[1].name: `a` is used twice"),
        ("patterns: [{name: a, confidence: 1.5}]", "patterns[0].confidence: must be from 0 to 1"),
        (
            "patterns: [{name: a, rules: [unique]}]",
            "patterns[0].rules: `unique` is none of functional, one_source, symmetric, immutable",
        ),
        (
            "patterns: [{name: a, templates: ['{{subject}} is']}]",
            "patterns[0].templates[0]: must have `{{subject}}` and `{{object}}` once each, and no other placeholder",
        ),
        (
            "patterns: [{name: a, templates: ['{{subject}} x {{object}}', '{{subject}}{{object}}']}]",
            "patterns[0].templates[1]: needs a word between the two placeholders",
        ),
        (
            "patterns: [{name: a, templates: ['{{subject}} (x {{object}}']}]",
            "patterns[0].templates[0]: `(` without `)`",
        ),
        (
            "patterns: [{name: a, templates: ['{{subject}} .* {{object}}']}]",
            "patterns[0].templates[0]: `*` is not part of templates: words, `(a|b)` and `(a)?` are",
        ),
        ("time: {phrases: {at: ['in {{yaer}}']}}", "time: `{{yaer}}` is no placeholder of a date"),
        (
            "patterns: [{name: a, templates: ['{{subject}} x {{object}} y {{next}}']}]",
            "patterns[0].templates[0]: has `{{next}}`, so the pattern needs a `next`: the name of another one",
        ),
        ("patterns: [{name: a, next: b}]", "patterns[0].next: there is no pattern `b`"),
        ("patterns: [{name: a, of_organization: b}]", "patterns[0].of_organization: there is no pattern `b`"),
        (
            "patterns: [{name: a, templates: ['{{subject}} x {{role}} {{object}}']}]",
            "patterns[0].templates[0]: may have `{{role}}` or `{{words}}` once, inside the words between subject and object",
        ),
        (
            "patterns: [{name: a, templates: ['{{subject}} x {{role}} y {{words}} z {{object}}']}]",
            "patterns[0].templates[0]: may have `{{role}}` or `{{words}}` once, inside the words between subject and object",
        ),
        (
            "patterns: [{name: a, next: a, templates: ['{{subject}} x {{next}} y {{object}}']}]",
            "patterns[0].templates[0]: `{{next}}` must be the last, after `{{object}}` and a word",
        ),
        ("words: {fillers: ['(also)?']}", "words.fillers[0]: may not stand for nothing"),
    ] {
        let error = Patterns::default().with(&set(yaml)).expect_err(yaml);
        let PatternError::Wrong(problems) = error else { panic!("{yaml}: {error}") };
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(all.iter().any(|problem| problem == expected), "{yaml}: {all:?}");
    }
}

#[test]
fn yaml_that_is_no_set_is_refused_with_line_and_column() {
    for yaml in ["patterns: [", "language: [a]", "pattern: []", "- a"] {
        let error = PatternSet::parse(yaml).expect_err(yaml).to_string();
        assert!(error.contains("line 1 column"), "{error}");
    }
}

#[test]
fn damaged_bytes_are_no_patterns() {
    assert_eq!(Patterns::from_bytes(&[7, 1, 2]), Err(PatternError::Damaged));
}

#[test]
fn a_language_is_known_by_its_tag_or_its_first_part() {
    let read = |language| extract("Caio mora em Natal", &PatternContext { language: Some(language), ..CONTEXT });
    for (language, count) in [("pt-br", 1), ("PT_BR", 1), ("pt", 1), ("pt-PT", 1), ("en", 0), ("en-GB", 0)] {
        assert_eq!(read(language).expect(language).edges.len(), count, "{language}");
    }
    let error = read("tlh").expect_err("Klingon");
    assert_eq!(error.to_string(), "language: there are no patterns for `tlh`; known are en, pt-br");
}

#[test]
fn entities_come_in_the_order_of_their_mention_with_the_first_known_type() {
    let text = "The band comes from Leeds. Atlas Pro costs 5 euros. Noor knows Femi, works at Acme and lives in Leeds.";
    let read = extract(text, &CONTEXT).expect("all languages");
    let entities: Vec<_> = read.entities.iter().map(|entity| format!("{}: {}", entity.name, entity.r#type)).collect();
    assert_eq!(
        entities,
        ["band: unknown", "Leeds: place", "Atlas Pro: unknown", "Noor: person", "Femi: person", "Acme: organization"]
    );
}

#[test]
fn a_name_that_is_a_verb_elsewhere_is_read_in_the_language_of_the_text() {
    for (text, expected) in [
        ("Kofi knows Yaw. Ama met Mei.", &["Kofi knows Yaw", "Ama met Mei"][..]),
        ("Caio conhece Yara. Ama samba.", &["Caio knows Yara", "Caio likes samba"]),
        ("Kofi doesn't know Ama, Yaw and Esi", &[]),
        ("Mei met Ama", &["Mei met Ama"]),
        ("Noor lives in Natal. Caio mora em Natal.", &["Noor lives_in Natal", "Caio lives_in Natal"]),
    ] {
        assert_eq!(lines(&extract(text, &CONTEXT).expect("all languages")), expected, "{text}");
    }
}

#[test]
fn raw_text_is_the_clause() {
    let text = "In 2016, Tomas joined Avast, and he lives in Brno. Noor left Intel (in 2019)!";
    let read = extract(text, &CONTEXT).expect("all languages");
    let raw: Vec<_> = read.edges.iter().filter_map(|edge| edge.raw_text.as_deref()).collect();
    assert_eq!(raw, ["In 2016, Tomas joined Avast", "he lives in Brno", "Noor left Intel (in 2019)"]);
}

#[test]
fn relations_tell_their_rules() {
    let rules = |name: &str| {
        let mut all = Patterns::built_in().relations().filter(|(relation, _)| *relation == name);
        all.find(|(_, rules)| !rules.is_empty()).map(|(_, rules)| rules.join(","))
    };
    assert_eq!(rules("works_at").as_deref(), Some("functional"));
    assert_eq!(rules("costs").as_deref(), Some("functional"));
    assert_eq!(rules("married_to").as_deref(), Some("symmetric"));
    assert_eq!(rules("likes"), None);
}

/// German puts `nicht` behind, and Irish the verb in front.
const BEHIND: &str = r#"
language: de
words: {denials: [nicht], late_denials: [nicht, "stimmt nicht"], object_ends: [mit]}
patterns:
  - {name: wohnt, relation: lives_in, subject_type: person, object_type: place,
     templates: ["{{subject}} wohnt in {{object}}", "wohnt {{subject}} in {{object}}"]}
"#;

#[test]
fn a_denial_may_stand_behind_and_a_verb_in_front() {
    let patterns = Patterns::default().with(&set(BEHIND)).expect("a set");
    for (text, expected) in [
        ("Anna wohnt in Kiel", &["Anna lives_in Kiel"][..]),
        ("Wohnt Anna in Kiel", &["Anna lives_in Kiel"]),
        ("Anna wohnt in Kiel nicht", &[]),
        ("Anna wohnt in Kiel nicht mit Tom", &["Anna lives_in Kiel"]),
        ("Anna wohnt nicht in Kiel", &[]),
        ("Anna wohnt in Kiel (stimmt nicht)", &[]),
        ("Anna wohnt in Kiel. Stimmt nicht!", &[]),
    ] {
        assert_eq!(lines(&patterns.extract(text, &CONTEXT).expect("its language")), expected, "{text}");
    }
}

#[test]
fn recommended_lists_that_are_empty_are_named() {
    let places = |yaml: &str| set(yaml).advice().into_iter().map(|advice| advice.place).collect::<Vec<_>>();
    assert_eq!(
        places(BEHIND),
        [
            "words.doubts",
            "words.conditions",
            "words.labels",
            "words.barriers",
            "words.possessives",
            "words.vague",
            "words.verbs",
            "time.dates",
            "time.phrases.unread"
        ]
    );
    assert_eq!(places(crate::SPANISH), [] as [&str; 0]);
    assert_eq!(places("language: en\npatterns: []"), [] as [&str; 0], "it has the built-in lists");
}
