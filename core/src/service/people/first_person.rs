//! The first person of an installation.

use std::net::IpAddr;

use chrono::TimeDelta;

use super::{Actor, People, PersonInput};
use crate::{
    domain::{AuditAction, Person, PersonKind, PlainSecret},
    error::Error,
};

impl People {
    /// The time for which the link for the first person is valid.
    pub const FIRST_LINK_TERM: TimeDelta = TimeDelta::hours(1);

    /// Returns the secret of a new link with which the first person is created, in place of an earlier one; `None` if there is a
    /// person.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn first_link(&self) -> Result<Option<PlainSecret>, Error> {
        let secret = PlainSecret::generate();
        let is_put = self.store().put_first_link(secret.hash(), Self::FIRST_LINK_TERM).await?;
        Ok(is_put.then_some(secret))
    }

    /// Returns whether a link for the first person is valid.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn is_first_link(&self, secret: &PlainSecret) -> Result<bool, Error> {
        Ok(self.store().is_first_link(&secret.hash()).await?)
    }

    /// Creates the first person, who operates the installation, with a link.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the link is not valid, or there is a person already, and those of the store.
    pub async fn redeem_first_link(
        &self,
        secret: &PlainSecret,
        input: PersonInput,
        address: Option<IpAddr>,
    ) -> Result<Person, Error> {
        let person = self.new_person(input, PersonKind::Operator);
        let actor = Actor::newcomer(person.id, person.email.as_str(), address);
        let note = self.note(&actor, None, AuditAction::PersonCreated, person.email.as_str());
        Ok(self.store().redeem_first_link(&secret.hash(), person, note).await?)
    }
}
