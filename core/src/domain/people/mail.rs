//! Mail to people: what it is about, and how far its sending has come.
//!
//! A mail is kept as what it is about, and written when it is sent: in the language that its reader has then, and about what is so then.
//! No secret is kept with it: the one in its link is made when it is sent, and only its hash stays.

use chrono::{DateTime, TimeDelta, Utc};

use super::{EmailAddress, Role};
use crate::{
    domain::{FailureCode, FencingToken, Lease, NotAWord, UnknownWord, bounded, stored_word::stored_words},
    id::{EndpointId, InvitationId, MailId, ParseIdError, ScanId, TeamId, WorkerId},
    locale::Locale,
};

/// The choice of a person to get notices by mail: of failed checks, and of endpoints that were switched off. Invitations and links for another
/// password are sent in any case, for somebody asked for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Notices {
    /// The person gets them.
    #[default]
    On,
    /// The person gets none.
    Off,
}

impl Notices {
    /// Returns whether the person gets them.
    pub const fn are_on(self) -> bool {
        matches!(self, Self::On)
    }

    /// Returns what a stored flag means.
    pub const fn from_flag(are_on: bool) -> Self {
        if are_on { Self::On } else { Self::Off }
    }
}

/// The kind of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MailKind {
    /// An invitation into a team.
    Invitation,
    /// A link with which a password is set.
    PasswordReset,
    /// The notice that a check failed.
    CheckFailed,
    /// The notice that an endpoint was switched off because its deliveries kept failing.
    EndpointOff,
    /// Mail of a later release, which that release sends.
    Unknown(UnknownWord),
}

stored_words!(MailKind {
    Invitation = "invitation",
    PasswordReset = "password.reset",
    CheckFailed = "check.failed",
    EndpointOff = "endpoint.off",
});

/// The subject of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MailSubject {
    /// An invitation into a team.
    Invitation {
        /// The team.
        team: TeamId,
        /// The invitation.
        invitation: InvitationId,
    },
    /// Another password for whoever has the address, if anybody does.
    PasswordReset,
    /// A check that failed.
    CheckFailed {
        /// The team.
        team: TeamId,
        /// The check.
        scan: ScanId,
    },
    /// An endpoint that was switched off because its deliveries kept failing.
    EndpointOff {
        /// The team.
        team: TeamId,
        /// The endpoint.
        endpoint: EndpointId,
    },
}

/// The reason why what is stored says nothing that a mail could be about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailSubjectError {
    /// The kind is no word, or one of a later release.
    #[error("the kind of the mail is unknown")]
    Kind,
    /// The subject has no id of that kind.
    #[error(transparent)]
    Id(#[from] ParseIdError),
    /// It lacks its team.
    #[error("the mail has no team")]
    NoTeam,
}

impl From<NotAWord> for MailSubjectError {
    fn from(_: NotAWord) -> Self {
        Self::Kind
    }
}

impl MailSubject {
    /// Returns the kind of mail.
    pub const fn kind(&self) -> MailKind {
        match self {
            Self::Invitation { .. } => MailKind::Invitation,
            Self::PasswordReset => MailKind::PasswordReset,
            Self::CheckFailed { .. } => MailKind::CheckFailed,
            Self::EndpointOff { .. } => MailKind::EndpointOff,
        }
    }

    /// Returns the team with which the mail ends; `None` if it concerns a person.
    pub const fn team(&self) -> Option<TeamId> {
        match self {
            Self::PasswordReset => None,
            Self::Invitation { team, .. } | Self::CheckFailed { team, .. } | Self::EndpointOff { team, .. } => {
                Some(*team)
            }
        }
    }

    /// Returns the id of what it is about as it is stored; an empty text if that is the address itself.
    pub fn about(&self) -> String {
        match self {
            Self::Invitation { invitation, .. } => invitation.to_string(),
            Self::PasswordReset => String::new(),
            Self::CheckFailed { scan, .. } => scan.to_string(),
            Self::EndpointOff { endpoint, .. } => endpoint.to_string(),
        }
    }

    /// Restores a subject from its kind, its team and the id of what it is about.
    ///
    /// # Errors
    /// [`MailSubjectError`], if a store gives what none has stored, or what a later release has.
    pub fn from_stored(kind: &str, team: Option<TeamId>, about: &str) -> Result<Self, MailSubjectError> {
        let team = team.ok_or(MailSubjectError::NoTeam);
        Ok(match MailKind::from_stored(kind)? {
            MailKind::Invitation => Self::Invitation { team: team?, invitation: about.parse()? },
            MailKind::PasswordReset => Self::PasswordReset,
            MailKind::CheckFailed => Self::CheckFailed { team: team?, scan: about.parse()? },
            MailKind::EndpointOff => Self::EndpointOff { team: team?, endpoint: about.parse()? },
            MailKind::Unknown(_) => return Err(MailSubjectError::Kind),
        })
    }
}

