//! The reasons why an address is not visited.

use std::net::IpAddr;

use super::ResolveError;

/// A rule that an address breaks. Its `Display` is a sentence for the owner of a site.
///
/// The sentences do not contain addresses that a name led to: in a network with its own DNS they would reveal hosts
/// that are none of a user's business. The fields contain them, for the log. If the answer for a name is refused, users
/// are not even shown the rule: [`PolicyError::RefusedAnswer`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The IP address is not on the public internet, and in no network that was opened.
    #[error("The address belongs to {range}, not to the public internet.")]
    NotPublic {
        /// The address as it was named or resolved.
        ip: IpAddr,
        /// The range that contains it, in words.
        range: &'static str,
    },
    /// A name without a dot, or with an ending of local networks, which does not lead to a network that was opened.
    #[error("\"{name}\" is a name for local networks, not for the public internet.")]
    LocalName {
        /// The name in lower case, without a dot at its end.
        name: String,
    },
    /// The host is not a name that a web address can have.
    #[error("The address does not contain a valid name of a web server.")]
    InvalidName,
    /// The name, or one above it, was blocked.
    #[error("\"{name}\" is blocked here.")]
    BlockedDomain {
        /// The name that was asked for, in lower case, without a dot at its end.
        name: String,
    },
    /// The IP address is in a network that was blocked.
    #[error("The address belongs to a network that is blocked here.")]
    BlockedNetwork {
        /// The address as it was named or resolved.
        ip: IpAddr,
    },
    /// The port is not one of web sites on the public internet.
    #[error("Port {0} is not one of a web site.")]
    Port(u16),
    /// The IP address is in a network that was opened, but the port is not among those that were.
    #[error("Port {0} is not open in this network.")]
    ClosedPort(u16),
}

/// The reason why there is no address to connect to. Exhaustive: callers treat the three differently, and there is no
/// fourth.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The host itself must not be visited.
    #[error("the address must not be visited")]
    Refused(#[from] Refusal),
    /// The name leads to an address that must not be visited. The rule that this breaks is for operators: it would
    /// reveal to users which names of a private network exist, and where they lead.
    #[error("the name leads to an address that must not be visited")]
    RefusedAnswer(#[source] Refusal),
    /// The name could not be resolved.
    #[error("the name could not be resolved")]
    Resolve(#[from] ResolveError),
}

impl PolicyError {
    /// The sentence for a name that leads to an address which nobody may visit, and for one that does not exist.
    pub const NO_ADDRESS: &str = "The name was not found, or leads to no address that may be visited.";
}
