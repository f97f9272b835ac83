//! What all pages work with.

use std::sync::OnceLock;

use a11ycheck_core::{Service, service::People};

use crate::{
    arrivals::Arrivals, failed_sign_ins::FailedSignIns, installation::Installation, passwords::Passwords,
    places::Places,
};

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) people: People,
    pub(crate) places: Places,
    pub(crate) passwords: Passwords,
    pub(crate) failed: FailedSignIns,
    /// Requests of links for another password, which are bounded in the same way: none of them counts as a success.
    pub(crate) forgotten: FailedSignIns,
    pub(crate) installation: OnceLock<Installation>,
    pub(crate) arrivals: OnceLock<Arrivals>,
    #[cfg(feature = "oidc")]
    pub(crate) provider: OnceLock<crate::oidc::Oidc>,
}
