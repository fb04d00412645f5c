//! What was read where, and what was held back and why.

use gligabao_core::pattern::{PatternContext, Patterns};

use crate::CONTEXT;
use crate::hostile::visible;
use crate::sentences::{Cases, FILES, Fact, SPANISH_FILE, context, facts, with_spanish};

/// Every reason that there is, and every way of getting names and dates.
const TEXTS: [&str; 26] = [
    "Priya has worked at Infosys since 2018 and lives in Pune.",
    "Mei left Foxconn and joined TSMC in June 2024.",
    "Lars joined and left Spotify in 2019. Sven no longer lives in Malmö.",
    "Lena moved from Graz to Linz in 2022.",
    "Kofi knows Ama, everybody and me.",
    "Mei met Ama. She lives in Accra.",
    "Tomas joined Avast in 2012 and left in 2016.",
    "Helga, who lives in Tartu, works at Telia, which is based in Stockholm.",
    "Does it rain? Kofi lives in Tema?",
    "Anja doesn't live in Bremen. Noor wants to live in Paris and work at Acme.",
    "Maybe Anja works at SAP. Jaan works at Telia, supposedly. If Sven works at Volvo, he walks.",
    "Riga was visited by Jaan.",
    "Noor said \"Kofi lives in Tema\". Ama (she lives in Accra) sings.",
    "Maret: I live in Riga. Lives in Oslo. They live in Tartu.",
    "He left Bosch. My sister works at Telia. Nobody works at Telia.",
    "The train left Berlin. Jaan left the room. Jaan works at.",
    "Lars worked at three years. The atlas costs a lot.",
    "Noor knows Kofi lives in Tema.",
    "It rained all night.",
    "Caio mora em Natal e gosta de samba. Moro em Recife.",
    "Yara mudou-se de Lisboa para o Porto em 2021. Téo saiu da Vale.",
    "Ama likes Caio gosta de samba",
    "Volt Inc. works at Acme. Ana, head of sales at Volt, lives in Oslo and Rui in Bergen.",
    "Anna left Globex and joined Acme on 03/04/2021. Tom joined Acme when he was 30. Jaan was born on 31 June 1990.",
    "Rumor: Anna works at Acme. Anna works at Acme (not true). - [ ] Anna joined Acme.\n> I live in Rome.",
    "Lars has worked since 2019 as a chef at Noma. I called Clara. She lives in Kiel.",
];

#[test]
fn what_is_read_and_what_is_held_back_is_told_with_its_place_and_reason() {
    let told: Vec<String> = TEXTS
        .iter()
        .map(|text| {
            let explained = Patterns::built_in().explain(text, &CONTEXT).expect("all languages");
            let lines: Vec<String> = explained.iter().map(ToString::to_string).collect();
            format!("{text}\n{}", lines.concat())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn the_speaker_is_asked_for() {
    let nobody = PatternContext { speaker: None, ..CONTEXT };
    let explained = Patterns::built_in().explain("I live in Graz.", &nobody).expect("all languages");
    insta::assert_snapshot!(explained[0], @r#"
    0..14 en
      0..14 en live-in (lives_in), verb 2..9
        object Graz 10..14
        held back: first person without a speaker: "I" 0..1
    "#);
}

/// What is explained is what is extracted, for every sentence that there is.
#[test]
fn the_explained_facts_are_the_extracted_ones() {
    let patterns = with_spanish();
    for file in FILES.into_iter().chain([SPANISH_FILE]) {
        let cases: Cases = serde_json::from_str(file).expect("a file of cases");
        for case in &cases.cases {
            let context = context(case, None);
            let extracted = patterns.extract(&case.text, &context).expect("all languages");
            let explained = patterns.explain(&case.text, &context).expect("all languages");
            let clauses: Vec<_> = explained.iter().flat_map(|sentence| &sentence.clauses).collect();
            let told: Vec<Fact> = clauses
                .iter()
                .flat_map(|clause| &clause.facts)
                .map(|fact| Fact {
                    subject: fact.subject.clone(),
                    relation: fact.relation.clone(),
                    object: fact.object.clone(),
                    valid_at: fact.valid_at.as_ref().map(|date| date.date.at.to_string()),
                    invalid_at: fact.invalid_at.as_ref().map(|date| date.date.at.to_string()),
                })
                .collect();
            assert_eq!(told, facts(&extracted), "{}", case.text);
            for clause in clauses {
                assert!(!clause.facts.is_empty() || !clause.held.is_empty(), "{}: {clause}", case.text);
                for name in clause.subjects.iter().chain(&clause.objects) {
                    let spelled = name.span.clone().map_or(case.speaker.as_deref(), |span| case.text.get(span));
                    assert_eq!(spelled.map(visible).as_deref(), Some(name.name.as_str()), "{}: {clause}", case.text);
                }
            }
        }
    }
}
