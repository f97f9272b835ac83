//! Judgements joined to what a check found.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::Hash,
};

use chrono::NaiveDate;

use super::{
    Judgement, Reach, Subject, Verdict,
    traces::{Keys, Trace, Traces},
};
use crate::domain::{Acceptances, Finding, Findings, RuleId, page_key};

/// The relation of a judgement to the findings of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JudgementState {
    /// It holds for at least one element.
    Holds,
    /// The check found what it is about, and the last day has passed: it is to be decided again.
    Expired,
    /// The element was changed, or was found for another reason: it is to be decided again.
    Changed,
    /// The check looked, and found nothing that it is about.
    Gone,
    /// The check did not look: it did not reach the page or did not run the rule, or did not keep all that it found there.
    NotSeen,
}

/// The judgements of a site, joined to what a check found. Elements are named by their numbers within the check, as in
/// [`Findings::numbered`]; judgements by their place in the list that was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    holding: BTreeMap<u64, usize>,
    reopened: BTreeMap<u64, (usize, JudgementState)>,
    states: Vec<JudgementState>,
}

impl Judged {
    /// Returns the judgement that holds for an element.
    pub fn holding(&self, number: u64) -> Option<usize> {
        self.holding.get(&number).copied()
    }

    /// Returns the judgement that was about an element, and holds no more: it expired, or the element was changed.
    pub fn reopened(&self, number: u64) -> Option<usize> {
        self.reopened.get(&number).map(|(index, _)| *index)
    }

    /// Returns the judgement about an element, whether it holds or not, and how it relates to it.
    pub fn about(&self, number: u64) -> Option<(usize, JudgementState)> {
        match self.holding(number) {
            Some(index) => Some((index, JudgementState::Holds)),
            None => self.reopened.get(&number).copied(),
        }
    }

    /// Returns how each judgement relates to what the check found, in the order of the list.
    pub fn states(&self) -> &[JudgementState] {
        &self.states
    }

    /// Returns the elements that the judgements of the same list accept.
    pub fn acceptances(&self, judgements: &[Judgement]) -> Acceptances {
        let accepted = |(number, index): (&u64, &usize)| Some((*number, judgements.get(*index)?.acceptance()?));
        self.holding.iter().filter_map(accepted).collect()
    }

    /// Returns the elements that fail and are no barrier, as a person has decided.
    pub fn false_positives(&self, judgements: &[Judgement]) -> BTreeSet<u64> {
        let is_one =
            |index: &usize| judgements.get(*index).is_some_and(|judgement| judgement.verdict == Verdict::FalsePositive);
        self.holding.iter().filter(|(_, index)| is_one(index)).map(|(number, _)| *number).collect()
    }

    /// Returns whether a person has decided about an undecided element: that it is a barrier, or none, or that the requirement does not
    /// apply. What was put aside is not decided.
    pub fn is_decided(&self, number: u64, judgements: &[Judgement]) -> bool {
        let judgement = self.holding(number).and_then(|index| judgements.get(index));
        judgement.is_some_and(|judgement| judgement.verdict.decides())
    }
}

/// Returns whether a judgement matches nothing any more: of the checks whose states are given, the newest first, the first three
/// that looked found nothing that it is about. Fewer than three that looked are not enough.
pub fn is_stale(newest_first: impl IntoIterator<Item = JudgementState>) -> bool {
    const CHECKS: usize = 3;
    let looked = newest_first.into_iter().filter(|state| *state != JudgementState::NotSeen).take(CHECKS);
    let looked: Vec<JudgementState> = looked.collect();
    looked.len() == CHECKS && looked.iter().all(|state| *state == JudgementState::Gone)
}

