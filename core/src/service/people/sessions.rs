//! Sessions, and the way from a person to a team.

use std::net::IpAddr;

use super::{Actor, People};
use crate::{
    domain::{AuditAction, NewSession, PasswordHash, Person, PlainSecret, Role, Session, Team},
    error::Error,
    id::{PersonId, SessionId, TeamId},
    service::TeamHandle,
    store::{Entry, SignedIn},
};

/// The browser with which somebody signs in.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Browser {
    /// The name that it gives itself.
    pub name: String,
    /// The address from which it comes, if that is known.
    pub address: Option<IpAddr>,
    /// The session that it has, which ends.
    pub session: Option<PlainSecret>,
}

impl Browser {
    /// Returns a browser by its name, from an address, if that is known.
    pub fn new(name: impl Into<String>, address: Option<IpAddr>) -> Self {
        Self { name: name.into(), address, session: None }
    }

    /// Sets the session that it has, and that the new one takes the place of.
    #[must_use]
    pub fn with_session(self, session: PlainSecret) -> Self {
        Self { session: Some(session), ..self }
    }
}

/// A person's visit to a team: what the person may do there, and as whom it is noted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Visit {
    /// The person and the session.
    pub signed_in: SignedIn,
    /// The role in the team.
    pub role: Role,
    /// The team.
    pub team: Team,
    /// The handle of the team, with the rights of the role.
    pub handle: TeamHandle,
}

impl People {
    /// Begins a session of a person whose identity was proved, in place of the one that the browser has. The secret is returned here
    /// and stored nowhere.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such person, and those of the store.
    pub async fn begin_session(&self, person: &Person, browser: Browser) -> Result<(Session, PlainSecret), Error> {
        let secret = PlainSecret::generate();
        let id = SessionId::generate(self.service.parts().clock.now());
        let note = self.note(&Actor::person(person, browser.address), None, AuditAction::SignedIn, "");
        let new = NewSession::new(id, person.id, secret.hash(), &browser.name, browser.address);
        let replaced = browser.session.map(|secret| secret.hash());
        let session = self.store().begin_session(new, replaced, note).await?.ok_or(Error::NotFound)?;
        Ok((session, secret))
    }

    /// Returns who is signed in with a session; `None` if it is unknown or over.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn signed_in(&self, secret: &PlainSecret) -> Result<Option<SignedIn>, Error> {
        Ok(self.store().session(&secret.hash()).await?)
    }

    /// Lets a person who is signed in act in a team, with the rights of the person's role, for the one request that this is. It is the
    /// only way from a person to a team.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the session is unknown or over, or the person is no member of the team, as if there were no such
    /// team; [`Error::TeamBlocked`]; [`Error::SecondFactorDemanded`] if the team demands a second factor of its members, and the person has
    /// none; and those of the store.
    pub async fn team_of(&self, secret: &PlainSecret, team: TeamId) -> Result<Visit, Error> {
        let entry = self.store().entry(&secret.hash(), team).await?.ok_or(Error::NotFound)?;
        let Entry { signed_in, role, team, lacks_second_factor } = entry;
        if team.standing.is_blocked() {
            return Err(Error::TeamBlocked);
        }
        if lacks_second_factor {
            return Err(Error::SecondFactorDemanded);
        }
        let handle = TeamHandle::of_member(self.service.clone(), team.clone(), role, signed_in.at);
        Ok(Visit { signed_in, role, team, handle })
    }

    /// Returns the sessions of a person that are not over, the newest first.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn sessions(&self, person: PersonId) -> Result<Vec<Session>, Error> {
        Ok(self.store().sessions(person).await?)
    }

    /// Ends one session of the person.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the person has no such session, and those of the store.
    pub async fn end_session(&self, person: &Person, session: SessionId, address: Option<IpAddr>) -> Result<(), Error> {
        let note = self.note(&Actor::person(person, address), None, AuditAction::SignedOut, &session.to_string());
        if self.store().end_session(person.id, session, note).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Ends all sessions of the person except for one, and returns how many have ended.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn end_sessions(
        &self,
        person: &Person,
        kept: Option<SessionId>,
        address: Option<IpAddr>,
    ) -> Result<u64, Error> {
        let note = self.note(&Actor::person(person, address), None, AuditAction::SignedOut, "");
        Ok(self.store().end_sessions(person.id, kept, note).await?)
    }

    /// Sets the password of the person, and ends all sessions except for one.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such person, and those of the store.
    pub async fn set_password(
        &self,
        person: &Person,
        password: PasswordHash,
        kept: Option<SessionId>,
        address: Option<IpAddr>,
    ) -> Result<(), Error> {
        let note = self.note(&Actor::person(person, address), None, AuditAction::PasswordChanged, "");
        if self.store().set_password(person.id, password, kept, note).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
