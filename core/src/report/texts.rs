//! The words of a rule.

use crate::domain::RuleFacts;

/// What a report says of a rule.
pub(super) struct Texts {
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) impact: String,
    pub(super) who: Vec<String>,
    pub(super) how_to_fix: String,
    pub(super) platform_tip: Option<String>,
    pub(super) machine: bool,
    pub(super) has_card: bool,
}

/// axe-core's own English, of the version that ran.
pub(super) fn of_axe(facts: &RuleFacts) -> Texts {
    Texts {
        title: facts.help.clone(),
        summary: facts.description.clone(),
        impact: String::new(),
        who: Vec::new(),
        how_to_fix: String::new(),
        platform_tip: None,
        machine: false,
        has_card: false,
    }
}