/// A mail to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMail {
    /// The id of the mail.
    pub id: MailId,
    /// The language for a reader who is no person yet; others read theirs.
    pub locale: Locale,
}

/// A mail to one address, with how far its sending has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The id of the mail, the same on every attempt.
    pub id: MailId,
    /// The address.
    pub to: EmailAddress,
    /// The language for a reader who is no person yet.
    pub locale: Locale,
    /// The subject.
    pub subject: MailSubject,
    /// The instant at which it was to be sent.
    pub created_at: DateTime<Utc>,
    /// The state of its sending.
    pub state: MailState,
}

impl Mail {
    /// The most links for another password that are sent to one address within [`RESET_SPAN`](Self::RESET_SPAN), so that nobody
    /// fills another one's mailbox.
    pub const MOST_RESETS: u64 = 3;
    /// The time within which no more are sent.
    pub const RESET_SPAN: TimeDelta = TimeDelta::hours(1);
    /// The time for which a link for another password is valid, from the attempt that sent it.
    pub const RESET_TERM: TimeDelta = TimeDelta::hours(1);

    /// Returns the mail as it is when it is new: due at once.
    pub const fn new(new: NewMail, to: EmailAddress, subject: MailSubject, now: DateTime<Utc>) -> Self {
        let state = MailState::Waiting { attempts: 0, token: FencingToken::NONE, next_attempt_at: now };
        Self { id: new.id, to, locale: new.locale, subject, created_at: now, state }
    }
}

/// The state of the sending of a mail.
///
/// ```text
///  Waiting ──claim──► Attempting ──taken──────────────────────────► Sent
///     ▲                 │ ▲  │  └──refused for good, n = 5 ───────► Failed
///     │ put off, n < 5  │ └──┘
///     └─────────────────┘ claim again: the lease ended, n < 5
/// ```
///
/// Whose reason has gone by the time of a claim is [`Dropped`](Self::Dropped). An attempt that lost its worker counts: the mail may have
/// been sent by it, so that it may arrive twice, and never without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailState {
    /// Waits for its next attempt. A crash changes nothing.
    Waiting {
        /// The number of attempts that have ended.
        attempts: u32,
        /// The fencing token of the last attempt.
        token: FencingToken,
        /// The instant at which the next attempt is due.
        next_attempt_at: DateTime<Utc>,
    },
    /// An attempt is under way. If its worker dies, the lease ends, and another worker makes the next attempt.
    Attempting {
        /// The number of attempts, this one included.
        attempts: u32,
        /// The lease of the worker that makes the attempt.
        lease: Lease,
    },
    /// A mail server took it. Final.
    Sent {
        /// The number of attempts.
        attempts: u32,
        /// The instant at which it was taken.
        finished_at: DateTime<Utc>,
    },
    /// It was refused for good, or every attempt failed. Final.
    Failed {
        /// The number of attempts.
        attempts: u32,
        /// The instant at which the last one ended.
        finished_at: DateTime<Utc>,
        /// The answer of the mail server, or the reason why it could not be asked: for operators, at most [`MailState::MAX_REASON`] characters.
        reason: String,
    },
    /// Its subject has gone: an invitation that was withdrawn, a person who wants no notices. Final.
    Dropped {
        /// The instant at which that was found.
        finished_at: DateTime<Utc>,
    },
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    /// A mail server took the mail.
    Sent,
    /// It can't be taken now: a later attempt may succeed.
    PutOff(String),
    /// It is refused for good: no attempt will succeed.
    Refused(String),
    /// There is nothing to say any more.
    Dropped,
}

/// The reason why a mail can't be claimed, or the end of an attempt not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailRefusal {
    /// The mail is not due, or another worker holds it.
    #[error("the mail is not due")]
    NotDue,
    /// The sending has ended.
    #[error("the sending has ended")]
    Ended,
    /// No attempt is under way under this token.
    #[error("the lease is an old one")]
    LeaseLost,
}

impl MailState {
    /// The time between the end of each attempt that was put off and the next one.
    pub const RETRY_SCHEDULE: [TimeDelta; 4] =
        [TimeDelta::minutes(1), TimeDelta::minutes(10), TimeDelta::hours(1), TimeDelta::hours(6)];
    /// The greatest number of attempts.
    #[expect(clippy::cast_possible_truncation, reason = "a schedule of 4")]
    pub const MAX_ATTEMPTS: u32 = Self::RETRY_SCHEDULE.len() as u32 + 1;
    /// The time for which a mail is listed after its end.
    pub const LOG_TERM: TimeDelta = TimeDelta::days(30);
    /// The most characters of a reason that are kept.
    pub const MAX_REASON: usize = 300;

