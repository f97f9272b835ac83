//! What a draft shows beside the findings.

use std::collections::BTreeMap;

use crate::domain::{DraftHead, RuleId};

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
}

impl DraftOptions {
    /// Options with nothing at the head, and without level AAA.
    pub(crate) const NONE: &'static Self = &Self {
        head: DraftHead { product_version: None, contact: None, evaluator: None },
        lists_aaa: false,
        decided: BTreeMap::new(),
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
}
