//! Contract, "Site".

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    domain::{PlatformKey, Site},
    id::SiteId,
    locale::Locale,
    timestamp,
};

/// A site, as answers and events show it.
#[derive(Debug, Serialize)]
pub struct SiteView<'a> {
    id: SiteId,
    url: &'a str,
    domain: &'a str,
    name: Option<&'a str>,
    platform: Option<&'a PlatformKey>,
    stack: &'a [PlatformKey],
    report_locale: Locale,
    status: &'static str,
    tags: &'a [String],
    #[serde(serialize_with = "timestamp::serialize")]
    next_scan_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
}

impl<'a> SiteView<'a> {
    /// A site whose team is [served](crate::domain::Team::is_served), or not, which makes it `paused`.
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
            next_scan_at: site.next_scan_at,
            created_at: site.created_at,
        }
    }
}
