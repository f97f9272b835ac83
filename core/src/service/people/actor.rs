//! Who does something, for the audit log.

use std::net::IpAddr;

use super::People;
use crate::{
    domain::{AuditAction, AuditRecord, NewAuditRecord, Person, bounded},
    id::{AuditId, PersonId, TeamId},
};

/// Who does something, and from where.
#[derive(Debug, Clone)]
pub struct Actor {
    person: Option<PersonId>,
    name: String,
    address: Option<IpAddr>,
}

impl Actor {
    /// Returns a person who does something from an address, if that is known.
    pub fn person(person: &Person, address: Option<IpAddr>) -> Self {
        Self { person: Some(person.id), name: person.email.as_str().to_owned(), address }
    }

    /// Returns a program of the operator's, by its name.
    pub fn program(name: &str) -> Self {
        Self { person: None, name: bounded(name, AuditRecord::MAX_TEXT), address: None }
    }

    /// Returns somebody who is not known yet, from an address, if that is known.
    pub(super) fn newcomer(person: PersonId, email: &str, address: Option<IpAddr>) -> Self {
        Self { person: Some(person), name: email.to_owned(), address }
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
        let Actor { person, name, address } = actor.clone();
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
