//! The elements that axe-core could not judge, for a person who looks at them.

use std::collections::BTreeMap;

use super::{PictureId, PictureRef, details::details};
use crate::{
    catalog::{by_eye, describe, is_review_on_fail, sentence, terms},
    domain::{Acceptances, AxeCheck, CheckNeed, CheckOutcome, Finding, Findings, OpenedBy, RuleId, UndecidedReason},
    locale::Locale,
    ranking::places,
};

/// The elements of one rule that a person must look at. They are in no total.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToCheck {
    /// The id of the rule.
    pub rule: RuleId,
    /// The title of the rule.
    pub title: String,
    /// True if the catalogue has a card for the rule; otherwise the title is that of axe-core, in English.
    pub has_card: bool,
    /// The numbers of WCAG success criteria that the rule tests.
    pub wcag: Vec<String>,
    /// The number of elements.
    pub count: u64,
    /// How to tell by eye whether an element is right: one sentence, with `code` in backticks.
    pub how_to_tell: String,
    /// Why axe-core could not decide, the most frequent reason first. Empty for checks of earlier releases.
    pub reasons: Vec<Reason>,
    /// The number of elements whose reason is none of these.
    pub other_reasons: u64,
    /// Some of the elements, each unlike the others: at most [`ToCheck::MAX_PLACES`]. Empty for checks of earlier releases.
    pub places: Vec<PlaceToCheck>,
    /// The number of further places among the elements that are kept.
    pub further_places: u64,
}

/// Why axe-core could not decide about elements.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The reason in a sentence, with `code` in backticks. Hostile in its code.
    pub text: String,
    /// How to tell by eye whether such an element is right.
    pub how_to_tell: String,
    /// The number of elements.
    pub count: u64,
}

/// An element to look at. Its texts are hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlaceToCheck {
    /// The number of the element within the check, after those of the elements that fail.
    pub id: u64,
    /// The address of the page.
    pub page: String,
    /// The selector of the element.
    pub target: String,
    /// The source of the element.
    pub html: String,
    /// What axe-core found out, in the language of the report, as in [`Example::details`](super::Example::details).
    pub details: Option<String>,
    /// The picture of the element, if one was taken.
    pub picture: Option<PictureRef>,
    /// The control that was pressed before the element appeared, as in [`Example::opened_by`](super::Example::opened_by).
    pub opened_by: Option<OpenedBy>,
}

impl ToCheck {
    /// The greatest number of places that are listed.
    pub const MAX_PLACES: usize = 20;
    /// The greatest number of values that a reason names.
    const MAX_VALUES: usize = 5;
}

/// Returns the rules with elements that axe-core could not judge, by their ids.
pub(crate) fn to_check(findings: &Findings, locale: Locale) -> Vec<ToCheck> {
    to_check_from(findings, findings.items.len() as u64 + 1, locale)
}

/// Returns the same where the first such element has the number `first`. The elements that fail are not read.
pub(super) fn to_check_from(findings: &Findings, first: u64, locale: Locale) -> Vec<ToCheck> {
    let mut kept: BTreeMap<&RuleId, Vec<(u64, &Finding)>> = BTreeMap::new();
    for (number, finding) in (first..).zip(&findings.undecided) {
        kept.entry(&finding.rule).or_default().push((number, finding));
    }
    let undecided = findings.needs_review.iter().filter(|(_, count)| **count > 0);
    let of_rule = |(rule, count): (&RuleId, &u32)| {
        let elements = kept.get(rule).map_or(&[][..], Vec::as_slice);
        one(findings, rule, u64::from(*count), elements, locale)
    };
    undecided.map(of_rule).collect()
}

fn one(findings: &Findings, rule: &RuleId, count: u64, elements: &[(u64, &Finding)], locale: Locale) -> ToCheck {
    let facts = findings.rules.get(rule);
    let texts = facts.map(|facts| describe(rule, facts, locale));
    let known = findings.undecided_reasons.get(rule).map_or(&[][..], Vec::as_slice);
    let reasons: Vec<Reason> = known.iter().map(|reason| in_words(rule, reason, elements, locale)).collect();
    let page_url = |page: usize| findings.pages.get(page).map_or("", |page| page.url.as_str());
    let places = places(rule, elements, Acceptances::NONE, page_url);
    let place = |(id, finding): (u64, &Finding)| PlaceToCheck {
        id,
        page: page_url(finding.page).to_owned(),
        target: finding.selector.clone(),
        html: finding.html.clone(),
        details: details(finding, locale).map(|details| details.to_string()),
        picture: finding.screenshot.map(|shot| PictureRef::of(PictureId::Example(id), shot)),
        opened_by: finding.opened_by.clone(),
    };
    ToCheck {
        rule: rule.clone(),
        title: texts.as_ref().map_or(rule.as_str(), |texts| texts.title).to_owned(),
        has_card: texts.is_some_and(|texts| texts.has_card),
        wcag: facts.map(|facts| facts.wcag()).unwrap_or_default(),
        count,
        // Many rules are named like the check that cannot decide.
        how_to_tell: reasons.first().map_or(by_eye(rule.as_str(), locale), |reason| &reason.how_to_tell).to_owned(),
        other_reasons: if reasons.is_empty() {
            0
        } else {
            count.saturating_sub(reasons.iter().map(|reason| reason.count).sum())
        },
        reasons,
        further_places: places.len().saturating_sub(ToCheck::MAX_PLACES) as u64,
        places: places.iter().take(ToCheck::MAX_PLACES).map(|found| place(found.shown)).collect(),
    }
}

