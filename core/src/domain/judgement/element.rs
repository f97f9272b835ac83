//! The element that a judgement is about, as it was then.

use serde::{Deserialize, Serialize};

use super::{Subject, traces::Trace};
use crate::domain::{
    AxeCheck, CheckNeed, CheckOutcome, Finding, Fingerprint, Key, RuleId, UnknownWord, page_key,
    stored_word::stored_words,
};

/// The reach of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// The one element.
    Element,
    /// All elements of the rule that one template repeats, on every page.
    Template,
    /// One of a later release: it reaches nothing.
    Unknown(UnknownWord),
}

stored_words!(Reach {
    Element = "element",
    Template = "template",
});

/// An element as it was when it was judged: what it is recognised by, why it was found, and what people are shown where a later
/// check does not have it. Its texts are masked and bounded like those of a [`Finding`]. Hostile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedElement {
    /// The rule.
    pub rule: RuleId,
    /// The address of the page.
    pub page: String,
    /// The selector.
    pub selector: String,
    /// The source.
    pub html: String,
    /// The keys.
    pub keys: Fingerprint,
    /// The number of elements before it in its check that have the same keys.
    pub occurrence: u32,
    /// The messages of axe-core's checks that applied; empty if that was not stored.
    pub reasons: Vec<String>,
    /// The key of axe-core's summary without its numbers, which stands for the reasons where they are not known.
    pub summary: Key,
}

impl JudgedElement {
    /// Returns the element of a finding on the page with this address, after `occurrence` others with the same keys.
    pub fn of(finding: &Finding, page_url: &str, occurrence: u32) -> Self {
        Self {
            rule: finding.rule.clone(),
            page: page_url.to_owned(),
            selector: finding.selector.clone(),
            html: finding.html.clone(),
            keys: finding.fingerprint.clone(),
            occurrence,
            reasons: reasons(&finding.checks),
            summary: summary(&finding.failure_summary),
        }
    }

    /// Returns the keys in the version of this release.
    pub(super) fn current_keys(&self) -> Fingerprint {
        if self.keys.version == Fingerprint::VERSION {
            return self.keys.clone();
        }
        Fingerprint::of(&self.rule, &self.page, &self.selector, &self.html)
    }

    pub(super) fn page_key(&self) -> String {
        page_key(&self.page)
    }

    /// Returns whether a finding has the reason for which this element was found, whatever was measured.
    pub(super) fn has_reason_of(&self, finding: &Finding) -> bool {
        let found = reasons(&finding.checks);
        if self.reasons.is_empty() || found.is_empty() {
            self.summary == summary(&finding.failure_summary)
        } else {
            self.reasons == found
        }
    }

    /// Returns the same for the trace of a finding.
    pub(super) fn has_reason_of_trace(&self, trace: Trace<'_>) -> bool {
        if self.reasons.is_empty() || trace.reasons().is_empty() {
            self.summary.bits() == trace.summary()
        } else {
            self.reasons == trace.reasons()
        }
    }

    pub(super) fn subject(&self, subject: Subject, reach: Reach) -> Key {
        let keys = &self.keys;
        match reach {
            Reach::Template => Key::of(&[subject.word(), reach.as_str(), keys.template.as_str()]),
            Reach::Element | Reach::Unknown(_) => Key::of(&[
                subject.word(),
                reach.as_str(),
                keys.tight.as_str(),
                keys.loose.as_str(),
                &self.occurrence.to_string(),
            ]),
        }
    }
}

/// Returns the messages that applied, in an order of their own: axe-core's may change.
pub(super) fn reasons(checks: &[AxeCheck]) -> Vec<String> {
    let reason = |check: &AxeCheck| {
        let need = if check.need == CheckNeed::Any { "any" } else { "all" };
        let outcome = if check.outcome == CheckOutcome::Fail { "fail" } else { "incomplete" };
        format!("{need} {} {outcome} {}", check.id, check.key.as_deref().unwrap_or_default())
    };
    let mut reasons: Vec<String> = checks.iter().map(reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

/// Returns the key of a summary without its numbers.
pub(super) fn summary(text: &str) -> Key {
    let without: String = text.chars().filter(|character| !character.is_ascii_digit()).collect();
    Key::of(&["summary", &without])
}
