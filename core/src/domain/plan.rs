//! What a team may do.

use serde::{Deserialize, Serialize};

use super::{IsoDuration, UnknownFields, UnknownWord, stored_word::stored_words};

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

/// A plan: what is included, and how much of it. This is its stored document; the operator's file is read by
/// [`PlanCatalog::from_toml`](super::PlanCatalog::from_toml), which is stricter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Its short name.
    pub code: PlanCode,
    /// Its name for people.
    pub name: String,
    /// What is included.
    pub features: Features,
    /// How much of it.
    pub limits: Limits,
    /// What a later release has stored beside these.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl Plan {
    /// Returns this plan with the fields of a later release that the stored plan of its code has: it replaces what this
    /// release knows of that plan, and nothing else.
    #[must_use]
    pub fn in_place_of(mut self, stored: &Self) -> Self {
        self.unknown.keep(&stored.unknown);
        self.features.unknown.keep(&stored.features.unknown);
        self.limits.unknown.keep(&stored.limits.unknown);
        self
    }
}

/// The tools that a plan includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What a later release has stored beside these.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The limits of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What a later release has stored beside these.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl Limits {
    /// Contract, "Limits": 20 per minute.
    pub(super) const fn default_files_per_minute() -> u32 {
        20
    }
}

/// How often a site is checked by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named by the type's doc")]
pub enum CheckFrequency {
    Daily,
    Weekly,
    Monthly,
    /// One of a later release. Sites are checked as if it were `daily`, the shortest that there is: a node that knows the word
    /// then plans the check after the next as it should be, and until then a check too many does no harm. A longer period would
    /// put off checks beyond the time for which nodes of two releases run.
    Unknown(UnknownWord),
}

stored_words!(CheckFrequency {
    Daily = "daily",
    Weekly = "weekly",
    Monthly = "monthly",
});

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::PlanCatalog;

    /// A plan as a later release stores it.
    fn later() -> Value {
        let mut document = serde_json::to_value(&PlanCatalog::shipped().plans()[0]).unwrap();
        document["promoted"] = json!({"until": "2027-01-01", "badge": null});
        document["features"]["sso"] = json!(true);
        document["limits"]["languages"] = json!(["en", "uk"]);
        document["limits"]["check_frequency"] = json!("hourly");
        document
    }

    #[test]
    fn a_plan_of_a_later_release_is_written_back_as_it_was_stored() {
        let plan: Plan = serde_json::from_value(later()).unwrap();
        assert_eq!(serde_json::to_value(&plan).unwrap(), later());
    }

    #[test]
    fn an_operators_plan_takes_nothing_from_a_later_release_but_what_it_names_itself() {
        let stored: Plan = serde_json::from_value(later()).unwrap();
        let mut expected = later();
        expected["name"] = json!("Renamed");
        expected["limits"]["check_frequency"] = json!("weekly");
        let mut from_file = PlanCatalog::shipped().plans()[0].clone();
        from_file.name = "Renamed".to_owned();
        from_file.limits.check_frequency = CheckFrequency::Weekly;
        assert_eq!(serde_json::to_value(from_file.clone().in_place_of(&stored)).unwrap(), expected);
        assert_eq!(from_file.clone().in_place_of(&from_file), from_file);
    }
}
