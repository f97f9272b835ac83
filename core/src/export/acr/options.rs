//! What a draft shows beside the findings.

use crate::domain::DraftHead;

/// What a draft shows beside the findings: its head, and which criteria it lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftOptions {
    /// The facts at its head.
    pub head: DraftHead,
    /// Whether it lists the criteria of level AAA, which no standard of this release requires.
    pub lists_aaa: bool,
}

impl DraftOptions {
    /// Options with nothing at the head, and without level AAA.
    pub(crate) const NONE: &'static Self =
        &Self { head: DraftHead { product_version: None, contact: None, evaluator: None }, lists_aaa: false };

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
