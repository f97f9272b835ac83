//! A web site of a team.

use chrono::{DateTime, Utc};

use super::{PlatformKey, SiteUrl, leading_platform};
use crate::{
    id::{SiteId, TeamId},
    locale::Locale,
};

/// A web site of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its id.
    pub id: SiteId,
    /// Whose it is.
    pub team: TeamId,
    /// What was asked for.
    pub details: SiteDetails,
    /// When the next check starts by itself.
    pub next_scan_at: DateTime<Utc>,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

/// What a user says of a site, checked and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteDetails {
    /// Where it starts.
    pub url: SiteUrl,
    /// What its owner calls it; at most 120 characters.
    pub name: Option<String>,
    /// The language of its reports.
    pub report_locale: Locale,
    /// The one platform that was named in the older form of `stack`; it is the first of the stack then.
    pub platform: Option<PlatformKey>,
    /// What it is built with, each once: at most 8, and [`platform`](Self::platform) beside them.
    pub stack: Vec<PlatformKey>,
    /// At most 10 of at most 40 characters, each once, in the order given.
    pub tags: Vec<String>,
}

impl SiteDetails {
    /// The platform that tips follow.
    pub fn tip_platform(&self) -> Option<&PlatformKey> {
        leading_platform(&self.stack)
    }

    /// The platform that the older form of `stack` shows: the one that was named in it, else the one that tips follow.
    pub fn shown_platform(&self) -> Option<&PlatformKey> {
        self.platform.as_ref().or_else(|| self.tip_platform())
    }

    /// What to call the site: its name, else its domain.
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.url.domain())
    }
}

/// A site to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSite {
    /// Its id.
    pub id: SiteId,
    /// What was asked for.
    pub details: SiteDetails,
}
