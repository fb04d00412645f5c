//! What goes before what, and what is refused before anything starts.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Command {
    #[command(flatten)]
    options: Options,
}

/// What a command line and a file come to.
fn settle(args: &[&str], file: &str) -> Result<Settings, String> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("gligabao.toml");
    std::fs::write(&path, file).expect("written");
    let config = path.to_str().expect("UTF-8");
    let command = Command::try_parse_from([&["test", "--config", config], args].concat()).expect("a command line");
    let settled = command.options.settle(None);
    settled.map_err(|error| error.to_string().replace(&format!("{}/", dir.path().display()), ""))
}

const FILE: &str = r#"
    [llm]
    url = "http://localhost:1/v1"
    model = "small"
    consent = true
    timeout_s = 7
    [llm.models]
    query = "large"
    [llm.prices.small]
    input = 1
    output = 2
"#;

fn http(args: &[&str], file: &str) -> HttpSettings {
    settle(args, file).expect("it is fine").llm.expect("there is a model").keyless().clone()
}

#[test]
fn the_command_line_goes_before_the_file() {
    let file = http(&[], FILE);
    assert_eq!((&*file.url, &*file.model, file.consent), ("http://localhost:1/v1", "small", true));
    assert_eq!((file.timeout.as_secs(), file.api), (7, Api::OpenAi));
    let args = [
        "--llm-url=http://localhost:2",
        "--llm-api=anthropic",
        "--llm-model=tiny",
        "--llm-consent=false",
        "--llm-timeout=9",
        "--llm-models=extract_graph=a,query=b",
        "--llm-prices=tiny=3/4",
    ];
    let given = http(&args, FILE);
    assert_eq!((&*given.url, &*given.model, given.consent), ("http://localhost:2", "tiny", false));
    assert_eq!((given.timeout.as_secs(), given.api), (9, Api::Anthropic));
    assert_eq!((&*given.models["query"], &*given.models["extract_graph"]), ("b", "a"));
    assert_eq!(given.prices.keys().collect::<Vec<_>>(), ["small", "tiny"]);
    assert!(http(&["--llm-consent"], "[llm]\nurl = \"http://localhost\"\nmodel = \"m\"").consent);
    assert_eq!(settle(&[], "").expect("nothing need be said"), Settings::default());
}

#[test]
fn paths_are_meant_from_where_the_file_is() {
    let settings = settle(&["--prompts=given"], "db = \"a.db\"\n[memory]\npatterns = \"p\"\nprompts = \"q\"");
    let settings = settings.expect("it is fine");
    assert!(settings.db.as_ref().is_some_and(|db| db.is_absolute() && db.ends_with("a.db")), "{settings:?}");
    assert!(settings.patterns.as_ref().is_some_and(|patterns| patterns.is_absolute()), "{settings:?}");
    assert_eq!(settings.prompts, Some(PathBuf::from("given")));
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    for (args, file, words) in [
        (&[][..], "[llm]\nmodell = \"m\"", "gligabao.toml: [llm]: there is no modell; did you mean model?"),
        (&["--llm-model=m"], "", "llm.url is missing; name the server of m, "),
        (&["--llm-api=opnai"], FILE, "llm.api: there is no opnai; did you mean openai?"),
        (&["--llm-models=extract=m"], FILE, "llm.models: there is no extract; did you mean extract_graph?"),
        (&["--llm-timeout=0"], FILE, "llm.timeout_s is 0; it must be 1 to 240 seconds"),
        (&["--llm-timeout=241"], FILE, "llm.timeout_s is 241; "),
        (
            &["--llm-key-env=sk-123"],
            FILE,
            "llm.key_env must be the name of an environment variable that holds the key, not the key",
        ),
    ] {
        let refused = settle(args, file).expect_err(words);
        assert!(refused.starts_with(words), "{args:?}: {refused}");
        assert!(!refused.contains("123"), "{refused}");
    }
    let missing = Options { config: Some(PathBuf::from("/no/such.toml")), ..Options::default() };
    let refused = missing.settle(None).expect_err("there is none").to_string();
    assert!(refused.starts_with("can't read the configuration /no/such.toml: "), "{refused}");
    let words = Options::default().settle(Some("patern")).expect_err("there is none").to_string();
    assert_eq!(words, "memory.extractor: there is no patern; did you mean pattern?");
}

#[test]
fn a_key_is_read_from_its_variable_and_shown_nowhere() {
    let settings = settle(&["--llm-key-env=GLIGABAO_NO_SUCH_KEY"], FILE).expect("it is fine").llm.expect("a model");
    let refused = settings.http().expect_err("it is not set").to_string();
    assert!(refused.starts_with("the environment variable GLIGABAO_NO_SUCH_KEY holds no key; "), "{refused}");
    // Every test process has this one.
    let settings = settle(&["--llm-key-env=CARGO_PKG_NAME"], FILE).expect("it is fine").llm.expect("a model");
    let http = settings.http().expect("it is set");
    assert_eq!(http.key, Some(Key::new("gligabao")));
    assert!(!format!("{http:?}").contains("Key(\""), "{http:?}");
}
