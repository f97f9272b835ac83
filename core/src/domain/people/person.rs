//! People who sign in.

use std::fmt;

use chrono::{DateTime, Utc};

use super::{EmailAddress, Notices};
use crate::{
    domain::{UnknownWord, stored_word::stored_words},
    id::PersonId,
    locale::Locale,
};

/// A person: of the installation, not of a team. Who works for two teams has one address and one password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The id of the person.
    pub id: PersonId,
    /// The address under which the person signs in; nobody else has it.
    pub email: EmailAddress,
    /// The name, for others to see; at most [`Person::MAX_NAME`] characters.
    pub name: String,
    /// The language of the pages that the person sees.
    pub locale: Locale,
    /// The kind of the person: a user, or an operator of the installation.
    pub kind: PersonKind,
    /// The instant at which the person was created.
    pub created_at: DateTime<Utc>,
    /// The person's choice about notices by mail; a new person gets them.
    pub notices: Notices,
}

impl Person {
    /// The most characters of a name that are kept.
    pub const MAX_NAME: usize = 120;
}

/// A person to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    /// The id of the person.
    pub id: PersonId,
    /// The address under which the person signs in.
    pub email: EmailAddress,
    /// The name.
    pub name: String,
    /// The language.
    pub locale: Locale,
    /// The kind of the person: a user, or an operator of the installation.
    pub kind: PersonKind,
    /// The hash of the password; `None` for a person who signs in by other means.
    pub password: Option<PasswordHash>,
}

/// The kind of a person, which says whether the person operates the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PersonKind {
    /// A person who may do what the roles in teams say, and nothing else.
    User,
    /// A person who also operates the installation. That is no role in any team.
    Operator,
    /// A kind of a later release, which operates nothing in this one.
    Unknown(UnknownWord),
}

stored_words!(PersonKind {
    User = "user",
    Operator = "operator",
});

impl PersonKind {
    /// Returns whether the person operates the installation.
    pub const fn operates(self) -> bool {
        match self {
            Self::Operator => true,
            Self::User | Self::Unknown(_) => false,
        }
    }
}

/// The hash of a password, with its parameters and its salt, as the PHC string format writes it. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Restores a hash from its stored text.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text that is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_a_later_release_operates_nothing() {
        assert!(!PersonKind::from_stored("auditor").unwrap().operates());
        assert!(PersonKind::Operator.operates() && !PersonKind::User.operates());
    }

    #[test]
    fn the_hash_of_a_password_does_not_show_itself_in_logs() {
        assert_eq!(format!("{:?}", PasswordHash::from_stored("$argon2id$v=19$…")), "PasswordHash(…)");
    }
}
