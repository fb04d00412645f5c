//! The configuration file. What it says and nobody knows is an error, so that no typo goes unnoticed.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Table;

use super::pairs::is_price;
use super::unknown_words;
use crate::llm::{Price, STAGES};
use crate::wire::word::ExtractorWord;

/// Longest file, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The keys of each section; those of other sections are names that the operator chose.
const KEYS: &[(&str, &[&str])] = &[
    ("", &["listen", "db", "git_dir", "llm", "memory"]),
    ("llm", &["url", "api", "model", "key_env", "consent", "timeout_s", "models", "prices"]),
    ("llm.models", &STAGES),
    ("memory", &["extractor", "patterns", "prompts"]),
];

/// The keys of a price.
const PRICE: &[&str] = &["input", "output"];

/// A configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct File {
    pub(super) listen: Option<SocketAddr>,
    pub(super) db: Option<PathBuf>,
    pub(super) git_dir: Option<PathBuf>,
    pub(super) llm: LlmSection,
    pub(super) memory: MemorySection,
}

/// `[llm]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct LlmSection {
    pub(super) url: Option<String>,
    pub(super) api: Option<String>,
    pub(super) model: Option<String>,
    pub(super) key_env: Option<String>,
    pub(super) consent: Option<bool>,
    pub(super) timeout_s: Option<u64>,
    pub(super) models: BTreeMap<String, String>,
    prices: BTreeMap<String, PriceSection>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct PriceSection {
    input: f64,
    output: f64,
}

/// `[memory]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct MemorySection {
    pub(super) extractor: Option<ExtractorWord>,
    pub(super) patterns: Option<PathBuf>,
    pub(super) prompts: Option<PathBuf>,
}

impl File {
    /// Reads a file. Paths in it are meant from where it is.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |error| format!("can't read the configuration {}: {error}", path.display());
        if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE {
            return Err(format!("{} is over 1 MiB, and no configuration", path.display()));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let mut file = Self::parse(&text).map_err(|words| format!("{}{words}", path.display()))?;
        let here = path.parent().unwrap_or(Path::new(""));
        let paths = [&mut file.db, &mut file.git_dir, &mut file.memory.patterns, &mut file.memory.prompts];
        for path in paths.into_iter().flatten() {
            *path = here.join(&*path);
        }
        Ok(file)
    }

    /// What a text says, or what is wrong with it and where.
    fn parse(text: &str) -> Result<Self, String> {
        let at = |error: &toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("{place}: {}", error.message().lines().collect::<Vec<_>>().join(" "))
        };
        let table: Table = toml::from_str(text).map_err(|error| at(&error))?;
        known(&table, "").map_err(|words| format!(": {words}"))?;
        let file: Self = toml::from_str(text).map_err(|error| at(&error))?;
        let is_fine = |price: &PriceSection| is_price(price.input) && is_price(price.output);
        match file.llm.prices.iter().find(|(_, price)| !is_fine(price)) {
            Some((model, _)) => Err(format!(": llm.prices of {model}: a price is 0 or more dollars a million tokens")),
            None => Ok(file),
        }
    }
}

impl LlmSection {
    /// The prices of models.
    pub(super) fn prices(&self) -> BTreeMap<String, Price> {
        let price = |section: &PriceSection| Price { input: section.input, output: section.output };
        self.prices.iter().map(|(model, section)| (model.clone(), price(section))).collect()
    }
}

/// Refuses keys that nobody knows, with the nearest one that somebody does.
fn known(table: &Table, section: &str) -> Result<(), String> {
    let of_section = KEYS.iter().find(|(name, _)| *name == section).map(|(_, keys)| *keys);
    let keys = of_section.or_else(|| section.starts_with("llm.prices.").then_some(PRICE));
    for (key, value) in table {
        if let Some(keys) = keys
            && !keys.contains(&key.as_str())
        {
            let place = if section.is_empty() { String::new() } else { format!("[{section}]: ") };
            return Err(format!("{place}{}", unknown_words(key, keys)));
        }
        if let Some(inner) = value.as_table() {
            let inner_section = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
            known(inner, &inner_section)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = r#"
            listen = "127.0.0.1:1"
            db = "a.db"
            [llm]
            url = "http://localhost/v1"
            api = "anthropic"
            model = "m"
            key_env = "KEY"
            consent = true
            timeout_s = 5
            [llm.models]
            query = "large"
            [llm.prices]
            m = { input = 1, output = 2.5 }
            "a.b/c" = { input = 0, output = 0 }
            [memory]
            extractor = "both"
            patterns = "p"
            prompts = "q"
        "#;
        let file = File::parse(text).expect("it is fine");
        assert_eq!(file.listen.map(|address| address.port()), Some(1));
        assert_eq!((file.llm.timeout_s, file.llm.consent, &*file.llm.models["query"]), (Some(5), Some(true), "large"));
        assert_eq!(file.llm.prices()["m"], Price { input: 1.0, output: 2.5 });
        assert_eq!(file.memory.prompts, Some(PathBuf::from("q")));
        assert!(File::parse("").expect("nothing need be said").db.is_none());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, words) in [
            ("lisen = \"x\"", ": there is no lisen; did you mean listen?"),
            ("[lmm]\nurl = 1", ": there is no lmm; did you mean llm?"),
            ("[llm]\nmodle = \"m\"", ": [llm]: there is no modle; did you mean model?"),
            ("[llm.models]\nextract = \"m\"", ": [llm.models]: there is no extract; did you mean extract_graph?"),
            ("[llm.prices.m]\ninput = 1\noutptu = 2", ": [llm.prices.m]: there is no outptu; did you mean output?"),
            ("[memory]\nzebra = 1", ": [memory]: there is no zebra; known are extractor, patterns, prompts"),
            ("[llm]\n\ntimeout_s = \"long\"", ", line 3: invalid type: string \"long\", expected u64"),
            ("[llm]\ntimeout_s = -1", ", line 2: invalid value: integer `-1`, expected u64"),
            ("listen = \"here\"", ", line 1: "),
            (
                "[memory]\nextractor = \"patern\"",
                ", line 2: must be one of off, pattern, llm, both; did you mean pattern?",
            ),
            ("[llm]\nurl = ", ", line 2: "),
            ("[llm]\nurl = \"a\"\nurl = \"b\"", ", line 3: "),
            ("llm = 1", ", line 1: "),
            ("[llm.prices.m]\ninput = 1", ", line 1: missing field `output`"),
            ("[llm.prices.m]\ninput = -1\noutput = 1", ": llm.prices of m: a price is 0 or more "),
            ("[llm.prices.m]\ninput = nan\noutput = 1", ": llm.prices of m: a price is 0 or more "),
        ] {
            let wrong = File::parse(text).expect_err(text);
            assert!(wrong.starts_with(words) && !wrong.contains('\n'), "{text}: {wrong}");
        }
    }
}
