//! Web sites of teams.

use chrono::{DateTime, Utc};

use super::{PlatformKey, SiteUrl, StandardId, leading_platform};
use crate::{
    id::{SiteId, TeamId},
    locale::Locale,
};

/// A web site of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The id of the site.
    pub id: SiteId,
    /// The team that owns it.
    pub team: TeamId,
    /// The details that a user set.
    pub details: SiteDetails,
    /// The instant at which the next scheduled check starts.
    pub next_scan_at: DateTime<Utc>,
    /// The instant at which it was added.
    pub created_at: DateTime<Utc>,
}

/// The details of a site that a user sets, checked and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteDetails {
    /// The address of the start page.
    pub url: SiteUrl,
    /// The name that its owner gave it; at most 120 characters.
    pub name: Option<String>,
    /// The language of its reports.
    pub report_locale: Locale,
    /// The platform that was named in the older form of `stack`, if any; it is then the first of the stack.
    pub platform: Option<PlatformKey>,
    /// The platforms that it is built with, each once: at most 8, in addition to [`platform`](Self::platform).
    pub stack: Vec<PlatformKey>,
    /// The tags, at most 10 of at most 40 characters, each once, in the order in which they were given.
    pub tags: Vec<String>,
    /// The standard against which it is checked; `None` for the one that the operator has chosen for all sites.
    pub standard: Option<StandardId>,
}

impl SiteDetails {
    /// Returns the platform that tips follow.
    pub fn tip_platform(&self) -> Option<&PlatformKey> {
        leading_platform(&self.stack)
    }

    /// Returns the platform that the older form of `stack` shows: the one that was named in it, or else the one that
    /// tips follow.
    pub fn shown_platform(&self) -> Option<&PlatformKey> {
        self.platform.as_ref().or_else(|| self.tip_platform())
    }

    /// Returns the name under which people know the site: its name, or else its domain.
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.url.domain())
    }
}

/// A site that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSite {
    /// The id of the site.
    pub id: SiteId,
    /// The details that a user set.
    pub details: SiteDetails,
}
