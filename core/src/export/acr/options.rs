//! What a draft shows beside the findings.

use std::collections::BTreeMap;

use crate::domain::{Assessment, DraftHead, RuleId};

/// What a person has decided about elements that no program could decide about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PersonDecisions {
    /// The number of elements about which a person has decided.
    pub decided: u64,
    /// The number of elements about which no program could decide, these included.
    pub of: u64,
}

/// What a draft shows beside the findings: its head, and which criteria it lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftOptions {
    /// The facts at its head.
    pub head: DraftHead,
    /// Whether it lists the criteria of level AAA, which no standard of this release requires.
    pub lists_aaa: bool,
    /// What a person has decided, by rule. The findings of the draft are those after it: what is a barrier fails, and the rest of what
    /// was decided is not to be looked at any more.
    pub(crate) decided: BTreeMap<RuleId, PersonDecisions>,
    /// What people have said about success criteria.
    pub(crate) assessments: Vec<Assessment>,
}

impl DraftOptions {
    /// Options with nothing at the head, and without level AAA.
    pub(crate) const NONE: &'static Self = &Self {
        head: DraftHead { product_version: None, contact: None, evaluator: None },
        lists_aaa: false,
        decided: BTreeMap::new(),
        assessments: Vec::new(),
    };

    /// Sets the facts at the head.
    #[must_use]
    pub fn with_head(self, head: DraftHead) -> Self {
        Self { head, ..self }
    }

    /// Lists the criteria of level AAA as well.
    #[must_use]
    pub fn with_aaa(self) -> Self {
        Self { lists_aaa: true, ..self }
    }

    /// Sets what people have said about success criteria of the site: of two about the same criterion, the first one counts. A criterion
    /// in which the check found no failure has the outcome of its assessment, any other one the worse of both. A service that keeps
    /// assessments itself puts its own in their place.
    #[must_use]
    pub fn with_assessments(self, assessments: impl IntoIterator<Item = Assessment>) -> Self {
        Self { assessments: assessments.into_iter().collect(), ..self }
    }

    /// Returns what a person has said about the criterion with this number.
    pub(super) fn assessment(&self, number: &str) -> Option<&Assessment> {
        self.assessments.iter().find(|assessment| assessment.criterion.as_str() == number)
    }
}
