//! How a memory is configured: what the command line says goes before the environment, and that before the file.

mod file;
mod pairs;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::BoolishValueParser;
use gligabao_core::remember::Extractor;

use self::file::File;
use self::pairs::{ModelPrice, StageModel};
use super::error::CliError;
use crate::llm::{Api, HttpSettings, Key, SettingsError};
use crate::nearest::nearest;

/// Longest time that a model may be given for one answer, in seconds: a call has 300 in all.
const MAX_TIMEOUT: u64 = 240;

/// The heading of what is about language models.
const MODEL: &str = "Language model";

/// What every command that opens a database takes. A server has its own.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Options {
    /// Configuration file; what is given here or in the environment goes before it
    #[arg(long, value_name = "FILE", env = "GLIGABAO_CONFIG", global = true, help_heading = "Where")]
    pub(crate) config: Option<PathBuf>,
    /// Directory for the git repositories that are served [default: the database's name with .git]
    #[arg(long, value_name = "DIR", env = "GLIGABAO_GIT_DIR", global = true, help_heading = "Where")]
    git_dir: Option<PathBuf>,
    /// Directory of pattern sets that add to the built-in ones or replace them
    #[arg(long, value_name = "DIR", env = "GLIGABAO_PATTERNS", global = true, help_heading = "Where")]
    patterns: Option<PathBuf>,
    /// Directory of instructions for the language model, a file <stage>.md for each stage that has its own
    #[arg(long, value_name = "DIR", env = "GLIGABAO_PROMPTS", global = true, help_heading = MODEL)]
    prompts: Option<PathBuf>,
    /// Base URL of a language model's API, such as http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", env = "GLIGABAO_LLM_URL", global = true, help_heading = MODEL)]
    llm_url: Option<String>,
    /// Which API it is: openai (default), as many servers speak it, or anthropic
    #[arg(long, value_name = "API", env = "GLIGABAO_LLM_API", global = true, help_heading = MODEL)]
    llm_api: Option<String>,
    /// The model of all stages
    #[arg(long, value_name = "MODEL", env = "GLIGABAO_LLM_MODEL", global = true, help_heading = MODEL)]
    llm_model: Option<String>,
    /// Models of single stages, such as query=large
    #[arg(
        long,
        value_name = "STAGE=MODEL",
        env = "GLIGABAO_LLM_MODELS",
        value_delimiter = ',',
        global = true,
        help_heading = MODEL
    )]
    llm_models: Vec<StageModel>,
    /// Prices of models, of prompts and answers, in US dollars a million tokens, such as large=2.5/10
    #[arg(
        long,
        value_name = "MODEL=IN/OUT",
        env = "GLIGABAO_LLM_PRICES",
        value_delimiter = ',',
        global = true,
        help_heading = MODEL
    )]
    llm_prices: Vec<ModelPrice>,
    /// The environment variable that holds the key of the language model
    #[arg(long, value_name = "VARIABLE", env = "GLIGABAO_LLM_KEY_ENV", global = true, help_heading = MODEL)]
    llm_key_env: Option<String>,
    /// Agree that texts are sent to a language model that is not on this machine
    #[arg(
        long,
        value_name = "BOOL",
        env = "GLIGABAO_LLM_CONSENT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new(),
        global = true,
        help_heading = MODEL
    )]
    llm_consent: Option<bool>,
    /// How long the language model may take for one answer, in seconds; 120 unless given
    #[arg(long, value_name = "SECONDS", env = "GLIGABAO_LLM_TIMEOUT", global = true, help_heading = MODEL)]
    llm_timeout: Option<u64>,
}

/// What holds, wherever it was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Settings {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) db: Option<PathBuf>,
    pub(crate) git_dir: Option<PathBuf>,
    pub(crate) patterns: Option<PathBuf>,
    pub(crate) prompts: Option<PathBuf>,
    pub(crate) extractor: Option<Extractor>,
    pub(crate) llm: Option<LlmSettings>,
}

/// A language model, and where its key is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LlmSettings {
    http: HttpSettings,
    pub(crate) key_env: Option<String>,
}

