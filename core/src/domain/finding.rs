//! What a check found, free of any language: rules by id, elements by selector.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Cover, Engine, Failure, FailureCode, Fingerprint, Impact, PlatformKey, RuleFacts, RuleId, RuleKind, bounded,
    masked_html, masked_selector, masked_text,
};

/// A rectangle on the page, in CSS pixels from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named by the type's doc")]
pub struct Area {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

/// The number of a screenshot within its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScreenshotId(pub u32);

/// A picture of an element: which one, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenshotRef {
    /// Its number within the check.
    pub id: ScreenshotId,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// One element that breaks one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule; its facts stand in [`Findings::rules`].
    pub rule: RuleId,
    /// Index into [`Findings::pages`].
    pub page: usize,
    /// Where the element is: CSS selectors, from the outermost frame or shadow host inwards, joined by a space.
    /// At most [`Finding::MAX_SELECTOR`] characters.
    pub selector: String,
    /// The element's source. Hostile text. At most [`Finding::MAX_HTML`] characters.
    pub html: String,
    /// axe-core's English account of what is wrong. At most [`Finding::MAX_SUMMARY`] characters.
    pub failure_summary: String,
    /// Who this element is in the next check.
    pub fingerprint: Fingerprint,
    /// Where it stands on the page, when it is visible.
    pub area: Option<Area>,
    /// Its picture, when one was taken.
    pub screenshot: Option<ScreenshotRef>,
    /// Whether the previous completed check did not have it. False in the first check of a site.
    pub is_new: bool,
}

impl Finding {
    /// Characters of a selector that are kept.
    pub const MAX_SELECTOR: usize = 2_000;
    /// Characters of an element's source that are kept.
    pub const MAX_HTML: usize = 4_000;
    /// Characters of a failure summary that are kept.
    pub const MAX_SUMMARY: usize = 4_000;

    /// A finding on page number `page` whose address is `page_url`: its texts are bounded, what they tell of people is masked, and
    /// then its fingerprint is taken.
    pub fn new(rule: RuleId, page: usize, page_url: &str, selector: &str, html: &str, failure_summary: &str) -> Self {
        let selector = bounded(&masked_selector(selector), Self::MAX_SELECTOR);
        let html = bounded(&masked_html(html), Self::MAX_HTML);
        Self {
            // Of the address as it is stored: keys that are made again from there are the same.
            fingerprint: Fingerprint::of(&rule, &masked_text(page_url), &selector, &html),
            rule,
            page,
            selector,
            html,
            failure_summary: bounded(&masked_text(failure_summary), Self::MAX_SUMMARY),
            area: None,
            screenshot: None,
            is_new: false,
        }
    }
}

/// A page that the check visited or tried to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOutcome {
    /// The address by which the page was opened, as [`page_address`](super::page_address) gives it; earlier releases stored it
    /// without its final slash. [`page_key`](super::page_key) tells whether two pages are the same. At most
    /// [`PageOutcome::MAX_URL`] characters.
    pub url: String,
    /// The document's title; empty when there is none. Hostile text. At most [`PageOutcome::MAX_TITLE`] characters.
    pub title: String,
    /// Why the page was not checked; `None` when it was.
    pub error: Option<Failure>,
    /// The number of frames of the page that were not checked, which is not the same as free of problems.
    pub frames_not_checked: u32,
    /// Those frames by address and reason: the first [`PageOutcome::MAX_UNCHECKED_FRAMES`] of them. Checks of earlier
    /// releases have counted frames without naming them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked_frames: Vec<UncheckedFrame>,
    /// Whether the page was still building itself when the time for that was up, and was checked as it stood.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub still_changing: bool,
    /// Addresses that the page asked for and got no answer from, so that what they would have brought is missing in what was
    /// checked: at most [`PageOutcome::MAX_UNANSWERED`]. Hostile text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<String>,
    /// Elements that fail and are not among [`Findings::items`], by rule: a page has a limit of elements that are kept. They
    /// count in totals. Never 0.
    #[serde(default)]
    pub left_out: BTreeMap<RuleId, u32>,
    /// Where the page is a dead link: the address of the page, or of the sitemap, that leads to it, at most
    /// [`PageOutcome::MAX_LINKED_FROM`] characters of it. `None` for all other pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_from: Option<String>,
    /// What covered most of the page when it was checked, if anything did. Checks of earlier releases don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<Cover>,
}

