//! Reading: facts by entity, time, relation and wing; pages; timelines; questions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use gligabao_core::llm::NoLlm;
use gligabao_core::model::{Direction, FailureCode};
use gligabao_core::recall::{self, Fact, FactsRequest, Known, QueryRequest, When};
use gligabao_core::reconcile::told::Told;
use gligabao_core::storage::{Dataset, Turn};
use gligabao_core::time::Micros;
use harness::{Memory, call, date};

fn told(start: &str, end: &str) -> Told {
    let stated = |text: &str| (text != "-").then(|| date(text));
    Told::new(stated(start), stated(end), date("2025-01-01").at)
}

/// Three people, their jobs, a taste and a price.
fn company() -> Memory {
    let memory = Memory::new(true);
    memory.tell_fact("Ana", "works_at", "Acme", told("2020", "-"), None);
    memory.tell_fact("Ana", "works_at", "Globex", told("2024-03-01", "-"), None);
    memory.tell_fact("Rui", "works_at", "Acme", told("2022", "2023-06"), None);
    memory.tell_fact("Ana", "knows", "Rui", told("2022-05-01", "-"), Some("work"));
    memory.tell_fact("Ana", "likes", "tea", told("2021", "-"), Some("home"));
    memory.tell_fact("Atlas", "costs", "\"49 euros\"", told("2023", "-"), None);
    memory.tell_fact("Rui", "works_at", "Initech", told("-", "2019"), None);
    memory
}

fn request(entity: Option<&str>) -> FactsRequest {
    FactsRequest { entity: entity.map(str::to_owned), at: When::Any, ..FactsRequest::new() }
}

fn line(fact: &Fact) -> String {
    let interval = fact.edge.bounds.interval();
    let target = match &fact.target_name {
        Some(name) => name.clone(),
        None => format!("{:?}", fact.edge.target),
    };
    let end = interval.end.map_or("open".to_owned(), |end| end.to_string()[..10].to_owned());
    format!("{} {} {target} {} {end}", fact.source_name, fact.edge.relation, &interval.start.to_string()[..10])
}

fn facts(memory: &Memory, request: &FactsRequest) -> Vec<String> {
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    recall::facts(&snapshot, &call(), request).unwrap().facts.iter().map(line).collect()
}

#[test]
fn facts_are_found_by_either_end() {
    let memory = company();
    let by = |direction| facts(&memory, &FactsRequest { direction, ..request(Some("RUI")) });
    assert_eq!(
        by(Direction::Outgoing),
        ["Rui works_at Initech 0001-01-01 2019-01-01", "Rui works_at Acme 2022-01-01 2023-06-01"]
    );
    assert_eq!(by(Direction::Incoming), ["Ana knows Rui 2022-05-01 open"]);
    assert_eq!(by(Direction::Both).len(), 3);
    assert_eq!(facts(&memory, &request(Some("Nobody"))), Vec::<String>::new());
    assert_eq!(facts(&memory, &request(None)).len(), 7);
}

#[test]
fn facts_are_found_by_time() {
    let memory = company();
    let works =
        |at| facts(&memory, &FactsRequest { at, relation: Some("works for".to_owned()), ..request(Some("Ana")) });
    assert_eq!(works(When::At(date("2023-06-01").at)), ["Ana works_at Acme 2020-01-01 2024-03-01"]);
    assert_eq!(works(When::Now), ["Ana works_at Globex 2024-03-01 open"]);
    assert_eq!(works(When::At(date("2024-02-29").at)), ["Ana works_at Acme 2020-01-01 2024-03-01"]);
    assert_eq!(works(When::At(date("2024-03-01").at)), ["Ana works_at Globex 2024-03-01 open"]);
    assert_eq!(works(When::At(date("2019").at)), Vec::<String>::new());
    let meets = |from: &str, until: &str| works(When::Meets((Some(date(from).at), Some(date(until).at))));
    assert_eq!(meets("2010", "2020"), ["Ana works_at Acme 2020-01-01 2024-03-01"], "until is inclusive");
    assert_eq!(meets("2024-03-01", "2030"), ["Ana works_at Globex 2024-03-01 open"], "the end of a fact is not");
    assert_eq!(works(When::Meets((None, None))).len(), 2);
}

