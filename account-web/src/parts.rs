//! What all pages work with.

use a11ycheck_core::{Service, service::People};

use crate::{failed_sign_ins::FailedSignIns, passwords::Passwords, places::Places};

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) people: People,
    pub(crate) places: Places,
    pub(crate) passwords: Passwords,
    pub(crate) failed: FailedSignIns,
}
