//! Sessions: for how long somebody stays signed in.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use super::SecretHash;
use crate::{
    domain::bounded,
    id::{PersonId, SessionId},
};

/// A session of a person in one browser, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The id of the session, which is not its secret.
    pub id: SessionId,
    /// The person.
    pub person: PersonId,
    /// The name that the browser gave itself; hostile text, empty if it gave none.
    pub browser: String,
    /// The address from which it was begun, if that is known.
    pub address: Option<IpAddr>,
    /// The instant at which it was begun.
    pub created_at: DateTime<Utc>,
    /// An instant at most [`Session::TOUCH`] before its latest use.
    pub last_used_at: DateTime<Utc>,
}

impl Session {
    /// The time without use after which a session is over.
    pub const IDLE: TimeDelta = TimeDelta::days(14);
    /// The time after which a session is over, however often it is used.
    pub const LONGEST: TimeDelta = TimeDelta::days(90);
    /// The time between two uses that are noted: not each request writes.
    pub const TOUCH: TimeDelta = TimeDelta::minutes(5);
    /// The most sessions of a person at a time. The next one ends that which was not used for longest.
    pub const MOST: usize = 50;

    /// Returns the instant at which it is over unless it is used before.
    pub fn ends_at(&self) -> DateTime<Utc> {
        (self.last_used_at + Self::IDLE).min(self.created_at + Self::LONGEST)
    }

    /// Returns whether it is over.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.ends_at() <= now
    }

    /// Returns whether a use at this instant is to be noted.
    pub fn is_to_be_touched(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at + Self::TOUCH <= now
    }
}

/// A session to be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The id of the session.
    pub id: SessionId,
    /// The person.
    pub person: PersonId,
    /// The hash under which it is stored and looked up.
    pub hash: SecretHash,
    /// The name that the browser gave itself.
    pub browser: String,
    /// The address from which it is begun, if that is known.
    pub address: Option<IpAddr>,
}

impl NewSession {
    /// The most characters of a browser's name that are kept.
    pub const MAX_BROWSER: usize = 200;

    /// Returns the session to be begun. Of the browser's name, the first [`NewSession::MAX_BROWSER`] characters are kept.
    pub fn new(id: SessionId, person: PersonId, hash: SecretHash, browser: &str, address: Option<IpAddr>) -> Self {
        Self { id, person, hash, browser: bounded(browser, Self::MAX_BROWSER), address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_14_days_after_its_last_use_and_after_90_days_at_the_latest() {
        let begin = Utc::now();
        let id = SessionId::generate(begin);
        let person = PersonId::generate(begin);
        let session = Session {
            id,
            person,
            browser: String::new(),
            address: None,
            created_at: begin,
            last_used_at: begin + TimeDelta::days(10),
        };
        assert_eq!(session.ends_at(), begin + TimeDelta::days(24));
        assert!(!session.is_over(session.ends_at() - TimeDelta::microseconds(1)));
        assert!(session.is_over(session.ends_at()));
        let used = Session { last_used_at: begin + TimeDelta::days(80), ..session };
        assert_eq!(used.ends_at(), begin + TimeDelta::days(90));
        assert!(!used.is_to_be_touched(used.last_used_at));
        assert!(used.is_to_be_touched(used.last_used_at + Session::TOUCH));
    }
}
