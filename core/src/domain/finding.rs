//! The findings of a check, independent of language: rules by id, elements by selector.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    AxeCheck, Cover, Failure, FailureCode, Fingerprint, Impact, OpenedBy, PlatformKey, RuleFacts, RuleId, RuleKind,
    Standard, StandardId, Tool, UndecidedReason, bounded, masked_html, masked_selector, masked_text,
};

/// A rectangle on the page, in CSS pixels from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(missing_docs, reason = "named by the type's doc")]
#[non_exhaustive]
pub struct Area {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Area {
    /// Returns the rectangle of this size whose top left corner is at `x` and `y`.
    pub const fn new(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }
}

/// The number of a screenshot within its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct ScreenshotId(pub u32);

/// A reference to the picture of an element or a page, with its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ScreenshotRef {
    /// The number of the picture within the check.
    pub id: ScreenshotId,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The number of pixels for 100 CSS pixels of the page. Earlier releases pictured everything in its own size.
    #[serde(default = "own_size", skip_serializing_if = "is_own_size")]
    pub scale_percent: u16,
}

impl ScreenshotRef {
    /// Returns a reference to the picture with this number and size, which has one pixel for each CSS pixel.
    pub const fn new(id: ScreenshotId, width: u32, height: u32) -> Self {
        Self { id, width, height, scale_percent: own_size() }
    }

    /// Sets the number of pixels for 100 CSS pixels of the page.
    #[must_use]
    pub const fn with_scale_percent(self, scale_percent: u16) -> Self {
        Self { scale_percent, ..self }
    }
}

const fn own_size() -> u16 {
    100
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_own_size(scale_percent: &u16) -> bool {
    *scale_percent == own_size()
}

/// One element that breaks one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule; its facts are in [`Findings::rules`].
    pub rule: RuleId,
    /// The index of the page in [`Findings::pages`].
    pub page: usize,
    /// The location of the element: CSS selectors, from the outermost frame or shadow host inwards, joined by a space.
    /// At most [`Finding::MAX_SELECTOR`] characters.
    pub selector: String,
    /// The element's source. Hostile text. At most [`Finding::MAX_HTML`] characters.
    pub html: String,
    /// The description of the failure by axe-core, in English. At most [`Finding::MAX_SUMMARY`] characters.
    pub failure_summary: String,
    /// The checks of axe-core that the element did not meet, or that could not decide about it, at most
    /// [`AxeCheck::MAX_PER_ELEMENT`], in the order of axe-core: reports say them in any language. Earlier releases kept
    /// axe-core's English alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<AxeCheck>,
    /// The keys by which the element is recognised in the next check.
    pub fingerprint: Fingerprint,
    /// The place of the element on the page, if it is visible.
    pub area: Option<Area>,
    /// The picture of the element, if one was taken.
    pub screenshot: Option<ScreenshotRef>,
    /// True if the previous completed check did not have the element. False in the first check of a site.
    pub is_new: bool,
    /// The control that was pressed before the element appeared. `None` for what the page shows by itself, and where nothing was
    /// pressed. It is no part of the fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<OpenedBy>,
}

impl Finding {
    /// The greatest number of characters of a selector that are kept.
    pub const MAX_SELECTOR: usize = 2_000;
    /// The greatest number of characters of an element's source that are kept.
    pub const MAX_HTML: usize = 4_000;
    /// The greatest number of characters of a failure summary that are kept.
    pub const MAX_SUMMARY: usize = 4_000;

