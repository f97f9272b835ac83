//! Files made from a report.

#[cfg(feature = "pdf")]
pub mod pdf;
