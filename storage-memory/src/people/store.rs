//! People, sessions, memberships, invitations and the audit log.

use a11ycheck_core::{
    domain::{
        AuditRecord, EmailAddress, Invitation, LastOwner, Mail, MailSubject, Member, Membership, NewAuditRecord,
        NewInvitation, NewPerson, NewSession, PasswordHash, Person, Role, SecretHash, Session, Team, keeps_an_owner,
    },
    id::{InvitationId, PersonId, SessionId, TeamId},
    paging::{Page, PageRequest},
    store::{
        AcceptError, AddMemberError, ChangeMemberError, CreatePersonError, Credentials, Entry, InviteError, Joining,
        PeopleStore, PurgedPeople, RedeemError, SignedIn, StoreError,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    MemoryStore,
    db::state::{State, copied, corrupt, taken},
};

#[async_trait]
impl PeopleStore for MemoryStore {
    async fn put_first_link(&self, link: SecretHash, term: TimeDelta) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_empty = state.people.persons.is_empty();
            if is_empty {
                state.people.first_link = Some((link, now + term));
            }
            Ok(is_empty)
        })
    }

    async fn is_first_link(&self, link: &SecretHash) -> Result<bool, StoreError> {
        self.step(|state, now| Ok(is_first_link(state, link, now)))
    }

    async fn redeem_first_link(
        &self,
        link: &SecretHash,
        person: NewPerson,
        audit: NewAuditRecord,
    ) -> Result<Person, RedeemError> {
        self.step(|state, now| {
            if !is_first_link(state, link, now) {
                return Err(RedeemError::Gone);
            }
            let person = state.people.create(person, now)?;
            state.people.first_link = None;
            state.people.append(audit, now);
            Ok(person)
        })
    }

    async fn create_person(&self, person: NewPerson, audit: NewAuditRecord) -> Result<Person, CreatePersonError> {
        self.step(|state, now| {
            if state.people.addresses.contains_key(&person.email) {
                return Err(CreatePersonError::AddressTaken);
            }
            let person = state.people.create(person, now)?;
            state.people.append(audit, now);
            Ok(person)
        })
    }

    async fn persons(&self, page: PageRequest) -> Result<Page<Person>, StoreError> {
        self.step(|state, _| {
            let mut persons: Vec<&Person> = state.people.persons.values().map(|row| &row.person).collect();
            persons.sort_unstable_by_key(|person| (person.created_at, person.id));
            Ok(copied(Page::cut(persons.into_iter(), page)))
        })
    }

    async fn credentials(&self, email: &EmailAddress) -> Result<Option<Credentials>, StoreError> {
        self.step(|state, _| {
            let row = state.people.addresses.get(email).and_then(|id| state.people.persons.get(id));
            Ok(row.map(|row| Credentials { person: row.person.clone(), password: row.password.clone() }))
        })
    }

    async fn set_password(
        &self,
        person: PersonId,
        password: PasswordHash,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.people.persons.get_mut(&person) else { return Ok(false) };
            row.password = Some(password);
            let email = row.person.email.clone();
            state.mails.forget_resets(&email);
            end_others(state, person, kept, now);
            state.people.append(audit, now);
            Ok(true)
        })
    }

    async fn begin_session(
        &self,
        session: NewSession,
        replaced: Option<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<Option<Session>, StoreError> {
        self.step(|state, now| {
            let NewSession { id, person, hash, browser, address } = session;
            let people = &mut state.people;
            if !people.persons.contains_key(&person) {
                return Ok(None);
            }
            if people.sessions.contains_key(&(person, id)) {
                return Err(taken(id));
            }
            if people.session_hashes.contains_key(&hash) {
                return Err(taken("the session's hash"));
            }
            if let Some((person, id)) = replaced.and_then(|hash| people.session_hashes.get(&hash).copied()) {
                people.remove_session(person, id);
            }
            let session = Session { id, person, browser, address, created_at: now, last_used_at: now };
            people.sessions.insert((person, id), (hash, session.clone()));
            people.session_hashes.insert(hash, (person, id));
            let mut by_use: Vec<_> =
                people.sessions_of(person).map(|session| (session.last_used_at, session.id)).collect();
            by_use.sort_unstable_by_key(|(used, other)| (*other != id, std::cmp::Reverse(*used), *other));
            for (_, id) in by_use.into_iter().skip(Session::MOST) {
                people.remove_session(person, id);
            }
            people.append(audit, now);
            Ok(Some(session))
        })
    }

    async fn session(&self, hash: &SecretHash) -> Result<Option<SignedIn>, StoreError> {
        self.step(|state, now| signed_in(state, hash, now))
    }

    async fn entry(&self, hash: &SecretHash, team: TeamId) -> Result<Option<Entry>, StoreError> {
        self.step(|state, now| {
            let Some(signed_in) = signed_in(state, hash, now)? else { return Ok(None) };
            let Some((role, _)) = state.people.members.get(&(team, signed_in.person.id)).copied() else {
                return Ok(None);
            };
            let team = state.team(team)?.ok_or_else(|| corrupt(team, "it has a member, and it is missing"))?;
            let demands = state.teams.get(&team.id).is_some_and(|row| row.two_steps.are_demanded());
            let lacks_second_factor = demands && !state.people.second_factors.contains_key(&signed_in.person.id);
            Ok(Some(Entry { signed_in, role, team, lacks_second_factor }))
        })
    }

    async fn sessions(&self, person: PersonId) -> Result<Vec<Session>, StoreError> {
        self.step(|state, now| {
            let running = state.people.sessions_of(person).filter(|session| !session.is_over(now));
            let mut sessions: Vec<Session> = running.cloned().collect();
            sessions.sort_unstable_by_key(|session| (std::cmp::Reverse(session.created_at), session.id));
            Ok(sessions)
        })
    }

    async fn end_session(
        &self,
        person: PersonId,
        session: SessionId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let ended = state.people.remove_session(person, session).is_some_and(|session| !session.is_over(now));
            if ended {
                state.people.append(audit, now);
            }
            Ok(ended)
        })
    }

    async fn end_sessions(
        &self,
        person: PersonId,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<u64, StoreError> {
        self.step(|state, now| {
            let ended = end_others(state, person, kept, now);
            if ended > 0 {
                state.people.append(audit, now);
            }
            Ok(ended)
        })
    }

    async fn add_member(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, AddMemberError> {
        self.step(|state, now| {
            if !state.teams.contains_key(&team) || !state.people.persons.contains_key(&person) {
                return Err(AddMemberError::NotFound);
            }
            if state.people.members.contains_key(&(team, person)) {
                return Err(AddMemberError::AlreadyMember);
            }
            let membership = Membership { team, person, role, since: now };
            if let Some(seats) = state.join(membership)? {
                return Err(AddMemberError::NoFreeSeat(seats));
            }
            state.people.append(audit, now);
            Ok(membership)
        })
    }

    async fn members(&self, team: TeamId) -> Result<Vec<Member>, StoreError> {
        self.step(|state, _| state.people.listed_members(team))
    }

    async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, StoreError> {
        self.step(|state, _| {
            let (first, last) = ((person, TeamId::MIN), (person, TeamId::MAX));
            let mut memberships = Vec::new();
            for (_, team) in state.people.teams_of.range(first..=last) {
                let found = state.people.members.get(&(*team, person));
                let (role, since) = *found.ok_or_else(|| corrupt(team, "a member is listed, and missing"))?;
                let membership = Membership { team: *team, person, role, since };
                let team = state.team(*team)?.ok_or_else(|| corrupt(team, "it has a member, and it is missing"))?;
                memberships.push((membership, team));
            }
            memberships.sort_unstable_by_key(|(membership, _)| (membership.since, membership.team));
            Ok(memberships)
        })
    }

    async fn change_role(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, ChangeMemberError> {
        self.step(|state, now| {
            let (before, since) = changed_member(state, team, person, Some(role))?;
            let membership = Membership { team, person, role, since };
            if before != role {
                state.people.put_member(membership);
                state.people.append(audit, now);
            }
            Ok(membership)
        })
    }

    async fn remove_member(
        &self,
        team: TeamId,
        person: PersonId,
        audit: NewAuditRecord,
    ) -> Result<(), ChangeMemberError> {
        self.step(|state, now| {
            changed_member(state, team, person, None)?;
            state.people.members.remove(&(team, person));
            state.people.teams_of.remove(&(person, team));
            for assignment in state.assignments.values_mut() {
                if assignment.team == team && assignment.assignee == Some(person) {
                    assignment.assignee = None;
                }
            }
            state.count_seats(team);
            state.people.append(audit, now);
            Ok(())
        })
    }

    async fn invite(
        &self,
        team: TeamId,
        invitation: NewInvitation,
        audit: NewAuditRecord,
    ) -> Result<Invitation, InviteError> {
        self.step(|state, now| {
            let NewInvitation { id, email, role, invited_by, hash, mail } = invitation;
            if !state.teams.contains_key(&team) {
                return Err(InviteError::NotFound);
            }
            let people = &mut state.people;
            if people.addresses.get(&email).is_some_and(|person| people.members.contains_key(&(team, *person))) {
                return Err(InviteError::AlreadyMember);
            }
            if people.invitations.contains_key(&(team, id)) {
                return Err(taken(id).into());
            }
            if people.invitation_hashes.contains_key(&hash) {
                return Err(taken("the invitation's hash").into());
            }
            let earlier: Vec<InvitationId> =
                people.invitations_of(team).filter(|other| other.email == email).map(|other| other.id).collect();
            let waiting = people.invitations_of(team).filter(|other| other.email != email && !other.is_over(now));
            if waiting.count() as u64 >= Invitation::MOST {
                return Err(InviteError::TooMany);
            }
            if let Some(mail) = mail {
                let subject = MailSubject::Invitation { team, invitation: id };
                state.mails.add(Mail::new(mail, email.clone(), subject, now))?;
            }
            for id in earlier {
                people.remove_invitation(team, id);
            }
            let invitation = Invitation { id, team, email, role, invited_by, created_at: now };
            people.invitations.insert((team, id), (hash, invitation.clone()));
            people.invitation_hashes.insert(hash, (team, id));
            people.append(audit, now);
            Ok(invitation)
        })
    }

    async fn invitations(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError> {
        self.step(|state, now| {
            let waiting = state.people.invitations_of(team).filter(|invitation| !invitation.is_over(now));
            let mut invitations: Vec<Invitation> = waiting.cloned().collect();
            invitations.sort_unstable_by_key(|invitation| (invitation.created_at, invitation.id));
            Ok(invitations)
        })
    }

    async fn invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError> {
        self.step(|state, now| {
            let Some(invitation) = open_invitation(state, hash, now) else { return Ok(None) };
            let team = state.team(invitation.team)?;
            let team = team.ok_or_else(|| corrupt(invitation.id, "its team is missing"))?;
            Ok(Some((invitation, team)))
        })
    }

    async fn withdraw_invitation(
        &self,
        team: TeamId,
        invitation: InvitationId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let withdrawn = state.people.remove_invitation(team, invitation).is_some_and(|found| !found.is_over(now));
            if withdrawn {
                state.people.append(audit, now);
            }
            Ok(withdrawn)
        })
    }

    async fn accept_invitation(
        &self,
        hash: &SecretHash,
        joining: Joining,
        audit: NewAuditRecord,
    ) -> Result<Membership, AcceptError> {
        self.step(|state, now| {
            let Some(Invitation { id, team, email, role, .. }) = open_invitation(state, hash, now) else {
                return Err(AcceptError::Gone);
            };
            let of_address = state.people.addresses.get(&email).copied();
            let (person, new) = match joining {
                Joining::Known(person) if of_address == Some(person) => (person, None),
                Joining::New(new) if new.email == email => {
                    if of_address.is_some() {
                        return Err(AcceptError::AddressTaken);
                    }
                    if state.people.persons.contains_key(&new.id) {
                        return Err(taken(new.id).into());
                    }
                    (new.id, Some(new))
                }
                Joining::Known(_) | Joining::New(_) => return Err(AcceptError::OtherAddress),
            };
            if state.people.members.contains_key(&(team, person)) {
                return Err(AcceptError::AlreadyMember);
            }
            let membership = Membership { team, person, role, since: now };
            if let Some(seats) = state.join(membership)? {
                return Err(AcceptError::NoFreeSeat(seats));
            }
            if let Some(new) = new {
                state.people.create(new, now)?;
            }
            state.people.remove_invitation(team, id);
            state.people.append(NewAuditRecord { team: Some(team), person: Some(person), ..audit }, now);
            Ok(membership)
        })
    }

    async fn append_audit(&self, record: NewAuditRecord) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_there = record.team.is_none_or(|team| state.teams.contains_key(&team));
            if is_there {
                state.people.append(record, now);
            }
            Ok(is_there)
        })
    }

    async fn audit(&self, team: Option<TeamId>, page: PageRequest) -> Result<Page<AuditRecord>, StoreError> {
        self.step(|state, _| {
            let mut records: Vec<&AuditRecord> = state.people.audit_of(team).collect();
            records.sort_unstable_by_key(|record| (std::cmp::Reverse(record.at), record.id));
            Ok(copied(Page::cut(records.into_iter(), page)))
        })
    }

    async fn purge_people(&self, limit: u32) -> Result<PurgedPeople, StoreError> {
        self.step(|state, now| {
            let (people, most) = (&mut state.people, usize::try_from(limit).unwrap_or(usize::MAX));
            let sessions = people.sessions.values().filter(|(_, session)| session.is_over(now));
            let sessions: Vec<_> = sessions.map(|(_, session)| (session.person, session.id)).take(most).collect();
            let invitations = people.invitations.values().filter(|(_, invitation)| invitation.is_over(now));
            let invitations: Vec<_> =
                invitations.map(|(_, invitation)| (invitation.team, invitation.id)).take(most).collect();
            let old = people.audit.keys().filter(|(_, at, _)| *at + AuditRecord::TERM <= now);
            let old: Vec<_> = old.copied().take(most).collect();
            sessions.iter().for_each(|(person, id)| drop(people.remove_session(*person, *id)));
            invitations.iter().for_each(|(team, id)| drop(people.remove_invitation(*team, *id)));
            old.iter().for_each(|key| drop(people.audit.remove(key)));
            // None has more than `limit`.
            let count = |removed: usize| u32::try_from(removed).unwrap_or(limit);
            Ok(PurgedPeople {
                sessions: count(sessions.len()),
                invitations: count(invitations.len()),
                audit: count(old.len()),
            })
        })
    }
}

