//! The sites of the demo team and what their checks have found: invented, and such as one meets.
//!
//! Their names are below `example.com`, `example.net` and `example.org`, which are reserved (RFC 2606): nobody else's site is judged here.

use a11ycheck_core::{
    catalog::failure_of,
    domain::{Failure, FailureCause, FailureFacts, Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, Tool},
};

/// The number of weeks of the history; the last check of each site is in the last of them.
pub(super) const WEEKS: u32 = 12;
/// The version of axe-core whose rules these are.
const AXE: &str = "4.14.1";

/// A site.
pub(super) struct DemoSite {
    pub(super) url: &'static str,
    pub(super) name: &'static str,
    pub(super) tag: &'static str,
    /// The week of its first check.
    since: u32,
    /// The week from which its checks fail, because its certificate has expired.
    unreachable_from: Option<u32>,
    /// Paths and titles, the start page first.
    pages: &'static [(&'static str, &'static str)],
    faults: &'static [Fault],
    /// The number of elements on each page whose contrast a person has to look at.
    undecided: u32,
}

/// An element that fails.
struct Fault {
    rule: usize,
    on: On,
    selector: &'static str,
    html: &'static str,
    /// The weeks in which it is there.
    weeks: std::ops::Range<u32>,
}

/// The pages with an element.
enum On {
    Every,
    Page(usize),
}

const IMAGE_ALT: usize = 0;
const CONTRAST: usize = 1;
const LINK_NAME: usize = 2;
const LABEL: usize = 3;
const BUTTON_NAME: usize = 4;
const LANGUAGE: usize = 5;
const FRAME_TITLE: usize = 6;
const HEADINGS: usize = 7;
const REGION: usize = 8;

/// The rules with axe-core's impact and tags, and the way in which axe-core sums up what is wrong.
const RULES: [(&str, Impact, &[&str], &str); 9] = [
    (
        "image-alt",
        Impact::Critical,
        &["wcag2a", "wcag111"],
        "Fix any of the following:\n  Element does not have an alt attribute",
    ),
    (
        "color-contrast",
        Impact::Serious,
        &["wcag2aa", "wcag143"],
        "Fix any of the following:\n  Element has insufficient color contrast",
    ),
    (
        "link-name",
        Impact::Serious,
        &["wcag2a", "wcag244", "wcag412"],
        "Fix all of the following:\n  Element is in tab order and does not have accessible text",
    ),
    (
        "label",
        Impact::Critical,
        &["wcag2a", "wcag412"],
        "Fix any of the following:\n  Element does not have an implicit (wrapped) <label>",
    ),
    (
        "button-name",
        Impact::Critical,
        &["wcag2a", "wcag412"],
        "Fix any of the following:\n  Element does not have inner text that is visible to screen readers",
    ),
    (
        "html-has-lang",
        Impact::Serious,
        &["wcag2a", "wcag311"],
        "Fix any of the following:\n  The <html> element does not have a lang attribute",
    ),
    (
        "frame-title",
        Impact::Serious,
        &["wcag2a", "wcag412"],
        "Fix any of the following:\n  Element has no title attribute",
    ),
    ("heading-order", Impact::Moderate, &["best-practice"], "Fix any of the following:\n  Heading order invalid"),
    (
        "region",
        Impact::Moderate,
        &["best-practice"],
        "Fix any of the following:\n  Some page content is not contained by landmarks",
    ),
];

const fn fault(rule: usize, on: On, selector: &'static str, html: &'static str, weeks: std::ops::Range<u32>) -> Fault {
    Fault { rule, on, selector, html, weeks }
}

