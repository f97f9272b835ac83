//! People, their sessions and memberships, invitations, and the audit log.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{SecondFactorStore, StoreClock, StoreError};
use crate::{
    domain::{
        AuditRecord, EmailAddress, Invitation, Member, Membership, NewAuditRecord, NewInvitation, NewPerson,
        NewSession, PasswordHash, Person, Role, SecretHash, Session, Team,
    },
    id::{InvitationId, PersonId, SessionId, TeamId},
    paging::{Page, PageRequest},
};

/// A person with what a sign-in is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The person.
    pub person: Person,
    /// The hash of the password; `None` for who has none.
    pub password: Option<PasswordHash>,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The session, which is not over.
    pub session: Session,
    /// The person.
    pub person: Person,
    /// The instant at which this was so.
    pub at: DateTime<Utc>,
}

/// A person who is signed in, as a member of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The person and the session.
    pub signed_in: SignedIn,
    /// The role in the team.
    pub role: Role,
    /// The team with its plan and its standing.
    pub team: Team,
    /// True if the team demands a second factor of its members, and the person has none.
    pub lacks_second_factor: bool,
}

/// The person who accepts an invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joining {
    /// A person who exists already.
    Known(PersonId),
    /// A person who is created in the same step.
    New(NewPerson),
}

/// The numbers of what a [purge](PeopleStore::purge_people) has removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PurgedPeople {
    /// Sessions that were over.
    pub sessions: u32,
    /// Invitations that could not be accepted any more.
    pub invitations: u32,
    /// Entries of the audit log.
    pub audit: u32,
}

