//! What can be decided about an element.

use crate::domain::{AcceptReason, UnknownWord, stored_word::stored_words};

/// The decision of a person about an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The element does not break the rule. The only verdict that changes what a conformance report may say.
    FalsePositive,
    /// The element is somebody else's, who has to repair it.
    NotOurs,
    /// The repair is planned.
    Planned,
    /// The element stays as it is.
    WontFix,
    /// The element, about which no program could decide, is a barrier.
    Barrier,
    /// The element, about which no program could decide, is none.
    NoBarrier,
    /// The requirement does not apply to the element, about which no program could decide.
    NotApplicable,
    /// The element, about which no program could decide, is looked at later.
    Later,
    /// One of a later release: it accepts nothing, and is shown by its word.
    Unknown(UnknownWord),
}

stored_words!(Verdict {
    FalsePositive = "false-positive",
    NotOurs = "not-ours",
    Planned = "planned",
    WontFix = "wont-fix",
    Barrier = "barrier",
    NoBarrier = "no-barrier",
    NotApplicable = "not-applicable",
    Later = "later",
});

/// The kind of elements that a judgement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Elements that fail.
    Finding,
    /// Elements that no program could judge.
    Undecided,
    /// Something of a later release.
    Unknown,
}

impl Verdict {
    /// Returns what it can be said about.
    pub const fn subject(self) -> Subject {
        match self {
            Self::FalsePositive | Self::NotOurs | Self::Planned | Self::WontFix => Subject::Finding,
            Self::Barrier | Self::NoBarrier | Self::NotApplicable | Self::Later => Subject::Undecided,
            Self::Unknown(_) => Subject::Unknown,
        }
    }

    /// Returns the reason for which it accepts an element; `None` if it accepts none.
    pub const fn accepts(self) -> Option<AcceptReason> {
        match self {
            Self::FalsePositive => Some(AcceptReason::FalsePositive),
            Self::NotOurs => Some(AcceptReason::NotOurs),
            Self::Planned => Some(AcceptReason::Planned),
            Self::WontFix => Some(AcceptReason::WontFix),
            Self::Barrier | Self::NoBarrier | Self::NotApplicable | Self::Later | Self::Unknown(_) => None,
        }
    }

    /// Returns whether it decides about what no program could: what is put aside is not decided.
    pub const fn decides(self) -> bool {
        matches!(self, Self::Barrier | Self::NoBarrier | Self::NotApplicable)
    }

    /// Returns whether it has to have a note: what fails is accepted for a reason, and why a requirement does not apply is for others to
    /// follow.
    pub const fn must_say_why(self) -> bool {
        self.accepts().is_some() || matches!(self, Self::NotApplicable)
    }

    /// Returns whether it has to have a last day: what fails is accepted for a time, unless it does not fail in truth.
    pub const fn must_expire(self) -> bool {
        matches!(self, Self::NotOurs | Self::Planned | Self::WontFix)
    }
}

impl Subject {
    /// Returns what can be decided about it, in the order in which it is offered.
    pub const fn verdicts(self) -> &'static [Verdict] {
        match self {
            Self::Finding => &[Verdict::FalsePositive, Verdict::NotOurs, Verdict::Planned, Verdict::WontFix],
            Self::Undecided => &[Verdict::Barrier, Verdict::NoBarrier, Verdict::NotApplicable, Verdict::Later],
            Self::Unknown => &[],
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Undecided => "undecided",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_for_which_findings_are_accepted_have_one_word_everywhere() {
        let accepting: Vec<_> =
            Verdict::KNOWN.iter().filter_map(|verdict| Some((verdict, verdict.accepts()?))).collect();
        assert_eq!(accepting.len(), AcceptReason::ALL.len());
        for (verdict, reason) in accepting {
            assert_eq!(verdict.as_str(), reason.as_str());
        }
    }

    #[test]
    fn each_verdict_is_offered_for_what_it_is_about() {
        for verdict in Verdict::KNOWN {
            assert!(verdict.subject().verdicts().contains(verdict), "{verdict}");
        }
    }
}
