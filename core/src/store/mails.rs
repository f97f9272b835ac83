//! Mail to people: what waits to be sent, and what has become of it.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{PeopleStore, StoreError};
use crate::{
    domain::{
        EmailAddress, FencingToken, Mail, MailOutcome, MailRefusal, MailSubject, NewAuditRecord, NewMail, Notices,
        PasswordHash, Person, SecretHash,
    },
    id::{MailId, PersonId, WorkerId},
    locale::Locale,
};

/// The claim of a worker: a mail, and the proof of its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailClaim {
    /// The mail.
    pub mail: MailId,
    /// The proof.
    pub token: FencingToken,
}

/// A mail that was given to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedMail {
    /// The claim that proves the lease.
    pub claim: MailClaim,
    /// The number of this attempt, counted from 1.
    pub attempt: u32,
    /// The address.
    pub to: EmailAddress,
    /// The language of the reader: the person's, if there is one with this address.
    pub locale: Locale,
    /// The subject.
    pub subject: MailSubject,
    /// The instant at which the attempt begins.
    pub at: DateTime<Utc>,
}

/// The amount of mail that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailDepth {
    /// Mails whose sending has not ended.
    pub waiting: u64,
    /// The instant at which the oldest of these was to be sent.
    pub oldest: Option<DateTime<Utc>>,
}

/// The reason why the end of an attempt was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordMailError {
    /// The token is not that of the present holder, or the sending has ended. Nothing was changed.
    #[error(transparent)]
    Refused(#[from] MailRefusal),
    /// There is no such mail: it was deleted with its team.
    #[error("the mail was deleted")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps the mail that waits to be sent. A store that does keeps people as well, for they are who reads it.
///
/// Mail is written by the steps that cause it: [`invite`](PeopleStore::invite) with a [`NewMail`]; and, while the shared setting
/// [`Mail`](crate::domain::SharedSetting::Mail) is `on`, the steps that end a check as failed and those that switch an endpoint off because
/// its deliveries kept failing. The latter two write one mail to each member of the team whose
/// [role is noticed](crate::domain::Role::is_noticed) and who has [`Notices::On`], about a check only if it
/// [is due](crate::domain::SiteNotice::is_due).
///
/// # Atomicity
/// Mail is there with what it is about, or neither is.
#[async_trait]
pub trait MailStore: PeopleStore {
    /// Sets whether a person gets notices. Returns `false` if there is no such person. It is a preference, and not in the audit log.
    async fn set_notices(&self, person: PersonId, notices: Notices) -> Result<bool, StoreError>;

    /// Switches notices off for the person to whom a notice with this link was sent, for as long as the mail is in its log. Returns `false`
    /// if the link is unknown or that of another mail, or the address is nobody's any more. A second time, it is off already. Another
    /// attempt to send the mail takes the link's place. It is not in the audit log.
    async fn switch_notices_off(&self, link: &SecretHash) -> Result<bool, StoreError>;

    /// Writes a mail with a link for another password to this address, whether anybody has it or not; none if there were
    /// [`Mail::MOST_RESETS`] to the address within [`Mail::RESET_SPAN`]. Nothing that this returns, and nothing of what it does, depends
    /// on whether the address is a person's.
    ///
    /// # Concurrency
    /// While the shared setting [`Mail`](crate::domain::SharedSetting::Mail) is there, callers at the same time get no more than the
    /// bound together.
    async fn request_reset(&self, mail: NewMail, email: &EmailAddress) -> Result<(), StoreError>;

    /// Gives a mail that is [due](crate::domain::MailState::due_at) to `worker`, under a lease that lasts `term`, as
    /// [`MailState::claim`](crate::domain::MailState::claim) does. `link` is the hash of the secret that this attempt sends; it takes the
    /// place of that of an earlier attempt.
    ///
    /// Before that, due mails whose reason has gone are [dropped](crate::domain::MailState::Dropped): invitations that can't be accepted
    /// any more, links for another password to addresses that are nobody's, and notices to who is no member with
    /// [a role that is noticed](crate::domain::Role::is_noticed) any more, or has [`Notices::Off`].
    ///
    /// # Atomicity
    /// The choice, the lease and the hash are one step: a mail is never given to two workers at once.
    ///
    /// # Ordering
    /// Those that fell due first, then by id.
    async fn claim_mail(
        &self,
        worker: &WorkerId,
        term: TimeDelta,
        link: SecretHash,
    ) -> Result<Option<ClaimedMail>, StoreError>;

    /// Records the end of an attempt, now, as [`MailState::record`](crate::domain::MailState::record) does; returns the mail.
    ///
    /// # Errors
    /// [`RecordMailError::Refused`] for an old token, and for what was recorded before; [`RecordMailError::Gone`]. Nothing is changed.
    async fn record_mail(&self, claim: MailClaim, outcome: MailOutcome) -> Result<Mail, RecordMailError>;

    /// Returns the person who may set another password with this link; `None` if it is unknown, used or over
    /// ([`Mail::RESET_TERM`]), or the person has set a password since it was sent.
    async fn reset_link(&self, link: &SecretHash) -> Result<Option<Person>, StoreError>;

    /// Sets the password of the person with a link, which is used up with all others for the person, and ends all of the person's
    /// sessions. Returns the person; `None`, with nothing changed, where [`reset_link`](Self::reset_link) returns none. The entry of the
    /// audit log gets the person and its address as the one who did it.
    ///
    /// # Concurrency
    /// A link is used once, however many use it at the same time.
    async fn reset_password(
        &self,
        link: &SecretHash,
        password: PasswordHash,
        audit: NewAuditRecord,
    ) -> Result<Option<Person>, StoreError>;

    /// Returns how much mail waits.
    async fn mail_depth(&self) -> Result<MailDepth, StoreError>;

    /// Returns mails that failed, at most `limit`, for operators.
    ///
    /// # Ordering
    /// The newest end first, then by id.
    async fn failed_mails(&self, limit: u32) -> Result<Vec<Mail>, StoreError>;

    /// Deletes at most `limit` mails whose sending ended more than [`MailState::LOG_TERM`](crate::domain::MailState::LOG_TERM) ago, and
    /// those about a password a day after their end; returns how many.
    async fn purge_mails(&self, limit: u32) -> Result<u32, StoreError>;
}
