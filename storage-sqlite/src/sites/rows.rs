//! Conversion of rows to sites.

use a11ycheck_core::{
    domain::{ManualChecks, PlatformKey, Site, SiteDetails, SiteUrl, StandardId},
    locale::Locale,
};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, from_json, named},
    error::Corrupt,
    ids::At,
};

/// The columns of [`SiteRow`], of a site `site`.
macro_rules! site_columns {
    () => {
        "site.id AS site_id, site.team_id AS site_team_id, site.url, site.name AS site_name, site.report_locale, \
         site.platform, site.stack, site.tags, site.standard, site.next_scan_at, \
         site.created_at AS site_created_at"
    };
}

/// The columns of [`ManualRow`], of a site `site`.
macro_rules! manual_columns {
    () => {
        "site.last_manual_at, site.previous_manual_at, site.manual_given_back_at"
    };
}

pub(crate) use {manual_columns, site_columns};

#[derive(FromRow)]
pub(crate) struct SiteRow {
    site_id: String,
    site_team_id: String,
    url: String,
    site_name: Option<String>,
    report_locale: String,
    platform: Option<String>,
    stack: String,
    tags: String,
    standard: Option<String>,
    next_scan_at: At,
    site_created_at: At,
}

impl SiteRow {
    pub(crate) fn site(self) -> Result<Site, Corrupt> {
        named("sites", self.site_id.clone(), self.read())
    }

    fn read(self) -> Result<Site, BoxedError> {
        let stack: Vec<String> = from_json(&self.stack)?;
        Ok(Site {
            id: self.site_id.parse()?,
            team: self.site_team_id.parse()?,
            details: SiteDetails {
                url: SiteUrl::parse(&self.url)?,
                name: self.site_name,
                report_locale: Locale::from_stored(&self.report_locale),
                platform: self.platform.as_deref().map(PlatformKey::new),
                stack: stack.iter().map(|key| PlatformKey::new(key)).collect(),
                tags: from_json(&self.tags)?,
                standard: self.standard.as_deref().map(StandardId::from_stored).transpose()?,
            },
            next_scan_at: self.next_scan_at.0,
            created_at: self.site_created_at.0,
        })
    }
}

/// The part of a site that remembers its manual checks.
#[derive(FromRow)]
pub(crate) struct ManualRow {
    last_manual_at: Option<At>,
    previous_manual_at: Option<At>,
    manual_given_back_at: Option<At>,
}

impl ManualRow {
    pub(crate) fn checks(&self) -> ManualChecks {
        let at = |column: Option<At>| column.map(|at| at.0);
        ManualChecks {
            last_at: at(self.last_manual_at),
            previous_at: at(self.previous_manual_at),
            given_back_at: at(self.manual_given_back_at),
        }
    }
}
