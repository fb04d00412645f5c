//! The client against a server that does what servers do.

use gligabao_tests::stand_in::{Reply, StandIn};
use serde_json::json;

use super::super::{Api, Key, Price};
use super::*;

const LONG: Duration = Duration::from_secs(60);

/// Settings with pauses that no test waits for.
fn settings(stand_in: &StandIn, api: Api) -> HttpSettings {
    let url = match api {
        Api::OpenAi => stand_in.openai(),
        Api::Anthropic => stand_in.anthropic(),
    };
    HttpSettings { pause: Duration::from_millis(2), timeout: LONG, ..HttpSettings::new(url, api, "small") }
}

fn model(settings: HttpSettings) -> HttpModel {
    HttpModel::new(settings).expect("the settings are fine")
}

fn prompt() -> Prompt {
    Prompt {
        stage: "query".to_owned(),
        model: None,
        system: "Be brief.".to_owned(),
        document: json!({"stage": "query", "question": "Where?"}).to_string(),
        schema: json!({"type": "object", "required": ["answer"]}).to_string(),
    }
}

async fn ask(settings: HttpSettings) -> Answer {
    model(settings).complete(&prompt()).await
}

/// What became of one prompt where the stand-in replies like this, in order and then at ease.
async fn after(replies: &[Reply]) -> (Answer, usize) {
    let stand_in = StandIn::start();
    for reply in replies {
        stand_in.queue("query", reply.clone());
    }
    let answer = ask(settings(&stand_in, Api::OpenAi)).await;
    (answer, stand_in.asked().len())
}

