//! What was asked for, and which programs did it.

use a11ycheck_core::{
    domain::{SiteUrl, StandardId, Tool},
    locale::Locale,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The programs that made a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tools {
    /// This program.
    pub a11ycheck: Program,
    /// The engine that judged the pages.
    pub engine: Program,
    /// The name and version of the browser; absent for an engine that needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
}

/// A program with its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Program {
    /// The name that the program itself uses.
    pub name: String,
    /// The version.
    pub version: String,
}

/// What a run was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// The targets as they were given.
    pub targets: Vec<String>,
    /// The address that stands for the whole run in reports: the base address if one was given, else the first page's.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub site: SiteUrl,
    /// The name of the site in reports; absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The address that relative targets were joined to, and in whose place keys have none; absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The standard against which pages were checked.
    pub standard: StandardId,
    /// The language of the texts.
    pub locale: Locale,
    /// The size in which pages were shown, in CSS pixels, if one was asked for: `320x480`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<String>,
}

/// What is known of a run beside its findings.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// The instant at which the run began.
    pub started_at: DateTime<Utc>,
    /// The instant at which the last page was checked.
    pub finished_at: DateTime<Utc>,
    /// What was asked for. Its standard must be that of the findings.
    pub settings: Settings,
}

impl Tools {
    /// Returns this program with the engine that judged the pages.
    pub fn with_engine(engine: &Tool) -> Self {
        Self {
            a11ycheck: Program { name: "a11ycheck".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            engine: Program { name: engine.name.clone(), version: engine.version.clone() },
            browser: engine.browser.clone(),
        }
    }

    /// Returns the engine as core names it.
    pub fn engine(&self) -> Tool {
        let engine = Tool::new(&self.engine.name, &self.engine.version);
        // The probes are those of the program.
        let engine = if engine.axe_version().is_some() { engine.with_probes(&self.a11ycheck.version) } else { engine };
        match &self.browser {
            Some(browser) => engine.with_browser(browser),
            None => engine,
        }
    }
}

impl Program {
    /// Returns the name and version, for example `axe-core 4.14.1`.
    pub fn in_words(&self) -> String {
        if self.version.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.version) }
    }
}
