//! The probes that compare the pages of a check (decision 0065): they look for navigation in another order, for other
//! names of the same link or control, and for pages that can be found in one way only.
//!
//! `blocks` has the parts of a page that are kept. `compare` finds differences; it compares names by their `words`.
//! `record` collects the pages of a check, and adds what was found to its findings.

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

/// Returns whether a rule compares pages, so that its findings on a page depend on the other pages.
pub(super) fn is_across(rule: &RuleId) -> bool {
    [NAVIGATION, IDENTIFICATION, WAYS].contains(&rule.as_str())
}