/// Joins the judgements of a site to what a check found, on the day `today`.
///
/// A judgement about one element is for one element at most, and each element is for one judgement: by equal keys, then by equal
/// source, then by equal content, as [`compare`](crate::domain::compare) does. If only its place is the same, the element was
/// changed. A judgement about a template is for all of its elements for which no other holds. Where two would be for the same
/// element, it is the earlier one's.
pub fn judged(findings: &Findings, judgements: &[Judgement], today: NaiveDate) -> Judged {
    if judgements.is_empty() {
        return Judged::default();
    }
    let items = (1..).zip(&findings.items).map(|element| Element::of(findings, element)).collect();
    let undecided = findings.undecided_with_numbers().map(|element| Element::of(findings, element)).collect();
    joined(findings, [items, undecided], judgements, today)
}

/// Joins the judgements of a site to what a check found, as [`judged`] does, by the traces of its elements. Of `findings`, the elements
/// that fail are not read.
pub fn judged_by(traces: &Traces, findings: &Findings, judgements: &[Judgement], today: NaiveDate) -> Judged {
    if judgements.is_empty() {
        return Judged::default();
    }
    let elements =
        traces.numbered().map(|(number, trace)| Element { number, keys: trace.keys(), why: Why::Trace(trace) });
    let (items, undecided) = elements.partition(|element| element.number <= traces.failing());
    joined(findings, [items, undecided], judgements, today)
}

fn joined(
    findings: &Findings,
    [items, undecided]: [Vec<Element<'_>>; 2],
    judgements: &[Judgement],
    today: NaiveDate,
) -> Judged {
    let mut judged = Judged { states: vec![JudgementState::NotSeen; judgements.len()], ..Judged::default() };
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    order.sort_by_key(|index| (judgements[*index].at, judgements[*index].id));
    let keys: Vec<Keys> = judgements.iter().map(|judgement| Keys::of(&judgement.element.current_keys())).collect();
    for (subject, elements) in [(Subject::Finding, items), (Subject::Undecided, undecided)] {
        let about = |reach: Reach| {
            let is_meant = move |index: &&usize| {
                let judgement = &judgements[**index];
                judgement.verdict.subject() == subject && judgement.reach == reach
            };
            order.iter().filter(is_meant).copied().collect::<Vec<usize>>()
        };
        let mut join = Join { judgements, keys: &keys, today, findings, subject, judged: &mut judged };
        join.single(&elements, about(Reach::Element));
        join.templates(&elements, about(Reach::Template));
    }
    let Judged { holding, reopened, .. } = &mut judged;
    reopened.retain(|number, _| !holding.contains_key(number));
    judged
}

struct Element<'a> {
    number: u64,
    keys: Keys,
    why: Why<'a>,
}

