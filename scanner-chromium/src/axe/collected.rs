//! The result of `collect.js`, and how it becomes findings.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use a11ycheck_core::{
    catalog::{axe_check, is_probe, is_review_on_fail},
    domain::{
        Area, AxeCheck, CheckNeed, CheckOutcome, Cover, Finding, Findings, Impact, OpenedBy, PageOutcome, RuleFacts,
        RuleId, ScreenshotRef, UncheckedFrame, UndecidedReason, reveals_people, without_query,
    },
    scanner::RuleOutcomes,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::shared::Shared;
use crate::evidence::{Album, Candidate, ElementNumber, Of, Picture, Rect, Template};

/// The rule with which axe-core reports that it is missing in a frame: a fault of the scanner, not of the site.
const FRAME_TESTED: &str = "frame-tested";

/// The place of what has none any more.
const NOWHERE: Rect = Rect { x: 0, y: 0, width: 0, height: 0 };

/// The result of one page. Everything but the version comes from the page and is hostile.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Collected {
    pub(crate) version: String,
    pub(crate) title: String,
    pub(crate) has_password: bool,
    /// True if a login form is all that the page shows.
    pub(crate) shows_only_login: bool,
    pub(crate) links: Vec<String>,
    /// The fragment of the page's address, with its `#`, as the page had it when it was checked; empty if there is
    /// none.
    pub(crate) fragment: String,
    /// The address that the page calls its own, if it names exactly one.
    pub(crate) canonical: Option<String>,
    /// The blocks that other pages of its site may have as well; `None` if the probes have not read them, so that the page is compared
    /// with none.
    #[serde(default)]
    pub(crate) shared: Option<Shared>,
    /// The frames that were not checked, if the page had any when it was checked.
    #[serde(skip)]
    unchecked_frames: Vec<UncheckedFrame>,
    /// The element or wall that covered most of the page.
    #[serde(skip)]
    cover: Option<Cover>,
    /// True if the page was still changing.
    #[serde(skip)]
    still_changing: bool,
    /// The addresses that the page requested without a response.
    #[serde(skip)]
    unanswered: Vec<String>,
    /// The results for what appeared when controls were pressed, each with its control; `None` for results about
    /// controls themselves.
    #[serde(skip)]
    opened: Vec<(Option<OpenedBy>, Self)>,
    violations: Vec<RuleResult>,
    incomplete: Vec<RuleResult>,
    /// The rules that at least one element passes. Some of them have others that fail or need review.
    passed: Vec<String>,
    /// The rules to which nothing on the page belongs.
    inapplicable: Vec<String>,
    /// What was thrown within probes, each after the id of its probe; none of them has an outcome on the page.
    #[serde(default)]
    probe_errors: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleResult {
    id: String,
    impact: Option<Impact>,
    tags: Vec<String>,
    help: String,
    description: String,
    help_url: String,
    /// The number of elements in all, including those without a node here.
    total: u32,
    /// The error, if axe-core failed within the rule.
    error: Option<String>,
    nodes: Vec<Node>,
    /// The reasons why axe-core could not decide about elements; empty if it gives none.
    #[serde(default)]
    reasons: Vec<Reason>,
}

#[derive(Debug, Clone, Deserialize)]
struct Reason {
    /// The id of the check.
    check: String,
    /// The key of the message, if the check has several.
    key: Option<String>,
    count: u32,
}

/// The result of one of axe-core's checks for an element.
#[derive(Debug, Clone, Deserialize)]
struct Said {
    id: String,
    need: Need,
    data: Value,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Need {
    Any,
    All,
}

#[derive(Debug, Clone, Deserialize)]
struct Node {
    /// The selector of axe-core.
    selector: String,
    /// Other selectors, if that one may reveal something about people.
    instead: Vec<String>,
    html: String,
    summary: String,
    checks: Vec<Said>,
    area: Option<[u32; 4]>,
    #[serde(skip)]
    picture: Option<Picture>,
    #[serde(skip)]
    opened_by: Option<OpenedBy>,
    /// True if it was found while controls were pressed: its picture comes after those of what pages show by themselves.
    #[serde(skip)]
    comes_last: bool,
}

impl Collected {
    /// Adds the frames of the page that were not checked.
    pub(crate) fn without_frames(mut self, unchecked: Vec<UncheckedFrame>) -> Self {
        self.unchecked_frames = unchecked;
        self
    }

