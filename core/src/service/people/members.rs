//! The members of a team, and its audit log.

use super::{Actor, People};
use crate::{
    domain::{Ability, AuditAction, AuditRecord, Member, Membership, Person, Role, Team},
    error::Error,
    id::PersonId,
    paging::{Page, PageRequest},
    service::TeamHandle,
};

/// The use-cases of people in one team, with the rights of a handle.
#[derive(Debug, Clone)]
pub struct OfTeam {
    pub(super) people: People,
    pub(super) team: TeamHandle,
    pub(super) actor: Actor,
}

impl People {
    /// Returns the use-cases of people in the team of a handle, and with its rights: those of a [visit](super::Visit), a host's, or an
    /// operator's. What is done is noted as done by `actor`.
    pub fn of_team(&self, team: &TeamHandle, actor: Actor) -> OfTeam {
        OfTeam { people: self.clone(), team: team.clone(), actor }
    }

    /// Returns the memberships of a person, each with the team, in the order in which the person joined.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, Error> {
        Ok(self.store().memberships(person).await?)
    }

    /// Returns the entries of the audit log about persons and the installation, the newest first: for operators.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn audit(&self, page: PageRequest) -> Result<Page<AuditRecord>, Error> {
        Ok(self.store().audit(None, page).await?)
    }
}

impl OfTeam {
    /// Returns the members, in the order in which they joined.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn members(&self) -> Result<Vec<Member>, Error> {
        self.team.may(Ability::Read).await?;
        Ok(self.people.store().members(self.team.id()).await?)
    }

    /// Makes a person a member, without an invitation.
    ///
    /// # Errors
    /// Returns [`Error::AlreadyMember`], [`Error::NoFreeSeat`], and those of [every call](TeamHandle#errors).
    pub async fn add_member(&self, person: &Person, role: Role) -> Result<Membership, Error> {
        self.team.may_manage().await?;
        let note = self.note(AuditAction::MemberJoined, &format!("{} ({role})", person.email));
        Ok(self.people.store().add_member(self.team.id(), person.id, role, note).await?)
    }

    /// Gives a member another role.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such member, [`Error::LastOwner`], and those of
    /// [every call](TeamHandle#errors).
    pub async fn change_role(&self, person: PersonId, role: Role) -> Result<Membership, Error> {
        self.team.may_manage().await?;
        let email = self.email_of(person).await?;
        let note = self.note(AuditAction::RoleChanged, &format!("{email} ({role})"));
        Ok(self.people.store().change_role(self.team.id(), person, role, note).await?)
    }

    /// Takes a member out of the team. Members may do so with themselves, whatever their role.
    ///
    /// # Errors
    /// As [`change_role`](Self::change_role).
    pub async fn remove_member(&self, person: PersonId) -> Result<(), Error> {
        if self.actor.id() == Some(person) {
            self.team.may(Ability::Read).await?;
        } else {
            self.team.may_manage().await?;
        }
        let email = self.email_of(person).await?;
        let note = self.note(AuditAction::MemberRemoved, &email);
        Ok(self.people.store().remove_member(self.team.id(), person, note).await?)
    }

    /// Returns the audit log of the team, the newest entries first.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn audit(&self, page: PageRequest) -> Result<Page<AuditRecord>, Error> {
        self.team.may_manage().await?;
        Ok(self.people.store().audit(Some(self.team.id()), page).await?)
    }

    /// Adds an entry to the audit log of the team about something that was done through its handle.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] where the team was deleted, and those of the store.
    pub async fn record(&self, action: AuditAction, subject: &str) -> Result<(), Error> {
        let is_there = self.people.store().append_audit(self.note(action, subject)).await?;
        if is_there { Ok(()) } else { Err(Error::NotFound) }
    }

    pub(super) fn note(&self, action: AuditAction, subject: &str) -> crate::domain::NewAuditRecord {
        self.people.note(&self.actor, Some(self.team.id()), action, subject)
    }

    /// Returns the address of a member, for the audit log.
    async fn email_of(&self, person: PersonId) -> Result<String, Error> {
        let members = self.people.store().members(self.team.id()).await?;
        let found = members.into_iter().find(|member| member.person.id == person);
        Ok(found.ok_or(Error::NotFound)?.person.email.as_str().to_owned())
    }
}
