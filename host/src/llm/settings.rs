//! Which server an [`HttpModel`](super::HttpModel) asks, and how.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::uri::{Scheme, Uri};

use super::api::Api;
use crate::loopback::is_loopback;

/// A server, its models, and the limits of a call to it.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpSettings {
    /// Base URL of the API, with or without a slash at its end, such as `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// Which API it is.
    pub api: Api,
    /// The model of every stage that has none of its own.
    pub model: String,
    /// Models by stage.
    pub models: BTreeMap<String, String>,
    /// Prices by model.
    pub prices: BTreeMap<String, Price>,
    /// The key, where the server wants one.
    pub key: Option<Key>,
    /// Whether the operator agrees that texts leave this machine.
    pub consent: bool,
    /// Time for one answer, all attempts and pauses together.
    pub timeout: Duration,
    /// How often the server is asked at most.
    pub attempts: u32,
    /// Pause before the second attempt; each further one is twice as long.
    pub pause: Duration,
    /// Longest body of an answer, in bytes.
    pub max_body: usize,
}

/// What a model costs, in US dollars a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of prompts.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

/// The secret of a server. It can be sent, and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// Why a server can't be asked. None holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The address is none.
    #[error(
        "llm.url: {0:?} is no address of a language model; give the base URL of its API, such as \
         http://127.0.0.1:11434/v1"
    )]
    Url(String),
    /// The address holds a name and a password, which would be shown with it.
    #[error(
        "llm.url holds a user or a password; put the key into an environment variable and name it with llm.key_env"
    )]
    Credentials,
    /// It is not on this machine, and the operator did not agree.
    #[error(
        "the language model at {0} is not on this machine: texts would be sent there; agree with --llm-consent (or \
         `consent = true` under [llm]), or use one on this machine"
    )]
    NoConsent(String),
    /// No model is named.
    #[error("llm.model is missing; name the model that the server has, such as --llm-model qwen3:8b")]
    NoModel,
    /// The key can't be sent.
    #[error("the key of the language model holds characters that no key has; look at the variable of llm.key_env")]
    Key,
    /// This machine trusts no certificate authority.
    #[error("no connection to {0} can be trusted: {1}; install the system's CA certificates")]
    Tls(String, String),
}

impl HttpSettings {
    /// Settings of one server and one model with the usual limits, and without key or consent.
    #[must_use]
    pub fn new(url: impl Into<String>, api: Api, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            api,
            model: model.into(),
            models: BTreeMap::new(),
            prices: BTreeMap::new(),
            key: None,
            consent: false,
            timeout: Duration::from_secs(120),
            attempts: 5,
            pause: Duration::from_millis(500),
            max_body: 4 << 20,
        }
    }

    /// The model of a prompt: what the request asked for, else the stage's, else the one of all stages.
    pub(super) fn model_of<'a>(&'a self, stage: &str, asked: Option<&'a str>) -> &'a str {
        let stages = || self.models.get(stage).map(String::as_str);
        asked.filter(|model| !model.is_empty()).or_else(stages).unwrap_or(&self.model)
    }

    /// What a call to a model cost; by the name that it answered with, else by the one that it was asked by.
    pub(super) fn cost(&self, names: [&str; 2], tokens_in: Option<u64>, tokens_out: Option<u64>) -> Option<f64> {
        let price = names.into_iter().find_map(|name| self.prices.get(name))?;
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let cost = |tokens: Option<u64>, price: f64| Some(tokens? as f64 * price / 1e6);
        Some(cost(tokens_in, price.input)? + cost(tokens_out, price.output)?)
    }

    /// Checks everything that can be checked without asking the server; the address of its chat calls.
    pub(super) fn endpoint(&self) -> Result<Uri, SettingsError> {
        let base = self.base()?;
        let host = base.host().unwrap_or_default();
        if !self.consent && !is_loopback(host) {
            return Err(SettingsError::NoConsent(host.to_owned()));
        }
        if self.model.is_empty() {
            return Err(SettingsError::NoModel);
        }
        if let Some(key) = &self.key {
            key.header("")?;
        }
        let path = base.path().trim_end_matches('/');
        let mut parts = base.clone().into_parts();
        let path = format!("{path}/{}", self.api.path());
        parts.path_and_query = Some(path.parse().map_err(|_| self.no_url())?);
        Uri::from_parts(parts).map_err(|_| self.no_url())
    }

    fn base(&self) -> Result<Uri, SettingsError> {
        let uri: Uri = self.url.parse().map_err(|_| self.no_url())?;
        let known = uri.scheme().is_some_and(|scheme| *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS);
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(SettingsError::Credentials);
        }
        let named = uri.host().is_some_and(|host| !host.is_empty());
        if known && named && uri.query().is_none() { Ok(uri) } else { Err(self.no_url()) }
    }

    fn no_url(&self) -> SettingsError {
        // What is no URL may still hold a password.
        if self.url.contains('@') { SettingsError::Credentials } else { SettingsError::Url(self.url.clone()) }
    }
}

