//! What a team may do.

use serde::{Deserialize, Serialize};

use super::IsoDuration;

/// The short name of a plan, for example `pro`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanCode(String);

impl PlanCode {
    /// Takes a code as the plan file spells it.
    pub fn new(code: impl Into<String>) -> Self {
        Self(code.into())
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for PlanCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A plan: what is included, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its short name.
    pub code: PlanCode,
    /// Its name for people.
    pub name: String,
    /// What is included.
    pub features: Features,
    /// How much of it.
    pub limits: Limits,
}

/// The tools that a plan includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// The HTTP API at all.
    pub api: bool,
    /// Exports other than the PDF.
    pub exports: bool,
    /// The team's brand on its PDF.
    pub white_label: bool,
    /// Drafts of accessibility statements.
    pub statement_drafts: bool,
    /// Drafts of conformance reports.
    pub acr_drafts: bool,
}

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Sites that a team may have at once.
    pub sites: u32,
    /// Pages that one check visits at most.
    pub pages_per_check: u32,
    /// How often a site is checked by itself.
    pub check_frequency: CheckFrequency,
    /// How long checks are kept, in months.
    pub history_months: u32,
    /// Members that a team may have.
    pub seats: u32,
    /// How long after a manual check of a site the next one may start.
    pub manual_check_interval: IsoDuration,
    /// Requests that a token may make within a minute.
    pub requests_per_minute: u32,
    /// Of these, requests for files (PDF, exports, ACR).
    #[serde(default = "Limits::default_files_per_minute")]
    pub files_per_minute: u32,
}

impl Limits {
    /// Contract, "Limits": 20 per minute.
    const fn default_files_per_minute() -> u32 {
        20
    }
}

/// How often a site is checked by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "named by the type's doc")]
pub enum CheckFrequency {
    Daily,
    Weekly,
    Monthly,
}

impl CheckFrequency {
    /// The word that the account shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }
}