/// The source of the reason why an element was found.
#[derive(Clone, Copy)]
enum Why<'a> {
    Finding(&'a Finding),
    Trace(Trace<'a>),
}

impl<'a> Element<'a> {
    fn of(findings: &Findings, (number, finding): (u64, &'a Finding)) -> Self {
        Self { number, keys: Keys::of_finding(findings, finding), why: Why::Finding(finding) }
    }
}

struct Join<'a> {
    judgements: &'a [Judgement],
    /// The keys of the judgements in the version of this release.
    keys: &'a [Keys],
    today: NaiveDate,
    findings: &'a Findings,
    subject: Subject,
    judged: &'a mut Judged,
}

impl Join<'_> {
    /// Joins judgements about one element each.
    fn single(&mut self, elements: &[Element<'_>], mut waiting: Vec<usize>) {
        let mut taken = vec![false; elements.len()];
        let mut same = Vec::new();
        let (keys, waits, took) = (self.keys, &mut waiting, &mut taken);
        pair(elements, keys, waits, took, &mut same, |keys| Some((keys.loose, keys.tight)));
        pair(elements, keys, waits, took, &mut same, |keys| Some(keys.loose));
        pair(elements, keys, waits, took, &mut same, |keys| keys.content);
        let mut changed = Vec::new();
        pair(elements, keys, waits, took, &mut changed, |keys| Some(keys.tight));
        pair(elements, keys, waits, took, &mut changed, |keys| keys.outline);
        for (index, at) in same {
            let state = self.state_for(index, elements[at].why);
            self.note(index, elements[at].number, state);
        }
        for (index, at) in changed {
            self.note(index, elements[at].number, JudgementState::Changed);
        }
        for index in waiting {
            self.judged.states[index] = self.missing(index);
        }
    }

    /// Joins judgements about all elements of a template.
    fn templates(&mut self, elements: &[Element<'_>], waiting: Vec<usize>) {
        let mut of_template: HashMap<u64, Vec<&Element<'_>>> = HashMap::new();
        for element in elements {
            of_template.entry(element.keys.template).or_default().push(element);
        }
        for index in waiting {
            let mut best = None;
            for element in of_template.get(&self.keys[index].template).into_iter().flatten() {
                let state = self.state_for(index, element.why);
                if !self.judged.holding.contains_key(&element.number) {
                    self.note(index, element.number, state);
                }
                best = match (best, state) {
                    (Some(JudgementState::Holds), _) | (_, JudgementState::Holds) => Some(JudgementState::Holds),
                    (known, state) => known.or(Some(state)),
                };
            }
            self.judged.states[index] = best.unwrap_or_else(|| self.missing(index));
        }
    }

    /// Returns how a judgement relates to an element that is the one that it is about.
    fn state_for(&self, index: usize, why: Why<'_>) -> JudgementState {
        let judgement = &self.judgements[index];
        let has_reason = match why {
            Why::Finding(finding) => judgement.element.has_reason_of(finding),
            Why::Trace(trace) => judgement.element.has_reason_of_trace(trace),
        };
        if !has_reason {
            JudgementState::Changed
        } else if judgement.is_expired(self.today) {
            JudgementState::Expired
        } else {
            JudgementState::Holds
        }
    }

    fn note(&mut self, index: usize, number: u64, state: JudgementState) {
        self.judged.states[index] = state;
        if state == JudgementState::Holds {
            self.judged.holding.insert(number, index);
        } else {
            self.judged.reopened.insert(number, (index, state));
        }
    }

    /// Returns how a judgement relates to a check that has no such element.
    fn missing(&self, index: usize) -> JudgementState {
        let element = &self.judgements[index].element;
        let findings = self.findings;
        let could_look = match self.subject {
            _ if !findings.has_run(&element.rule) => false,
            // Only some of them are kept.
            Subject::Undecided => self.kept_all(&element.rule),
            Subject::Finding | Subject::Unknown => true,
        };
        let here = element.page_key();
        let mut pages = findings.pages.iter().filter(|page| page.is_checked());
        let is_seen = match self.judgements[index].reach {
            Reach::Template => pages.all(|page| !page.left_out.contains_key(&element.rule)),
            Reach::Element | Reach::Unknown(_) => pages
                .find(|page| page_key(&page.url) == here)
                .is_some_and(|page| !page.left_out.contains_key(&element.rule)),
        };
        if could_look && is_seen { JudgementState::Gone } else { JudgementState::NotSeen }
    }

    fn kept_all(&self, rule: &RuleId) -> bool {
        let kept = self.findings.undecided.iter().filter(|finding| finding.rule == *rule).count();
        self.findings.needs_review.get(rule).is_none_or(|count| u64::from(*count) <= kept as u64)
    }
}

/// Pairs elements and judgements of equal keys, each once, in their orders. Judgements that were paired wait no more.
fn pair<K: Eq + Hash>(
    elements: &[Element<'_>],
    keys: &[Keys],
    waiting: &mut Vec<usize>,
    taken: &mut [bool],
    pairs: &mut Vec<(usize, usize)>,
    key: impl Fn(&Keys) -> Option<K>,
) {
    let mut by_key: HashMap<K, Vec<usize>> = HashMap::new();
    for index in waiting.iter().rev() {
        if let Some(key) = key(&keys[*index]) {
            by_key.entry(key).or_default().push(*index);
        }
    }
    let mut paired = HashSet::new();
    for (at, element) in elements.iter().enumerate() {
        if !taken[at]
            && let Some(index) = key(&element.keys).and_then(|key| by_key.get_mut(&key)?.pop())
        {
            taken[at] = true;
            paired.insert(index);
            pairs.push((index, at));
        }
    }
    waiting.retain(|index| !paired.contains(index));
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        domain::{
            AcceptReason, AxeCheck, CheckNeed, CheckOutcome, Impact, JudgedElement, Key, PageOutcome, RuleFacts, Tool,
        },
        id::{JudgementId, SiteId, TeamId},
    };

    const PAGE: &str = "https://shop.example/";

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 25).unwrap()
    }

    fn start() -> DateTime<Utc> {
        "2026-11-01T00:00:00Z".parse().unwrap()
    }

    fn element(selector: &str, html: &str) -> Finding {
        let check = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail);
        Finding::new(RuleId::new("color-contrast"), 0, PAGE, selector, html, "").with_checks([check])
    }

    fn check(items: impl IntoIterator<Item = Finding>) -> Findings {
        let rule = RuleId::new("color-contrast");
        let facts = RuleFacts::new(Impact::Serious, ["wcag2aa", "wcag143"]);
        Findings::new(Tool::axe_core("", ""))
            .with_pages([PageOutcome::checked(PAGE, ""), PageOutcome::checked("https://shop.example/b", "")])
            .with_rules([(rule.clone(), facts)])
            .with_items(items)
            .with_ran([rule])
    }

    fn judgement(finding: &Finding, verdict: Verdict, second: i64) -> Judgement {
        let at = start() + TimeDelta::seconds(second);
        Judgement {
            id: JudgementId::generate(at),
            team: TeamId::MIN,
            site: SiteId::MIN,
            element: JudgedElement::of(finding, PAGE, 0),
            reach: Reach::Element,
            verdict,
            note: "The logo is exempt.".to_owned(),
            until: None,
            person: None,
            author: "Jo".to_owned(),
            at,
        }
    }

    fn states(findings: &Findings, judgements: &[Judgement]) -> Vec<JudgementState> {
        let joined = judged(findings, judgements, today());
        assert_eq!(by_traces(findings, judgements), joined);
        joined.states().to_vec()
    }

    /// Joins by the traces of elements, which are written and read in between.
    fn by_traces(findings: &Findings, judgements: &[Judgement]) -> Judged {
        let traces = Traces::of(findings);
        let (failing, lists) = (findings.items.len() as u64, traces.lists().to_vec());
        let read = Traces::from_columns(failing, lists, &traces.columns()).unwrap();
        assert_eq!(read, traces);
        judged_by(&read, &findings.without_items(), judgements, today())
    }

    #[test]
    fn a_renamed_class_and_another_number_keep_a_judgement() {
        let kept =
            judgement(&element(".css-1x2y > .price", r#"<b class="css-1x2y price">10 EUR</b>"#), Verdict::WontFix, 0);
        let now = check([element(".css-9z8w > .price", r#"<b class="css-9z8w price">12 EUR</b>"#)]);
        let found = judged(&now, std::slice::from_ref(&kept), today());
        assert_eq!(
            (found.states(), found.holding(1), found.reopened(1)),
            (&[JudgementState::Holds][..], Some(0), None)
        );
        let accepted = found.acceptances(&[kept]);
        assert_eq!(accepted.of(1).unwrap().reason, Some(AcceptReason::WontFix));
        assert_eq!(accepted.count(), 1);
    }

    #[test]
    fn a_changed_text_another_reason_and_a_last_day_that_passed_ask_again() {
        let of = |finding: &Finding| judgement(finding, Verdict::Planned, 0);
        let before = element("#price", "<b id=price>Sale</b>");
        let changed = check([element("#price", "<b id=price>Last chance</b>")]);
        let found = judged(&changed, &[of(&before)], today());
        assert_eq!(
            (found.states(), found.holding(1), found.reopened(1)),
            (&[JudgementState::Changed][..], None, Some(0))
        );
        let other = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail).with_key("bgOverlap");
        assert_eq!(states(&check([before.clone().with_checks([other])]), &[of(&before)]), [JudgementState::Changed]);
        let until = |day| Judgement { until: Some(day), ..of(&before) };
        let found = judged(&check([before.clone()]), &[until(today() - TimeDelta::days(1))], today());
        assert_eq!((found.states(), found.reopened(1)), (&[JudgementState::Expired][..], Some(0)));
        assert_eq!(states(&check([before.clone()]), &[until(today())]), [JudgementState::Holds]);
    }

    #[test]
    fn measured_values_change_no_reason() {
        let with = |ratio: &str| {
            let check = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail);
            element("#a", "<b id=a>x</b>").with_checks([check.with_value("contrastRatio", [ratio])])
        };
        assert_eq!(
            states(&check([with("3.1")]), &[judgement(&with("2.9"), Verdict::WontFix, 0)]),
            [JudgementState::Holds]
        );
    }

    #[test]
    fn two_judgements_never_take_one_element_and_the_earlier_one_comes_first() {
        let twin = element("#list > li", "<li>same</li>");
        let (first, second) = (judgement(&twin, Verdict::Planned, 1), judgement(&twin, Verdict::WontFix, 0));
        let found = judged(&check([twin.clone()]), &[first.clone(), second.clone()], today());
        assert_eq!(found.states(), [JudgementState::Gone, JudgementState::Holds]);
        assert_eq!(found.holding(1), Some(1));
        assert_eq!(states(&check([twin.clone(), twin]), &[first, second]), [JudgementState::Holds; 2]);
    }

    #[test]
    fn a_template_is_judged_on_every_page_and_an_element_of_it_by_itself() {
        let on = |page: usize, url: &str| {
            let finding = Finding::new(RuleId::new("color-contrast"), page, url, "#f", "<a class=f>Imprint</a>", "");
            finding.with_checks([AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail)])
        };
        let (here, there) = (on(0, PAGE), on(1, "https://shop.example/b"));
        let all = Judgement { reach: Reach::Template, ..judgement(&here, Verdict::NotOurs, 0) };
        let one = judgement(&here, Verdict::FalsePositive, 1);
        let found = judged(&check([here.clone(), there]), &[all.clone(), one], today());
        assert_eq!((found.holding(1), found.holding(2)), (Some(1), Some(0)));
        assert_eq!(found.states(), [JudgementState::Holds; 2]);
        let another = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail).with_key("bgOverlap");
        let mixed = check([here.clone(), on(1, "https://shop.example/b").with_checks([another])]);
        let found = judged(&mixed, std::slice::from_ref(&all), today());
        assert_eq!(by_traces(&mixed, std::slice::from_ref(&all)), found);
        assert_eq!(found.states(), [JudgementState::Holds]);
        let about = [found.about(1), found.about(2), found.about(3)];
        assert_eq!(about, [Some((0, JudgementState::Holds)), Some((0, JudgementState::Changed)), None]);
        assert_eq!(states(&check([]), &[all]), [JudgementState::Gone]);
    }

    #[test]
    fn what_was_not_looked_at_is_not_gone() {
        let was = element("#a", "<b id=a>x</b>");
        let one = judgement(&was, Verdict::Planned, 0);
        assert_eq!(states(&check([]), std::slice::from_ref(&one)), [JudgementState::Gone]);
        let elsewhere = check([]).with_pages([PageOutcome::checked("https://shop.example/b", "")]);
        assert_eq!(states(&elsewhere, std::slice::from_ref(&one)), [JudgementState::NotSeen]);
        let mut not_run = check([]).with_ran([]);
        not_run.rules.clear();
        assert_eq!(states(&not_run, std::slice::from_ref(&one)), [JudgementState::NotSeen]);
        let mut too_many = check([]);
        too_many.pages[0].left_out.insert(RuleId::new("color-contrast"), 3);
        assert_eq!(states(&too_many, &[one]), [JudgementState::NotSeen]);
    }

    #[test]
    fn a_verdict_about_an_undecided_element_is_about_no_other() {
        let same = element("#a", "<b id=a>x</b>");
        let none = judgement(&same, Verdict::NoBarrier, 0);
        let mut undecided = check([]);
        undecided.undecided = vec![same.clone()];
        undecided.needs_review.insert(same.rule.clone(), 1);
        let found = judged(&undecided, std::slice::from_ref(&none), today());
        assert!(found.holding(1) == Some(0) && found.is_decided(1, std::slice::from_ref(&none)));
        let aside = Judgement { verdict: Verdict::Later, ..none.clone() };
        let found = judged(&undecided, std::slice::from_ref(&aside), today());
        assert!(found.holding(1) == Some(0) && !found.is_decided(1, &[aside]));
        assert_eq!(states(&check([same.clone()]), std::slice::from_ref(&none)), [JudgementState::Gone], "it fails now");
        let mut not_kept = check([]);
        not_kept.needs_review.insert(same.rule, 9);
        assert_eq!(states(&not_kept, &[none]), [JudgementState::NotSeen]);
    }

    #[test]
    fn what_three_checks_that_looked_did_not_find_is_stale() {
        use JudgementState::{Changed, Expired, Gone, Holds, NotSeen};
        assert!(is_stale([Gone, Gone, Gone]) && is_stale([NotSeen, Gone, NotSeen, Gone, Gone, Holds]));
        for alive in [
            &[Gone, Gone][..],
            &[Gone, Gone, Holds],
            &[Gone, Expired, Gone, Gone],
            &[Changed, Gone, Gone],
            &[NotSeen; 5],
        ] {
            assert!(!is_stale(alive.iter().copied()), "{alive:?}");
        }
    }

    #[test]
    fn elements_with_equal_keys_are_judged_apart() {
        let twin = element("#list > li", "<li>same</li>");
        let mut second = judgement(&twin, Verdict::Planned, 0);
        let first: Key = second.subject();
        second.element.occurrence = 1;
        assert_ne!(second.subject(), first);
        second.element.occurrence = 0;
        second.verdict = Verdict::WontFix;
        assert_eq!(second.subject(), first, "another verdict takes the place of the first");
        second.reach = Reach::Template;
        assert_ne!(second.subject(), first);
    }

    proptest! {
        #[test]
        fn each_element_has_one_judgement_and_each_judgement_about_one_element_has_one(
            found in prop::collection::vec(("#[abc]", "[xyz]"), 0..6),
            decided in prop::collection::vec(("#[abc]", "[xyz]"), 0..6),
        ) {
            let of = |(selector, text): &(String, String)| element(selector, &format!("<b>{text}</b>"));
            let findings = check(found.iter().map(of));
            let judgements: Vec<Judgement> =
                (0..).zip(&decided).map(|(second, one)| judgement(&of(one), Verdict::Planned, second)).collect();
            let result = judged(&findings, &judgements, today());
            prop_assert_eq!(by_traces(&findings, &judgements), result.clone());
            let mut used: Vec<usize> = (1..=found.len() as u64).filter_map(|number| result.holding(number)).collect();
            let holds = result.states().iter().filter(|state| **state == JudgementState::Holds).count();
            prop_assert_eq!(used.len(), holds);
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), holds);
            for number in 1..=found.len() as u64 {
                prop_assert!(result.holding(number).is_none() || result.reopened(number).is_none());
            }
        }
    }
}
