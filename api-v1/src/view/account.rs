//! Contract §5.1.

use a11ycheck_core::{
    domain::{CheckFrequency, Features, PlanStatus, Team},
    id::TeamId,
    store::SiteUsage,
    timestamp,
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::word;

/// A team, its plan, and how much of it is used.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Account")]
pub struct AccountView<'a> {
    /// The team that the token belongs to.
    team: TeamView<'a>,
    /// The plan that the team is on.
    plan: PlanView<'a>,
    /// The tools that the plan includes.
    features: FeaturesView,
    /// How much the plan includes.
    limits: LimitsView,
    /// How much of the plan is used.
    usage: UsageView,
}

/// The team that the token belongs to.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Team")]
struct TeamView<'a> {
    /// The id of the team.
    id: TeamId,
    /// Its name for people.
    name: &'a str,
}

/// The plan that the team is on.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Plan")]
struct PlanView<'a> {
    /// Its short name.
    code: &'a str,
    /// Its name for people.
    name: &'a str,
    /// The state of the subscription. A plan that has ended is `canceled`, and the API answers 403 from its end on.
    #[schemars(with = "PlanStatus")]
    status: &'static str,
    /// The end of the plan, where it is known. From then on the API answers 403.
    #[serde(serialize_with = "timestamp::serialize_option")]
    ends_at: Option<DateTime<Utc>>,
    /// The end of the trial, where there is one.
    #[serde(serialize_with = "timestamp::serialize_option")]
    trial_ends_at: Option<DateTime<Utc>>,
}

/// The tools that the plan includes.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Features")]
struct FeaturesView {
    /// Whether the plan includes the API.
    api: bool,
    /// Whether the plan includes issue exports other than the PDF.
    exports: bool,
    /// Whether the team's brand is on the PDF.
    white_label: bool,
    /// Whether the plan includes drafts of accessibility statements; false as long as the service has none.
    statement_drafts: bool,
    /// Whether the plan includes drafts of conformance reports.
    acr_drafts: bool,
}

/// How much the plan includes.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Limits")]
struct LimitsView {
    /// The number of sites that the team may have at once.
    sites: u32,
    /// The number of pages that one check visits at most.
    pages_per_check: u32,
    /// How often a site is checked without a request.
    #[schemars(with = "CheckFrequency")]
    check_frequency: &'static str,
    /// The number of months for which checks are kept; the latest completed check of a site stays.
    history_months: u32,
    /// The number of members that the team may have.
    seats: u32,
    /// The time between two manual checks of one site, as an ISO 8601 duration.
    #[schemars(
        extend("format" = "duration"),
        regex(pattern = "^P(?=[0-9T])([0-9]+M)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$")
    )]
    manual_check_interval: String,
    /// The number of requests that one token may make within a minute.
    requests_per_minute: u32,
}

/// How much of the plan is used.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Usage")]
struct UsageView {
    /// The sites of the team.
    sites: UsedView,
    /// The members of the team.
    seats: UsedView,
    /// The number of sites on which a manual check can start right now.
    manual_checks_available: u32,
}

/// How much of what the plan allows is used.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Used")]
struct UsedView {
    /// The number in use.
    used: u32,
    /// The number that the plan includes.
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
        let &Features { api, exports, white_label, statement_drafts, acr_drafts, .. } = features;
        Self { api, exports, white_label, statement_drafts, acr_drafts }
    }
}