    /// Adds what covers most of the page.
    pub(crate) fn with_cover(self, cover: Option<Cover>) -> Self {
        Self { cover, ..self }
    }

    /// Adds whether the page was still changing.
    pub(crate) fn while_changing(mut self, still_changing: bool) -> Self {
        self.still_changing = still_changing;
        self
    }

    /// Adds the addresses from which the page got no response.
    pub(crate) fn without(mut self, unanswered: Vec<String>) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// Sets the results for what appeared when controls were pressed.
    pub(crate) fn set_opened(&mut self, opened: Vec<(Option<OpenedBy>, Self)>) {
        self.opened = opened;
    }

    /// Appends the elements that appeared when controls were pressed to those of the page itself, without duplicates.
    /// An element with the rule and the selector of one of the page is a duplicate of it. Among elements that appeared,
    /// source and position must be the same as well, since one selector (`details[open] > img`) may match different
    /// elements at different times.
    fn join_opened(&mut self) {
        for (control, opened) in std::mem::take(&mut self.opened) {
            for (ours, theirs) in [(&mut self.violations, opened.violations), (&mut self.incomplete, opened.incomplete)]
            {
                theirs.into_iter().for_each(|rule| join_rule(ours, rule, control.as_ref()));
            }
            self.passed.extend(opened.passed);
            self.probe_errors.extend(opened.probe_errors);
        }
    }

    /// Returns the rule and the selector of each element.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (&str, &str)> {
        let results = self.violations.iter().chain(&self.incomplete);
        results.flat_map(|result| result.nodes.iter().map(|node| (&*result.id, &*node.selector)))
    }

    /// Returns the elements that fail and whose position on the page is known.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        candidates(&self.violations, 0)
    }

    /// Returns the elements that a person must look at and whose position on the page is known. They have the numbers after
    /// those of [`Collected::candidates`].
    pub(crate) fn undecided_candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        candidates(&self.incomplete, self.failing().0)
    }

    /// Returns the number of the first element after those that fail.
    pub(crate) fn failing(&self) -> ElementNumber {
        ElementNumber(self.violations.iter().map(|result| result.nodes.len()).sum())
    }

    /// Replaces the position of each element, by its number, by that on the picture of the page.
    pub(crate) fn set_areas(&mut self, areas: &[Option<Rect>]) {
        let nodes = self.violations.iter_mut().chain(&mut self.incomplete).flat_map(|result| &mut result.nodes);
        for (node, area) in nodes.zip(areas) {
            node.area = area.map(|Rect { x, y, width, height }| [x, y, width, height]);
        }
    }

    /// Adds pictures of what appeared when controls were pressed, in the order of [`Collected::set_opened`], as
    /// [`Collected::add_pictures`] does.
    pub(crate) fn add_opened_pictures(&mut self, pictures: Vec<Vec<(ElementNumber, Picture)>>) {
        for ((_, opened), pictures) in self.opened.iter_mut().zip(pictures) {
            opened.add_pictures(pictures);
        }
    }

    /// Adds pictures of some of [`Collected::candidates`] and [`Collected::undecided_candidates`].
    pub(crate) fn add_pictures(&mut self, pictures: Vec<(ElementNumber, Picture)>) {
        let results = self.violations.iter_mut().chain(&mut self.incomplete);
        let mut elements: Vec<&mut Node> = results.flat_map(|result| &mut result.nodes).collect();
        for (ElementNumber(number), picture) in pictures {
            if let Some(node) = elements.get_mut(number) {
                node.picture = Some(picture);
            }
        }
    }
}

