//! Mail to people: whether it is sent, links for another password, and who wants notices.

use std::net::IpAddr;

use super::{Actor, People};
use crate::{
    domain::{AuditAction, EmailAddress, NewMail, Notices, PasswordHash, Person, PlainSecret, SharedSetting},
    error::Error,
    id::{MailId, PersonId},
    locale::Locale,
    store::MailStore,
};

impl People {
    /// Returns whether mail is sent: whether this service keeps it, and a server that sends it says so. Everything works without it.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn sends_mail(&self) -> Result<bool, Error> {
        if self.mail_store().is_none() {
            return Ok(false);
        }
        let settings = self.service.store().settings().await?;
        Ok(settings.get(&SharedSetting::Mail).is_some_and(|value| value == SharedSetting::ON))
    }

    /// Returns a mail in this language; `None` if mail is not sent.
    pub(super) async fn new_mail(&self, locale: Locale) -> Result<Option<NewMail>, Error> {
        let id = MailId::generate(self.service.parts().clock.now());
        Ok(self.sends_mail().await?.then_some(NewMail { id, locale }))
    }

    /// Sends a link for another password to an address. Whether anybody has it makes no difference, not in time either. At most
    /// [`Mail::MOST_RESETS`](crate::domain::Mail::MOST_RESETS) an hour are sent to one address. Does nothing if mail is not sent.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn request_reset(&self, email: &EmailAddress, locale: Locale) -> Result<(), Error> {
        let (Some(store), Some(mail)) = (self.mail_store(), self.new_mail(locale).await?) else { return Ok(()) };
        Ok(store.request_reset(mail, email).await?)
    }

    /// Switches notices off for the reader of a notice, who shows the secret of its link. The secret is good for nothing else.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the link is not valid, or not any more, and those of the store.
    pub async fn switch_notices_off(&self, link: &PlainSecret) -> Result<(), Error> {
        let store = self.mail_store().ok_or(Error::NotFound)?;
        if store.switch_notices_off(&link.hash()).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Returns the person who may set another password with a link.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the link is not valid, or not any more, and those of the store.
    pub async fn reset_link(&self, secret: &PlainSecret) -> Result<Person, Error> {
        let store = self.mail_store().ok_or(Error::NotFound)?;
        store.reset_link(&secret.hash()).await?.ok_or(Error::NotFound)
    }

    /// Sets another password with a link, which is used up, and ends all sessions of the person.
    ///
    /// # Errors
    /// Those of [`reset_link`](Self::reset_link).
    pub async fn reset_password(
        &self,
        secret: &PlainSecret,
        password: PasswordHash,
        address: Option<IpAddr>,
    ) -> Result<Person, Error> {
        let store = self.mail_store().ok_or(Error::NotFound)?;
        let person = self.reset_link(secret).await?;
        let note = self.note(&Actor::person(&person, address), None, AuditAction::PasswordChanged, "");
        store.reset_password(&secret.hash(), password, note).await?.ok_or(Error::NotFound)
    }

    /// Sets whether a person gets notices by mail.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such person, or the service keeps no mail, and those of the store.
    pub async fn set_notices(&self, person: PersonId, notices: Notices) -> Result<(), Error> {
        let store = self.mail_store().ok_or(Error::NotFound)?;
        if store.set_notices(person, notices).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    fn mail_store(&self) -> Option<&dyn MailStore> {
        self.service.parts().mail.as_deref()
    }
}
