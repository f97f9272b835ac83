//! The contract's words for what is stored.
//!
//! A node may read words of a later release (see [`UnknownWord`](a11ycheck_core::domain::UnknownWord)). The contract lets codes of
//! failures be added, so such a code is shown as it is stored. All other sets of words are closed in the published document: a
//! client is shown the word of what this node makes of it, and never one that the document does not have.

use a11ycheck_core::domain::{CheckFrequency, PlanStatus, ScanKind};

/// `kind` of a check: what no user started, the service did.
pub(super) const fn kind(kind: ScanKind) -> &'static str {
    match kind {
        ScanKind::Manual => "manual",
        _ => "scheduled",
    }
}

/// `plan.status`: an unknown one holds until its end, as `active` does.
pub(super) const fn plan_status(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Trialing => "trialing",
        PlanStatus::PastDue => "past_due",
        PlanStatus::Canceled => "canceled",
        _ => "active",
    }
}

/// `limits.check_frequency`: an unknown one is checked as `daily` is.
pub(super) const fn check_frequency(frequency: CheckFrequency) -> &'static str {
    match frequency {
        CheckFrequency::Weekly => "weekly",
        CheckFrequency::Monthly => "monthly",
        _ => "daily",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_release_knows_is_shown_as_it_is_stored() {
        for known in ScanKind::KNOWN {
            assert_eq!(kind(*known), known.as_str());
        }
        for known in PlanStatus::KNOWN {
            assert_eq!(plan_status(*known), known.as_str());
        }
        for known in CheckFrequency::KNOWN {
            assert_eq!(check_frequency(*known), known.as_str());
        }
    }

    #[test]
    fn a_word_of_a_later_release_reaches_no_client_whose_document_does_not_have_it() {
        assert_eq!(kind(ScanKind::from_stored("imported").unwrap()), "scheduled");
        assert_eq!(plan_status(PlanStatus::from_stored("on_hold").unwrap()), "active");
        assert_eq!(check_frequency(CheckFrequency::from_stored("hourly").unwrap()), "daily");
    }
}
