//! Plans: what a team may use, and how much.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{IsoDuration, RateLimits, UnknownFields, UnknownWord, stored_word::stored_words};

/// The short name of a plan, for example `pro`. The shipped plans have constants.
///
/// ```
/// use a11ycheck_core::domain::PlanCode;
///
/// assert_eq!(PlanCode::PRO, PlanCode::new("pro"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanCode(Cow<'static, str>);

impl PlanCode {
    /// The shipped plan for trying the service: one site, and no API.
    pub const FREE: Self = Self(Cow::Borrowed("free"));
    /// The shipped plan for a few sites, without exports.
    pub const STARTER: Self = Self(Cow::Borrowed("starter"));
    /// The shipped plan with exports of issues.
    pub const PRO: Self = Self(Cow::Borrowed("pro"));
    /// The shipped plan that includes everything: daily checks, drafts of conformance reports, the team's own brand.
    pub const AGENCY: Self = Self(Cow::Borrowed("agency"));

    /// Makes a code of its spelling in the plan file.
    pub fn new(code: impl Into<String>) -> Self {
        Self(Cow::Owned(code.into()))
    }

    /// Returns the code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for PlanCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A plan: the features it includes, and its limits. This type is the stored document; the operator's file is read by
/// [`PlanCatalog::from_toml`](super::PlanCatalog::from_toml), which is stricter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// The code of the plan.
    pub code: PlanCode,
    /// The name for people.
    pub name: String,
    /// The features that are included.
    pub features: Features,
    /// The limits.
    pub limits: Limits,
    /// Fields that a later release has stored in addition.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl Plan {
    /// Returns a plan with these features and limits.
    pub fn new(code: PlanCode, name: impl Into<String>, features: Features, limits: Limits) -> Self {
        Self { code, name: name.into(), features, limits, unknown: UnknownFields::none() }
    }

    /// Returns this plan with the fields of a later release that the `stored` plan of its code has: only the fields
    /// that this release knows are replaced.
    #[must_use]
    pub fn in_place_of(mut self, stored: &Self) -> Self {
        self.unknown.keep(&stored.unknown);
        self.features.unknown.keep(&stored.features.unknown);
        self.limits.unknown.keep(&stored.limits.unknown);
        self
    }
}

/// The features that a plan includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Features {
    /// The use of the HTTP API.
    pub api: bool,
    /// Exports other than the PDF.
    pub exports: bool,
    /// The team's brand on its PDF.
    pub white_label: bool,
    /// Drafts of accessibility statements.
    pub statement_drafts: bool,
    /// Drafts of conformance reports.
    pub acr_drafts: bool,
    /// Fields that a later release has stored in addition.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl Features {
    /// Returns features of which none is included.
    pub const fn none() -> Self {
        Self {
            api: false,
            exports: false,
            white_label: false,
            statement_drafts: false,
            acr_drafts: false,
            unknown: UnknownFields::none(),
        }
    }

    /// Includes the use of the HTTP API.
    #[must_use]
    pub fn with_api(self) -> Self {
        Self { api: true, ..self }
    }

    /// Includes exports other than the PDF.
    #[must_use]
    pub fn with_exports(self) -> Self {
        Self { exports: true, ..self }
    }

    /// Includes the team's brand on its PDF.
    #[must_use]
    pub fn with_white_label(self) -> Self {
        Self { white_label: true, ..self }
    }

    /// Includes drafts of accessibility statements.
    #[must_use]
    pub fn with_statement_drafts(self) -> Self {
        Self { statement_drafts: true, ..self }
    }

    /// Includes drafts of conformance reports.
    #[must_use]
    pub fn with_acr_drafts(self) -> Self {
        Self { acr_drafts: true, ..self }
    }
}

/// The limits of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// The greatest number of sites that a team may have at once.
    pub sites: u32,
    /// The greatest number of pages that one check visits.
    pub pages_per_check: u32,
    /// The frequency of scheduled checks of a site.
    pub check_frequency: CheckFrequency,
    /// The number of months for which checks are kept.
    pub history_months: u32,
    /// The greatest number of members of a team.
    pub seats: u32,
    /// The time after a manual check of a site until the next one may start.
    pub manual_check_interval: IsoDuration,
    /// The number of requests that a token may send within a minute.
    pub requests_per_minute: u32,
    /// The number of these that may be requests for files (PDF, exports, ACR).
    #[serde(default = "Limits::default_files_per_minute")]
    pub files_per_minute: u32,
    /// Fields that a later release has stored in addition.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl Limits {
    /// Returns limits on the number of sites, and on the pages and the frequency of their checks. The others begin
    /// at a history of 12 months, one seat, an hour between manual checks of a site, and 60 requests a minute of which
    /// 20 may be for files.
    pub fn new(sites: u32, pages_per_check: u32, check_frequency: CheckFrequency) -> Self {
        Self {
            sites,
            pages_per_check,
            check_frequency,
            history_months: 12,
            seats: 1,
            manual_check_interval: IsoDuration::hours(1),
            requests_per_minute: 60,
            files_per_minute: Self::default_files_per_minute(),
            unknown: UnknownFields::none(),
        }
    }

    /// Sets the number of months for which checks are kept.
    #[must_use]
    pub fn with_history_months(self, history_months: u32) -> Self {
        Self { history_months, ..self }
    }

    /// Sets the greatest number of members of a team.
    #[must_use]
    pub fn with_seats(self, seats: u32) -> Self {
        Self { seats, ..self }
    }

    /// Sets the time after a manual check of a site until the next one may start.
    #[must_use]
    pub fn with_manual_check_interval(self, manual_check_interval: IsoDuration) -> Self {
        Self { manual_check_interval, ..self }
    }

    /// Sets the numbers of requests of any kind, and of requests for files, that a token may send within a minute.
    #[must_use]
    pub fn with_requests_per_minute(self, limits: RateLimits) -> Self {
        Self { requests_per_minute: limits.general, files_per_minute: limits.files, ..self }
    }

    /// Returns the numbers of requests that a token may send within a minute.
    pub const fn per_minute(&self) -> RateLimits {
        RateLimits::new(self.requests_per_minute, self.files_per_minute)
    }

    /// Returns the default of contract §14: 20 per minute.
    pub(super) const fn default_files_per_minute() -> u32 {
        20
    }
}

/// The frequency of scheduled checks of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named by the type's doc")]
pub enum CheckFrequency {
    Daily,
    Weekly,
    Monthly,
    /// A frequency of a later release. Sites are checked as if it were `daily`, the shortest that this release knows: a
    /// node that knows the word then plans the check after the next correctly, and a check too many does no harm until
    /// then. A longer period would delay checks beyond the time for which nodes of two releases run.
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

    /// Returns a plan as a later release stores it.
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