/// Returns the elements of these results whose position on the page is known, numbered from `first`.
fn candidates(results: &[RuleResult], first: usize) -> impl Iterator<Item = Candidate<'_>> {
    let elements = results.iter().flat_map(|result| result.nodes.iter().map(move |node| (&result.id, node)));
    (first..).zip(elements).filter_map(|(number, (rule, node))| {
        // An element that is the whole page has the picture of the page.
        if rule == FRAME_TESTED || matches!(&*node.selector, "html" | "body") {
            return None;
        }
        let Node { selector, html, summary, .. } = node;
        Some(Candidate { element: ElementNumber(number), rule, selector, html, summary, area: node.rect()? })
    })
}

impl Node {
    /// Returns the selector to keep: the first that reveals nothing about people and is not too long.
    fn selector(&self) -> &str {
        if self.instead.is_empty() || !reveals_people(&self.selector) {
            return &self.selector;
        }
        let mut others = self.instead.iter().filter(|other| other.chars().count() <= Finding::MAX_SELECTOR);
        // If every selector reveals something, it is masked when the element becomes a finding.
        others.find(|other| !reveals_people(other)).unwrap_or(&self.selector)
    }

    fn rect(&self) -> Option<Rect> {
        let [x, y, width, height] = self.area?;
        Some(Rect { x, y, width, height })
    }

    /// Adds a picture of the element to the album. Returns the reference to its picture if the album has one already.
    fn keep(&self, album: &mut Album, of: Of, rule: &RuleId, picture: Option<Picture>) -> Option<ScreenshotRef> {
        let template = |area| Template::of(rule.as_str(), &self.selector, &self.html, area);
        if self.comes_last {
            // A dialog that has a picture may be closed by now.
            album.add_opened(of, template(self.rect().unwrap_or(NOWHERE)), picture);
            return None;
        }
        album.add(of, template(self.rect()?), picture)
    }

    /// Returns the element as it is kept, with this picture.
    fn finding(&self, rule: &RuleId, at: (usize, &str), outcome: CheckOutcome, shot: Option<ScreenshotRef>) -> Finding {
        let (page, url) = at;
        // The picture of the page does not show elements that appeared later.
        let area = self.area.filter(|_| self.opened_by.is_none());
        let area = area.map(|[x, y, width, height]| Area::new(x, y, width, height));
        let finding = Finding::new(rule.clone(), page, url, self.selector(), &self.html, &self.summary);
        let checks = self.checks.iter().map(|said| said.check(outcome));
        finding.with_checks(checks).with_area(area).with_screenshot(shot).with_opened_by(self.opened_by.clone())
    }
}

impl Said {
    fn check(&self, outcome: CheckOutcome) -> AxeCheck {
        let need = match self.need {
            Need::Any => CheckNeed::Any,
            Need::All => CheckNeed::All,
        };
        axe_check(&self.id, need, outcome, &self.data)
    }
}

/// Adds the elements of a rule that appeared when a control was pressed, or that are controls themselves, unless they
/// are in `known` already.
fn join_rule(known: &mut Vec<RuleResult>, mut rule: RuleResult, control: Option<&OpenedBy>) {
    let place = known.iter().position(|one| one.id == rule.id && one.error.is_none());
    let nodes = std::mem::take(&mut rule.nodes);
    let kept = nodes.len();
    let is_same = |one: &Node, node: &Node| {
        let is_there = one.opened_by.is_none() || (&one.html, one.area) == (&node.html, node.area);
        one.selector == node.selector && is_there
    };
    let is_known = |node: &Node| place.is_some_and(|at| known[at].nodes.iter().any(|one| is_same(one, node)));
    let nodes: Vec<Node> = nodes
        .into_iter()
        .filter(|node| !is_known(node))
        .map(|node| Node { opened_by: control.cloned(), comes_last: true, ..node })
        .collect();
    if nodes.is_empty() {
        return;
    }
    let added = rule.total.saturating_sub(u32::try_from(kept - nodes.len()).unwrap_or(u32::MAX));
    match place {
        Some(at) => {
            let one = &mut known[at];
            one.total = one.total.saturating_add(added);
            one.nodes.extend(nodes);
            for reason in rule.reasons {
                match one.reasons.iter_mut().find(|known| (&known.check, &known.key) == (&reason.check, &reason.key)) {
                    Some(known) => known.count = known.count.saturating_add(reason.count),
                    None => one.reasons.push(reason),
                }
            }
        }
        None => known.push(RuleResult { total: added, nodes, ..rule }),
    }
}

