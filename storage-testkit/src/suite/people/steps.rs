//! The steps that cases about people begin with.

use std::net::{IpAddr, Ipv4Addr};

use a11ycheck_core::{
    Store,
    domain::{
        AuditAction, Invitation, NewAuditRecord, NewInvitation, NewPerson, NewSession, PasswordHash, Person,
        PersonKind, PlainSecret, Role, SecretHash, Session,
    },
    id::{AuditId, InvitationId, PersonId, SessionId, TeamId},
    locale::Locale,
    store::PeopleStore,
};
use chrono::{DateTime, Utc};

use crate::suite::world::World;

pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

pub(crate) fn new_person(email: &str, now: DateTime<Utc>) -> NewPerson {
    NewPerson {
        id: PersonId::generate(now),
        email: email.parse().unwrap(),
        name: "Олена Müller ☂".to_owned(),
        locale: Locale::Uk,
        kind: PersonKind::User,
        password: Some(PasswordHash::from_stored(format!("$argon2id$of {email}"))),
    }
}

pub(crate) fn new_invitation(email: &str, role: Role, now: DateTime<Utc>) -> NewInvitation {
    let hash = PlainSecret::generate().hash();
    NewInvitation {
        id: InvitationId::generate(now),
        email: email.parse().unwrap(),
        role,
        invited_by: None,
        hash,
        mail: None,
    }
}

pub(crate) fn new_session(person: PersonId, now: DateTime<Utc>) -> NewSession {
    let hash = PlainSecret::generate().hash();
    NewSession::new(SessionId::generate(now), person, hash, "Браузер/1.0 \"x\"", Some(ADDRESS))
}

/// Returns an entry by a program.
pub(crate) fn entry(team: Option<TeamId>, action: AuditAction, now: DateTime<Utc>) -> NewAuditRecord {
    NewAuditRecord {
        id: AuditId::generate(now),
        team,
        person: None,
        actor: "admin".to_owned(),
        action,
        subject: "тема; \"x\"".to_owned(),
        address: Some(ADDRESS),
    }
}

impl<S: Store + PeopleStore> World<S> {
    /// Returns an entry about nothing in particular.
    pub(crate) fn note(&self, team: Option<TeamId>) -> NewAuditRecord {
        entry(team, AuditAction::MemberJoined, self.now())
    }

    pub(crate) async fn person(&self, email: &str) -> Person {
        self.store.create_person(new_person(email, self.now()), self.note(None)).await.unwrap()
    }

    /// Makes a person a member of a team.
    pub(crate) async fn joined(&self, team: TeamId, email: &str, role: Role) -> PersonId {
        let person = self.person(email).await.id;
        self.store.add_member(team, person, role, self.note(Some(team))).await.unwrap();
        person
    }

    /// Begins a session, and returns it with its hash.
    pub(crate) async fn session(&self, person: PersonId) -> (Session, SecretHash) {
        let new = new_session(person, self.now());
        let hash = new.hash;
        (self.store.begin_session(new, None, self.note(None)).await.unwrap().unwrap(), hash)
    }

    pub(crate) async fn invited(&self, team: TeamId, email: &str, role: Role) -> (Invitation, SecretHash) {
        let new = new_invitation(email, role, self.now());
        let hash = new.hash;
        (self.store.invite(team, new, self.note(Some(team))).await.unwrap(), hash)
    }

    pub(crate) async fn seats_used(&self, team: TeamId) -> u32 {
        self.store.team(team).await.unwrap().unwrap().seats_used
    }
}
