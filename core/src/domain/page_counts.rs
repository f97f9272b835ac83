//! The progress of an attempt at a check.

/// The pages that an attempt at a check has done, and those that it has found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PageCounts {
    /// The number of pages that are done, including failed ones, without dead links.
    pub done: u32,
    /// The number of pages that are done, under way, or known and still to be checked: the value that `done` will
    /// reach, to the extent that it is known. It is at least `done` and at most the number of pages that the check may
    /// visit. It grows as links are found, and shrinks when a link turns out to lead to no page.
    pub found: u32,
}

impl PageCounts {
    /// Returns the counts of an attempt that has done `done` of the `found` pages.
    pub const fn new(done: u32, found: u32) -> Self {
        Self { done, found }
    }

    /// Returns the counts with `found` brought within its bounds for a check that may visit `budget` pages.
    #[must_use]
    pub fn within(self, budget: u32) -> Self {
        Self { found: self.found.min(budget).max(self.done), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_found_are_at_least_those_done_and_at_most_the_budget() {
        for (done, found, expected) in [(0, 0, 0), (1, 0, 1), (2, 5, 5), (2, 50, 10), (10, 50, 10), (11, 3, 11)] {
            assert_eq!(
                PageCounts { done, found }.within(10),
                PageCounts { done, found: expected },
                "{done} of {found}"
            );
        }
    }
}