fn is_first_link(state: &State, link: &SecretHash, now: DateTime<Utc>) -> bool {
    let is_valid = state.people.first_link.is_some_and(|(stored, ends_at)| stored == *link && now < ends_at);
    is_valid && state.people.persons.is_empty()
}

/// Returns the session and its person, and notes the use.
fn signed_in(state: &mut State, hash: &SecretHash, now: DateTime<Utc>) -> Result<Option<SignedIn>, StoreError> {
    let Some(key) = state.people.session_hashes.get(hash).copied() else { return Ok(None) };
    let Some((_, session)) = state.people.sessions.get_mut(&key).filter(|(_, session)| !session.is_over(now)) else {
        return Ok(None);
    };
    if session.is_to_be_touched(now) {
        session.last_used_at = now;
    }
    let session = session.clone();
    let person = state.people.person(session.person)?.clone();
    Ok(Some(SignedIn { session, person, at: now }))
}

/// Ends the sessions of a person except for one, and returns how many were not over.
pub(crate) fn end_others(state: &mut State, person: PersonId, kept: Option<SessionId>, now: DateTime<Utc>) -> u64 {
    let others = state.people.sessions_of(person).map(|session| session.id).filter(|id| Some(*id) != kept);
    let others: Vec<SessionId> = others.collect();
    let ended = others.into_iter().filter_map(|id| state.people.remove_session(person, id));
    ended.filter(|session| !session.is_over(now)).count() as u64
}

fn open_invitation(state: &State, hash: &SecretHash, now: DateTime<Utc>) -> Option<Invitation> {
    // The link that its page showed, or that of the mail that brought it.
    let key = state.people.invitation_hashes.get(hash).copied().or_else(|| {
        let MailSubject::Invitation { team, invitation } = state.mails.of_link(hash)?.mail.subject else { return None };
        Some((team, invitation))
    })?;
    let (_, invitation) = state.people.invitations.get(&key)?;
    (!invitation.is_over(now)).then(|| invitation.clone())
}

/// Returns the role and the beginning of a member who may get another role, or leave.
fn changed_member(
    state: &State,
    team: TeamId,
    person: PersonId,
    to: Option<Role>,
) -> Result<(Role, DateTime<Utc>), ChangeMemberError> {
    let member = state.people.members.get(&(team, person)).copied().ok_or(ChangeMemberError::NotFound)?;
    keeps_an_owner(member.0, to, state.people.owners(team)).map_err(|LastOwner| ChangeMemberError::LastOwner)?;
    Ok(member)
}