/// A frame that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncheckedFrame {
    /// The address of what the frame shows, without query and fragment; empty where it is not known, as the frame was gone.
    /// Hostile text. At most [`UncheckedFrame::MAX_URL`] characters.
    pub url: String,
    /// Why it was not checked.
    pub reason: FailureCode,
}

impl UncheckedFrame {
    /// Characters of an address that are kept.
    pub const MAX_URL: usize = 500;

    /// A frame at `url`, which is masked and cut to its bound.
    pub fn new(url: &str, reason: FailureCode) -> Self {
        Self { url: bounded(&masked_text(url), Self::MAX_URL), reason }
    }
}

impl PageOutcome {
    /// Characters of an address that are kept.
    pub const MAX_URL: usize = 4_000;
    /// Characters of a title that are kept.
    pub const MAX_TITLE: usize = 300;
    /// Frames of one page that are named.
    pub const MAX_UNCHECKED_FRAMES: usize = 20;
    /// Characters of [`linked_from`](Self::linked_from) that are kept.
    pub const MAX_LINKED_FROM: usize = 2_000;
    /// Addresses without an answer that are kept of one page.
    pub const MAX_UNANSWERED: usize = 10;
    /// Characters of such an address that are kept.
    pub const MAX_ADDRESS: usize = 500;

    /// A page that was checked, and all of its frames with it. What its address and its title tell of people is masked.
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
        }
    }

    /// The same page, which got no answer from these addresses: the first [`PageOutcome::MAX_UNANSWERED`] of them. What they tell
    /// of people is masked.
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

    /// A page that could not be checked.
    pub fn failed(url: impl Into<String>, title: &str, error: Failure) -> Self {
        Self { error: Some(error), ..Self::checked(url, title) }
    }

    /// A page that the web server does not have, though `linked_from` leads to it. What that address tells of people is masked.
    pub fn dead_link(url: impl Into<String>, linked_from: &str, error: Failure) -> Self {
        let linked_from = bounded(&masked_text(linked_from), Self::MAX_LINKED_FROM);
        Self { linked_from: Some(linked_from), ..Self::failed(url, "", error) }
    }

    /// Whether axe-core ran on the page.
    pub const fn is_checked(&self) -> bool {
        self.error.is_none()
    }

    /// Whether the web server does not have the page, which then counts neither as a page of the check nor as one of the site.
    pub const fn is_dead_link(&self) -> bool {
        self.linked_from.is_some()
    }
}

/// Everything that a check found: one document per check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// What checked.
    pub engine: Engine,
    /// The pages, in the order in which they were taken up; the start page first.
    #[serde(deserialize_with = "masked_pages")]
    pub pages: Vec<PageOutcome>,
    /// Facts of every rule that [`items`](Self::items) or [`needs_review`](Self::needs_review) names.
    pub rules: BTreeMap<RuleId, RuleFacts>,
    /// Elements that fail, by page, then rule, then as axe-core orders them.
    #[serde(deserialize_with = "masked_items")]
    pub items: Vec<Finding>,
    /// Elements that axe-core could not decide, counted by rule. Never part of a total: a person must look.
    pub needs_review: BTreeMap<RuleId, u32>,
    /// Platform keys that the pages showed, the surest first.
    pub stack: Vec<PlatformKey>,
    /// Width and height of the first page's picture in pixels, when one was taken.
    pub screen: Option<(u32, u32)>,
    /// The rules that ran to their end on at least one page, whatever they found; `None` where that is not known: in checks of
    /// earlier releases, and of scanners that do not say it.
    #[serde(default)]
    pub ran: Option<BTreeSet<RuleId>>,
    /// Whether pictures were taken and could not be stored: none is referred to then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pictures_not_stored: bool,
    /// Whether the check was stopped because too many pages in a row were not ready in time: pages that it had not reached are
    /// missing, and nothing is said of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_by_timeouts: bool,
}

