//! Plans in the operator's file, in which unknown fields are refused, while a stored plan may have fields of a later
//! release.

use serde::Deserialize;

use super::{CheckFrequency, Features, IsoDuration, Limits, Plan, PlanCode, UnknownFields};

/// An entry `[[plan]]` of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanEntry {
    code: PlanCode,
    name: String,
    features: FeaturesEntry,
    limits: LimitsEntry,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeaturesEntry {
    api: bool,
    exports: bool,
    white_label: bool,
    statement_drafts: bool,
    acr_drafts: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsEntry {
    sites: u32,
    pages_per_check: u32,
    check_frequency: FrequencyEntry,
    history_months: u32,
    seats: u32,
    manual_check_interval: IsoDuration,
    requests_per_minute: u32,
    #[serde(default = "Limits::default_files_per_minute")]
    files_per_minute: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FrequencyEntry {
    Daily,
    Weekly,
    Monthly,
}

impl From<PlanEntry> for Plan {
    fn from(PlanEntry { code, name, features, limits }: PlanEntry) -> Self {
        Self { code, name, features: features.into(), limits: limits.into(), unknown: UnknownFields::none() }
    }
}

impl From<FeaturesEntry> for Features {
    fn from(entry: FeaturesEntry) -> Self {
        let FeaturesEntry { api, exports, white_label, statement_drafts, acr_drafts } = entry;
        Self { api, exports, white_label, statement_drafts, acr_drafts, unknown: UnknownFields::none() }
    }
}

impl From<LimitsEntry> for Limits {
    fn from(entry: LimitsEntry) -> Self {
        Self {
            sites: entry.sites,
            pages_per_check: entry.pages_per_check,
            check_frequency: entry.check_frequency.into(),
            history_months: entry.history_months,
            seats: entry.seats,
            manual_check_interval: entry.manual_check_interval,
            requests_per_minute: entry.requests_per_minute,
            files_per_minute: entry.files_per_minute,
            unknown: UnknownFields::none(),
        }
    }
}

impl From<FrequencyEntry> for CheckFrequency {
    fn from(entry: FrequencyEntry) -> Self {
        match entry {
            FrequencyEntry::Daily => Self::Daily,
            FrequencyEntry::Weekly => Self::Weekly,
            FrequencyEntry::Monthly => Self::Monthly,
        }
    }
}
