//! People, sessions, memberships, invitations and the audit log.

pub(crate) mod audit;
mod invitations;
mod members;
pub(crate) mod rows;
mod second_factors;
pub(crate) mod sessions;
mod store;
