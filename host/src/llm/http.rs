//! A language model behind an HTTP API: asks, tries again where that may help, and says why it gave up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::http::StatusCode;

use super::api::{Lacks, Reply, Unreadable, message};
use super::retry::{Tries, retry_after};
use super::settings::{HttpSettings, SettingsError};
use super::transport::{Broken, Response, Transport};
use super::{Answer, Completion, LanguageModel, LlmError, ModelCall, Prompt};

/// Longest message of a server that is passed on, in characters.
const MAX_MESSAGE: usize = 300;

/// Models that what they lack is remembered of. Their names come from requests.
const MAX_MODELS: usize = 256;

/// A model of a server that speaks OpenAI's chat API or Anthropic's.
pub struct HttpModel {
    settings: HttpSettings,
    transport: Transport,
    lacks: Mutex<HashMap<String, Lacks>>,
}

/// How an attempt ended that brought no answer.
#[derive(Debug, PartialEq)]
enum Failed {
    /// Another one would fail as well.
    ForGood(LlmError),
    /// Another one may do; why this one didn't.
    ForNow { why: String, retry_after: Option<Duration>, is_limited: bool },
    /// Another one leaves out what the model lacks.
    Lacking,
}

impl HttpModel {
    /// A client of a server. It is not asked yet.
    ///
    /// # Errors
    /// When the settings name no server, or none that may be asked.
    pub fn new(settings: HttpSettings) -> Result<Self, SettingsError> {
        let headers = settings.api.headers(settings.key.as_ref())?;
        let transport = Transport::new(settings.endpoint()?, headers, settings.max_body)?;
        Ok(Self { settings, transport, lacks: Mutex::default() })
    }

