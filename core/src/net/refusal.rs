//! Why an address is not visited.

use std::net::IpAddr;

use super::ResolveError;

/// A rule that an address breaks. Reads as a sentence for the owner of a site.
///
/// The sentences leave out addresses that a name led to: in a network with DNS of its own they would tell a user
/// about machines that are none of their business. The fields have them, for the log. Of a name whose answer is refused,
/// people are not told the rule either: [`PolicyError::RefusedAnswer`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The IP address is not on the public internet, and in no network that was opened.
    #[error("The address belongs to {range}, not to the public internet.")]
    NotPublic {
        /// The address as it was named or resolved.
        ip: IpAddr,
        /// What kind of range it lies in, in words.
        range: &'static str,
    },
    /// A name without a dot, or with an ending of local networks, that does not lead into a network that was opened.
    #[error("\"{name}\" is a name for local networks, not for the public internet.")]
    LocalName {
        /// The name, lower case, no trailing dot.
        name: String,
    },
    /// No name that a web address can have.
    #[error("The address does not contain a valid name of a web server.")]
    InvalidName,
    /// The name, or one above it, was blocked.
    #[error("\"{name}\" is blocked here.")]
    BlockedDomain {
        /// The name that was asked for, lower case, no trailing dot.
        name: String,
    },
    /// The IP address lies in a network that was blocked.
    #[error("The address belongs to a network that is blocked here.")]
    BlockedNetwork {
        /// The address as it was named or resolved.
        ip: IpAddr,
    },
    /// A port of the public internet that is not for web sites.
    #[error("Port {0} is not one of a web site.")]
    Port(u16),
    /// The IP address lies in a network that was opened, and the port is not among those that were.
    #[error("Port {0} is not open in this network.")]
    ClosedPort(u16),
}

/// Why there is no address to connect to. Exhaustive: callers treat the three differently, and there is no fourth.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The address must not be visited, as it says itself.
    #[error("the address must not be visited")]
    Refused(#[from] Refusal),
    /// The name leads to an address that must not be visited. Which rule that breaks is for operators: to users it would tell
    /// which names of a private network exist, and what they lead to.
    #[error("the name leads to an address that must not be visited")]
    RefusedAnswer(#[source] Refusal),
    /// Nobody could say where the name leads.
    #[error("the name could not be resolved")]
    Resolve(#[from] ResolveError),
}

impl PolicyError {
    /// What is told of a name that leads to where nobody may go, and of one that does not exist.
    pub const NO_ADDRESS: &str = "The name was not found, or leads to no address that may be visited.";
}