    /// Makes a finding on page number `page`, whose address is `page_url`. Personal data in its texts is masked, the
    /// texts are cut to their bounds, and the fingerprint is taken of the result.
    pub fn new(rule: RuleId, page: usize, page_url: &str, selector: &str, html: &str, failure_summary: &str) -> Self {
        let selector = bounded(&masked_selector(selector), Self::MAX_SELECTOR);
        let html = bounded(&masked_html(html), Self::MAX_HTML);
        Self {
            // The address as it is stored, so that keys which are made again from it are the same.
            fingerprint: Fingerprint::of(&rule, &masked_text(page_url), &selector, &html),
            rule,
            page,
            selector,
            html,
            failure_summary: bounded(&masked_text(failure_summary), Self::MAX_SUMMARY),
            checks: Vec::new(),
            area: None,
            screenshot: None,
            is_new: false,
            opened_by: None,
        }
    }

    /// Sets the control that was pressed before the element appeared.
    #[must_use]
    pub fn with_opened_by(self, opened_by: impl Into<Option<OpenedBy>>) -> Self {
        Self { opened_by: opened_by.into(), ..self }
    }

    /// Sets what axe-core's checks said about the element: the first [`AxeCheck::MAX_PER_ELEMENT`] of them.
    #[must_use]
    pub fn with_checks(self, checks: impl IntoIterator<Item = AxeCheck>) -> Self {
        Self { checks: checks.into_iter().take(AxeCheck::MAX_PER_ELEMENT).collect(), ..self }
    }

    /// Sets the place of the element on the page, if it is visible.
    #[must_use]
    pub fn with_area(self, area: impl Into<Option<Area>>) -> Self {
        Self { area: area.into(), ..self }
    }

    /// Sets the picture of the element, if one was taken.
    #[must_use]
    pub fn with_screenshot(self, screenshot: impl Into<Option<ScreenshotRef>>) -> Self {
        Self { screenshot: screenshot.into(), ..self }
    }
}

/// A page that the check visited or tried to visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageOutcome {
    /// The address with which the page was opened, as [`page_address`](super::page_address) returns it; earlier
    /// releases stored it without its final slash. [`page_key`](super::page_key) decides whether two pages are the
    /// same. At most [`PageOutcome::MAX_URL`] characters.
    pub url: String,
    /// The document's title; empty if there is none. Hostile text. At most [`PageOutcome::MAX_TITLE`] characters.
    pub title: String,
    /// The reason why the page was not checked; `None` if it was.
    pub error: Option<Failure>,
    /// The number of frames of the page that were not checked, which is not the same as free of problems.
    pub frames_not_checked: u32,
    /// The address and the reason for the first [`PageOutcome::MAX_UNCHECKED_FRAMES`] of those frames. Earlier releases
    /// counted frames without naming them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked_frames: Vec<UncheckedFrame>,
    /// True if the page was still changing when the time for it to settle was over, and was checked as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub still_changing: bool,
    /// Addresses from which the page requested something and got no response, so that their content is missing in what
    /// was checked: at most [`PageOutcome::MAX_UNANSWERED`]. Hostile text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<String>,
    /// The number of elements by rule that fail and are not among [`Findings::items`], because only a limited number is
    /// kept for a page. They count in totals. Never 0.
    #[serde(default)]
    pub left_out: BTreeMap<RuleId, u32>,
    /// If the page is a dead link, the address of the page or sitemap that links to it, at most
    /// [`PageOutcome::MAX_LINKED_FROM`] characters. `None` for all other pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_from: Option<String>,
    /// The layer that covered most of the page when it was checked, if any. Not known for checks of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<Cover>,
    /// The picture of the page from its top left corner, on which [`Finding::area`] can be drawn. The start page's is
    /// [`Findings::screen`] instead. `None` without one, and for checks of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<ScreenshotRef>,
    /// The end of the check that examined the page, if it was an earlier one: the page has not changed since, and its outcome was
    /// taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<DateTime<Utc>>,
}

/// A frame of a page that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UncheckedFrame {
    /// The address of the frame's document, without query and fragment; empty if it is not known because the frame was
    /// already removed. Written by the checked page: escape it.
    #[cfg_attr(feature = "schema", schemars(length(max = Self::MAX_URL)))]
    pub url: String,
    /// The reason for programs: one of the codes of failures. Later versions may add codes.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("examples" = FailureCode::KNOWN)))]
    pub reason: FailureCode,
}

