//! Fields that owners add to the sites of their team.

use super::OfTeam;
use crate::{
    domain::{AuditAction, FieldErrors, Problem, SiteField, SiteFieldInput, SiteFieldRefusal},
    error::Error,
    id::SiteFieldId,
    store::{SiteFieldError, SiteFieldStore},
};

impl OfTeam {
    /// Adds a field to the sites of the team.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with what is wrong with `name` or `choices`; [`Error::NotFound`] if the service keeps no fields; and
    /// those of [every call](crate::service::TeamHandle#errors).
    pub async fn add_site_field(&self, input: SiteFieldInput) -> Result<SiteField, Error> {
        self.team.may_manage().await?;
        let field = input.field(SiteFieldId::generate(self.people.service.parts().clock.now()))?;
        let note = self.note(AuditAction::SiteFieldAdded, &field.name);
        let added = self.fields()?.add_site_field(self.team.id(), field.clone(), note).await;
        added.map_err(refusal)?;
        Ok(field)
    }

    /// Puts another name or other choices in the place of those of a field. The values of sites stay as they are.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with what is wrong with `name` or `choices`: that sites carry a choice that would be gone
    /// ([`Problem::InUse`]) is wrong with `choices`. Returns [`Error::NotFound`] if the team has no such field, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn change_site_field(&self, id: SiteFieldId, input: SiteFieldInput) -> Result<SiteField, Error> {
        self.team.may_manage().await?;
        let field = input.field(id)?;
        let note = self.note(AuditAction::SiteFieldChanged, &field.name);
        let changed = self.fields()?.change_site_field(self.team.id(), field.clone(), note).await;
        changed.map_err(refusal)?;
        Ok(field)
    }

    /// Deletes a field with all its values, and returns how many sites had one.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such field, and those of [every call](crate::service::TeamHandle#errors).
    pub async fn delete_site_field(&self, id: SiteFieldId) -> Result<u64, Error> {
        self.team.may_manage().await?;
        let fields = self.fields()?.site_fields(self.team.id()).await?;
        let field = fields.into_iter().find(|field| field.id == id).ok_or(Error::NotFound)?;
        let note = self.note(AuditAction::SiteFieldDeleted, &field.name);
        self.fields()?.delete_site_field(self.team.id(), id, note).await?.ok_or(Error::NotFound)
    }

    fn fields(&self) -> Result<&dyn SiteFieldStore, Error> {
        self.people.service.parts().site_fields.as_deref().ok_or(Error::NotFound)
    }
}

fn refusal(error: SiteFieldError) -> Error {
    match error {
        SiteFieldError::NotFound => Error::NotFound,
        SiteFieldError::Refused(SiteFieldRefusal::NameTaken) => FieldErrors::one("name", Problem::Taken).into(),
        SiteFieldError::Refused(SiteFieldRefusal::TooMany) => {
            FieldErrors::one("name", Problem::TooMany(SiteField::MOST)).into()
        }
        SiteFieldError::InUse { value, sites } => FieldErrors::one("choices", Problem::InUse(value, sites)).into(),
        SiteFieldError::Store(error) => error.into(),
    }
}