#[test]
fn facts_are_found_as_they_were_believed() {
    let memory = company();
    let works = |known_at| {
        facts(&memory, &FactsRequest { known_at, relation: Some("works_at".to_owned()), ..request(Some("Ana")) })
    };
    assert_eq!(works(Known::Version(0)), Vec::<String>::new());
    assert_eq!(works(Known::Version(1)), ["Ana works_at Acme 2020-01-01 open"]);
    let now = ["Ana works_at Acme 2020-01-01 2024-03-01", "Ana works_at Globex 2024-03-01 open"];
    assert_eq!(works(Known::Version(2)), now);
    assert_eq!(works(Known::Version(9_999)), now);
    assert_eq!(works(Known::At(Micros(0))), Vec::<String>::new());
}

#[test]
fn a_wing_shows_itself_and_what_is_neutral() {
    let memory = company();
    let in_wing = |wing: &str| facts(&memory, &FactsRequest { wing: Some(wing.to_owned()), ..request(Some("Ana")) });
    assert_eq!(in_wing("work").len(), 3);
    assert!(in_wing("home").contains(&"Ana likes tea 2021-01-01 open".to_owned()));
    assert!(!in_wing("work").contains(&"Ana likes tea 2021-01-01 open".to_owned()));
}

#[test]
fn pages_put_together_are_the_list() {
    let memory = company();
    for entity in [None, Some("Ana")] {
        let all = facts(&memory, &request(entity));
        for limit in 1..=8 {
            let snapshot = memory.store.latest(Turn::Race).unwrap();
            let mut together = Vec::new();
            let mut cursor = None;
            loop {
                let answer =
                    recall::facts(&snapshot, &call(), &FactsRequest { limit, cursor, ..request(entity) }).unwrap();
                assert!(answer.facts.len() <= limit as usize);
                together.extend(answer.facts.iter().map(line));
                cursor = answer.cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(together, all, "{entity:?} by {limit}");
        }
    }
}

#[test]
fn malformed_requests_name_the_field() {
    let memory = company();
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    for (field, request) in [
        ("limit", FactsRequest { limit: 0, ..request(None) }),
        ("limit", FactsRequest { limit: 1_001, ..request(None) }),
        ("cursor", FactsRequest { cursor: Some("next".to_owned()), ..request(None) }),
        ("entity", request(Some(" "))),
        ("entity", request(Some(&"x".repeat(257)))),
        ("relation", FactsRequest { relation: Some("--".to_owned()), ..request(None) }),
        ("wing", FactsRequest { wing: Some("a\nb".to_owned()), ..request(None) }),
    ] {
        let failure = recall::facts(&snapshot, &call(), &request).unwrap_err();
        assert_eq!((failure.code, failure.field.as_deref()), (FailureCode::Invalid, Some(field)), "{request:?}");
    }
}

#[test]
fn a_timeline_shows_what_closed_each_fact() {
    let memory = company();
    let retracted = memory.tell_fact("Ana", "works_at", "Hooli", told("2024-06", "-"), None);
    memory.retract(retracted);
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    let timeline = |name: &str| -> Vec<String> {
        let request = FactsRequest { direction: Direction::Outgoing, ..request(Some(name)) };
        let answer = recall::timeline(&snapshot, &call(), &request).unwrap();
        let closed = |closing: Option<recall::Closing>| match closing {
            None => String::new(),
            Some(closing) => format!(" | {} by {:?}", closing.event, closing.edge_id.map(|id| id.0)),
        };
        answer.facts.iter().map(|item| line(&item.fact) + &closed(item.closed_by)).collect()
    };
    assert_eq!(
        timeline("Ana"),
        [
            "Ana works_at Acme 2020-01-01 2024-03-01 | invalidated by Some(2)",
            "Ana likes tea 2021-01-01 open",
            "Ana knows Rui 2022-05-01 open",
            "Ana works_at Globex 2024-03-01 open",
            "Ana works_at Hooli 2024-06-01 open | retracted by None",
        ]
    );
    assert_eq!(
        timeline("Rui"),
        [
            "Rui works_at Initech 0001-01-01 2019-01-01 | created by None",
            "Rui works_at Acme 2022-01-01 2023-06-01 | created by None",
        ]
    );
    let now = FactsRequest { at: When::Now, ..request(Some("Ana")) };
    assert_eq!(recall::timeline(&snapshot, &call(), &now).unwrap_err().field.as_deref(), Some("at"));
    assert_eq!(recall::timeline(&snapshot, &call(), &request(None)).unwrap_err().field.as_deref(), Some("entity"));
}

#[test]
fn a_timeline_names_what_limits_a_fact_now_not_what_did_before() {
    let memory = Memory::new(true);
    let acme = memory.tell("Acme", told("2020", "-"));
    let initech = memory.tell("Initech", told("2024", "-"));
    let globex = memory.tell("Globex", told("2022", "-"));
    memory.retract(globex);
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    let answer = recall::timeline(&snapshot, &call(), &request(Some("Subject"))).unwrap();
    let of_acme = answer.facts.iter().find(|item| item.fact.edge.id == acme).unwrap();
    assert_eq!(of_acme.closed_by.unwrap().edge_id, Some(initech));
    assert_eq!(line(&of_acme.fact), "Subject works_at Acme 2020-01-01 2024-01-01");
}

#[test]
fn what_answers_a_question_is_found_among_much_else() {
    let memory = company();
    memory.tell_fact("Acme", "based_in", "Porto", told("2010", "-"), None);
    for number in 0..50 {
        memory.tell_fact(&format!("Person {number}"), "works_at", "Acme", told("2024-06", "-"), None);
        memory.tell_fact("Ana", "visited", &format!("Town {number}"), told("2024-06", "-"), None);
    }
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    for limit in [1, 20] {
        let ask = |question: &str| {
            let (question, known_at) = (question.to_owned(), Known::Now);
            let request = QueryRequest { known_at, limit, ..QueryRequest::new(question) };
            recall::query(&snapshot, &NoLlm, &call(), &request).unwrap()
        };
        assert_eq!(ask("Where is Acme based?").answer, "Acme based in Porto, since 2010.");
        assert_eq!(ask("Where does Ana work?").answer, "Ana works at Globex, since 2024-03-01.");
        assert_eq!(ask("Where does Ana work?").evidence.len(), limit as usize);
    }
}

#[test]
fn questions_are_answered_by_their_evidence() {
    let memory = company();
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    let ask = |question: &str, at: Option<&str>, known_at| {
        let request = QueryRequest { at: at.map(|at| date(at).at), known_at, ..QueryRequest::new(question) };
        recall::query(&snapshot, &NoLlm, &call(), &request).unwrap()
    };
    for (question, at, known_at, answer) in [
        ("Where does Ana work now?", None, Known::Now, "Ana works at Globex, since 2024-03-01."),
        ("Where did ana work?", Some("2022"), Known::Now, "Ana works at Acme, from 2020 until 2024-03-01."),
        ("Where does Ana work?", None, Known::Version(1), "Ana works at Acme, since 2020."),
        ("Onde Ana trabalha?", None, Known::Now, "Ana works at Globex, since 2024-03-01."),
        ("How much does Atlas cost?", None, Known::Now, "Atlas costs 49 euros, since 2023."),
        ("Does Ana know Rui?", None, Known::Now, "Ana knows Rui, since 2022-05-01."),
        (
            "Where does Rui work?",
            None,
            Known::Now,
            "Nothing that is remembered holds at 2030-03-17T17:46:40Z. The latest: Rui works at Acme, from 2022 until 2023-06.",
        ),
        (
            "Where does Ana live?",
            None,
            Known::Now,
            "Nothing that is remembered says so. What else is known is in the evidence.",
        ),
        ("What of Zoe?", None, Known::Now, "Nothing that is remembered is about this."),
        ("Where does Ana work?", None, Known::Version(0), "Nothing that is remembered is about this."),
    ] {
        assert_eq!(ask(question, at, known_at).answer, answer, "{question} at {at:?}");
    }
    let evidence = ask("Where does Ana work?", None, Known::Now).evidence;
    assert_eq!(line(&evidence[0]), "Ana works_at Globex 2024-03-01 open");
    assert_eq!(line(&evidence[1]), "Ana works_at Acme 2020-01-01 2024-03-01");
    assert!(evidence[1].superseded);
}