impl Options {
    /// Puts together what was said. `extractor` is what the command line says of it, where it says something.
    pub(crate) fn settle(&self, extractor: Option<&str>) -> Result<Settings, CliError> {
        let config = self.config.as_ref().filter(|path| !path.as_os_str().is_empty());
        let file = config.map_or_else(|| Ok(File::default()), |path| File::read(path)).map_err(CliError::start)?;
        let variable = || std::env::var("GLIGABAO_EXTRACTOR").ok().filter(|word| !word.is_empty());
        let extractor = match extractor.map(str::to_owned).or_else(variable) {
            Some(word) => Some(self::extractor(&word)?),
            None => file.memory.extractor.map(|word| word.0),
        };
        let llm = self.llm(&file)?;
        let is_path = |path: &PathBuf| !path.as_os_str().is_empty();
        Ok(Settings {
            listen: file.listen,
            db: file.db,
            git_dir: self.git_dir.clone().filter(is_path).or(file.git_dir),
            patterns: self.patterns.clone().filter(is_path).or(file.memory.patterns),
            prompts: self.prompts.clone().filter(is_path).or(file.memory.prompts),
            extractor,
            llm,
        })
    }

    fn llm(&self, file: &File) -> Result<Option<LlmSettings>, CliError> {
        let file = &file.llm;
        let text = |option: &Option<String>, file: &Option<String>| {
            option.clone().filter(|text| !text.is_empty()).or_else(|| file.clone())
        };
        let model = text(&self.llm_model, &file.model);
        let Some(url) = text(&self.llm_url, &file.url) else {
            return match model {
                Some(model) => Err(CliError::start(format!(
                    "llm.url is missing; name the server of {model}, such as --llm-url http://127.0.0.1:11434/v1"
                ))),
                None => Ok(None),
            };
        };
        let api = match text(&self.llm_api, &file.api) {
            Some(name) => name.parse().map_err(|_| unknown("llm.api", &name, &["openai", "anthropic"]))?,
            None => Api::OpenAi,
        };
        let key_env = text(&self.llm_key_env, &file.key_env);
        if let Some(name) = &key_env
            && (name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_of_a_variable))
        {
            let words = "llm.key_env must be the name of an environment variable that holds the key, not the key";
            return Err(CliError::start(words));
        }
        let timeout = self.llm_timeout.or(file.timeout_s).unwrap_or(120);
        if !(1..=MAX_TIMEOUT).contains(&timeout) {
            let words = format!("llm.timeout_s is {timeout}; it must be 1 to {MAX_TIMEOUT} seconds");
            return Err(CliError::start(words));
        }
        let mut http = HttpSettings::new(url, api, model.unwrap_or_default());
        http.models = stage_models(file.models.clone(), &self.llm_models)?;
        http.prices = file.prices();
        http.prices.extend(self.llm_prices.iter().map(|priced| (priced.model.clone(), priced.price)));
        http.consent = self.llm_consent.or(file.consent).unwrap_or(false);
        http.timeout = Duration::from_secs(timeout);
        Ok(Some(LlmSettings { http, key_env }))
    }
}

impl LlmSettings {
    /// With the key, which is read from the environment and kept nowhere else.
    pub(crate) fn http(&self) -> Result<HttpSettings, CliError> {
        let Some(name) = &self.key_env else { return Ok(self.http.clone()) };
        match std::env::var(name) {
            Ok(key) if !key.trim().is_empty() => Ok(HttpSettings { key: Some(Key::new(&key)), ..self.http.clone() }),
            _ => Err(CliError::start(format!(
                "the environment variable {name} holds no key; llm.key_env names it: set it, or leave llm.key_env out"
            ))),
        }
    }

    /// Without the key.
    pub(crate) fn keyless(&self) -> &HttpSettings {
        &self.http
    }
}

impl From<SettingsError> for CliError {
    fn from(error: SettingsError) -> Self {
        Self::start(error.to_string())
    }
}

fn is_of_a_variable(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn extractor(word: &str) -> Result<Extractor, CliError> {
    Extractor::from_word(word).ok_or_else(|| {
        let known: Vec<_> = Extractor::ALL.iter().map(|extractor| extractor.as_str()).collect();
        unknown("memory.extractor", word, &known)
    })
}

fn stage_models(
    mut models: BTreeMap<String, String>,
    given: &[StageModel],
) -> Result<BTreeMap<String, String>, CliError> {
    models.extend(given.iter().map(|given| (given.stage.clone(), given.model.clone())));
    match models.keys().find(|stage| !crate::llm::STAGES.contains(&stage.as_str())) {
        Some(stage) => Err(unknown("llm.models", stage, &crate::llm::STAGES)),
        None => Ok(models),
    }
}

/// A word that is none of those that a key takes.
fn unknown(key: &str, word: &str, known: &[&str]) -> CliError {
    CliError::start(format!("{key}: {}", unknown_words(word, known)))
}

/// The same, of a key that the caller names.
fn unknown_words(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("there is no {word}; did you mean {meant}?"),
        None => format!("there is no {word}; known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests;
