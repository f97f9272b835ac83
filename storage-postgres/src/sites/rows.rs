//! Conversion of rows to sites.

use a11ycheck_core::{
    domain::{PlatformKey, Site, SiteDetails, SiteUrl, StandardId},
    locale::Locale,
};
use chrono::{DateTime, Utc};
use sqlx::{FromRow, postgres::PgRow};

use crate::db::{
    columns::{BoxedError, Consecutive},
    error::Corrupt,
};

/// The columns of [`SiteRow`], of a site `site`, in the order in which it reads them.
macro_rules! site_columns {
    () => {
        "site.name AS site_name, site.id AS site_id, site.team_id AS site_team_id, site.url, site.report_locale, \
         site.platform, site.stack, site.tags, site.standard, site.next_scan_at, site.created_at AS site_created_at"
    };
}

pub(crate) use site_columns;

/// A site as it was read.
pub(crate) struct SiteRow(Result<Site, Corrupt>);

impl SiteRow {
    pub(crate) fn site(self) -> Result<Site, Corrupt> {
        self.0
    }
}

impl<'r> FromRow<'r, PgRow> for SiteRow {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let mut columns = Consecutive::from(row, "site_name")?;
        let name = columns.read()?;
        let id = columns.read()?;
        let stored = Stored {
            id,
            team: columns.read()?,
            url: columns.read()?,
            name,
            report_locale: columns.read()?,
            platform: columns.read()?,
            stack: columns.read()?,
            tags: columns.read()?,
            standard: columns.read()?,
            next_scan_at: columns.read()?,
            created_at: columns.read()?,
        };
        Ok(Self(stored.site().map_err(|source| Corrupt::new("sites", id, source))))
    }
}

/// The values of a row.
struct Stored<'r> {
    id: &'r str,
    team: &'r str,
    url: &'r str,
    name: Option<String>,
    report_locale: &'r str,
    platform: Option<&'r str>,
    stack: Vec<String>,
    tags: Vec<String>,
    standard: Option<&'r str>,
    next_scan_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
}

impl Stored<'_> {
    fn site(self) -> Result<Site, BoxedError> {
        Ok(Site {
            id: self.id.parse()?,
            team: self.team.parse()?,
            details: SiteDetails {
                url: SiteUrl::parse(self.url)?,
                name: self.name,
                report_locale: Locale::from_stored(self.report_locale),
                platform: self.platform.map(PlatformKey::new),
                stack: self.stack.iter().map(|key| PlatformKey::new(key)).collect(),
                tags: self.tags,
                standard: self.standard.map(StandardId::from_stored).transpose()?,
            },
            next_scan_at: self.next_scan_at,
            created_at: self.created_at,
        })
    }
}