impl Key {
    /// The secret itself, without blanks at its ends.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.trim().to_owned())
    }

    /// The value of the header that it is sent in.
    pub(super) fn header(&self, prefix: &str) -> Result<HeaderValue, SettingsError> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).map_err(|_| SettingsError::Key)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// The text without the key, if it is in there.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "(the key)") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> HttpSettings {
        HttpSettings::new(url, Api::OpenAi, "m")
    }

    #[test]
    fn a_base_url_may_end_in_a_slash() {
        for (url, api, expected) in [
            ("http://127.0.0.1:1/v1", Api::OpenAi, "http://127.0.0.1:1/v1/chat/completions"),
            ("http://127.0.0.1:1/v1/", Api::OpenAi, "http://127.0.0.1:1/v1/chat/completions"),
            ("http://localhost", Api::OpenAi, "http://localhost/chat/completions"),
            ("http://[::1]:1/a/v1//", Api::Anthropic, "http://[::1]:1/a/v1/messages"),
        ] {
            let endpoint = HttpSettings::new(url, api, "m").endpoint().map(|uri| uri.to_string());
            assert_eq!(endpoint.as_deref(), Ok(expected), "{url}");
        }
    }

    #[test]
    fn what_is_no_server_that_may_be_asked_is_refused_with_words() {
        for (url, words) in [
            ("", "llm.url: \"\" is no address"),
            ("127.0.0.1:11434", "llm.url: \"127.0.0.1:11434\" is no address"),
            ("ftp://localhost/v1", "llm.url: "),
            ("http://localhost/v1?key=1", "llm.url: "),
            ("http://me:secret@localhost/v1", "llm.url holds a user or a password; "),
            ("https://api.example.com/v1", "the language model at api.example.com is not on this machine: "),
            ("http://0.0.0.0:1/v1", "the language model at 0.0.0.0 is not on this machine: "),
            ("http://localhost@evil.example/", "llm.url holds a user or a password; "),
        ] {
            let refused = settings(url).endpoint().expect_err(url).to_string();
            assert!(refused.starts_with(words) && !refused.contains("secret"), "{url}: {refused}");
        }
        let agreed = HttpSettings { consent: true, ..settings("https://api.example.com/v1") };
        assert!(agreed.endpoint().is_ok());
        let nameless = HttpSettings { model: String::new(), ..settings("http://localhost/v1") };
        assert_eq!(nameless.endpoint(), Err(SettingsError::NoModel));
        let broken = HttpSettings { key: Some(Key::new("a\nb")), ..settings("http://localhost/v1") };
        assert_eq!(broken.endpoint(), Err(SettingsError::Key));
    }

    #[test]
    fn a_key_is_never_shown() {
        let settings = HttpSettings { key: Some(Key::new("sk-secret\n")), ..settings("http://localhost/v1") };
        assert!(!format!("{settings:?}").contains("secret"));
        let key = settings.key.expect("it has one");
        assert_eq!(key.redact("bad key sk-secret!"), "bad key (the key)!");
        assert!(!format!("{:?}", key.header("Bearer ")).contains("secret"));
    }

    #[test]
    fn the_request_s_model_goes_before_the_stage_s_and_that_before_the_one_of_all() {
        let mut settings = settings("http://localhost/v1");
        settings.models.insert("query".to_owned(), "large".to_owned());
        for (stage, asked, expected) in [
            ("query", Some("mine"), "mine"),
            ("query", None, "large"),
            ("query", Some(""), "large"),
            ("other", None, "m"),
        ] {
            assert_eq!(settings.model_of(stage, asked), expected, "{stage} {asked:?}");
        }
    }

    #[test]
    fn a_cost_needs_a_price_and_both_counts() {
        let mut settings = settings("http://localhost/v1");
        settings.prices.insert("m".to_owned(), Price { input: 2.0, output: 10.0 });
        assert_eq!(settings.cost(["m-2024", "m"], Some(500_000), Some(100_000)), Some(2.0));
        assert_eq!(settings.cost(["m-2024", "n"], Some(1), Some(1)), None);
        assert_eq!(settings.cost(["m", "m"], Some(1), None), None);
    }
}
