//! People, sessions, memberships, invitations and the audit log.

mod second_factors;
mod store;

pub(crate) use self::store::end_others;
