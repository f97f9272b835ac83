//! The pages worth a line.

use std::cmp::Reverse;

use crate::report::{PageView, Report};

/// The pages worth a line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PageLists<'a> {
    /// The pages with the most problems, the most first: at most [`PageLists::MAX_WORST`].
    pub worst: Vec<&'a PageView>,
    /// The number of further pages that were checked, and of their problem elements.
    pub rest: (u64, u64),
    /// The pages that were not checked, in their order: at most [`PageLists::MAX_NOTED`].
    pub not_checked: NotChecked<'a>,
    /// The checked pages about which something is to be noted: what covers them, what was not checked of them. At most
    /// [`PageLists::MAX_NOTED`].
    pub noted: Vec<&'a PageView>,
}

/// The pages that were not checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NotChecked<'a> {
    /// Some of them.
    pub listed: Vec<&'a PageView>,
    /// The number of those that are not listed.
    pub rest: u64,
}

impl<'a> PageLists<'a> {
    /// The greatest number of pages in the list of those with the most problems.
    pub const MAX_WORST: usize = 20;
    /// The greatest number of pages in each of the other lists.
    pub const MAX_NOTED: usize = 40;

    pub(super) fn new(report: &'a Report) -> Self {
        let (checked, mut not_checked): (Vec<_>, Vec<_>) = report.pages.iter().partition(|page| page.error.is_none());
        let mut worst: Vec<_> = checked.iter().copied().filter(|page| page.issues > 0).collect();
        // Of equal pages, the first of the check comes first.
        worst.sort_by_key(|page| Reverse(page.issues));
        let left = worst.split_off(worst.len().min(Self::MAX_WORST));
        let rest = (checked.len() - worst.len()) as u64;
        let listed = not_checked.len().min(Self::MAX_NOTED);
        let not_listed = not_checked.split_off(listed).len() as u64;
        let is_noted = |page: &&PageView| {
            page.cover.is_some()
                || page.still_changing
                || !page.unanswered.is_empty()
                || page.frames_not_checked_count > 0
        };
        Self {
            rest: (rest, left.iter().map(|page| page.issues).sum()),
            worst,
            not_checked: NotChecked { listed: not_checked, rest: not_listed },
            noted: checked.into_iter().filter(is_noted).take(Self::MAX_NOTED).collect(),
        }
    }
}