    /// Returns the instant from which a worker may claim the mail; `None` if its sending has ended.
    pub const fn due_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Waiting { next_attempt_at, .. } => Some(*next_attempt_at),
            Self::Attempting { lease, .. } => Some(lease.expires_at),
            Self::Sent { .. } | Self::Failed { .. } | Self::Dropped { .. } => None,
        }
    }

    /// Returns the instant of the end; `None` before that.
    pub const fn finished_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Waiting { .. } | Self::Attempting { .. } => None,
            Self::Sent { finished_at, .. } | Self::Failed { finished_at, .. } | Self::Dropped { finished_at } => {
                Some(*finished_at)
            }
        }
    }

    /// Gives the next attempt to `worker` for `term` from `now`. A mail whose last attempt lost its worker fails instead.
    ///
    /// # Errors
    /// [`MailRefusal::NotDue`], [`MailRefusal::Ended`].
    pub fn claim(self, worker: WorkerId, term: TimeDelta, now: DateTime<Utc>) -> Result<Self, MailRefusal> {
        let (attempts, token) = match self {
            Self::Waiting { attempts, token, next_attempt_at } if next_attempt_at <= now => (attempts, token),
            Self::Attempting { attempts, lease } if lease.has_expired(now) => (attempts, lease.token),
            Self::Waiting { .. } | Self::Attempting { .. } => return Err(MailRefusal::NotDue),
            Self::Sent { .. } | Self::Failed { .. } | Self::Dropped { .. } => return Err(MailRefusal::Ended),
        };
        if attempts >= Self::MAX_ATTEMPTS {
            return Ok(Self::Failed { attempts, finished_at: now, reason: "the last attempt was cut off".to_owned() });
        }
        let lease = Lease { worker, token: token.next(), expires_at: now + term };
        Ok(Self::Attempting { attempts: attempts + 1, lease })
    }

    /// Records the end of the attempt that `token` belongs to. A lease that has ended, and that nobody else has taken, is still valid
    /// here: only the token decides.
    ///
    /// # Errors
    /// [`MailRefusal::LeaseLost`], [`MailRefusal::Ended`].
    pub fn record(self, token: FencingToken, outcome: MailOutcome, now: DateTime<Utc>) -> Result<Self, MailRefusal> {
        let attempts = match self {
            Self::Attempting { attempts, lease } if lease.token == token => attempts,
            Self::Attempting { .. } | Self::Waiting { .. } => return Err(MailRefusal::LeaseLost),
            Self::Sent { .. } | Self::Failed { .. } | Self::Dropped { .. } => return Err(MailRefusal::Ended),
        };
        let failed = |reason: String| Self::Failed {
            attempts,
            finished_at: now,
            reason: bounded(&reason.replace(char::is_control, " "), Self::MAX_REASON),
        };
        Ok(match outcome {
            MailOutcome::Sent => Self::Sent { attempts, finished_at: now },
            MailOutcome::Dropped => Self::Dropped { finished_at: now },
            MailOutcome::Refused(reason) => failed(reason),
            MailOutcome::PutOff(reason) => match wait_after(attempts) {
                Some(wait) => Self::Waiting { attempts, token, next_attempt_at: now + wait },
                None => failed(reason),
            },
        })
    }
}

/// Returns how long to wait after the `attempts`th attempt; `None` after the last one.
fn wait_after(attempts: u32) -> Option<TimeDelta> {
    MailState::RETRY_SCHEDULE.get(usize::try_from(attempts.checked_sub(1)?).ok()?).copied()
}

/// The last notice about a site: of which failure, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteNotice {
    /// The code of the failure.
    pub code: FailureCode,
    /// The instant of the notice.
    pub at: DateTime<Utc>,
}

impl SiteNotice {
    /// The time within which a site has no second notice.
    pub const PAUSE: TimeDelta = TimeDelta::days(1);

    /// Returns whether a check that fails now is worth a notice: it is the first one since a check was completed, or it fails for
    /// another reason than the one before; and the last notice is not younger than [`PAUSE`](Self::PAUSE).
    pub fn is_due(
        last: Option<Self>,
        last_completed_at: Option<DateTime<Utc>>,
        code: FailureCode,
        now: DateTime<Utc>,
    ) -> bool {
        let Some(Self { code: before, at }) = last else { return true };
        at + Self::PAUSE <= now && (before != code || last_completed_at.is_some_and(|completed| completed > at))
    }
}