/// The reason why nobody was created with a link.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedeemError {
    /// The link is unknown, used, replaced or over, or there is a person already.
    #[error("the link is not valid, or not any more")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why a person was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreatePersonError {
    /// Another person has the address.
    #[error("another person has this address")]
    AddressTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why somebody was not made a member.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddMemberError {
    /// There is no such team or no such person.
    #[error("there is no such team or no such person")]
    NotFound,
    /// The person is a member already.
    #[error("the person is a member already")]
    AlreadyMember,
    /// All seats of the plan are used.
    #[error("all {0} seats of the plan are used")]
    NoFreeSeat(u32),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why a member stayed as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeMemberError {
    /// The team has no such member.
    #[error("the team has no such member")]
    NotFound,
    /// The team would have no owner.
    #[error("the team would have no owner")]
    LastOwner,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why somebody was not invited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InviteError {
    /// There is no such team.
    #[error("there is no such team")]
    NotFound,
    /// A member of the team has the address.
    #[error("a member of the team has this address")]
    AlreadyMember,
    /// The team has [as many invitations](Invitation::MOST) as it may.
    #[error("{} invitations wait already", Invitation::MOST)]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why an invitation was not accepted. It can still be, except where it is gone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// The invitation is unknown, used, withdrawn, replaced or over.
    #[error("the invitation is not valid, or not any more")]
    Gone,
    /// The invitation is for another address, or for a person who is not there.
    #[error("the invitation is for another address")]
    OtherAddress,
    /// A person has the address, and accepts as that one.
    #[error("a person has this address already")]
    AddressTaken,
    /// The person is a member already.
    #[error("the person is a member already")]
    AlreadyMember,
    /// All seats of the plan are used.
    #[error("all {0} seats of the plan are used")]
    NoFreeSeat(u32),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps people, sessions, memberships, invitations and the audit log. It is not part of [`Store`](super::Store): a host that has
/// people of its own does without.
///
/// Steps that change something take the entry of the audit log that says so, and add it in the same step: if the step is refused or
/// changes nothing, there is no entry either.
///
/// The number of [seats](Team::seats_used) that a team uses is the host's until its first member joins; from then on it is the
/// number of its members.
#[async_trait]
pub trait PeopleStore: SecondFactorStore + StoreClock + Send + Sync + std::fmt::Debug + 'static {
    /// Stores the link with which the first person is created, in place of an earlier one. It is valid for `term`. Returns `false`,
    /// and stores nothing, if there is a person.
    async fn put_first_link(&self, link: SecretHash, term: TimeDelta) -> Result<bool, StoreError>;

    /// Returns whether the link with which the first person is created is this one, and valid.
    async fn is_first_link(&self, link: &SecretHash) -> Result<bool, StoreError>;

    /// Creates the first person with a link, which is used up.
    ///
    /// # Concurrency
    /// Of any number of callers at once, one creates a person.
    ///
    /// # Errors
    /// [`RedeemError::Gone`], also if there is a person by now: nothing is created.
    async fn redeem_first_link(
        &self,
        link: &SecretHash,
        person: NewPerson,
        audit: NewAuditRecord,
    ) -> Result<Person, RedeemError>;

    /// Creates a person.
    ///
    /// # Concurrency
    /// No two persons ever have the same address.
    ///
    /// # Errors
    /// [`CreatePersonError::AddressTaken`]: nothing is created.
    async fn create_person(&self, person: NewPerson, audit: NewAuditRecord) -> Result<Person, CreatePersonError>;

    /// Returns all persons, for operators.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn persons(&self, page: PageRequest) -> Result<Page<Person>, StoreError>;

    /// Returns the person with this address, and what a sign-in is compared with; `None` if there is none.
    async fn credentials(&self, email: &EmailAddress) -> Result<Option<Credentials>, StoreError>;

    /// Sets the password of a person, and ends all of the person's sessions except for `kept`. Returns `false` if there is no such
    /// person.
    async fn set_password(
        &self,
        person: PersonId,
        password: PasswordHash,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Begins a session, and ends the one with the hash `replaced`, if there is one. If the person then has more than
    /// [`Session::MOST`], those that were not used for longest end. Returns `None` if there is no such person.
    async fn begin_session(
        &self,
        session: NewSession,
        replaced: Option<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<Option<Session>, StoreError>;

    /// Returns the session with this hash and its person, and notes the use if the last noted one is [`Session::TOUCH`] ago; `None`
    /// if there is none, or it is over.
    async fn session(&self, hash: &SecretHash) -> Result<Option<SignedIn>, StoreError>;

    /// Returns the same, with the person's role in a team and the team; `None` also if the person is no member of it, as if it did not
    /// exist.
    ///
    /// # Concurrency
    /// Session, role and team are read at one instant: who was taken out of a team is out.
    async fn entry(&self, hash: &SecretHash, team: TeamId) -> Result<Option<Entry>, StoreError>;

    /// Returns the sessions of a person that are not over.
    ///
    /// # Ordering
    /// By creation, the newest first, then id.
    async fn sessions(&self, person: PersonId) -> Result<Vec<Session>, StoreError>;

    /// Ends one session of a person. Returns `false` if the person has no such session.
    async fn end_session(
        &self,
        person: PersonId,
        session: SessionId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Ends all sessions of a person except for `kept`, and returns how many have ended. If there was none, nothing is added to the
    /// audit log.
    async fn end_sessions(
        &self,
        person: PersonId,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<u64, StoreError>;

    /// Makes a person a member of a team, without an invitation.
    ///
    /// # Concurrency
    /// There are never more members than the plan has seats, unless the plan was changed after they joined.
    ///
    /// # Errors
    /// [`AddMemberError`]: nothing is changed.
    async fn add_member(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, AddMemberError>;

    /// Returns the members of a team.
    ///
    /// # Ordering
    /// By the instant at which they joined, then id.
    async fn members(&self, team: TeamId) -> Result<Vec<Member>, StoreError>;

    /// Returns the memberships of a person, each with the team.
    ///
    /// # Ordering
    /// By the instant at which the person joined, then the team's id.
    async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, StoreError>;

    /// Gives a member another role.
    ///
    /// # Concurrency
    /// However many change roles and leave at the same time, a team that has an owner keeps one.
    ///
    /// # Errors
    /// [`ChangeMemberError`]: nothing is changed.
    async fn change_role(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, ChangeMemberError>;

    /// Takes a member out of a team, whose seat is free again. Invitations that the member made stay valid.
    ///
    /// # Concurrency
    /// As with [`change_role`](Self::change_role).
    ///
    /// # Errors
    /// [`ChangeMemberError`]: nothing is changed.
    async fn remove_member(
        &self,
        team: TeamId,
        person: PersonId,
        audit: NewAuditRecord,
    ) -> Result<(), ChangeMemberError>;

    /// Invites somebody into a team, in place of an earlier invitation of the same address. No seat is kept for it.
    ///
    /// # Errors
    /// [`InviteError`]: nothing is changed.
    async fn invite(
        &self,
        team: TeamId,
        invitation: NewInvitation,
        audit: NewAuditRecord,
    ) -> Result<Invitation, InviteError>;

    /// Returns the invitations of a team that can be accepted.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn invitations(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError>;

    /// Returns the invitation with this hash and the team; `None` if it can't be accepted any more.
    async fn invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError>;

    /// Withdraws an invitation. Returns `false` if the team has no such invitation that can be accepted.
    async fn withdraw_invitation(
        &self,
        team: TeamId,
        invitation: InvitationId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Accepts an invitation, which is used up: creates the person if it is a new one, and the membership. The entry of the audit log
    /// gets the invitation's team.
    ///
    /// # Concurrency
    /// An invitation makes one member at most, and there are never more members than the plan has seats, unless the plan was changed
    /// after they joined.
    ///
    /// # Errors
    /// [`AcceptError`]: nothing is changed.
    async fn accept_invitation(
        &self,
        hash: &SecretHash,
        joining: Joining,
        audit: NewAuditRecord,
    ) -> Result<Membership, AcceptError>;

    /// Adds an entry to the audit log about something that no step of this trait does. Returns `false` if there is no such team.
    async fn append_audit(&self, record: NewAuditRecord) -> Result<bool, StoreError>;

    /// Returns the entries of the audit log about a team; about persons and the installation with `None`.
    ///
    /// # Ordering
    /// The newest first, then by id.
    async fn audit(&self, team: Option<TeamId>, page: PageRequest) -> Result<Page<AuditRecord>, StoreError>;

    /// Removes sessions that are over, invitations that can't be accepted any more, and entries of the audit log that are older than
    /// [`AuditRecord::TERM`]: at most `limit` of each. None of it is visible except for the entries.
    async fn purge_people(&self, limit: u32) -> Result<PurgedPeople, StoreError>;
}