impl UncheckedFrame {
    /// The greatest number of characters of an address that are kept.
    pub const MAX_URL: usize = 500;

    /// Makes a frame at `url`, which is masked and cut to its bound.
    pub fn new(url: &str, reason: FailureCode) -> Self {
        Self { url: bounded(&masked_text(url), Self::MAX_URL), reason }
    }
}

impl PageOutcome {
    /// The greatest number of characters of an address that are kept.
    pub const MAX_URL: usize = 4_000;
    /// The greatest number of characters of a title that are kept.
    pub const MAX_TITLE: usize = 300;
    /// The greatest number of frames of one page that are named.
    pub const MAX_UNCHECKED_FRAMES: usize = 20;
    /// The greatest number of characters of [`linked_from`](Self::linked_from) that are kept.
    pub const MAX_LINKED_FROM: usize = 2_000;
    /// The greatest number of addresses without a response that are kept for one page.
    pub const MAX_UNANSWERED: usize = 10;
    /// The greatest number of characters of such an address that are kept.
    pub const MAX_ADDRESS: usize = 500;

    /// Returns a page that was checked with all its frames. Personal data in its address and title is masked.
    pub fn checked(url: impl Into<String>, title: &str) -> Self {
        Self {
            url: bounded(&masked_text(&url.into()), Self::MAX_URL),
            title: bounded(&masked_text(title), Self::MAX_TITLE),
            error: None,
            frames_not_checked: 0,
            still_changing: false,
            unanswered: Vec::new(),
            left_out: BTreeMap::new(),
            unchecked_frames: Vec::new(),
            linked_from: None,
            cover: None,
            picture: None,
            looked_at: None,
        }
    }

    /// Sets the addresses from which the page got no response: the first [`PageOutcome::MAX_UNANSWERED`] different
    /// ones. Personal data in them is masked.
    #[must_use]
    pub fn without_answers_of(self, addresses: &[impl AsRef<str>]) -> Self {
        let kept = |address: &str| bounded(&masked_text(address), Self::MAX_ADDRESS);
        let mut unanswered: Vec<String> = Vec::new();
        for address in addresses.iter().map(|address| kept(address.as_ref())) {
            if unanswered.len() < Self::MAX_UNANSWERED && !unanswered.contains(&address) {
                unanswered.push(address);
            }
        }
        Self { unanswered, ..self }
    }

    /// Returns a page that could not be checked.
    pub fn failed(url: impl Into<String>, title: &str, error: Failure) -> Self {
        Self { error: Some(error), ..Self::checked(url, title) }
    }

    /// Returns a page that the web server does not have, although `linked_from` links to it. Personal data in that
    /// address is masked.
    pub fn dead_link(url: impl Into<String>, linked_from: &str, error: Failure) -> Self {
        let linked_from = bounded(&masked_text(linked_from), Self::MAX_LINKED_FROM);
        Self { linked_from: Some(linked_from), ..Self::failed(url, "", error) }
    }

    /// Returns whether axe-core ran on the page.
    pub const fn is_checked(&self) -> bool {
        self.error.is_none()
    }

    /// Returns whether the web server does not have the page, which then counts neither as a page of the check nor as
    /// one of the site.
    pub const fn is_dead_link(&self) -> bool {
        self.linked_from.is_some()
    }
}

