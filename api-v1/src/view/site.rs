//! Contract §6.1.

use a11ycheck_core::{
    domain::{PlatformKey, Site, SiteUrl, StandardId},
    id::SiteId,
    locale::Locale,
    timestamp,
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

/// A web site of the team.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Site")]
pub struct SiteView<'a> {
    /// The id of the site.
    id: SiteId,
    /// The full address with its scheme, as browsers normalise it (WHATWG URL). Encoded characters make it longer than it
    /// was typed.
    #[schemars(length(max = SiteUrl::MAX_LENGTH), extend("pattern" = "^https?://"))]
    url: &'a str,
    /// The host part of the address: ASCII form, lower case.
    domain: &'a str,
    /// The name that the team gave it.
    #[schemars(length(max = 120))]
    name: Option<&'a str>,
    /// The older form of `stack`: the platform key that was given so, else the one that fixing tips follow.
    platform: Option<&'a PlatformKey>,
    /// Platform keys, for example `shopify` or `vue`: at most 8, and `platform` ahead of them where it was given.
    #[schemars(with = "Vec<String>", length(max = 9))]
    stack: &'a [PlatformKey],
    /// The language of its reports.
    report_locale: Locale,
    /// The state: `paused` while no check starts by schedule, because the team is blocked or its plan has ended.
    #[schemars(extend("enum" = ["active", "paused"]))]
    status: &'static str,
    /// Labels to find it by.
    #[schemars(length(max = 10), inner(length(max = 40)))]
    tags: &'a [String],
    /// The standard against which it is checked; null for the operator's choice for all sites.
    standard: Option<StandardId>,
    /// The instant at which the next scheduled check is due.
    #[serde(serialize_with = "timestamp::serialize")]
    next_scan_at: DateTime<Utc>,
    /// The instant at which the site was added.
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl<'a> SiteView<'a> {
    /// A site whose team is [served](a11ycheck_core::domain::Team::is_served), or not, which makes it `paused`.
    pub fn new(site: &'a Site, is_served: bool) -> Self {
        Self {
            id: site.id,
            url: site.details.url.as_str(),
            domain: site.details.url.domain(),
            name: site.details.name.as_deref(),
            platform: site.details.shown_platform(),
            stack: &site.details.stack,
            report_locale: site.details.report_locale,
            status: if is_served { "active" } else { "paused" },
            tags: &site.details.tags,
            standard: site.details.standard,
            next_scan_at: site.next_scan_at,
            created_at: site.created_at,
        }
    }
}
