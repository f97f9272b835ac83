//! The draft of an accessibility conformance report (ACR): the result of a check, criterion by criterion.
//!
//! A draft says no more than automation can know. A failure shows that a criterion is not met; the absence of failures does
//! not show that it is. So no criterion is ever “supported” on the strength of a check, and a criterion without a failure
//! is “not evaluated”, with a note that says what ran. In a finished report that term is reserved for level AAA, which is
//! why the whole document is headed as a draft that a person must complete.
//!
//! The structure is OpenACR's, and the terms are those of EN 301 549 and WCAG reports. The name “VPAT” is a service mark
//! for an unchanged template of its owner, and is not used.

mod format;
mod html;
mod openacr;
mod remarks;
mod verdict;

#[cfg(feature = "schema")]
pub(super) use self::openacr::schema;
#[cfg(feature = "pdf")]
pub(super) use self::remarks::{gaps, methods, not_checked, remarks, scope_warning};
pub use self::{
    format::{AcrFormat, write},
    openacr::CATALOG,
    verdict::{Conformance, Evidence, Verdict, verdicts},
};
