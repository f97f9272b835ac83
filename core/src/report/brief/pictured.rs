//! The elements whose pictures belong to a report.

use std::collections::HashSet;

use super::Brief;
use crate::report::Report;

impl Report {
    /// Returns the numbers within the check of the elements whose pictures belong to the report, the most useful first, each once:
    /// those of the places that are shown, by the order of fixing, then those of further examples in the same order, then those of
    /// elements to check by hand.
    pub fn pictured(&self) -> Vec<u64> {
        let brief = Brief::new(self);
        let shown = brief.rules.iter().flat_map(|rule| &rule.places).map(|place| place.example.id);
        let further =
            self.groups.iter().chain(&self.advisory).flat_map(|group| &group.examples).map(|example| example.id);
        let to_check = self.to_check.iter().flat_map(|rule| &rule.places).map(|place| place.id);
        let mut seen = HashSet::new();
        shown.chain(further).chain(to_check).filter(|number| seen.insert(*number)).collect()
    }
}