/// All that a check found: one document per check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Findings {
    /// The engine that judged the pages.
    pub engine: Tool,
    /// The pages in the order in which they were visited, the start page first.
    #[serde(deserialize_with = "masked_pages")]
    pub pages: Vec<PageOutcome>,
    /// The facts of every rule that [`items`](Self::items) or [`needs_review`](Self::needs_review) names.
    pub rules: BTreeMap<RuleId, RuleFacts>,
    /// The elements that fail, by page, then by rule, then in the order of axe-core.
    #[serde(deserialize_with = "masked_items")]
    pub items: Vec<Finding>,
    /// The number of elements by rule that axe-core could not judge. Never part of a total: a person must look at them.
    pub needs_review: BTreeMap<RuleId, u32>,
    /// Some of these elements, by page, then by rule: at most [`Findings::MAX_UNDECIDED`] of one rule on one page, and
    /// [`Findings::MAX_ALL_UNDECIDED`] in all. They are numbered after those of [`items`](Self::items). Earlier releases
    /// only counted them.
    #[serde(default, deserialize_with = "masked_items", skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<Finding>,
    /// Why axe-core could not judge them, by rule, the most frequent reason first: at most
    /// [`UndecidedReason::MAX_PER_RULE`] of a rule. Each element counts for its first check.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undecided_reasons: BTreeMap<RuleId, Vec<UndecidedReason>>,
    /// The platform keys that were recognised on the pages, the most certain first.
    pub stack: Vec<PlatformKey>,
    /// The width and height of the first page's picture in pixels, if one was taken.
    pub screen: Option<(u32, u32)>,
    /// The rules that finished on at least one page, whatever they found; `None` if that is not known, as in checks of
    /// earlier releases and of scanners that do not report it.
    #[serde(default)]
    pub ran: Option<BTreeSet<RuleId>>,
    /// True if pictures were taken but could not be stored: none is referred to then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pictures_not_stored: bool,
    /// True if the check was stopped because too many pages in a row were not ready in time: pages that it had not
    /// reached are missing, and nothing is known about them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_by_timeouts: bool,
    /// The standard against which the pages were checked. Checks from before it could be chosen are those of the default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub standard: StandardId,
}

impl Findings {
    /// The greatest number of elements of one rule and page that are kept although axe-core could not judge them.
    pub const MAX_UNDECIDED: usize = 5;
    /// The greatest number of such elements in all.
    pub const MAX_ALL_UNDECIDED: usize = 5_000;

    /// Returns the findings of an engine that has visited no page and does not report which rules ran. The fields are
    /// filled in by whoever checks pages.
    pub const fn new(engine: Tool) -> Self {
        Self {
            engine,
            pages: Vec::new(),
            rules: BTreeMap::new(),
            items: Vec::new(),
            needs_review: BTreeMap::new(),
            undecided: Vec::new(),
            undecided_reasons: BTreeMap::new(),
            stack: Vec::new(),
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        }
    }

    /// Sets the standard against which the pages were checked.
    #[must_use]
    pub fn with_standard(self, standard: StandardId) -> Self {
        Self { standard, ..self }
    }

    /// Sets the pages in the order in which they were visited, the start page first.
    #[must_use]
    pub fn with_pages(self, pages: impl IntoIterator<Item = PageOutcome>) -> Self {
        Self { pages: pages.into_iter().collect(), ..self }
    }

    /// Sets the facts of every rule that the findings name.
    #[must_use]
    pub fn with_rules(self, rules: impl IntoIterator<Item = (RuleId, RuleFacts)>) -> Self {
        Self { rules: rules.into_iter().collect(), ..self }
    }

    /// Sets the elements that fail, by page, then by rule.
    #[must_use]
    pub fn with_items(self, items: impl IntoIterator<Item = Finding>) -> Self {
        Self { items: items.into_iter().collect(), ..self }
    }

    /// Sets the rules that finished on at least one page, whatever they found.
    #[must_use]
    pub fn with_ran(self, ran: impl IntoIterator<Item = RuleId>) -> Self {
        Self { ran: Some(ran.into_iter().collect()), ..self }
    }

    /// Returns the kind of the rule; one without facts is a recommendation, so that no total counts an unknown rule.
    pub fn kind_of(&self, rule: &RuleId) -> RuleKind {
        let standard = self.standard.effective();
        self.rules.get(rule).map_or(RuleKind::Recommendation, |facts| facts.kind_in(standard))
    }

