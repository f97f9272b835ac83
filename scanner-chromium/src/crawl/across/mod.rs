//! The probes that compare the pages of a check (decision 0065): navigation in another order, other names for the same, and pages to
//! which there is one way only.
//!
//! `blocks` is what is kept of a page, `compare` finds differences, in names by their `words`, and `record` collects the pages of a check and adds what was found
//! to its findings.

mod blocks;
mod compare;
mod record;
mod words;

use a11ycheck_core::domain::RuleId;

pub(super) use self::{
    blocks::{Block, Item, PageBlocks, Slot},
    record::Across,
};

/// The probes by the criterion that they are about.
const NAVIGATION: &str = "a11ycheck-consistent-navigation";
const IDENTIFICATION: &str = "a11ycheck-consistent-identification";
const WAYS: &str = "a11ycheck-multiple-ways";

/// Returns whether a rule is about several pages, so that what it finds on a page depends on the others.
pub(super) fn is_across(rule: &RuleId) -> bool {
    [NAVIGATION, IDENTIFICATION, WAYS].contains(&rule.as_str())
}
