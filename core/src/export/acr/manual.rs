//! What a person has to look at, by criterion.

use super::verdict::Verdict;
use crate::{
    catalog::{Criterion, Labels},
    report::{PlaceToCheck, ToCheck},
};

/// A criterion with elements that a person must look at.
#[derive(Debug)]
pub(in crate::export) struct CriterionToCheck<'a> {
    pub(in crate::export) criterion: &'static Criterion,
    /// The rules that could not decide, by their ids; never empty.
    pub(in crate::export) rules: Vec<&'a ToCheck>,
}

/// Returns the criteria with elements that a person must look at, in the order of the standard. An element of a rule that tests
/// several criteria is listed with each.
pub(in crate::export) fn by_criterion<'a>(verdicts: &[Verdict<'_>], rules: &'a [ToCheck]) -> Vec<CriterionToCheck<'a>> {
    let with_rules = verdicts.iter().filter(|verdict| verdict.criterion.dropped.is_none()).map(|verdict| {
        let undecided = &verdict.evidence.undecided;
        let rules = rules.iter().filter(|rule| undecided.contains(rule.rule.as_str())).collect();
        CriterionToCheck { criterion: verdict.criterion, rules }
    });
    with_rules.filter(|criterion| !criterion.rules.is_empty()).collect()
}

/// Returns the reasons of a rule as the items of a list, each with its number of elements.
pub(in crate::export) fn reasons(rule: &ToCheck, label: &Labels) -> Vec<String> {
    let mut items: Vec<String> =
        rule.reasons.iter().map(|reason| format!("{} ({})", reason.text, reason.count)).collect();
    if rule.other_reasons > 0 {
        items.push(format!("{} ({})", label.other_reasons, rule.other_reasons));
    }
    items
}

/// Returns what a criterion's elements are, in lines of plain text: for each rule its reasons and at most `most` places.
pub(super) fn lines(criterion: &CriterionToCheck<'_>, label: &Labels, most: usize) -> Vec<String> {
    let of_rule = |rule: &&ToCheck| {
        let head = format!("{}: {}", rule.title, rule.how_to_tell);
        let place = |place: &PlaceToCheck| format!("{} {}", place.page, place.target);
        let places = rule.places.iter().take(most).map(place);
        [head].into_iter().chain(reasons(rule, label)).chain(places).collect::<Vec<_>>()
    };
    criterion.rules.iter().flat_map(of_rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, Tool},
        export::acr::verdicts,
        locale::Locale,
        report::to_check,
    };

    #[test]
    fn elements_to_look_at_stand_with_each_criterion_of_their_rule() {
        let rule = RuleId::new("link-in-text-block");
        let pages = [PageOutcome::checked("https://a.example/", "")];
        let facts = RuleFacts::new(Impact::Serious, ["wcag2a", "wcag141", "wcag143"]);
        let mut findings = Findings::new(Tool::axe_core("", "")).with_pages(pages).with_rules([(rule.clone(), facts)]);
        findings.undecided = vec![Finding::new(rule.clone(), 0, "https://a.example/", "#link", "<a>", "")];
        findings.needs_review = [(rule, 3)].into();
        let rules = to_check(&findings, Locale::En);
        let verdicts = verdicts(&findings);
        let criteria = by_criterion(&verdicts, &rules);
        let numbers: Vec<&str> = criteria.iter().map(|criterion| criterion.criterion.number.as_str()).collect();
        assert_eq!(numbers, ["1.4.1", "1.4.3"]);
        let lines = lines(&criteria[0], &crate::catalog::terms(Locale::En).label, 5);
        assert!(lines[0].contains("greyscale") && lines[1] == "https://a.example/ #link", "{lines:?}");
    }
}
