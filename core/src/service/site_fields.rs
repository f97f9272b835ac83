//! Fields that teams add to their sites, and the values of sites.

use std::collections::BTreeMap;

use super::TeamHandle;
use crate::{
    domain::{Ability, FieldErrors, SiteField, SiteValueChanges, SiteValues},
    error::Error,
    id::SiteId,
    store::SiteFieldStore,
};

impl TeamHandle {
    /// Returns the fields that the team has added to its sites, in the order in which they were added; none if the service
    /// [keeps none](super::ServiceBuilder::with_site_fields).
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn site_fields(&self) -> Result<Vec<SiteField>, Error> {
        self.may(Ability::Read).await?;
        match self.field_store() {
            Some(store) => Ok(store.site_fields(self.id()).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the values of these sites. Sites without any, and those of other teams, are left out.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn site_values(&self, sites: &[SiteId]) -> Result<BTreeMap<SiteId, SiteValues>, Error> {
        self.may(Ability::Read).await?;
        match self.field_store() {
            Some(store) => Ok(store.site_values(self.id(), sites).await?),
            None => Ok(BTreeMap::new()),
        }
    }

    /// Returns the values of all sites. Sites without any are left out.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn all_site_values(&self) -> Result<BTreeMap<SiteId, SiteValues>, Error> {
        self.may(Ability::Read).await?;
        match self.field_store() {
            Some(store) => Ok(store.all_site_values(self.id()).await?),
            None => Ok(BTreeMap::new()),
        }
    }

    /// Changes values of a site, all at once, and returns whether any became another. What `changes` leaves out stays as it is.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with what is wrong with which field, by its id: a field that the team does not have is
    /// [not in the list](crate::domain::Problem::NotInList). Returns [`Error::MissingAbility`] without `write`, [`Error::NotFound`] if the
    /// team has no such site or the service keeps no fields, and those of [every call](TeamHandle#errors).
    pub async fn set_site_values(&self, site: SiteId, changes: SiteValueChanges) -> Result<bool, Error> {
        self.may(Ability::Write).await?;
        let store = self.field_store().ok_or(Error::NotFound)?;
        let fields = store.site_fields(self.id()).await?;
        let (mut errors, mut read) = (FieldErrors::default(), SiteValueChanges::new());
        for (id, value) in changes {
            let field = fields.iter().find(|field| field.id == id);
            let field = field.ok_or(crate::domain::Problem::NotInList);
            match field.and_then(|field| field.value(value.as_deref().unwrap_or_default())) {
                Ok(value) => drop(read.insert(id, value)),
                Err(problem) => errors.add(&id.to_string(), problem),
            }
        }
        if !errors.is_empty() {
            return Err(errors.into());
        }
        store.set_site_values(self.id(), site, &read).await?.ok_or(Error::NotFound)
    }

    pub(super) fn field_store(&self) -> Option<&dyn SiteFieldStore> {
        self.service().parts().site_fields.as_deref()
    }
}