    /// Returns the element with this number within the check: those that fail from 1, then those that axe-core could not
    /// judge.
    pub fn numbered(&self, number: u64) -> Option<&Finding> {
        self.items.iter().chain(&self.undecided).nth(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the elements that axe-core could not judge with their numbers within the check.
    pub fn undecided_with_numbers(&self) -> impl Iterator<Item = (u64, &Finding)> {
        (self.items.len() as u64 + 1..).zip(&self.undecided)
    }

    /// Returns the elements that count in totals.
    pub fn problems(&self) -> impl Iterator<Item = &Finding> {
        self.items.iter().filter(|finding| self.kind_of(&finding.rule) == RuleKind::Problem)
    }

    /// Returns whether the rule ran on at least one page. If it is not known which rules ran, all did but those that other
    /// standards than that of the check switch on.
    pub fn has_run(&self, rule: &RuleId) -> bool {
        let is_reported = || self.rules.contains_key(rule);
        match &self.ran {
            Some(ran) => ran.contains(rule) || is_reported(),
            None => {
                let is_switched_on = |standard: &Standard| standard.rules_on.contains(rule);
                is_reported()
                    || is_switched_on(self.standard.effective())
                    || !Standard::all().iter().any(is_switched_on)
            }
        }
    }

    /// Returns the problems by impact, including those that were left out above the limit of a page.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let left_out = self.pages.iter().flat_map(|page| &page.left_out).map(|(rule, count)| (rule, u64::from(*count)));
        for (rule, count) in self.items.iter().map(|finding| (&finding.rule, 1)).chain(left_out) {
            if let Some(facts) = self.rules.get(rule)
                && facts.kind_in(self.standard.effective()) == RuleKind::Problem
            {
                totals.add(facts.impact, count);
            }
        }
        totals
    }

    /// Returns the number of elements of a rule that fail and were left out above the limit of a page.
    pub fn left_out(&self, rule: &RuleId) -> u64 {
        self.pages.iter().filter_map(|page| page.left_out.get(rule)).map(|count| u64::from(*count)).sum()
    }

    /// Removes all references to pictures, because none could be stored.
    pub fn without_pictures(mut self) -> Self {
        self.items.iter_mut().chain(&mut self.undecided).for_each(|finding| finding.screenshot = None);
        self.pages.iter_mut().for_each(|page| page.picture = None);
        Self { screen: None, pictures_not_stored: true, ..self }
    }

    /// Returns a copy of all but the elements that fail.
    pub(crate) fn without_items(&self) -> Self {
        Self {
            engine: self.engine.clone(),
            pages: self.pages.clone(),
            rules: self.rules.clone(),
            items: Vec::new(),
            needs_review: self.needs_review.clone(),
            undecided: self.undecided.clone(),
            undecided_reasons: self.undecided_reasons.clone(),
            stack: self.stack.clone(),
            screen: self.screen,
            ran: self.ran.clone(),
            pictures_not_stored: self.pictures_not_stored,
            stopped_by_timeouts: self.stopped_by_timeouts,
            standard: self.standard,
        }
    }

    /// Removes the references to a picture that was lost.
    pub(crate) fn remove_picture(&mut self, id: ScreenshotId) {
        let of_elements = self.items.iter_mut().chain(&mut self.undecided).map(|finding| &mut finding.screenshot);
        for picture in self.pages.iter_mut().map(|page| &mut page.picture).chain(of_elements) {
            picture.take_if(|picture| picture.id == id);
        }
    }

    /// Returns the number of pages on which axe-core ran.
    pub fn pages_checked(&self) -> usize {
        self.pages.iter().filter(|page| page.is_checked()).count()
    }

    /// Returns the number of pages whose outcome was taken over from an earlier check.
    pub fn pages_taken_over(&self) -> usize {
        self.pages.iter().filter(|page| page.looked_at.is_some()).count()
    }

    /// Returns the number of pages that were visited, including those that could not be checked, without dead links.
    pub fn pages_scanned(&self) -> usize {
        self.pages.iter().filter(|page| !page.is_dead_link()).count()
    }
}

/// The number of problem elements by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// The number of critical ones.
    pub critical: u64,
    /// The number of serious ones.
    pub serious: u64,
    /// The number of moderate ones.
    pub moderate: u64,
    /// The number of minor ones.
    pub minor: u64,
}