pub(super) const SITES: [DemoSite; 5] = [
    DemoSite {
        url: "https://riverside-museum.example.com/",
        name: "Riverside Museum",
        tag: "culture",
        since: 0,
        unreachable_from: None,
        pages: &[
            ("", "Riverside Museum"),
            ("visit", "Plan your visit – Riverside Museum"),
            ("exhibitions", "Exhibitions – Riverside Museum"),
            ("exhibitions/tides", "Tides – Riverside Museum"),
            ("tickets", "Tickets – Riverside Museum"),
            ("contact", "Contact – Riverside Museum"),
        ],
        faults: &[
            fault(
                IMAGE_ALT,
                On::Every,
                "header > a.logo > img",
                r#"<img src="/theme/logo.svg" width="180" height="48">"#,
                0..4,
            ),
            fault(
                CONTRAST,
                On::Every,
                "footer .imprint > a",
                r##"<a href="/imprint" class="muted">Imprint</a>"##,
                0..12,
            ),
            fault(
                CONTRAST,
                On::Every,
                "footer .opening-hours",
                r#"<p class="opening-hours">Open Tuesday to Sunday, 10 am to 6 pm</p>"#,
                0..7,
            ),
            fault(
                BUTTON_NAME,
                On::Every,
                "header > button.menu",
                r#"<button class="menu"><svg viewBox="0 0 24 24"><path d="M3 6h18M3 12h18M3 18h18"/></svg></button>"#,
                0..9,
            ),
            fault(
                LINK_NAME,
                On::Page(0),
                ".teaser:nth-child(2) > a",
                r#"<a href="/exhibitions/tides"><img src="/media/tides.jpg" alt=""></a>"#,
                0..12,
            ),
            fault(
                LINK_NAME,
                On::Page(2),
                ".card:nth-child(1) > a.more",
                r#"<a class="more" href="/exhibitions/tides"></a>"#,
                0..6,
            ),
            fault(
                LINK_NAME,
                On::Page(2),
                ".card:nth-child(3) > a.more",
                r#"<a class="more" href="/exhibitions/glass"></a>"#,
                0..6,
            ),
            fault(
                IMAGE_ALT,
                On::Page(3),
                ".gallery > img:nth-child(1)",
                r#"<img src="/media/tides-01.jpg" loading="lazy">"#,
                2..12,
            ),
            fault(
                IMAGE_ALT,
                On::Page(3),
                ".gallery > img:nth-child(2)",
                r#"<img src="/media/tides-02.jpg" loading="lazy">"#,
                2..12,
            ),
            fault(LABEL, On::Page(4), "#ticket-date", r#"<input type="date" id="ticket-date" name="date">"#, 0..11),
            fault(
                LABEL,
                On::Page(4),
                "select[name='count']",
                r#"<select name="count"><option>1</option></select>"#,
                0..12,
            ),
            fault(
                FRAME_TITLE,
                On::Page(5),
                "main > iframe",
                r#"<iframe src="https://maps.example.net/embed?place=riverside"></iframe>"#,
                0..5,
            ),
            fault(HEADINGS, On::Page(1), "main > h4", "<h4>How to get here</h4>", 0..12),
            fault(
                REGION,
                On::Every,
                "body > .announcement",
                r#"<div class="announcement">Late opening on Thursday</div>"#,
                8..12,
            ),
        ],
        undecided: 1,
    },
    DemoSite {
        url: "https://hillcrest-school.example.org/",
        name: "Hillcrest School",
        tag: "education",
        since: 0,
        unreachable_from: None,
        pages: &[
            ("", "Hillcrest School"),
            ("admissions", "Admissions – Hillcrest School"),
            ("calendar", "Calendar – Hillcrest School"),
            ("news", "News – Hillcrest School"),
        ],
        faults: &[
            fault(LANGUAGE, On::Every, "html", r#"<html class="no-js">"#, 0..3),
            fault(
                CONTRAST,
                On::Every,
                "nav li:nth-child(4) > a",
                r#"<a href="/news" class="nav-link">News</a>"#,
                0..12,
            ),
            fault(
                IMAGE_ALT,
                On::Page(3),
                "article:nth-of-type(1) img",
                r#"<img src="/uploads/sports-day.jpg">"#,
                5..12,
            ),
            fault(IMAGE_ALT, On::Page(3), "article:nth-of-type(2) img", r#"<img src="/uploads/choir.jpg">"#, 11..12),
            fault(
                LABEL,
                On::Page(1),
                "#enquiry textarea",
                r#"<textarea name="message" placeholder="Your message"></textarea>"#,
                0..8,
            ),
            fault(
                BUTTON_NAME,
                On::Page(2),
                ".fc-next-button",
                r#"<button type="button" class="fc-next-button"><span class="fc-icon"></span></button>"#,
                0..12,
            ),
            fault(
                BUTTON_NAME,
                On::Page(2),
                ".fc-prev-button",
                r#"<button type="button" class="fc-prev-button"><span class="fc-icon"></span></button>"#,
                0..12,
            ),
        ],
        undecided: 0,
    },
    DemoSite {
        url: "https://northwind-bikes.example.com/",
        name: "Northwind Bikes",
        tag: "shops",
        since: 3,
        unreachable_from: None,
        pages: &[
            ("", "Northwind Bikes"),
            ("bikes", "Bikes – Northwind Bikes"),
            ("bikes/city-7", "City 7 – Northwind Bikes"),
            ("basket", "Basket – Northwind Bikes"),
            ("checkout", "Checkout – Northwind Bikes"),
        ],
        faults: &[
            fault(CONTRAST, On::Every, ".price > small", r#"<small class="vat">incl. VAT</small>"#, 3..12),
            fault(
                LINK_NAME,
                On::Every,
                "header a.basket",
                r#"<a class="basket" href="/basket"><i class="icon-basket"></i></a>"#,
                3..12,
            ),
            fault(
                LABEL,
                On::Page(4),
                "#card-number",
                r#"<input id="card-number" autocomplete="cc-number" placeholder="Card number">"#,
                3..12,
            ),
            fault(
                LABEL,
                On::Page(4),
                "#card-expiry",
                r#"<input id="card-expiry" autocomplete="cc-exp" placeholder="MM / YY">"#,
                3..12,
            ),
            fault(IMAGE_ALT, On::Page(2), ".thumbs > img:nth-child(2)", r#"<img src="/img/city-7-side.webp">"#, 3..12),
            fault(IMAGE_ALT, On::Page(1), ".product:nth-child(5) img", r#"<img src="/img/trail-3.webp">"#, 9..12),
        ],
        undecided: 2,
    },
    DemoSite {
        url: "https://lakeview-clinic.example.org/",
        name: "Lakeview Clinic",
        tag: "health",
        since: 1,
        unreachable_from: Some(11),
        pages: &[("", "Lakeview Clinic"), ("doctors", "Our doctors – Lakeview Clinic")],
        faults: &[
            fault(CONTRAST, On::Every, ".emergency > span", r#"<span class="hint">Emergencies: call 112</span>"#, 1..6),
            fault(IMAGE_ALT, On::Page(1), ".doctor:nth-child(2) > img", r#"<img src="/staff/dr-okafor.jpg">"#, 1..12),
        ],
        undecided: 0,
    },
    DemoSite {
        url: "https://open-library.example.net/",
        name: "Open Library",
        tag: "culture",
        since: 2,
        unreachable_from: None,
        pages: &[("", "Open Library"), ("catalogue", "Catalogue – Open Library"), ("events", "Events – Open Library")],
        faults: &[fault(
            FRAME_TITLE,
            On::Page(2),
            "main > iframe",
            r#"<iframe src="https://video.example.net/embed/reading"></iframe>"#,
            2..7,
        )],
        undecided: 0,
    },
];

impl DemoSite {
    /// Returns what the check of a week finds; `None` before the site was added.
    pub(super) fn checked_in(&self, week: u32) -> Option<Result<Findings, Failure>> {
        if week < self.since {
            return None;
        }
        if self.unreachable_from.is_some_and(|from| week >= from) {
            return Some(Err(failure_of(FailureCause::CertificateExpired, FailureFacts::default())));
        }
        let pages: Vec<_> =
            self.pages.iter().map(|(path, title)| PageOutcome::checked(format!("{}{path}", self.url), title)).collect();
        let mut items = Vec::new();
        for (number, page) in pages.iter().enumerate() {
            let mut of_page: Vec<&Fault> = self.faults.iter().filter(|fault| fault.is_on(number, week)).collect();
            // Findings are ordered by page, then by rule.
            of_page.sort_by_key(|fault| RULES[fault.rule].0);
            for Fault { rule, selector, html, .. } in of_page {
                let (rule, _, _, summary) = RULES[*rule];
                items.push(Finding::new(RuleId::new(rule), number, &page.url, selector, html, summary));
            }
        }
        let mut findings = Findings::new(Tool::axe_core(AXE, "Chromium"));
        if self.undecided > 0 {
            let contrast = RuleId::new(RULES[CONTRAST].0);
            for (number, page) in pages.iter().enumerate() {
                let html = r#"<h2 class="hero__title">Welcome</h2>"#;
                let element = Finding::new(contrast.clone(), number, &page.url, ".hero > h2", html, "");
                findings.undecided.push(element);
            }
            let count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
            findings.needs_review.insert(contrast, count);
        }
        let facts = |(rule, impact, tags, _): &(&str, Impact, &[&str], &str)| {
            (RuleId::new(*rule), RuleFacts::new(*impact, tags.iter().copied()))
        };
        let used = |id: &RuleId| items.iter().any(|item| item.rule == *id) || findings.needs_review.contains_key(id);
        let rules: Vec<_> = RULES.iter().map(facts).filter(|(id, _)| used(id)).collect();
        let ran: Vec<RuleId> = RULES.iter().map(|(rule, ..)| RuleId::new(*rule)).collect();
        Some(Ok(findings.with_pages(pages).with_rules(rules).with_items(items).with_ran(ran)))
    }
}

impl Fault {
    fn is_on(&self, page: usize, week: u32) -> bool {
        let is_here = match self.on {
            On::Every => true,
            On::Page(number) => number == page,
        };
        is_here && self.weeks.contains(&week)
    }
}