    /// What it was made from.
    #[must_use]
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    /// Asks until there is an answer or nothing more to try.
    async fn ask(&self, prompt: &Prompt, call: &mut ModelCall, start: Instant) -> Result<Completion, LlmError> {
        let asked = call.model.clone();
        let mut taught = 0;
        loop {
            call.attempts += 1;
            let attempt = tokio::time::timeout(self.time_of(call.attempts - taught), self.attempt(prompt, &asked));
            let late = |_| Err(Failed::ForNow { why: self.late(), retry_after: None, is_limited: false });
            let (why, wait, is_limited) = match attempt.await.unwrap_or_else(late) {
                Ok(reply) => return Ok(self.note(reply, &asked, call)),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::Lacking) => {
                    taught += 1;
                    continue;
                }
                Err(Failed::ForNow { why, retry_after, is_limited }) => (why, retry_after, is_limited),
            };
            let tries = Tries {
                attempts: self.settings.attempts,
                pause: self.settings.pause,
                made: call.attempts - taught,
                left: self.settings.timeout.saturating_sub(start.elapsed()),
            };
            match tries.next(wait) {
                Some(pause) => tokio::time::sleep(pause).await,
                None if is_limited => return Err(LlmError::Limited(tries.come_back(wait))),
                None => return Err(LlmError::Unavailable(why)),
            }
        }
    }

    async fn attempt(&self, prompt: &Prompt, model: &str) -> Result<Reply, Failed> {
        let lacks = self.lacks(model);
        let body = self.settings.api.body(prompt, model, lacks).to_string();
        let response = self.transport.post(body.into_bytes()).await.map_err(|broken| self.broken(broken))?;
        if !response.status.is_success() {
            return Err(self.refused(&response, model, lacks));
        }
        self.settings.api.read(&response.body, model).map_err(|unreadable| {
            let host = self.transport.host();
            Failed::ForGood(match unreadable {
                Unreadable::Declined(words) => {
                    LlmError::Refused(format!("{host}: {model} declines to answer: {}", self.clip(&words)))
                }
                Unreadable::Foreign => LlmError::Unavailable(format!(
                    "{host} does not answer as the {} API does; look at llm.url and llm.api",
                    self.settings.api.as_str()
                )),
            })
        })
    }

    /// How long an attempt may take: so that one that gets lost can be made again, the first one has not all the time.
    fn time_of(&self, attempt: u32) -> Duration {
        let all = self.settings.timeout;
        if attempt == 1 && self.settings.attempts > 1 { all * 2 / 3 } else { all }
    }

    /// What is said when the time is up.
    fn late(&self) -> String {
        let (host, seconds) = (self.transport.host(), self.settings.timeout.as_secs_f64());
        format!("{host} did not answer within {seconds} s; if the model needs longer, set --llm-timeout")
    }

    /// Writes down what an answer cost.
    fn note(&self, reply: Reply, asked: &str, call: &mut ModelCall) -> Completion {
        let Reply { completion, reasoning, tokens_in, tokens_out, is_cut } = reply;
        if is_cut {
            tracing::warn!(
                stage = call.stage,
                model = completion.model,
                "an answer was cut: the model ran out of tokens"
            );
        }
        call.cost_usd = self.settings.cost([&completion.model, asked], tokens_in, tokens_out);
        call.model.clone_from(&completion.model);
        (call.reasoning, call.tokens_in, call.tokens_out) = (reasoning, tokens_in, tokens_out);
        completion
    }

    fn broken(&self, broken: Broken) -> Failed {
        let host = self.transport.host();
        let why = match broken {
            Broken::NoConnection(why) => format!("{host} can't be reached: {}", self.clip(&why)),
            Broken::Lost(why) => format!("{host} broke off: {}", self.clip(&why)),
            Broken::TooLong => {
                let words = format!("{host} answers with more than {} bytes", self.settings.max_body);
                return Failed::ForGood(LlmError::Refused(words));
            }
        };
        Failed::ForNow { why, retry_after: None, is_limited: false }
    }

    fn refused(&self, response: &Response, model: &str, lacks: Lacks) -> Failed {
        let status = response.status;
        if matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY)
            && self.learn(model, lacks, &String::from_utf8_lossy(&response.body))
        {
            return Failed::Lacking;
        }
        let why = self.words(response, model);
        let is_limited = status == StatusCode::TOO_MANY_REQUESTS;
        let passes = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY);
        if is_limited || passes || status.is_server_error() {
            let now = chrono::Utc::now().timestamp();
            let retry_after = response.retry_after.as_deref().and_then(|value| retry_after(value, now));
            return Failed::ForNow { why, retry_after, is_limited };
        }
        Failed::ForGood(LlmError::Refused(why))
    }

    /// What a refusal says, and what to do about it.
    fn words(&self, response: &Response, model: &str) -> String {
        let (host, status) = (self.transport.host(), response.status);
        let said = self.clip(&message(&response.body));
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let next = match status.as_u16() {
            401 | 403 => "; look at the key in the variable that llm.key_env names",
            404 => "; look at llm.url, which often ends in /v1, and at the name of the model",
            300..=399 => "; redirects are not followed: give the address that it leads to as llm.url",
            _ => "",
        };
        format!("{host} answers {} for {model}{said}{next}", status.as_u16())
    }

    /// A text of a server on one line, not too long, and without the key.
    fn clip(&self, text: &str) -> String {
        let text = match &self.settings.key {
            Some(key) => key.redact(text),
            None => text.to_owned(),
        };
        let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = line.collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_MESSAGE) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    fn lacks(&self, model: &str) -> Lacks {
        let lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        lacks.get(model).copied().unwrap_or_default()
    }

    /// Remembers what a model lacks. Whether this attempt didn't know of it.
    fn learn(&self, model: &str, mut known: Lacks, refusal: &str) -> bool {
        if !known.learn(refusal) {
            return false;
        }
        let mut lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_room = lacks.len() < MAX_MODELS || lacks.contains_key(model);
        if is_room {
            let all = lacks.entry(model.to_owned()).or_default();
            *all = all.and(known);
        }
        is_room
    }
}

#[async_trait]
impl LanguageModel for HttpModel {
    async fn complete(&self, prompt: &Prompt) -> Answer {
        let start = Instant::now();
        let model = self.settings.model_of(&prompt.stage, prompt.model.as_deref());
        let mut call = ModelCall::new(&prompt.stage, model, self.transport.host());
        let asked = tokio::time::timeout(self.settings.timeout, self.ask(prompt, &mut call, start)).await;
        let result = asked.unwrap_or_else(|_| Err(LlmError::Unavailable(self.late())));
        call.error = result.as_ref().err().map(ToString::to_string);
        Answer { result, call: call.after(start.elapsed()) }
    }
}

impl std::fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpModel").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