/// Returns a reason with the values of the elements that are kept.
fn in_words(rule: &RuleId, reason: &UndecidedReason, elements: &[(u64, &Finding)], locale: Locale) -> Reason {
    let outcome = if is_review_on_fail(rule.as_str()) { CheckOutcome::Fail } else { CheckOutcome::Incomplete };
    let bare = AxeCheck::new(&reason.check, CheckNeed::All, outcome);
    let bare = reason.key.iter().fold(bare, |check, key| check.with_key(key));
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let first_checks = elements.iter().filter_map(|(_, finding)| finding.checks.first());
    for check in first_checks.filter(|check| check.is_same_reason(&bare)) {
        for (name, pieces) in &check.values {
            let known = values.entry(name).or_default();
            for piece in pieces {
                if !known.contains(&piece.as_str()) {
                    known.push(piece);
                }
            }
        }
    }
    let check = values.into_iter().fold(bare, |check, (name, mut pieces)| {
        if pieces.len() > ToCheck::MAX_VALUES {
            pieces.truncate(ToCheck::MAX_VALUES);
            pieces.push("…");
        }
        check.with_value(name, pieces)
    });
    Reason {
        text: sentence(&check, locale).unwrap_or_else(|| terms(locale).label.could_not_decide.clone()),
        how_to_tell: by_eye(&reason.check, locale).to_owned(),
        count: u64::from(reason.count),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        catalog::axe_check,
        domain::{Impact, PageOutcome, RuleFacts, ScreenshotId, ScreenshotRef, Tool},
    };

    fn findings() -> Findings {
        let (contrast, bypass) = (RuleId::new("color-contrast"), RuleId::new("aria-valid-attr-value"));
        let facts = |tag: &str| RuleFacts::new(Impact::Serious, ["wcag2aa", tag]);
        let rules = [(contrast.clone(), facts("wcag143")), (bypass.clone(), facts("wcag412"))];
        let pages = [PageOutcome::checked("https://a.example/", "")];
        let mut findings = Findings::new(Tool::axe_core("", "")).with_pages(pages).with_rules(rules);
        let image =
            axe_check("color-contrast", CheckNeed::Any, CheckOutcome::Incomplete, &json!({ "messageKey": "bgImage" }));
        let element = |rule: &RuleId, selector: &str, check: AxeCheck| {
            // Numbers, and letters that may be a hash, make no place of their own: names of attributes do.
            let name: String = selector.chars().map(|character| char::from(b'a' + (character as u8) % 26)).collect();
            Finding::new(rule.clone(), 0, "https://a.example/", selector, &format!("<p data-{name}>"), "Fix any")
                .with_checks([check])
        };
        let reference = |name: &str| {
            let data = json!({ "messageKey": "noId", "needsReview": format!("aria-controls=\"{name}\"") });
            axe_check("aria-valid-attr-value", CheckNeed::All, CheckOutcome::Incomplete, &data)
        };
        findings.undecided = (0..30).map(|number| element(&contrast, &format!("t{number}"), image.clone())).collect();
        findings.undecided[0].screenshot = Some(ScreenshotRef::new(ScreenshotId(4), 20, 10));
        findings.undecided.extend(["a", "b"].map(|name| element(&bypass, name, reference(name))));
        findings.needs_review = [(contrast.clone(), 50), (bypass.clone(), 2)].into();
        findings.undecided_reasons = [
            (contrast, vec![UndecidedReason::new("color-contrast", Some("bgImage"), 45)]),
            (bypass, vec![UndecidedReason::new("aria-valid-attr-value", Some("noId"), 2)]),
        ]
        .into();
        findings
    }

    #[test]
    fn each_rule_says_why_how_to_tell_and_where() {
        let found = to_check(&findings(), Locale::De);
        let [references, contrast] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((contrast.count, contrast.other_reasons, contrast.wcag.join("")), (50, 5, "1.4.3".to_owned()));
        assert_eq!(contrast.reasons[0].count, 45);
        assert!(contrast.reasons[0].text.contains("Hintergrund"), "{}", contrast.reasons[0].text);
        assert!(contrast.how_to_tell.contains("Kontrastprüfer"), "{}", contrast.how_to_tell);
        assert_eq!((contrast.places.len(), contrast.further_places), (ToCheck::MAX_PLACES, 10));
        assert_eq!(contrast.places[0].picture.map(|picture| picture.width), Some(20));
        assert_eq!(contrast.places[0].details.as_deref(), Some(contrast.reasons[0].text.as_str()));
        let text = &references.reasons[0].text;
        assert!(text.contains("`aria-controls=\"a\"`, `aria-controls=\"b\"`"), "both places in one reason: {text}");
    }

    #[test]
    fn what_an_earlier_release_only_counted_still_says_how_to_tell() {
        let mut findings = findings();
        findings.undecided.clear();
        findings.undecided_reasons.clear();
        let found = to_check(&findings, Locale::En);
        assert_eq!(found.iter().map(|rule| rule.count).sum::<u64>(), 52);
        assert!(found.iter().all(|rule| rule.reasons.is_empty() && rule.places.is_empty() && rule.other_reasons == 0));
        assert!(found[1].how_to_tell.contains("contrast checker"), "{}", found[1].how_to_tell);
    }
}