impl Totals {
    /// Returns the sum of all four.
    pub const fn total(&self) -> u64 {
        self.critical + self.serious + self.moderate + self.minor
    }

    /// Adds `count` elements of an impact.
    pub const fn add(&mut self, impact: Impact, count: u64) {
        match impact {
            Impact::Critical => self.critical += count,
            Impact::Serious => self.serious += count,
            Impact::Moderate => self.moderate += count,
            Impact::Minor => self.minor += count,
        }
    }
}

fn is_default(standard: &StandardId) -> bool {
    *standard == StandardId::default()
}

/// Deserialises pages and masks personal data that an earlier release kept in their addresses and titles, and by rules that
/// it did not have.
fn masked_pages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PageOutcome>, D::Error> {
    let mut pages = Vec::<PageOutcome>::deserialize(deserializer)?;
    for page in &mut pages {
        mask(&mut page.url, masked_text);
        mask(&mut page.title, masked_text);
        if let Some(linked_from) = &mut page.linked_from {
            mask(linked_from, masked_text);
        }
        for frame in &mut page.unchecked_frames {
            mask(&mut frame.url, masked_text);
        }
        for address in &mut page.unanswered {
            mask(address, masked_text);
        }
    }
    Ok(pages)
}

/// Deserialises elements and masks personal data in those that an earlier release stored, whose keys have an earlier
/// version.
pub(crate) fn masked_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Finding>, D::Error> {
    let mut items = Vec::<Finding>::deserialize(deserializer)?;
    for finding in items.iter_mut().filter(|finding| finding.fingerprint.version < Fingerprint::VERSION) {
        mask(&mut finding.selector, masked_selector);
        mask(&mut finding.html, masked_html);
        mask(&mut finding.failure_summary, masked_text);
    }
    Ok(items)
}

