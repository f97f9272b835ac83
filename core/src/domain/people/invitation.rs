//! Invitations into a team.

use chrono::{DateTime, TimeDelta, Utc};

use super::{EmailAddress, NewMail, Role, SecretHash};
use crate::id::{InvitationId, PersonId, TeamId};

/// An invitation of somebody into a team, without its secret. It is used once, by the person with this address, or never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The id of the invitation, which is not its secret.
    pub id: InvitationId,
    /// The team.
    pub team: TeamId,
    /// The address of who is invited.
    pub email: EmailAddress,
    /// The role that the person will have.
    pub role: Role,
    /// The member who invited; `None` if it was an operator.
    pub invited_by: Option<PersonId>,
    /// The instant at which it was made.
    pub created_at: DateTime<Utc>,
}

impl Invitation {
    /// The time for which an invitation can be accepted.
    pub const TERM: TimeDelta = TimeDelta::days(7);
    /// The most invitations of a team that wait.
    pub const MOST: u64 = 100;

    /// Returns the instant from which it can't be accepted any more.
    pub fn ends_at(&self) -> DateTime<Utc> {
        self.created_at + Self::TERM
    }

    /// Returns whether it can't be accepted any more.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.ends_at() <= now
    }
}

/// An invitation to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvitation {
    /// The id of the invitation.
    pub id: InvitationId,
    /// The address of who is invited.
    pub email: EmailAddress,
    /// The role that the person will have.
    pub role: Role,
    /// The member who invites; `None` if it is an operator.
    pub invited_by: Option<PersonId>,
    /// The hash under which it is stored and looked up.
    pub hash: SecretHash,
    /// The mail that brings the invitation to the address; `None` where its link is handed over by other means.
    pub mail: Option<NewMail>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_over_after_seven_days_and_not_before() {
        let made = Utc::now();
        let invitation = Invitation {
            id: InvitationId::generate(made),
            team: TeamId::generate(made),
            email: "jo@example.org".parse().unwrap(),
            role: Role::Viewer,
            invited_by: None,
            created_at: made,
        };
        assert!(!invitation.is_over(made + TimeDelta::days(7) - TimeDelta::microseconds(1)));
        assert!(invitation.is_over(made + TimeDelta::days(7)));
    }
}
