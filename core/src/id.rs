//! Typed ids: `<kind>_<ULID>`, opaque to clients, one Rust type per kind, so that a site's id is never taken for a check's.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicU64, Ordering},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ulid::Ulid;

/// The error for a text that is not an id of the expected kind.
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
            /// The prefix of every id of this kind.
            pub const PREFIX: &'static str = $prefix;
            /// The id before all others, which nothing has: the lower end of a range.
            pub const MIN: Self = Self(Ulid::nil());
            /// The id after all others: the upper end of a range.
            pub const MAX: Self = Self(Ulid(u128::MAX));

            /// Returns a new id. Ids of later milliseconds sort after earlier ones; within one millisecond the order is random.
            pub fn generate(at: DateTime<Utc>) -> Self {
                let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
                Self(Ulid::from_parts(millis, rand::random()))
            }

            /// Reads an id as a client sends it. A text that is not an id becomes an id that nothing has: it is looked up
            /// like any other and not found, so that the response does not depend on the spelling of a guess.
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

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": concat!("An id that begins with `", $prefix, "`. Opaque."),
                    "pattern": concat!("^", $prefix, "[0-7][0-9A-HJKMNP-TV-Z]{25}$"),
                })
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
    /// An event, which is delivered to endpoints.
    EventId = "evt_";
    /// The delivery of one event to one endpoint, with all its attempts.
    DeliveryId = "dlv_";
    /// An endpoint: an address of a team to which events are delivered.
    EndpointId = "whe_";
    /// A person who signs in.
    PersonId = "pers_";
    /// A session of a person in one browser: to name it in a list, not to be let in.
    SessionId = "sess_";
    /// An invitation into a team: to name it in a list, not to accept it.
    InvitationId = "inv_";
    /// An entry of the audit log.
    AuditId = "aud_";
    /// A judgement about an element of a site.
    JudgementId = "jdg_";
    /// A mail to a person.
    MailId = "mail_";
    /// A link to a report: to name it in a list, not to follow it.
    ShareId = "shr_";
    /// An assignment of something to repair to a member of a team.
    AssignmentId = "asg_";
    /// Decisions or assignments that were made at once.
    BatchId = "bat_";
    /// A field that a team has added to its sites.
    SiteFieldId = "fld_";
}

/// The name of one process that works on checks: readable, not secret, unique per process start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeId(String);

impl NodeId {
    /// Returns a new name, distinct from that of every other process.
    pub fn generate() -> Self {
        Self(format!("node-{}-{:08x}", std::process::id(), rand::random::<u32>()))
    }

    /// Returns a new worker of this node.
    pub fn worker(&self) -> WorkerId {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        WorkerId(format!("{}{}{}", self.0, WorkerId::SEPARATOR, NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the prefix of the names of all workers of this node, which no worker of another node has.
    pub fn worker_prefix(&self) -> String {
        format!("{}{}", self.0, WorkerId::SEPARATOR)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of one worker in leases and logs: readable, not secret, unique per process start. It begins with the name of its node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WorkerId(String);

impl WorkerId {
    const SEPARATOR: char = '/';

    /// Returns a new name, distinct from that of every other worker: that of the only worker of a new node.
    pub fn generate() -> Self {
        NodeId::generate().worker()
    }

    /// Returns the name in the lease of a check that no worker has, and that any worker may claim.
    pub fn none() -> Self {
        Self("none".to_owned())
    }

    /// Returns the node that the worker belongs to. A worker of an earlier release is a node of its own.
    pub fn node(&self) -> NodeId {
        NodeId(self.0.split_once(Self::SEPARATOR).map_or(self.0.as_str(), |(node, _)| node).to_owned())
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
    fn a_worker_belongs_to_the_node_that_it_was_made_for() {
        let (node, other) = (NodeId::generate(), NodeId::generate());
        let (one, two) = (node.worker(), node.worker());
        assert_ne!(one, two);
        assert_eq!((one.node(), two.node()), (node.clone(), node.clone()));
        assert!(one.to_string().starts_with(&node.worker_prefix()));
        assert!(!other.worker().to_string().starts_with(&node.worker_prefix()));
        let earlier: WorkerId = serde_json::from_str("\"worker-7-0a1b2c3d\"").unwrap();
        assert_eq!(earlier.node().to_string(), "worker-7-0a1b2c3d");
    }

    #[test]
    fn ids_sort_by_time() {
        let now = Utc::now();
        let earlier = ScanId::generate(now - chrono::Duration::milliseconds(1));
        assert!(earlier < ScanId::generate(now));
    }
}
