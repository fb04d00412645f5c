//! Making a [`Memory`].

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use gligabao_core::pattern::Patterns;
use gligabao_core::remember::Extractor;

use super::error::BuildError;
use super::git_cache::GitCache;
use super::{Memory, Shared};
use crate::engine::{Engine, Limits, Llm};
use crate::llm::{LanguageModel, Prompts};
use crate::store::{Clock, SharedStore, SystemClock};

/// A [`Memory`] in the making. Only a store is needed.
pub struct Builder {
    store: Option<SharedStore>,
    component: Cow<'static, [u8]>,
    cache: Option<PathBuf>,
    git: Option<PathBuf>,
    limits: Limits,
    clock: Arc<dyn Clock>,
    patterns: Option<Arc<[u8]>>,
    llm: Option<Arc<dyn LanguageModel>>,
    prompts: Prompts,
    extractor: Option<Extractor>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            store: None,
            component: Cow::Borrowed(gligabao_artifact::MEMORY),
            cache: None,
            git: None,
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            patterns: None,
            llm: None,
            prompts: Prompts::default(),
            extractor: None,
        }
    }
}

impl Builder {
    /// Where datasets live.
    #[must_use]
    pub fn store(mut self, store: SharedStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Another memory component than the one that is built in.
    #[must_use]
    pub fn component(mut self, component: impl Into<Cow<'static, [u8]>>) -> Self {
        self.component = component.into();
        self
    }

    /// A directory of the user's own for compiled components; `None` (as without this) compiles at each start.
    #[must_use]
    pub fn cache_dir(mut self, directory: Option<PathBuf>) -> Self {
        self.cache = directory;
        self
    }

    /// A directory for the git repositories that are served, each updated when it is asked for; `None` (as without
    /// this) takes one that goes with the process.
    #[must_use]
    pub fn git_dir(mut self, directory: Option<PathBuf>) -> Self {
        self.git = directory;
        self
    }

    /// Other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Another clock than the machine's for the `now` of calls. Transaction times are the store's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Other pattern sets than the built-in ones. They come from the core that the component was built from.
    #[must_use]
    pub fn patterns(mut self, patterns: &Patterns) -> Self {
        self.patterns = Some(patterns.to_bytes().into());
        self
    }

    /// The language model that calls ask; without one, what needs a model is refused.
    #[must_use]
    pub fn llm(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.llm = Some(model);
        self
    }

    /// Instructions that replace those of the component, stage by stage.
    #[must_use]
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.prompts = prompts;
        self
    }

    /// Who finds the facts of a text whose request does not say; without this the language model, if there is one, and
    /// otherwise patterns.
    #[must_use]
    pub fn extractor(mut self, extractor: Extractor) -> Self {
        self.extractor = Some(extractor);
        self
    }

    /// Compiles the component, or loads it from the cache.
    ///
    /// # Errors
    /// When there is no store, or the component can't be used.
    pub fn build(self) -> Result<Memory, BuildError> {
        let store = self.store.ok_or(BuildError::NoStore)?;
        let has_llm = self.llm.is_some();
        let llm = self.llm.map(|model| Llm { model, prompts: self.prompts });
        let engine = Engine::new(&self.component, self.cache.as_deref(), self.limits, llm)
            .map_err(|error| BuildError::Component(format!("{error:#}")))?;
        let engine = Arc::new(engine);
        let Self { clock, patterns, .. } = self;
        let git = GitCache::new(self.git);
        let extractor = self.extractor.unwrap_or(if has_llm { Extractor::Llm } else { Extractor::Pattern });
        Ok(Memory(Arc::new(Shared { engine, store, clock, patterns, extractor, has_llm, git })))
    }
}
