//! Typed ids: `<kind>_<ULID>`, opaque to clients, one Rust type per kind so that a site's id is never passed for a check's.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ulid::Ulid;

/// A text that is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form {prefix}<ULID>")]
pub struct ParseIdError {
    prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Ulid);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A new id. Ids of later milliseconds sort after earlier ones; within one millisecond the order is random.
            pub fn generate(at: DateTime<Utc>) -> Self {
                let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
                Self(Ulid::from_parts(millis, rand::random()))
            }

            /// An id as a client sends it. A text that is no id becomes the id of nothing: it is looked up like any
            /// other and not found, so that what a stranger reads does not depend on the spelling of a guess.
            pub fn presented(text: &str) -> Self {
                text.parse().unwrap_or(Self(Ulid::nil()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(Self::PREFIX)?;
                f.write_str(self.0.array_to_str(&mut [0; ulid::ULID_LEN]))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            /// Accepts exactly what [`Display`](fmt::Display) writes: one spelling per id.
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                text.strip_prefix(Self::PREFIX)
                    .and_then(|ulid| Ulid::from_string(ulid).ok())
                    .map(Self)
                    .filter(|id| id.to_string() == text)
                    .ok_or(ParseIdError { prefix: Self::PREFIX })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// A team: the owner of all data.
    TeamId = "team_";
    /// A web site of a team.
    SiteId = "site_";
    /// A check of a site.
    ScanId = "scan_";
    /// An API token of a team.
    TokenId = "tok_";
    /// Something that happened, and that endpoints are told of.
    EventId = "evt_";
    /// The telling of one event to one endpoint, with all its attempts.
    DeliveryId = "dlv_";
    /// An address of a team that events are delivered to.
    EndpointId = "whe_";
}

/// Names one worker in leases and logs: readable, not secret, unique per process start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WorkerId(String);

impl WorkerId {
    /// A new name, distinct from that of every other worker.
    pub fn generate() -> Self {
        Self(format!("worker-{}-{:08x}", std::process::id(), rand::random::<u32>()))
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_from_its_text() {
        let id = SiteId::generate(Utc::now());
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::from_str::<SiteId>(&serde_json::to_string(&id).unwrap()).unwrap(), id);
    }

    #[test]
    fn an_id_of_another_kind_or_spelling_is_refused() {
        let id = SiteId::generate(Utc::now()).to_string();
        for text in
            [id.replace("site_", "scan_"), id.to_lowercase(), format!("{id}0"), String::new(), "site_".to_owned()]
        {
            assert!(text.parse::<SiteId>().is_err(), "{text}");
        }
    }

    #[test]
    fn ids_sort_by_time() {
        let now = Utc::now();
        let earlier = ScanId::generate(now - chrono::Duration::milliseconds(1));
        assert!(earlier < ScanId::generate(now));
    }
}