impl Findings {
    /// Problem or recommendation; a rule without facts is a recommendation, so that no total counts the unknown.
    pub fn kind_of(&self, rule: &RuleId) -> RuleKind {
        self.rules.get(rule).map_or(RuleKind::Recommendation, RuleFacts::kind)
    }

    /// The elements that count in totals.
    pub fn problems(&self) -> impl Iterator<Item = &Finding> {
        self.items.iter().filter(|finding| self.kind_of(&finding.rule) == RuleKind::Problem)
    }

    /// Whether the rule ran on at least one page, as far as that is known.
    pub fn has_run(&self, rule: &RuleId) -> bool {
        self.ran.as_ref().is_none_or(|ran| ran.contains(rule) || self.rules.contains_key(rule))
    }

    /// Counts of the problems by impact, those included that were left out above the limit of a page.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let left_out = self.pages.iter().flat_map(|page| &page.left_out).map(|(rule, count)| (rule, u64::from(*count)));
        for (rule, count) in self.items.iter().map(|finding| (&finding.rule, 1)).chain(left_out) {
            if let Some(facts) = self.rules.get(rule)
                && facts.kind() == RuleKind::Problem
            {
                totals.add(facts.impact, count);
            }
        }
        totals
    }

    /// Elements of a rule that fail and were left out above the limit of a page.
    pub fn left_out(&self, rule: &RuleId) -> u64 {
        self.pages.iter().filter_map(|page| page.left_out.get(rule)).map(|count| u64::from(*count)).sum()
    }

    /// Forgets every picture, because none could be stored.
    pub fn without_pictures(mut self) -> Self {
        self.items.iter_mut().for_each(|finding| finding.screenshot = None);
        Self { screen: None, pictures_not_stored: true, ..self }
    }

    /// Pages on which axe-core ran.
    pub fn pages_checked(&self) -> usize {
        self.pages.iter().filter(|page| page.is_checked()).count()
    }

    /// Pages that were taken up: those that could not be checked included, dead links aside.
    pub fn pages_scanned(&self) -> usize {
        self.pages.iter().filter(|page| !page.is_dead_link()).count()
    }
}

/// Problem elements by impact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "one count per impact")]
pub struct Totals {
    pub critical: u64,
    pub serious: u64,
    pub moderate: u64,
    pub minor: u64,
}

impl Totals {
    /// All four together.
    pub const fn total(&self) -> u64 {
        self.critical + self.serious + self.moderate + self.minor
    }

    /// Counts so many elements.
    pub const fn add(&mut self, impact: Impact, count: u64) {
        match impact {
            Impact::Critical => self.critical += count,
            Impact::Serious => self.serious += count,
            Impact::Moderate => self.moderate += count,
            Impact::Minor => self.minor += count,
        }
    }
}

/// Reads pages, and masks what an earlier release kept of their addresses and titles.
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
    }
    Ok(pages)
}

/// Reads elements, and masks what an earlier release, whose keys have an earlier version, kept of them.
fn masked_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Finding>, D::Error> {
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
            engine: Engine::axe_core("", ""),
            pages: vec![PageOutcome::checked("https://a.example/", ""), failed, dead],
            rules: BTreeMap::new(),
            items: vec![],
            needs_review: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
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
    fn texts_of_a_page_are_bounded_by_characters() {
        let finding = Finding::new(RuleId::new("r"), 0, "https://a.example/", "#x", &"ж".repeat(9_000), "");
        assert_eq!(finding.html.chars().count(), Finding::MAX_HTML);
    }
}
