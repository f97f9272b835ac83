//! Persons.

use super::{Actor, People};
use crate::{
    domain::{AuditAction, EmailAddress, NewPerson, PasswordHash, Person, PersonKind, bounded},
    error::Error,
    id::PersonId,
    locale::Locale,
    paging::{Page, PageRequest},
    store::Credentials,
};

/// A person to be created.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PersonInput {
    /// The address under which the person signs in.
    pub email: EmailAddress,
    /// The name; what is beyond [`Person::MAX_NAME`] characters is dropped.
    pub name: String,
    /// The language of the pages.
    pub locale: Locale,
    /// The hash of the password; `None` for who signs in by other means.
    pub password: Option<PasswordHash>,
}

impl PersonInput {
    /// Returns the description of a person without a name and a password, who reads English.
    pub const fn new(email: EmailAddress) -> Self {
        Self { email, name: String::new(), locale: Locale::En, password: None }
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the language.
    #[must_use]
    pub fn with_locale(self, locale: Locale) -> Self {
        Self { locale, ..self }
    }

    /// Sets the hash of the password.
    #[must_use]
    pub fn with_password(self, password: PasswordHash) -> Self {
        Self { password: Some(password), ..self }
    }
}

impl People {
    /// Creates a person, who belongs to no team yet.
    ///
    /// # Errors
    /// Returns [`Error::AddressTaken`] if another person has the address, and those of the store.
    pub async fn create_person(&self, actor: &Actor, input: PersonInput, kind: PersonKind) -> Result<Person, Error> {
        let note = self.note(actor, None, AuditAction::PersonCreated, input.email.as_str());
        Ok(self.store().create_person(self.new_person(input, kind), note).await?)
    }

    /// Returns all persons, the oldest first: for operators.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn persons(&self, page: PageRequest) -> Result<Page<Person>, Error> {
        Ok(self.store().persons(page).await?)
    }

    /// Returns the person with an address, and what a sign-in is compared with; `None` if there is none.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn credentials(&self, email: &EmailAddress) -> Result<Option<Credentials>, Error> {
        Ok(self.store().credentials(email).await?)
    }

    pub(super) fn new_person(&self, input: PersonInput, kind: PersonKind) -> NewPerson {
        let PersonInput { email, name, locale, password } = input;
        let id = PersonId::generate(self.service.parts().clock.now());
        NewPerson { id, email, name: bounded(name.trim(), Person::MAX_NAME), locale, kind, password }
    }
}
