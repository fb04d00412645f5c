//! The configuration as a process takes it: from its file, its environment and its command line.

use std::path::Path;

use gligabao_tests::stand_in::StandIn;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::{Finished, Server, gligabao, run};

/// A directory with a configuration file.
fn configured(text: &str) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    std::fs::write(dir.path().join("gligabao.toml"), text).expect("written");
    dir
}

fn with(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Finished {
    let variables = variables.iter().copied();
    gligabao(dir).args(args).envs(variables).output().expect("the binary runs").into()
}

#[test]
fn texts_leave_this_machine_with_consent_only() {
    let dir = TempDir::new().expect("a directory");
    let elsewhere = ["--llm-url", "http://llm.example.com/v1", "--llm-model", "m"];
    for verb in [&["serve", "--listen", "127.0.0.1:0"][..], &["remember", "a text"], &["facts"], &["dataset", "list"]] {
        let refused = run(dir.path(), &[verb, &elsewhere].concat());
        assert_eq!((refused.code, &*refused.stdout), (2, ""), "{verb:?}");
        assert_eq!(
            refused.stderr,
            "error: the language model at llm.example.com is not on this machine: texts would be sent there; agree with \
             --llm-consent (or `consent = true` under [llm]), or use one on this machine\n",
            "{verb:?}"
        );
    }
    assert!(!dir.path().join("gligabao.db").exists(), "nothing was made before it was refused");
    let mut server = Server::with(&dir.path().join("a.db"), &[&elsewhere[..], &["--llm-consent"]].concat());
    assert!(server.stop().success());
    for host in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
        let url = format!("http://{host}:1/v1");
        let model = ["--llm-url", &url, "--llm-model", "m"];
        let told =
            run(dir.path(), &[&["remember", "Rui lives in Porto.", "--extractor", "pattern"], &model[..]].concat());
        assert_eq!(told.code, 0, "{host}: {told:?}");
    }
}

#[test]
fn a_configuration_that_is_wrong_stops_every_command_before_it_starts() {
    let dir = configured("[llm]\nmodell = \"m\"\n");
    let unknown = "error: gligabao.toml: [llm]: there is no modell; did you mean model?\n";
    for verb in [&["serve"][..], &["remember", "x"], &["facts"], &["timeline", "x"]] {
        let given = run(dir.path(), &[verb, &["--config", "gligabao.toml"]].concat());
        assert_eq!((given.code, &*given.stderr), (2, unknown), "{verb:?}");
        let named = with(dir.path(), verb, &[("GLIGABAO_CONFIG", "gligabao.toml")]);
        assert_eq!((named.code, &*named.stderr), (2, unknown), "{verb:?}");
    }
    std::fs::create_dir(dir.path().join("prompts")).expect("a directory");
    std::fs::write(dir.path().join("prompts/extract.md"), "x").expect("written");
    let url = ["--llm-url", "http://localhost:1/v1"];
    for (args, words) in [
        (&["--prompts", "prompts"][..], "error: prompts/extract.md is for no stage; a directory of prompts holds "),
        (&["--prompts", "nowhere"], "error: can't read the prompts in nowhere: "),
        (&["--config", "nowhere.toml"], "error: can't read the configuration nowhere.toml: "),
        (&["--llm-model", "m"], "error: llm.url is missing; "),
        (&url, "error: llm.model is missing; "),
        (
            &[&url[..], &["--llm-model", "m", "--llm-key-env", "NO_SUCH_KEY"]].concat(),
            "error: the environment variable NO_SUCH_KEY holds no key; ",
        ),
        (
            &["--llm-url", "localhost:1", "--llm-model", "m"],
            "error: llm.url: \"localhost:1\" is no address of a language model; ",
        ),
    ] {
        let refused = run(dir.path(), &[&["facts"], args].concat());
        assert!(refused.code == 2 && refused.stderr.starts_with(words), "{args:?}: {refused:?}");
        assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
    }
    for (variable, value) in [
        ("GLIGABAO_LLM_TIMEOUT", "soon"),
        ("GLIGABAO_LLM_CONSENT", "perhaps"),
        ("GLIGABAO_EXTRACTOR", "lm"),
        ("GLIGABAO_EXTRACTOR", "llm"),
        ("GLIGABAO_LLM_PRICES", "m=1"),
        ("GLIGABAO_LLM_MODELS", "m"),
    ] {
        let refused = with(dir.path(), &["facts"], &[(variable, value)]);
        assert_eq!(refused.code, 2, "{variable}: {refused:?}");
    }
}

