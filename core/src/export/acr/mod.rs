//! The draft of an accessibility conformance report (ACR): the result of a check, criterion by criterion.
//!
//! A draft says no more than automation can know. A failure shows that a criterion is not met; the absence of failures does
//! not show that it is. So no criterion is ever “supported” on the strength of a check, and a criterion without a failure
//! is “not evaluated”, with a note that says what ran, unless a person has assessed it. In a finished report that term is
//! reserved for level AAA, which is why the whole document is headed as a draft that a person must complete.
//!
//! The structure is OpenACR's, and the terms are those of EN 301 549 and WCAG reports. The name “VPAT” is a service mark
//! for an unchanged template of its owner, and is not used.

mod content;
mod docx;
mod format;
mod html;
mod manual;
mod openacr;
mod options;
mod remarks;
mod verdict;

#[cfg(feature = "pdf")]
pub(super) use self::content::{Content, CriteriaTable, HeadValue, PageNotChecked, Row, RuleToWork, Step, levels};
#[cfg(feature = "schema")]
pub(super) use self::openacr::schema;
#[cfg(feature = "pdf")]
pub(super) use self::verdict::draft_verdicts;
pub(crate) use self::verdict::verdicts_beside;
pub use self::{
    format::{AcrFormat, write},
    openacr::CATALOG,
    options::{DraftOptions, PersonDecisions},
    verdict::{Conformance, Evidence, Verdict, verdicts},
};