/// The words of an error, without the port of the stand-in.
fn words(answer: &Answer) -> String {
    let words = answer.result.as_ref().expect_err("it failed").to_string();
    assert_eq!(answer.call.error.as_ref(), Some(&words));
    match words.split_once("127.0.0.1:") {
        Some((before, rest)) => format!("{before}HOST{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => words,
    }
}

#[tokio::test]
async fn both_apis_are_asked_in_their_own_shape_and_answered_alike() {
    let stand_in = StandIn::start();
    stand_in.answer("query", |_| Reply::Thought("hm".to_owned(), "{}".to_owned()));
    for (api, path, header, value) in [
        (Api::OpenAi, "/openai/v1/chat/completions", "authorization", "Bearer sk-1"),
        (Api::Anthropic, "/anthropic/v1/messages", "x-api-key", "sk-1"),
    ] {
        let mut settings = HttpSettings { key: Some(Key::new("sk-1")), ..settings(&stand_in, api) };
        settings.url.push('/');
        settings.prices.insert("small".to_owned(), Price { input: 1.0, output: 10.0 });
        let Answer { result, call } = ask(settings).await;
        assert_eq!(result, Ok(Completion { text: "{}".to_owned(), model: "small".to_owned() }), "{api:?}");
        let expected = ModelCall {
            reasoning: Some("hm".to_owned()),
            tokens_in: Some(100),
            tokens_out: Some(10),
            cost_usd: Some(0.0002),
            latency_ms: call.latency_ms,
            attempts: 1,
            ..ModelCall::new("query", "small", &stand_in.host())
        };
        assert_eq!(call, expected);
        let asked = stand_in.asked().pop().expect("it was asked");
        assert_eq!((&*asked.path, &*asked.headers[header]), (path, value));
        assert_eq!((&*asked.system, &asked.document["question"]), ("Be brief.", &json!("Where?")));
        assert_eq!(asked.schema, Some(json!({"type": "object", "required": ["answer"]})));
        assert_eq!(asked.body["temperature"], 0);
    }
}

#[tokio::test]
async fn the_model_is_the_request_s_or_the_stage_s_or_the_one_of_all() {
    let stand_in = StandIn::start();
    let mut settings = settings(&stand_in, Api::OpenAi);
    settings.models.insert("query".to_owned(), "large".to_owned());
    let model = model(settings);
    let other = Prompt { stage: "other".to_owned(), ..prompt() };
    let mine = Prompt { model: Some("mine".to_owned()), ..prompt() };
    for (prompt, expected) in [(prompt(), "large"), (other, "small"), (mine, "mine")] {
        assert_eq!(model.complete(&prompt).await.call.model, expected);
        assert_eq!(stand_in.asked().pop().expect("it was asked").model, expected);
    }
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for passing in [
        Reply::status(500, "out of order"),
        Reply::status(503, "loading"),
        Reply::status(529, "overloaded"),
        Reply::status(408, "too slow"),
        Reply::limited(&0),
        Reply::limited("Tue, 31 Dec 2024 00:00:00 GMT"),
        Reply::Half,
    ] {
        let (answer, asked) = after(&[passing.clone(), passing.clone()]).await;
        assert!(answer.result.is_ok(), "{passing:?}: {answer:?}");
        assert_eq!((asked, answer.call.attempts, answer.call.error), (3, 3, None), "{passing:?}");
    }
}

#[tokio::test]
async fn what_stays_is_given_up_with_the_last_reason() {
    let out_of_order = vec![Reply::status(500, "out\n of order"); 5];
    let (answer, asked) = after(&out_of_order).await;
    assert_eq!(words(&answer), "HOST answers 500 for small: out of order");
    assert!(matches!(answer.result, Err(LlmError::Unavailable(_))) && asked == 5, "{answer:?}");

    let (answer, asked) = after(&vec![Reply::limited(&0); 5]).await;
    assert_eq!((answer.result, asked), (Err(LlmError::Limited(1)), 5));
    // It says itself that waiting is of no use within the time.
    let (answer, asked) = after(&[Reply::limited(&90)]).await;
    assert_eq!((answer.result, asked), (Err(LlmError::Limited(90)), 1));

    let nobody = HttpSettings {
        attempts: 2,
        pause: Duration::ZERO,
        ..HttpSettings::new("http://127.0.0.1:1/v1", Api::OpenAi, "m")
    };
    let answer = ask(nobody).await;
    assert!(words(&answer).starts_with("HOST can't be reached: Connection refused"), "{answer:?}");
    assert_eq!(answer.call.attempts, 2);
}

#[tokio::test]
async fn what_is_refused_is_not_tried_again_and_says_what_to_do() {
    for (reply, expected) in [
        (
            Reply::status(401, "bad key"),
            "HOST answers 401 for small: bad key; look at the key in the variable that llm.key_env names",
        ),
        (Reply::status(403, ""), "HOST answers 403 for small; look at the key in the variable that llm.key_env names"),
        (
            Reply::status(404, "no small"),
            "HOST answers 404 for small: no small; look at llm.url, which often ends in /v1, and at the name of the model",
        ),
        (Reply::status(400, "no"), "HOST answers 400 for small: no"),
        (
            Reply::Redirect("http://example.com/".to_owned()),
            "HOST answers 307 for small; redirects are not followed: give the address that it leads to as llm.url",
        ),
    ] {
        let (answer, asked) = after(&[reply]).await;
        assert_eq!((words(&answer), asked), (expected.to_owned(), 1));
        assert!(matches!(answer.result, Err(LlmError::Refused(_))), "{answer:?}");
    }
    for garbage in ["<html>it works</html>", "{\"choices\": [", ""] {
        let (answer, asked) = after(&[Reply::Raw(garbage.to_owned())]).await;
        assert_eq!(words(&answer), "HOST does not answer as the openai API does; look at llm.url and llm.api");
        assert_eq!(asked, 1);
    }
}

#[tokio::test]
async fn a_server_s_words_are_cut_and_never_hold_the_key() {
    let stand_in = StandIn::start();
    stand_in.queue("query", Reply::status(401, format!("sk-secret {}", "é".repeat(500))));
    let answer = ask(HttpSettings { key: Some(Key::new("sk-secret")), ..settings(&stand_in, Api::OpenAi) }).await;
    let words = words(&answer);
    assert!(words.contains("(the key) ééé") && words.contains("é…; look"), "{words}");
    assert!(!format!("{answer:?}").contains("secret"));
    assert_eq!(words.matches('é').count(), 300 - "(the key) ".len());
}

#[tokio::test]
async fn what_a_model_lacks_is_left_out_at_once_and_remembered() {
    let stand_in = StandIn::start();
    stand_in.answer("query", |asked| {
        let (word, has) = if asked.path.starts_with("/openai") {
            ("response_format", "response_format")
        } else {
            ("output_config: Extra inputs are not permitted", "output_config")
        };
        match (asked.body.get(has), asked.body.get("temperature")) {
            (Some(_), _) => Reply::status(400, format!("{word} is not supported")),
            (None, Some(_)) => Reply::status(422, "temperature must be 1"),
            (None, None) => Reply::text("{}"),
        }
    });
    for api in [Api::OpenAi, Api::Anthropic] {
        let settings = HttpSettings { attempts: 1, ..settings(&stand_in, api) };
        let model = model(settings);
        for attempts in [3, 1] {
            let answer = model.complete(&prompt()).await;
            assert!(answer.result.is_ok(), "{answer:?}");
            assert_eq!(answer.call.attempts, attempts);
        }
        let asked = stand_in.asked().pop().expect("it was asked");
        assert!(asked.schema.is_none() && asked.system.contains(r#""required":["answer"]"#), "{asked:?}");
        // What one model lacks another may have.
        let other = Prompt { model: Some("other".to_owned()), ..prompt() };
        assert_eq!(model.complete(&other).await.call.attempts, 3);
    }
}

#[tokio::test]
async fn silence_and_drops_end_with_the_time() {
    for reply in [Reply::Silence, Reply::Drip(Duration::from_millis(1))] {
        let stand_in = StandIn::start();
        stand_in.answer("query", move |_| reply.clone());
        let answer = ask(HttpSettings { timeout: Duration::from_millis(60), ..settings(&stand_in, Api::OpenAi) }).await;
        let expected = "HOST did not answer within 0.06 s; if the model needs longer, set --llm-timeout";
        assert_eq!(words(&answer), expected);
        assert!(Duration::from_millis(answer.call.latency_ms) < LONG / 2 && answer.call.attempts <= 2, "{answer:?}");
    }
    // Pauses count as well.
    let stand_in = StandIn::start();
    stand_in.answer("query", |_| Reply::status(500, "out of order").after(Duration::from_millis(20)));
    let hurried =
        HttpSettings { timeout: Duration::from_millis(50), attempts: 1_000, ..settings(&stand_in, Api::OpenAi) };
    let answer = ask(hurried).await;
    assert!(Duration::from_millis(answer.call.latency_ms) < LONG / 2 && answer.call.attempts < 10, "{answer:?}");
}

#[tokio::test]
async fn a_question_that_gets_lost_is_asked_again_in_time() {
    let stand_in = StandIn::start();
    stand_in.queue("query", Reply::Silence);
    let hurried = HttpSettings { timeout: Duration::from_millis(300), ..settings(&stand_in, Api::OpenAi) };
    let answer = ask(hurried).await;
    assert!(answer.result.is_ok() && answer.call.attempts == 2, "{answer:?}");
    // Later ones have all that is left; who may ask once only waits all the time.
    let many = model(settings(&stand_in, Api::OpenAi));
    let once = model(HttpSettings { attempts: 1, ..settings(&stand_in, Api::OpenAi) });
    assert_eq!([many.time_of(1), many.time_of(2), once.time_of(1)], [LONG * 2 / 3, LONG, LONG]);
}

#[tokio::test]
async fn no_more_of_an_endless_answer_is_read_than_may_be_used() {
    const FLOOD: u64 = 100 << 20;
    for (api, limit) in [(Api::OpenAi, 4 << 20), (Api::Anthropic, 64 << 10)] {
        let stand_in = StandIn::start();
        stand_in.queue("query", Reply::Flood(FLOOD));
        let answer = ask(HttpSettings { max_body: limit, ..settings(&stand_in, api) }).await;
        assert_eq!(words(&answer), format!("HOST answers with more than {limit} bytes"));
        assert_eq!(answer.call.attempts, 1);
        // What is on its way in the sockets' buffers is taken too.
        assert!(stand_in.sent() < limit as u64 + (16 << 20), "{}", stand_in.sent());
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere() {
    let (stand_in, elsewhere) = (StandIn::start(), StandIn::start());
    stand_in.queue("query", Reply::Redirect(format!("{}/chat/completions", elsewhere.openai())));
    let answer = ask(settings(&stand_in, Api::OpenAi)).await;
    assert!(matches!(answer.result, Err(LlmError::Refused(_))), "{answer:?}");
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn a_server_by_https_can_be_asked_where_the_machine_trusts_somebody() {
    let settings = HttpSettings { consent: true, ..HttpSettings::new("https://llm.example.com/v1", Api::OpenAi, "m") };
    match HttpModel::new(settings) {
        Ok(model) => assert!(!format!("{model:?}").is_empty()),
        Err(error) => assert!(matches!(error, SettingsError::Tls(..)), "{error}"),
    }
}
