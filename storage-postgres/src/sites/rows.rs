//! Conversion of rows to sites.

use a11ycheck_core::{
    domain::{PlatformKey, Site, SiteDetails, SiteUrl, StandardId},
    locale::Locale,
};
use chrono::{DateTime, Utc};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named},
    error::Corrupt,
};

/// The columns of [`SiteRow`], of a site `site`.
macro_rules! site_columns {
    () => {
        "site.id AS site_id, site.team_id AS site_team_id, site.url, site.name AS site_name, site.report_locale, \
         site.platform, site.stack, site.tags, site.standard, site.next_scan_at, site.created_at AS site_created_at"
    };
}

pub(crate) use site_columns;

#[derive(FromRow)]
pub(crate) struct SiteRow {
    site_id: String,
    site_team_id: String,
    url: String,
    site_name: Option<String>,
    report_locale: String,
    platform: Option<String>,
    stack: Vec<String>,
    tags: Vec<String>,
    standard: Option<String>,
    next_scan_at: DateTime<Utc>,
    site_created_at: DateTime<Utc>,
}

impl SiteRow {
    pub(crate) fn site(self) -> Result<Site, Corrupt> {
        named("sites", self.site_id.clone(), self.read())
    }

    fn read(self) -> Result<Site, BoxedError> {
        Ok(Site {
            id: self.site_id.parse()?,
            team: self.site_team_id.parse()?,
            details: SiteDetails {
                url: SiteUrl::parse(&self.url)?,
                name: self.site_name,
                report_locale: Locale::from_stored(&self.report_locale),
                platform: self.platform.as_deref().map(PlatformKey::new),
                stack: self.stack.iter().map(|key| PlatformKey::new(key)).collect(),
                tags: self.tags,
                standard: self.standard.as_deref().map(StandardId::from_stored).transpose()?,
            },
            next_scan_at: self.next_scan_at,
            created_at: self.site_created_at,
        })
    }
}
