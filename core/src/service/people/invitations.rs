//! Invitations into a team.

use std::net::IpAddr;

use super::{Actor, OfTeam, People, PersonInput};
use crate::{
    domain::{
        AuditAction, EmailAddress, Invitation, Membership, NewInvitation, Person, PersonKind, PlainSecret, Role, Team,
    },
    error::Error,
    id::InvitationId,
    locale::Locale,
    store::Joining,
};

/// Somebody who is to be invited.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InviteInput {
    /// The address.
    pub email: EmailAddress,
    /// The role that the person will have.
    pub role: Role,
    /// The language of the mail to who is no person yet.
    pub locale: Locale,
}

impl InviteInput {
    /// Returns the description of an invitation, in English.
    pub const fn new(email: EmailAddress, role: Role) -> Self {
        Self { email, role, locale: Locale::En }
    }

    /// Sets the language.
    #[must_use]
    pub fn with_locale(self, locale: Locale) -> Self {
        Self { locale, ..self }
    }
}

/// An invitation that was made, with its secret, which is stored nowhere.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Invited {
    /// The invitation.
    pub invitation: Invitation,
    /// The secret, for the link.
    pub secret: PlainSecret,
    /// True if a mail with a link of its own is sent as well.
    pub is_mailed: bool,
}

impl OfTeam {
    /// Invites somebody, in place of an earlier invitation of the same address. Where [mail is sent](People::sends_mail), the invitation
    /// goes to the address as well, with a link of its own.
    ///
    /// # Errors
    /// Returns [`Error::AlreadyMember`], [`Error::TooManyInvitations`], and those of [every call](crate::service::TeamHandle#errors).
    pub async fn invite(&self, input: InviteInput) -> Result<Invited, Error> {
        self.team.may_manage().await?;
        let InviteInput { email, role, locale } = input;
        let mail = self.people.new_mail(locale).await?;
        let secret = PlainSecret::generate();
        let note = self.note(AuditAction::MemberInvited, &format!("{email} ({role})"));
        let id = InvitationId::generate(self.people.service.parts().clock.now());
        let new = NewInvitation { id, email, role, invited_by: self.actor.id(), hash: secret.hash(), mail };
        let invitation = self.people.store().invite(self.team.id(), new, note).await?;
        Ok(Invited { invitation, secret, is_mailed: mail.is_some() })
    }

    /// Returns the invitations that can be accepted, the oldest first.
    ///
    /// # Errors
    /// Returns those of [every call](crate::service::TeamHandle#errors).
    pub async fn invitations(&self) -> Result<Vec<Invitation>, Error> {
        self.team.may_manage().await?;
        Ok(self.people.store().invitations(self.team.id()).await?)
    }

    /// Withdraws an invitation.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such invitation that can be accepted, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn withdraw_invitation(&self, invitation: InvitationId) -> Result<(), Error> {
        self.team.may_manage().await?;
        let note = self.note(AuditAction::InvitationWithdrawn, &invitation.to_string());
        let store = self.people.store();
        if store.withdraw_invitation(self.team.id(), invitation, note).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}

impl People {
    /// Returns the invitation with a secret, and its team.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if it can't be accepted, or not any more, and those of the store.
    pub async fn invitation(&self, secret: &PlainSecret) -> Result<(Invitation, Team), Error> {
        self.store().invitation(&secret.hash()).await?.ok_or(Error::NotFound)
    }

    /// Makes a person who is there a member by an invitation of the person's address.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the invitation can't be accepted, or is for another address; [`Error::AlreadyMember`],
    /// [`Error::NoFreeSeat`], and those of the store.
    pub async fn join(
        &self,
        secret: &PlainSecret,
        person: &Person,
        address: Option<IpAddr>,
    ) -> Result<Membership, Error> {
        let note = self.note(&Actor::person(person, address), None, AuditAction::MemberJoined, person.email.as_str());
        Ok(self.store().accept_invitation(&secret.hash(), Joining::Known(person.id), note).await?)
    }

    /// Creates a person by an invitation of the person's address, and makes it a member.
    ///
    /// # Errors
    /// Returns [`Error::AddressTaken`] if a person has the address, who is to sign in first; and those of [`join`](Self::join).
    pub async fn join_as_new(
        &self,
        secret: &PlainSecret,
        input: PersonInput,
        address: Option<IpAddr>,
    ) -> Result<Membership, Error> {
        let person = self.new_person(input, PersonKind::User);
        let actor = Actor::newcomer(person.id, person.email.as_str(), address);
        let note = self.note(&actor, None, AuditAction::MemberJoined, person.email.as_str());
        Ok(self.store().accept_invitation(&secret.hash(), Joining::New(person), note).await?)
    }
}