/// Returns the reasons of one page, each once.
fn reasons_of(reasons: Vec<Reason>, outcome: CheckOutcome) -> Vec<UndecidedReason> {
    let mut known = Vec::new();
    for Reason { check, key, count } in reasons {
        // What is no key of a message was a text of the page.
        let AxeCheck { id, key, .. } = axe_check(&check, CheckNeed::All, outcome, &json!({ "messageKey": key }));
        add_reason(&mut known, UndecidedReason::new(&id, key.as_deref(), count));
    }
    known
}

/// Adds the reasons of one page to those of a rule.
pub(crate) fn add_reasons(known: &mut Vec<UndecidedReason>, reasons: &[UndecidedReason]) {
    for reason in reasons {
        add_reason(known, reason.clone());
    }
    known.sort_by_key(|reason| std::cmp::Reverse(reason.count));
}

fn add_reason(known: &mut Vec<UndecidedReason>, new: UndecidedReason) {
    if let Some(reason) = known.iter_mut().find(|reason| (&reason.check, &reason.key) == (&new.check, &new.key)) {
        reason.count = reason.count.saturating_add(new.count);
    } else if known.len() < UndecidedReason::MAX_PER_RULE {
        known.push(new);
    }
}

/// The values of one page that findings have only as sums over all pages.
#[derive(Debug, Default)]
pub(crate) struct PageSums {
    /// The outcomes of the rules.
    pub(crate) outcomes: RuleOutcomes,
    /// The number of elements by rule that axe-core could not judge.
    pub(crate) needs_review: BTreeMap<RuleId, u32>,
    /// The reasons for that, by rule.
    pub(crate) reasons: BTreeMap<RuleId, Vec<UndecidedReason>>,
    /// True if axe-core failed within a rule, or if a probe failed.
    pub(crate) has_errors: bool,
}

