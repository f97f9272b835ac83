//! Who belongs to a team, and with which role.

use chrono::{DateTime, Utc};

use super::Person;
use crate::{
    domain::{UnknownWord, stored_word::stored_words},
    id::{PersonId, TeamId},
};

/// The role of a person in a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Reads sites, checks, reports and files.
    Viewer,
    /// Also starts checks, and adds sites.
    Member,
    /// Also deletes sites, and manages tokens, endpoints, brand and members.
    Owner,
    /// A role of a later release: it reads, as every role does, and nothing else.
    Unknown(UnknownWord),
}

stored_words!(Role {
    Viewer = "viewer",
    Member = "member",
    Owner = "owner",
});

impl Role {
    /// Returns whether the role starts checks and adds sites.
    pub const fn writes(self) -> bool {
        match self {
            Self::Member | Self::Owner => true,
            Self::Viewer | Self::Unknown(_) => false,
        }
    }

    /// Returns whether the role deletes sites and manages the team.
    pub const fn manages(self) -> bool {
        match self {
            Self::Owner => true,
            Self::Viewer | Self::Member | Self::Unknown(_) => false,
        }
    }
}

/// The membership of a person in a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// The team.
    pub team: TeamId,
    /// The person.
    pub person: PersonId,
    /// The role.
    pub role: Role,
    /// The instant at which the person joined.
    pub since: DateTime<Utc>,
}

/// A member of a team, with the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The person.
    pub person: Person,
    /// The role.
    pub role: Role,
    /// The instant at which the person joined.
    pub since: DateTime<Utc>,
    /// True if the person signs in in two steps.
    pub has_second_factor: bool,
}

/// The refusal to leave a team without an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the team would have no owner")]
pub struct LastOwner;

/// Judges whether a member may get another role, or leave (`to` is `None`), in a team with so many owners: somebody must be left who
/// can manage it.
///
/// # Errors
/// [`LastOwner`].
pub const fn keeps_an_owner(from: Role, to: Option<Role>, owners: u64) -> Result<(), LastOwner> {
    let stays_owner = match to {
        Some(role) => role.manages(),
        None => false,
    };
    if from.manages() && !stays_owner && owners <= 1 { Err(LastOwner) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_is_never_left_without_an_owner() {
        for to in [Some(Role::Viewer), Some(Role::Member), None] {
            assert_eq!(keeps_an_owner(Role::Owner, to, 1), Err(LastOwner), "{to:?}");
            assert_eq!(keeps_an_owner(Role::Owner, to, 2), Ok(()));
            assert_eq!(keeps_an_owner(Role::Member, to, 1), Ok(()));
        }
        assert_eq!(keeps_an_owner(Role::Owner, Some(Role::Owner), 1), Ok(()));
    }

    #[test]
    fn a_role_of_a_later_release_is_no_way_to_more_than_reading() {
        let later = Role::from_stored("auditor").unwrap();
        assert!(!later.writes() && !later.manages());
        assert_eq!(keeps_an_owner(Role::Owner, Some(later), 1), Err(LastOwner));
    }

    #[test]
    fn roles_include_those_below_them() {
        let rights = Role::KNOWN.iter().map(|role| (role.writes(), role.manages()));
        assert_eq!(rights.collect::<Vec<_>>(), [(false, false), (true, false), (true, true)]);
    }
}
