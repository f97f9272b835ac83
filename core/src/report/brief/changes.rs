//! What changed since the previous check, with numbers that add up.

use chrono::{DateTime, Utc};

use crate::{
    catalog::{brief, fill},
    report::{FixedRuleView, Group, Report},
};

/// What changed since the previous check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Changes<'a> {
    /// The instant at which the previous check completed.
    pub previous_date: DateTime<Utc>,
    /// The elements of the previous check: fixed, remaining and not comparable make its total.
    pub before: Balance,
    /// The elements of this check: new, remaining and not comparable make its total.
    pub now: Balance,
    /// Sentences that the numbers need: what cannot be compared, and what remains elsewhere.
    pub notes: Vec<String>,
    /// The rules with new elements, in the order of fixing.
    pub new: Vec<&'a Group>,
    /// The rules with fixed elements, the largest count first; at most [`Changes::MAX_FIXED`].
    pub fixed: &'a [FixedRuleView],
}

/// Elements of one check by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Balance {
    /// Those that the other check does not have: fixed ones of the previous check, new ones of this one.
    pub alone: u64,
    /// Those that both checks have.
    pub remaining: u64,
    /// Those about which the other check says nothing.
    pub not_comparable: u64,
    /// All of them: the sum of the three.
    pub total: u64,
}

impl<'a> Changes<'a> {
    /// The greatest number of rules with fixed elements.
    pub const MAX_FIXED: usize = 10;

    pub(super) fn new(report: &'a Report) -> Option<Self> {
        let diff = &report.diff;
        let (Some(previous_date), Some(total)) = (diff.previous_date, diff.previous_total) else { return None };
        let words = &brief(report.locale).changes;
        let before = Balance {
            alone: diff.fixed,
            remaining: diff.remaining.saturating_sub(diff.carried),
            not_comparable: diff.not_comparable_before,
            total,
        };
        let now = Balance {
            alone: diff.new,
            remaining: diff.remaining,
            not_comparable: diff.not_comparable_now,
            total: report.total,
        };
        let is_partial = before.not_comparable + now.not_comparable > 0;
        let notes = [
            is_partial.then(|| words.not_comparable_note.clone()),
            (diff.carried > 0).then(|| fill(&words.carried, &[("n", &diff.carried.to_string())])),
        ];
        Some(Self {
            previous_date,
            before,
            now,
            notes: notes.into_iter().flatten().collect(),
            new: report.groups.iter().filter(|group| group.new_count > 0).collect(),
            fixed: diff.fixed_rules.get(..Self::MAX_FIXED).unwrap_or(&diff.fixed_rules),
        })
    }
}
