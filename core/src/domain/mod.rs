//! The domain: what things are and what may happen to them.
//!
//! Pure: no `async`, no trait object, no I/O, no clock read. An instant comes in as an argument, so every rule can be
//! tested at its edge, and a store can run it inside its own transaction.

mod failure;
mod finding;
mod fingerprint;
mod site_url;

pub use self::{
    failure::{Failure, FailureCode},
    finding::{
        Area, Engine, Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, RuleKind, ScreenshotId, Totals,
    },
    fingerprint::{Fingerprint, Key},
    site_url::{SiteUrl, SiteUrlError},
};