/// Adds a page and what was found on it to `findings`, and its pictures to `album`.
pub(crate) fn add_page(findings: &mut Findings, album: &mut Album, url: &str, mut collected: Collected) -> PageSums {
    collected.join_opened();
    let page = findings.pages.len();
    let mut outcome = PageOutcome::checked(url, &collected.title).without_answers_of(&collected.unanswered);
    outcome.cover = collected.cover;
    outcome.still_changing = collected.still_changing;
    let reported = |results: &[RuleResult]| -> BTreeSet<RuleId> {
        results.iter().filter(|result| result.error.is_none()).map(|result| RuleId::new(&result.id)).collect()
    };
    // An error keeps a rule from being passed, though elements before it may have done so.
    let open: BTreeSet<RuleId> = collected.incomplete.iter().map(|result| RuleId::new(&result.id)).collect();
    let known = |ids: Vec<String>| ids.into_iter().filter(|id| id != FRAME_TESTED).map(RuleId::new);
    let failed = reported(&collected.violations);
    let outcomes = RuleOutcomes {
        passed: known(collected.passed).filter(|id| !failed.contains(id) && !open.contains(id)).collect(),
        inapplicable: known(collected.inapplicable).collect(),
    };
    let mut ran: BTreeSet<RuleId> = &failed | &reported(&collected.incomplete);
    ran.extend(outcomes.passed.iter().chain(&outcomes.inapplicable).cloned());
    ran.remove(&RuleId::new(FRAME_TESTED));
    let mut violations = collected.violations;
    // axe-core's own order is that of its rule files; the order by id is the same in every version.
    violations.sort_by(in_order);
    for mut rule in violations {
        if rule.id == FRAME_TESTED {
            outcome.frames_not_checked += rule.total;
            continue;
        }
        let kept = u32::try_from(rule.nodes.len()).unwrap_or(u32::MAX);
        let left_out = rule.total.saturating_sub(kept);
        if left_out > 0 {
            tracing::info!(
                url = without_query(url),
                rule = rule.id,
                left_out,
                "A page has more failing elements than are kept"
            );
            outcome.left_out.insert(RuleId::new(&rule.id), left_out);
        }
        let nodes = std::mem::take(&mut rule.nodes);
        let id = add_facts(&mut findings.rules, rule);
        let first = findings.items.len();
        findings.items.extend((first..).zip(nodes).map(|(item, mut node)| {
            let picture = node.picture.take();
            let screenshot = node.keep(album, Of::Failing(item), &id, picture);
            node.finding(&id, (page, url), CheckOutcome::Fail, screenshot)
        }));
    }
    let mut sums = PageSums { outcomes, has_errors: !collected.probe_errors.is_empty(), ..PageSums::default() };
    for error in &collected.probe_errors {
        tracing::warn!(url = without_query(url), error, "a probe failed on a page");
    }
    let mut incomplete = collected.incomplete;
    incomplete.sort_by(in_order);
    for mut rule in incomplete {
        if let Some(error) = &rule.error {
            tracing::warn!(url = without_query(url), rule = rule.id, error, "axe-core failed within a rule");
            sums.has_errors = true;
        }
        if rule.id == FRAME_TESTED {
            outcome.frames_not_checked += rule.total;
            continue;
        }
        let total = rule.total;
        let (nodes, reasons) = (std::mem::take(&mut rule.nodes), std::mem::take(&mut rule.reasons));
        let id = add_facts(&mut findings.rules, rule);
        let outcome = if is_review_on_fail(id.as_str()) { CheckOutcome::Fail } else { CheckOutcome::Incomplete };
        if !reasons.is_empty() {
            let reasons = reasons_of(reasons, outcome);
            add_reasons(findings.undecided_reasons.entry(id.clone()).or_default(), &reasons);
            sums.reasons.insert(id.clone(), reasons);
        }
        let room = Findings::MAX_ALL_UNDECIDED.saturating_sub(findings.undecided.len());
        for mut node in nodes.into_iter().take(room.min(Findings::MAX_UNDECIDED)) {
            // What fails on later pages needs room for its pictures, too.
            let picture = node.picture.take().filter(|_| !album.is_half_full());
            let item = Of::Undecided(findings.undecided.len());
            let screenshot = node.keep(album, item, &id, picture);
            findings.undecided.push(node.finding(&id, (page, url), outcome, screenshot));
        }
        sums.needs_review.insert(id.clone(), total);
        *findings.needs_review.entry(id).or_default() += total;
    }
    let mut frames = collected.unchecked_frames;
    // axe-core also counts frames that were added after the list of frames was read.
    outcome.frames_not_checked = outcome.frames_not_checked.max(u32::try_from(frames.len()).unwrap_or(u32::MAX));
    frames.truncate(PageOutcome::MAX_UNCHECKED_FRAMES);
    outcome.unchecked_frames = frames;
    findings.ran.get_or_insert_default().extend(ran);
    findings.pages.push(outcome);
    sums
}

/// Compares two results for the order in which they are kept: those of axe-core come first, so that where there is no room for
/// all, probes take nothing from them.
fn in_order(a: &RuleResult, b: &RuleResult) -> Ordering {
    let key = |result: &RuleResult| (is_probe(&result.id), result.id.clone());
    key(a).cmp(&key(b))
}

fn add_facts(rules: &mut BTreeMap<RuleId, RuleFacts>, rule: RuleResult) -> RuleId {
    let id = RuleId::new(rule.id);
    // Every rule of axe-core 4.14 has an impact; one that comes without is neither hidden nor dramatised.
    let facts = RuleFacts::new(rule.impact.unwrap_or(Impact::Moderate), rule.tags);
    let facts = facts.with_texts(rule.help, rule.description).with_help_url(rule.help_url);
    rules.entry(id.clone()).or_insert(facts);
    id
}
