//! Assignments joined to what a check found.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::{Assignment, WorkScope};
use crate::{
    domain::{Findings, Judgement, JudgementState, Reach, RuleId, Traces, Verdict, judged_by},
    id::JudgementId,
};

/// The assignments of a site, joined to what a check found. Elements are named by their numbers within the check, as in
/// [`Findings::numbered`]; assignments by their place in the list that was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssignedElements {
    of_element: BTreeMap<u64, usize>,
    of_rule: BTreeMap<RuleId, usize>,
    found: Vec<bool>,
}

impl AssignedElements {
    /// Returns the assignment about an element that fails: the one about it alone, before the one about its template, before the one
    /// about its rule.
    pub fn about(&self, number: u64, rule: &RuleId) -> Option<usize> {
        self.of_element.get(&number).or_else(|| self.of_rule.get(rule)).copied()
    }

    /// Returns whether the check found something that an assignment is about, be it changed.
    pub fn is_found(&self, index: usize) -> bool {
        self.found.get(index).copied().unwrap_or_default()
    }
}

/// Joins the assignments of a site to the elements that fail in a check, by their traces. Of `findings`, these elements are not read;
/// `breaks` says whether one of them breaks a rule.
///
/// Elements and templates are recognised as those of [judgements](judged_by) are; an element that was changed and still fails is found,
/// since it is not repaired.
pub fn assigned_by(
    traces: &Traces,
    findings: &Findings,
    breaks: impl Fn(&RuleId) -> bool,
    assignments: &[Assignment],
) -> AssignedElements {
    let mut joined = AssignedElements { found: vec![false; assignments.len()], ..AssignedElements::default() };
    let mut places = Vec::new();
    let mut keys = Vec::new();
    for (index, assignment) in assignments.iter().enumerate() {
        let reach = match assignment.scope {
            WorkScope::Rule => {
                let rule = &assignment.element.rule;
                joined.found[index] = breaks(rule);
                joined.of_rule.insert(rule.clone(), index);
                continue;
            }
            WorkScope::Element => Reach::Element,
            WorkScope::Template => Reach::Template,
            WorkScope::Unknown(word) => Reach::Unknown(word),
        };
        places.push(index);
        keys.push(judgement(assignment, reach));
    }
    // Nothing expires.
    let joined_keys = judged_by(traces, findings, &keys, NaiveDate::MIN);
    for (place, state) in joined_keys.states().iter().enumerate() {
        let is_found = matches!(state, JudgementState::Holds | JudgementState::Changed | JudgementState::Expired);
        joined.found[places[place]] = is_found;
    }
    for number in 1..=traces.failing() {
        if let Some((place, _)) = joined_keys.about(number) {
            joined.of_element.insert(number, places[place]);
        }
    }
    joined
}

/// Returns an assignment as a judgement about the same elements: what recognises them is the same.
fn judgement(assignment: &Assignment, reach: Reach) -> Judgement {
    Judgement {
        id: JudgementId::MIN,
        team: assignment.team,
        site: assignment.site,
        element: assignment.element.clone(),
        reach,
        verdict: Verdict::Planned,
        note: String::new(),
        until: None,
        person: None,
        author: String::new(),
        at: assignment.at,
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::{
        domain::{Finding, JudgedElement, NewAssignment, PageOutcome, Tool, WorkChange, WorkState},
        id::{AssignmentId, SiteId, TeamId},
    };

    const PAGE: &str = "https://shop.example/";

    fn finding(rule: &str, selector: &str, html: &str) -> Finding {
        Finding::new(RuleId::new(rule), 0, PAGE, selector, html, "Fix it")
    }

    fn check(items: impl IntoIterator<Item = Finding>) -> Findings {
        Findings::new(Tool::axe_core("", "")).with_pages([PageOutcome::checked(PAGE, "")]).with_items(items)
    }

    fn assigned(findings: &Findings, assignments: &[Assignment]) -> AssignedElements {
        let breaks = |rule: &RuleId| findings.items.iter().any(|finding| finding.rule == *rule);
        assigned_by(&Traces::of(findings), &findings.without_items(), breaks, assignments)
    }

    fn about(finding: &Finding, scope: WorkScope) -> Assignment {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let new = NewAssignment {
            id: AssignmentId::generate(now),
            element: JudgedElement::of(finding, PAGE, 0),
            scope,
            work: WorkChange { assignee: None, state: WorkState::Open, due: None },
            author: "Jo".to_owned(),
        };
        new.at(TeamId::MIN, SiteId::MIN, now)
    }

    #[test]
    fn an_element_has_the_narrowest_assignment_and_others_of_the_rule_the_one_of_the_rule() {
        let first = finding("label", "#a", "<input id=a>");
        let second = finding("label", "main > p > select", "<select></select>");
        let other = finding("image-alt", "#logo", "<img>");
        let assignments = [about(&first, WorkScope::Rule), about(&first, WorkScope::Element)];
        let found = check([first.clone(), second, other.clone()]);
        let joined = assigned(&found, &assignments);
        let rule = |number| &found.numbered(number).unwrap().rule;
        assert_eq!(
            (joined.about(1, rule(1)), joined.about(2, rule(2)), joined.about(3, rule(3))),
            (Some(1), Some(0), None)
        );
        assert!(joined.is_found(0) && joined.is_found(1));
        let joined = assigned(&check([other]), &assignments);
        assert!(!joined.is_found(0) && !joined.is_found(1) && !joined.is_found(7));
    }

    #[test]
    fn an_element_that_was_changed_and_still_fails_is_found() {
        let before = finding("label", "#a", "<input id=a>");
        let after = finding("label", "#a", "<input id=a type=text class=wide name=street>");
        assert!(assigned(&check([after]), &[about(&before, WorkScope::Element)]).is_found(0));
    }
}
