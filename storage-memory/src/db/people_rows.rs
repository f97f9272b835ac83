//! People and what belongs to them in the state.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
};

use a11ycheck_core::{
    domain::{
        AuditRecord, EmailAddress, Invitation, Member, Membership, NewAuditRecord, NewPerson, Notices, PasswordHash,
        Person, Role, SecondFactor, SecretHash, Session,
    },
    id::{AuditId, InvitationId, PersonId, SessionId, TeamId},
    store::StoreError,
};
use chrono::{DateTime, Utc};

use super::state::{State, corrupt, taken};

/// People, and the orders in which they are found.
#[derive(Default)]
pub(crate) struct People {
    pub(crate) persons: BTreeMap<PersonId, PersonRow>,
    pub(crate) addresses: HashMap<EmailAddress, PersonId>,
    pub(crate) second_factors: BTreeMap<PersonId, SecondFactor>,
    /// The link for the first person, and the instant at which it is over.
    pub(crate) first_link: Option<(SecretHash, DateTime<Utc>)>,
    pub(crate) sessions: BTreeMap<(PersonId, SessionId), (SecretHash, Session)>,
    pub(crate) session_hashes: HashMap<SecretHash, (PersonId, SessionId)>,
    pub(crate) members: BTreeMap<(TeamId, PersonId), (Role, DateTime<Utc>)>,
    /// The same, by person.
    pub(crate) teams_of: BTreeSet<(PersonId, TeamId)>,
    pub(crate) invitations: BTreeMap<(TeamId, InvitationId), (SecretHash, Invitation)>,
    pub(crate) invitation_hashes: HashMap<SecretHash, (TeamId, InvitationId)>,
    pub(crate) audit: BTreeMap<(Option<TeamId>, DateTime<Utc>, AuditId), AuditRecord>,
}

pub(crate) struct PersonRow {
    pub(crate) person: Person,
    pub(crate) password: Option<PasswordHash>,
}

impl People {
    /// Creates a person whose address nobody has.
    pub(crate) fn create(&mut self, person: NewPerson, created_at: DateTime<Utc>) -> Result<Person, StoreError> {
        let NewPerson { id, email, name, locale, kind, password } = person;
        if self.persons.contains_key(&id) {
            return Err(taken(id));
        }
        let person = Person { id, email: email.clone(), name, locale, kind, created_at, notices: Notices::On };
        self.addresses.insert(email, id);
        self.persons.insert(id, PersonRow { person: person.clone(), password });
        Ok(person)
    }

    pub(crate) fn person(&self, id: PersonId) -> Result<&Person, StoreError> {
        let row = self.persons.get(&id).ok_or_else(|| corrupt(id, "it is referred to, and it is missing"))?;
        Ok(&row.person)
    }

    pub(crate) fn sessions_of(&self, person: PersonId) -> impl Iterator<Item = &Session> {
        let (first, last) = ((person, SessionId::MIN), (person, SessionId::MAX));
        self.sessions.range(first..=last).map(|(_, (_, session))| session)
    }

    pub(crate) fn remove_session(&mut self, person: PersonId, id: SessionId) -> Option<Session> {
        let (hash, session) = self.sessions.remove(&(person, id))?;
        self.session_hashes.remove(&hash);
        Some(session)
    }

    pub(crate) fn members_of(&self, team: TeamId) -> impl Iterator<Item = Membership> {
        let (first, last) = ((team, PersonId::MIN), (team, PersonId::MAX));
        let membership = |(&(team, person), &(role, since))| Membership { team, person, role, since };
        self.members.range(first..=last).map(membership)
    }

    /// Returns all memberships, by team and person.
    pub(crate) fn all_members(&self) -> impl Iterator<Item = Membership> {
        self.members.iter().map(|(&(team, person), &(role, since))| Membership { team, person, role, since })
    }

    /// Returns the members in the order of the list.
    pub(crate) fn listed_members(&self, team: TeamId) -> Result<Vec<Member>, StoreError> {
        let mut members: Vec<Membership> = self.members_of(team).collect();
        members.sort_unstable_by_key(|member| (member.since, member.person));
        let member = |Membership { person, role, since, .. }| {
            let has_second_factor = self.second_factors.contains_key(&person);
            Ok(Member { person: self.person(person)?.clone(), role, since, has_second_factor })
        };
        members.into_iter().map(member).collect()
    }

    pub(crate) fn owners(&self, team: TeamId) -> u64 {
        self.members_of(team).filter(|member| member.role.manages()).count() as u64
    }

    pub(crate) fn put_member(&mut self, membership: Membership) {
        let Membership { team, person, role, since } = membership;
        self.members.insert((team, person), (role, since));
        self.teams_of.insert((person, team));
    }

    pub(crate) fn invitations_of(&self, team: TeamId) -> impl Iterator<Item = &Invitation> {
        let (first, last) = ((team, InvitationId::MIN), (team, InvitationId::MAX));
        self.invitations.range(first..=last).map(|(_, (_, invitation))| invitation)
    }

    pub(crate) fn remove_invitation(&mut self, team: TeamId, id: InvitationId) -> Option<Invitation> {
        let (hash, invitation) = self.invitations.remove(&(team, id))?;
        self.invitation_hashes.remove(&hash);
        Some(invitation)
    }

    /// Returns the entries about a team, the oldest first.
    pub(crate) fn audit_of(&self, team: Option<TeamId>) -> impl DoubleEndedIterator<Item = &AuditRecord> {
        let first = Bound::Included((team, DateTime::<Utc>::MIN_UTC, AuditId::MIN));
        let last = Bound::Included((team, DateTime::<Utc>::MAX_UTC, AuditId::MAX));
        self.audit.range((first, last)).map(|(_, record)| record)
    }

    /// Adds an entry to the audit log, whose id no entry about the same team and instant has.
    pub(crate) fn append(&mut self, record: NewAuditRecord, now: DateTime<Utc>) {
        self.audit.insert((record.team, now, record.id), record.at(now));
    }

    /// Removes what belongs to a team.
    pub(crate) fn remove_team(&mut self, team: TeamId) {
        let members: Vec<PersonId> = self.members_of(team).map(|member| member.person).collect();
        for person in members {
            self.members.remove(&(team, person));
            self.teams_of.remove(&(person, team));
        }
        let invitations: Vec<InvitationId> = self.invitations_of(team).map(|invitation| invitation.id).collect();
        for id in invitations {
            self.remove_invitation(team, id);
        }
        self.audit.retain(|(of, ..), _| *of != Some(team));
    }
}

impl State {
    /// Makes a person a member of a team, and counts the seats. If none is free, nothing is changed, and their number is returned.
    pub(crate) fn join(&mut self, membership: Membership) -> Result<Option<u32>, StoreError> {
        let seats = self.plan_of(membership.team)?.limits.seats;
        if self.people.members_of(membership.team).count() >= usize::try_from(seats).unwrap_or(usize::MAX) {
            return Ok(Some(seats));
        }
        self.people.put_member(membership);
        self.count_seats(membership.team);
        Ok(None)
    }

    pub(crate) fn count_seats(&mut self, team: TeamId) {
        let members = self.people.members_of(team).count();
        if let Some(row) = self.teams.get_mut(&team) {
            row.seats_used = u32::try_from(members).unwrap_or(u32::MAX);
        }
    }
}
