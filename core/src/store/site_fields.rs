//! Fields that teams add to their sites, and the values of sites.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{PeopleStore, StoreError};
use crate::{
    domain::{NewAuditRecord, SiteField, SiteFieldRefusal, SiteValueChanges, SiteValues},
    id::{SiteFieldId, SiteId, TeamId},
};

/// The reason why a field was not added or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteFieldError {
    /// There is no such team, or it has no such field.
    #[error("there is no such team, or it has no such field")]
    NotFound,
    /// The team can't have it beside its other fields.
    #[error(transparent)]
    Refused(#[from] SiteFieldRefusal),
    /// Sites carry a value that the field would not take any more.
    #[error("{sites} sites carry the value {value:?}")]
    InUse {
        /// The value: of several, the first one in the order of their bytes.
        value: String,
        /// The number of sites that carry it.
        sites: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps fields that teams add to their sites, and the values of sites. A store that does keeps people as well, for each step that changes
/// fields is in their audit log, as those of [`PeopleStore`] are.
///
/// Fields end with their team, values with their field and with their site.
#[async_trait]
pub trait SiteFieldStore: PeopleStore {
    /// Returns the fields of a team.
    ///
    /// # Ordering
    /// By id: in the order in which they were added.
    async fn site_fields(&self, team: TeamId) -> Result<Vec<SiteField>, StoreError>;

    /// Adds a field.
    ///
    /// # Concurrency
    /// A team never has more fields than [`SiteField::MOST`], nor two with the same [key](SiteField::key).
    ///
    /// # Errors
    /// [`SiteFieldError`], except for [`InUse`](SiteFieldError::InUse): nothing is added.
    async fn add_site_field(&self, team: TeamId, field: SiteField, audit: NewAuditRecord)
    -> Result<(), SiteFieldError>;

    /// Puts a field in the place of the one with its id. The values that sites carry stay.
    ///
    /// # Concurrency
    /// That of [`add_site_field`](Self::add_site_field); and no site carries a value that its field does not take.
    ///
    /// # Errors
    /// [`SiteFieldError`], except for [`SiteFieldRefusal::TooMany`]: nothing is changed.
    async fn change_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError>;

    /// Deletes a field with all its values, and returns how many sites had one; `None` if the team has no such field.
    async fn delete_site_field(
        &self,
        team: TeamId,
        id: SiteFieldId,
        audit: NewAuditRecord,
    ) -> Result<Option<u64>, StoreError>;

    /// Returns the values of these sites of the team. Sites without any are left out.
    async fn site_values(&self, team: TeamId, sites: &[SiteId]) -> Result<BTreeMap<SiteId, SiteValues>, StoreError>;

    /// Returns the values of all sites of the team. Sites without any are left out.
    async fn all_site_values(&self, team: TeamId) -> Result<BTreeMap<SiteId, SiteValues>, StoreError>;

    /// Changes values of a site, all at once, and returns whether any became another; `None` if the team has no such site. What the team
    /// has no field for (any more) and what its field does not [take](SiteField::takes) is left out.
    async fn set_site_values(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &SiteValueChanges,
    ) -> Result<Option<bool>, StoreError>;
}
