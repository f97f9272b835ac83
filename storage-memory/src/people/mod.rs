//! People, sessions, memberships, invitations and the audit log.

mod store;