impl Role {
    /// Returns whether the role gets notices of failed checks and of endpoints that were switched off: those who can do something about it.
    pub const fn is_noticed(self) -> bool {
        self.writes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERM: TimeDelta = TimeDelta::minutes(2);

    fn waiting(now: DateTime<Utc>) -> MailState {
        MailState::Waiting { attempts: 0, token: FencingToken::NONE, next_attempt_at: now }
    }

    fn token(state: &MailState) -> FencingToken {
        match state {
            MailState::Attempting { lease, .. } => lease.token,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_server_that_is_down_is_asked_five_times_in_seven_hours_and_then_given_up() {
        let start = Utc::now();
        let (mut now, mut state, mut begun) = (start, waiting(start), Vec::new());
        while let Some(due) = state.due_at() {
            now = due;
            begun.push((now - start).num_minutes());
            state = state.claim(WorkerId::generate(), TERM, now).unwrap();
            let token = token(&state);
            state = state.record(token, MailOutcome::PutOff("down\r\nagain".to_owned()), now).unwrap();
        }
        assert_eq!(begun, [0, 1, 11, 71, 431]);
        let reason = "down  again".to_owned();
        assert_eq!(state, MailState::Failed { attempts: MailState::MAX_ATTEMPTS, finished_at: now, reason });
    }

    #[test]
    fn an_attempt_that_is_cut_off_counts_and_its_late_end_is_refused() {
        let mut now = Utc::now();
        let mut state = waiting(now);
        let mut first = None;
        for attempt in 1..=MailState::MAX_ATTEMPTS {
            state = state.claim(WorkerId::generate(), TERM, now).unwrap();
            assert!(matches!(state, MailState::Attempting { attempts, .. } if attempts == attempt));
            assert_eq!(state.clone().claim(WorkerId::generate(), TERM, now), Err(MailRefusal::NotDue));
            first = first.or(Some(token(&state)));
            now += TERM;
        }
        let late = state.clone().record(first.unwrap(), MailOutcome::Sent, now);
        assert_eq!(late, Err(MailRefusal::LeaseLost));
        let given_up = state.claim(WorkerId::generate(), TERM, now).unwrap();
        assert!(matches!(given_up, MailState::Failed { .. }));
        assert_eq!(given_up.claim(WorkerId::generate(), TERM, now), Err(MailRefusal::Ended));
    }

    #[test]
    fn what_is_refused_for_good_is_not_tried_again() {
        let now = Utc::now();
        let state = waiting(now).claim(WorkerId::generate(), TERM, now).unwrap();
        let held = token(&state);
        let refused = state.record(held, MailOutcome::Refused("550 no such user".to_owned()), now).unwrap();
        assert_eq!(refused.due_at(), None);
        assert_eq!(refused.record(held, MailOutcome::Sent, now), Err(MailRefusal::Ended));
    }

    #[test]
    fn a_site_is_told_of_once_for_each_reason_and_not_twice_a_day() {
        let now = Utc::now();
        let (dns, tls) = (FailureCode::Dns, FailureCode::Tls);
        let last = |days| Some(SiteNotice { code: dns, at: now - TimeDelta::days(days) });
        let due = |last, completed, code| SiteNotice::is_due(last, completed, code, now);
        assert!(due(None, None, dns));
        assert!(!due(last(7), None, dns), "the same as a week ago");
        assert!(!due(last(7), Some(now - TimeDelta::days(8)), dns));
        assert!(due(last(7), Some(now - TimeDelta::days(3)), dns), "it was well meanwhile");
        assert!(due(last(1), None, tls), "another reason");
        let recent = Some(SiteNotice { code: dns, at: now - TimeDelta::hours(23) });
        assert!(!due(recent, Some(now), tls), "twice a day");
    }

    #[test]
    fn a_subject_is_restored_as_it_was_stored_and_those_of_later_releases_are_not() {
        let now = Utc::now();
        let team = TeamId::generate(now);
        for subject in [
            MailSubject::Invitation { team, invitation: InvitationId::generate(now) },
            MailSubject::PasswordReset,
            MailSubject::CheckFailed { team, scan: ScanId::generate(now) },
            MailSubject::EndpointOff { team, endpoint: EndpointId::generate(now) },
        ] {
            let read = MailSubject::from_stored(subject.kind().as_str(), subject.team(), &subject.about());
            assert_eq!(read, Ok(subject));
        }
        assert_eq!(MailSubject::from_stored("digest", None, ""), Err(MailSubjectError::Kind));
        assert_eq!(MailSubject::from_stored("check.failed", None, "x"), Err(MailSubjectError::NoTeam));
    }
}
