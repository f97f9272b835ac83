//! Contract, "Account".

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::word;
use crate::{
    domain::{Features, PlanStatus, Team},
    id::TeamId,
    store::SiteUsage,
    timestamp,
};

/// `GET /account`, inside `data`.
#[derive(Debug, Serialize)]
pub struct AccountView<'a> {
    team: TeamView<'a>,
    plan: PlanView<'a>,
    features: FeaturesView,
    limits: LimitsView,
    usage: UsageView,
}

#[derive(Debug, Serialize)]
struct TeamView<'a> {
    id: TeamId,
    name: &'a str,
}

#[derive(Debug, Serialize)]
struct PlanView<'a> {
    code: &'a str,
    name: &'a str,
    status: &'static str,
    #[serde(serialize_with = "timestamp::serialize_option")]
    ends_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize_option")]
    trial_ends_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize)]
struct FeaturesView {
    api: bool,
    exports: bool,
    white_label: bool,
    statement_drafts: bool,
    acr_drafts: bool,
}

#[derive(Debug, Serialize)]
struct LimitsView {
    sites: u32,
    pages_per_check: u32,
    check_frequency: &'static str,
    history_months: u32,
    seats: u32,
    manual_check_interval: String,
    requests_per_minute: u32,
}

#[derive(Debug, Serialize)]
struct UsageView {
    sites: UsedView,
    seats: UsedView,
    manual_checks_available: u32,
}

#[derive(Debug, Serialize)]
struct UsedView {
    used: u32,
    allowed: u32,
}

impl<'a> AccountView<'a> {
    /// A team with its plan, how that one stands, and how much of it is used.
    pub fn new(team: &'a Team, status: PlanStatus, usage: &SiteUsage) -> Self {
        let limits = &team.plan.limits;
        Self {
            team: TeamView { id: team.id, name: &team.name },
            plan: PlanView {
                code: team.plan.code.as_str(),
                name: &team.plan.name,
                status: word::plan_status(status),
                ends_at: team.subscription.ends_at,
                trial_ends_at: team.subscription.trial_ends_at,
            },
            features: FeaturesView::from(&team.plan.features),
            limits: LimitsView {
                sites: limits.sites,
                pages_per_check: limits.pages_per_check,
                check_frequency: word::check_frequency(limits.check_frequency),
                history_months: limits.history_months,
                seats: limits.seats,
                manual_check_interval: limits.manual_check_interval.to_string(),
                requests_per_minute: limits.requests_per_minute,
            },
            usage: UsageView {
                sites: UsedView { used: usage.sites, allowed: limits.sites },
                seats: UsedView { used: team.seats_used, allowed: limits.seats },
                manual_checks_available: usage.manual_checks_available,
            },
        }
    }
}

impl From<&Features> for FeaturesView {
    // What a later release has stored beside these is no field of this release's contract.
    fn from(features: &Features) -> Self {
        let &Features { api, exports, white_label, statement_drafts, acr_drafts, unknown: _ } = features;
        Self { api, exports, white_label, statement_drafts, acr_drafts }
    }
}