#[test]
fn the_file_says_where_and_who_and_is_overruled() {
    let dir = configured("listen = \"0.0.0.0:0\"\ndb = \"kept.db\"\n[memory]\nextractor = \"off\"\n");
    let edges = |told: &Value| told["edges"].as_array().map(Vec::len);
    let tell = |args: &[&str], variables: &[(&str, &str)]| {
        let args = [&["remember", "Rui lives in Porto.", "--json", "--config", "gligabao.toml"], args].concat();
        with(dir.path(), &args, variables).json()
    };
    assert_eq!(edges(&tell(&[], &[])), Some(0));
    assert!(dir.path().join("kept.db").exists());
    assert_eq!(edges(&tell(&["--extractor", "pattern"], &[])), Some(1));
    assert_eq!(edges(&tell(&[], &[("GLIGABAO_EXTRACTOR", "pattern")])), Some(1));
    assert_eq!(edges(&tell(&["--db", "other.db"], &[])), Some(0));
    assert!(dir.path().join("other.db").exists());

    let reachable = run(dir.path(), &["serve", "--config", "gligabao.toml"]);
    assert!(reachable.stderr.starts_with("error: 0.0.0.0:0 can be reached from other machines, "), "{reachable:?}");
    let config = dir.path().join("gligabao.toml");
    let options = ["--config", config.to_str().expect("UTF-8"), "--extractor", "pattern"];
    let server = Server::with(&dir.path().join("kept.db"), &options);
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let facts = runtime.block_on(async { server.tell("u", "main", "Rui lives in Porto.").await });
    assert_eq!(edges(&facts), Some(1));
}

#[test]
fn every_key_is_a_flag_and_a_variable_too() {
    let stand_in = StandIn::start();
    let dir = configured("");
    let url = stand_in.anthropic();
    let variables = [
        ("GLIGABAO_LLM_URL", &*url),
        ("GLIGABAO_LLM_API", "anthropic"),
        ("GLIGABAO_LLM_MODEL", "small"),
        ("GLIGABAO_LLM_MODELS", "query=large"),
        ("GLIGABAO_LLM_PRICES", "small=1/2,large=3/4"),
        ("GLIGABAO_LLM_KEY_ENV", "THE_KEY"),
        ("GLIGABAO_LLM_CONSENT", "no"),
        ("GLIGABAO_LLM_TIMEOUT", "20"),
        ("THE_KEY", "sk-secret"),
    ];
    let found = with(dir.path(), &["doctor", "--json"], &variables);
    assert_eq!(found.code, 0, "{found:?}");
    let asked = stand_in.asked();
    assert_eq!(asked.iter().map(|asked| &*asked.model).collect::<Vec<_>>(), ["large", "small"]);
    assert!(asked.iter().all(|asked| asked.headers["x-api-key"] == "sk-secret"), "{asked:?}");
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
    // A flag goes before its variable.
    let openai = stand_in.openai();
    let flags =
        ["doctor", "--llm-url", &openai, "--llm-api", "openai", "--llm-model", "tiny", "--llm-models", "query=tiny"];
    assert_eq!(with(dir.path(), &flags, &variables).code, 0);
    let last = stand_in.asked().pop().expect("it was asked");
    assert_eq!((&*last.model, &*last.headers["authorization"]), ("tiny", "Bearer sk-secret"));
    assert_eq!(last.document["stage"], json!("query"));
}
