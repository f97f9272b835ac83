//! The result of `collect.js`, and how it becomes findings.

use std::collections::BTreeMap;

use a11ycheck_core::domain::{
    Area, Cover, Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, UncheckedFrame, reveals_people,
    without_query,
};
use serde::Deserialize;

use crate::evidence::{Album, Candidate, ElementNumber, Picture, Rect, Template};

/// The rule with which axe-core reports that it is missing in a frame: a fault of the scanner, not of the site.
const FRAME_TESTED: &str = "frame-tested";

/// The result of one page. Everything but the version comes from the page and is hostile.
#[derive(Debug, Deserialize)]
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
    violations: Vec<RuleResult>,
    incomplete: Vec<RuleResult>,
    /// The rules that ran to their end, whatever they found.
    ran: Vec<String>,
}

#[derive(Debug, Deserialize)]
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
}

#[derive(Debug, Deserialize)]
struct Node {
    /// The selector of axe-core.
    selector: String,
    /// Other selectors, if that one may reveal something about people.
    instead: Vec<String>,
    html: String,
    summary: String,
    area: Option<[u32; 4]>,
    #[serde(skip)]
    picture: Option<Picture>,
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

    /// Returns the elements that fail and whose position on the page is known.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        let elements =
            self.violations.iter().flat_map(|result| result.nodes.iter().map(move |node| (&result.id, node)));
        elements.enumerate().filter_map(|(number, (rule, node))| {
            // An element that is the whole page has the picture of the page.
            if rule == FRAME_TESTED || matches!(&*node.selector, "html" | "body") {
                return None;
            }
            let Node { selector, html, summary, .. } = node;
            Some(Candidate { element: ElementNumber(number), rule, selector, html, summary, area: node.rect()? })
        })
    }

    /// Replaces the position of each element, by its number, by that on the picture of the page.
    pub(crate) fn set_areas(&mut self, areas: &[Option<Rect>]) {
        let nodes = self.violations.iter_mut().flat_map(|result| &mut result.nodes);
        for (node, area) in nodes.zip(areas) {
            node.area = area.map(|Rect { x, y, width, height }| [x, y, width, height]);
        }
    }

    /// Adds pictures of some of [`Collected::candidates`].
    pub(crate) fn add_pictures(&mut self, pictures: Vec<(ElementNumber, Picture)>) {
        let mut elements: Vec<&mut Node> = self.violations.iter_mut().flat_map(|result| &mut result.nodes).collect();
        for (ElementNumber(number), picture) in pictures {
            if let Some(node) = elements.get_mut(number) {
                node.picture = Some(picture);
            }
        }
    }
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
}

/// Adds a page and what was found on it to `findings`, and its pictures to `album`.
pub(crate) fn add_page(findings: &mut Findings, album: &mut Album, url: &str, collected: Collected) {
    let page = findings.pages.len();
    let mut outcome = PageOutcome::checked(url, &collected.title).without_answers_of(&collected.unanswered);
    outcome.cover = collected.cover;
    outcome.still_changing = collected.still_changing;
    let mut violations = collected.violations;
    // axe-core's own order is that of its rule files; the order by id is the same in every version.
    violations.sort_by(|a, b| a.id.cmp(&b.id));
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
            let template = node.rect().map(|rect| Template::of(id.as_str(), &node.selector, &node.html, rect));
            let screenshot = template.and_then(|template| album.add(item, template, picture));
            let area = node.area.map(|[x, y, width, height]| Area::new(x, y, width, height));
            let finding = Finding::new(id.clone(), page, url, node.selector(), &node.html, &node.summary);
            finding.with_area(area).with_screenshot(screenshot)
        }));
    }
    for rule in collected.incomplete {
        if let Some(error) = &rule.error {
            tracing::warn!(url = without_query(url), rule = rule.id, error, "axe-core failed within a rule");
        }
        if rule.id == FRAME_TESTED {
            outcome.frames_not_checked += rule.total;
            continue;
        }
        let total = rule.total;
        let id = add_facts(&mut findings.rules, rule);
        *findings.needs_review.entry(id).or_default() += total;
    }
    let mut frames = collected.unchecked_frames;
    // axe-core also counts frames that were added after the list of frames was read.
    outcome.frames_not_checked = outcome.frames_not_checked.max(u32::try_from(frames.len()).unwrap_or(u32::MAX));
    frames.truncate(PageOutcome::MAX_UNCHECKED_FRAMES);
    outcome.unchecked_frames = frames;
    let ran = collected.ran.into_iter().filter(|id| id != FRAME_TESTED).map(RuleId::new);
    findings.ran.get_or_insert_default().extend(ran);
    findings.pages.push(outcome);
}

fn add_facts(rules: &mut BTreeMap<RuleId, RuleFacts>, rule: RuleResult) -> RuleId {
    let id = RuleId::new(rule.id);
    // Every rule of axe-core 4.14 has an impact; one that comes without is neither hidden nor dramatised.
    let facts = RuleFacts::new(rule.impact.unwrap_or(Impact::Moderate), rule.tags);
    let facts = facts.with_texts(rule.help, rule.description).with_help_url(rule.help_url);
    rules.entry(id.clone()).or_insert(facts);
    id
}
