//! Who does something, for the audit log.

use std::net::IpAddr;

use super::People;
use crate::{
    domain::{AuditAction, AuditRecord, NewAuditRecord, Person, bounded},
    id::{AuditId, PersonId, TeamId},
};

/// The person or program that does something, and the address from which.
#[derive(Debug, Clone)]
pub struct Actor {
    person: Option<PersonId>,
    name: String,
    /// The name that members of the team read.
    shown: String,
    address: Option<IpAddr>,
}

impl Actor {
    /// Returns a person who does something from an address, if that is known.
    pub fn person(person: &Person, address: Option<IpAddr>) -> Self {
        let name = person.email.as_str().to_owned();
        let shown = if person.name.is_empty() { name.clone() } else { person.name.clone() };
        Self { person: Some(person.id), name, shown, address }
    }

    /// Returns a program of the operator's, by its name.
    pub fn program(name: &str) -> Self {
        let name = bounded(name, AuditRecord::MAX_TEXT);
        Self { person: None, shown: name.clone(), name, address: None }
    }

    /// Returns somebody who is not known yet, from an address, if that is known.
    pub(super) fn newcomer(person: PersonId, email: &str, address: Option<IpAddr>) -> Self {
        Self { person: Some(person), name: email.to_owned(), shown: email.to_owned(), address }
    }

    /// Returns the name that members of the team read.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) const fn id(&self) -> Option<PersonId> {
        self.person
    }
}

impl People {
    /// Returns the entry of the audit log for something that is about to be done.
    pub(super) fn note(
        &self,
        actor: &Actor,
        team: Option<TeamId>,
        action: AuditAction,
        subject: &str,
    ) -> NewAuditRecord {
        let Actor { person, name, address, shown: _ } = actor.clone();
        NewAuditRecord {
            id: AuditId::generate(self.service.parts().clock.now()),
            team,
            person,
            actor: name,
            action,
            subject: bounded(subject, AuditRecord::MAX_TEXT),
            address,
        }
    }
}
