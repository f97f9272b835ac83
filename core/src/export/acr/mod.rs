//! The draft of an accessibility conformance report (ACR): what a check found, criterion by criterion.
//!
//! A draft says no more than automation can know. A failure shows that a criterion is not met; that none was found does not
//! show that it is. So no criterion is ever “supported” on the strength of a check, and what automation did not fail is “not
//! evaluated”, with a note that says what ran. That term is for level AAA only in a finished report, which is why the whole
//! document is headed as a draft that a person must complete.
//!
//! The structure is OpenACR's, the terms are those of EN 301 549 and WCAG reports. The name “VPAT” is a service mark for an
//! unchanged template of its owner, and is not used.

mod format;
mod html;
mod openacr;
mod remarks;
mod verdict;

#[cfg(feature = "pdf")]
pub(super) use self::remarks::{gaps, methods, not_checked, remarks, scope_warning};
pub use self::{
    format::{AcrFormat, UnknownAcrFormat, write},
    openacr::CATALOG,
    verdict::{Conformance, Evidence, Verdict, verdicts},
};