fn mask(text: &mut String, masked: impl Fn(&str) -> Cow<'_, str>) {
    if let Cow::Owned(masked) = masked(text) {
        *text = masked;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_tells_of_people_is_not_kept() {
        let page = PageOutcome::checked("https://a.example/?token=abc", "Orders of jane@example.org");
        assert_eq!((page.url.as_str(), page.title.as_str()), ("https://a.example/?token=***", "Orders of ***"));
        let page = page.without_answers_of(&["https://t.example/?token=abc", "https://t.example/?token=abd"]);
        assert_eq!(page.unanswered, ["https://t.example/?token=***"]);
        let frame = UncheckedFrame::new("https://chat.example/u/jane%40example.org", FailureCode::Timeout);
        assert_eq!(frame.url, "https://chat.example/u/***");
        let html = r#"<input name="name" value="Jane Doe">"#;
        let selector = r#"[value="Jane Doe"]"#;
        let finding = Finding::new(RuleId::new("label"), 0, &page.url, selector, html, "Jane: jane@example.org");
        assert_eq!(finding.selector, r#"[value="***"]"#);
        assert_eq!(finding.html, r#"<input name="name" value="***">"#);
        assert_eq!(finding.failure_summary, "Jane: ***");
    }

    #[test]
    fn a_dead_link_counts_neither_as_checked_nor_as_scanned() {
        let gone = Failure::new(FailureCode::HttpStatus, "");
        let from = format!("https://a.example/?token=abc&{}", "a".repeat(3_000));
        let dead = PageOutcome::dead_link("https://a.example/gone", &from, gone.clone());
        let linked_from = dead.linked_from.clone().unwrap();
        assert!(linked_from.starts_with("https://a.example/?token=***&a"), "{linked_from}");
        assert_eq!(linked_from.chars().count(), PageOutcome::MAX_LINKED_FROM);
        let failed = PageOutcome::failed("https://a.example/500", "", gone);
        let findings = Findings {
            engine: Tool::axe_core("", ""),
            pages: vec![PageOutcome::checked("https://a.example/", ""), failed, dead],
            rules: BTreeMap::new(),
            items: vec![],
            needs_review: BTreeMap::new(),
            undecided: vec![],
            undecided_reasons: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        };
        assert_eq!((findings.pages_checked(), findings.pages_scanned()), (1, 2));
    }

    #[test]
    fn what_an_earlier_release_kept_of_people_is_masked_when_it_is_read() {
        let stored = serde_json::json!({
            "engine": {"axe": "", "browser": ""},
            "pages": [{"url": "https://a.example/?sid=1", "title": "", "error": null, "frames_not_checked": 0}],
            "rules": {},
            "items": [{
                "rule": "label", "page": 0, "selector": "#a", "html": "<input id=a value=Jane>", "failure_summary": "",
                "fingerprint": {"tight": "00", "loose": "01", "template": "02"}, "area": null, "screenshot": null,
                "is_new": false,
            }],
            "needs_review": {}, "stack": [], "screen": null,
        });
        let read: Findings = serde_json::from_value(stored).unwrap();
        assert_eq!(read.pages[0].url, "https://a.example/?sid=***");
        assert_eq!(read.items[0].html, "<input id=a value=***>");
    }

    #[test]
    fn findings_from_before_pictures_or_pages_could_be_missing_have_theirs() {
        let stored = r#"{"engine": {"axe": "4", "browser": "b"}, "pages": [], "rules": {}, "items": [], "needs_review": {},
            "stack": [], "screen": [1280, 800]}"#;
        let findings: Findings = serde_json::from_str(stored).unwrap();
        assert!(!findings.pictures_not_stored && !findings.stopped_by_timeouts);
        let written = serde_json::to_string(&findings).unwrap();
        assert!(!written.contains("pictures_not_stored") && !written.contains("stopped_by_timeouts"), "as before");
        let without = findings.without_pictures();
        let read: Findings = serde_json::from_str(&serde_json::to_string(&without).unwrap()).unwrap();
        assert!(read.pictures_not_stored && read.screen.is_none());
    }

    #[test]
    fn an_element_to_decide_about_has_a_number_after_those_that_fail_and_loses_its_picture_with_them() {
        let finding = |selector: &str| Finding::new(RuleId::new("label"), 0, "https://a.example/", selector, "", "");
        let engine = Tool::axe_core("4.14.0", "Chrome/150");
        let mut findings = Findings::new(engine).with_items([finding("#a"), finding("#b")]);
        let picture = ScreenshotRef::new(ScreenshotId(1), 2, 2);
        findings.undecided = vec![finding("#c").with_screenshot(picture)];
        let selector = |number| findings.numbered(number).map(|finding| finding.selector.as_str());
        assert_eq!([selector(0), selector(1), selector(3), selector(4)], [None, Some("#a"), Some("#c"), None]);
        assert_eq!(findings.undecided_with_numbers().map(|(number, _)| number).collect::<Vec<_>>(), [3]);
        let read: Findings = serde_json::from_str(&serde_json::to_string(&findings).unwrap()).unwrap();
        assert_eq!(read, findings);
        assert_eq!(findings.without_pictures().undecided[0].screenshot, None);
    }

    #[test]
    fn texts_of_a_page_are_bounded_by_characters() {
        let finding = Finding::new(RuleId::new("r"), 0, "https://a.example/", "#x", &"ж".repeat(9_000), "");
        assert_eq!(finding.html.chars().count(), Finding::MAX_HTML);
    }
}
