//! Contract §8.1.

use a11ycheck_core::{
    domain::{
        CoverKind, Impact, OpenedBy, PageOutcome, PlatformKey, RuleId, StandardId, Totals, UncheckedFrame,
        UndecidedReason,
    },
    id::ScanId,
    locale::Locale,
    report::{
        ByHand, CoverView, CriterionByHand, Diff, Example, ExampleBox, FixedRuleView, Group, PageCount, PageView,
        PictureId, PictureRef, PlaceToCheck, PlaceView, Reason, Report, ToCheck, Trend, Undecided,
    },
    timestamp,
};
use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::failure::FailureView;
use crate::Links;

/// The findings of a check, in one language.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Report")]
pub struct ReportView<'a> {
    /// The id of the check.
    scan_id: ScanId,
    /// The language of the texts.
    locale: Locale,
    /// The site's address.
    url: &'a str,
    /// The name that the owner gave the site; else the title of its start page, else its domain. Escape it: it may be
    /// written by the checked page.
    title: &'a str,
    /// The platform key that tips follow.
    platform: Option<&'a PlatformKey>,
    /// The platform's name.
    platform_name: Option<&'a str>,
    /// The instant at which the check completed.
    #[serde(serialize_with = "timestamp::serialize")]
    checked_at: DateTime<Utc>,
    /// The first page as a picture.
    screen: Option<Screen>,
    /// Whether pictures were taken that could not be stored: then the report shows none, and lacks nothing else.
    pictures_not_stored: bool,
    /// Whether the check was stopped because 10 pages in a row were not ready in time: pages that it had not reached are
    /// missing, and count as neither fixed nor new.
    stopped_by_timeouts: bool,
    /// The standard against which the pages were checked, as sites name it.
    standard: StandardId,
    /// Its name.
    standard_name: &'a str,
    /// Problem elements by severity.
    totals: Totals,
    /// The number of all problem elements.
    total: u64,
    /// The number of places to fix: problem elements that one change clears count once.
    places: u64,
    /// The smallest number of these places that together have at least four fifths of the problem elements that are listed.
    places_for_most: u64,
    /// The problems (WCAG A and AA) by rule; what to fix first comes first.
    groups: Vec<GroupView<'a>>,
    /// The recommendations (AAA, best practice) by rule; their elements are in no total.
    advisory: Vec<GroupView<'a>>,
    /// Every page that the check opened, and dead links.
    pages: Vec<Page<'a>>,
    /// The elements that a person must look at, by rule.
    needs_review: Vec<Review<'a>>,
    /// The same rules with the reasons and some of the elements: what a person works through. In no total.
    to_check: Vec<RuleToCheck<'a>>,
    /// What no program tests, and how a person tests it in about an hour: its parts, in their order.
    by_hand: Vec<Step<'a>>,
    /// What changed since the previous completed check.
    diff: Changes<'a>,
    /// The latest completed checks up to this one, the oldest first.
    #[schemars(length(max = 12))]
    trend: Vec<Point>,
    /// The review that the operator has declared for the texts of this language: then no group's `machine` is true. Null if
    /// none was declared.
    review: Option<Reviewed<'a>>,
}

/// The review of a language's texts.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Review")]
struct Reviewed<'a> {
    /// The person or firm that has read the texts.
    by: &'a str,
    /// The day on which the review ended.
    on: NaiveDate,
}

/// The picture of a page.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Screen")]
struct Screen {
    /// The address of the picture, which takes the same token.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// The width in pixels.
    width: u32,
    /// The height in pixels.
    height: u32,
}

/// The elements that break one rule.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Group")]
struct GroupView<'a> {
    /// axe-core's id of the rule.
    rule: &'a RuleId,
    /// How hard a problem hits visitors; axe-core's impact.
    severity: Impact,
    /// The order in which to fix: 1 comes first; the numbers of recommendations follow those of problems.
    #[schemars(range(min = 1))]
    rank: u64,
    /// The rank of the rule whose repair clears all elements of this one, because both report the same fault; null where this
    /// rule has to be repaired itself.
    goes_away_with: Option<u64>,
    /// The number of elements.
    count: u64,
    /// The number of these elements that no export lists, because their pages had more elements than are kept.
    left_out: u64,
    /// The number of these elements that the previous completed check did not have.
    new_count: u64,
    /// The problem in a few words.
    title: &'a str,
    /// The problem in a sentence or two.
    summary: &'a str,
    /// The effect on visitors.
    impact: &'a str,
    /// The people whom the problem shuts out.
    who: &'a [String],
    /// The advice, with an example in HTML or CSS after a blank line where one helps.
    how_to_fix: String,
    /// The advice for the site's platform.
    platform_tip: Option<&'a str>,
    /// Whether the texts are a machine draft that no person has reviewed.
    machine: bool,
    /// Whether the texts are the catalogue's; else they are axe-core's own, in English.
    has_card: bool,
    /// The address of further reading.
    help: &'a str,
    /// WCAG success criteria and EN 301 549 clauses.
    refs: &'a [String],
    /// Paragraphs of the original Section 508 standards, for example `1194.22(a)`, where axe-core maps the rule to any.
    section508: &'a [String],
    /// Tests of Trusted Tester v5, for example `7.a`, where axe-core maps the rule to any.
    trusted_tester: &'a [String],
    /// Tests of RGAA 4, for example `1.1.1`, where axe-core maps the rule to any.
    rgaa: &'a [String],
    /// The pages where it happens, the one with most elements first.
    pages: Vec<Count<'a>>,
    /// Some of the elements, those with new ones and one of each place first; the exports have all of them.
    #[schemars(length(max = 10))]
    examples: Vec<Element<'a>>,
    /// The places of the examples on their pages.
    #[schemars(length(max = 10))]
    boxes: Vec<Rectangle>,
    /// The number of places to fix: elements that one change clears, on whatever pages, count once.
    n: u64,
    /// Those places, the ones with new elements first, then the ones with more elements.
    #[schemars(length(max = 20))]
    places: Vec<FixPlace<'a>>,
}

/// A place to fix: elements that one change clears.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Place")]
struct FixPlace<'a> {
    /// The number within the check of the element that stands for the place.
    id: u64,
    /// The number of elements that one change clears here.
    count: u64,
    /// The number of these that the previous completed check did not have.
    new_count: u64,
    /// The number of pages with such elements.
    pages: u64,
    /// What was measured, where that is what makes the place: two colours with their contrast ratio and the one that is
    /// required, or a size.
    measured: Option<&'a str>,
}

/// The number of elements of a rule on one page.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PageCount")]
struct Count<'a> {
    /// The page's address.
    url: &'a str,
    /// The number of elements.
    count: u64,
}

/// One element. Its texts come from the checked page: escape them.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Example")]
struct Element<'a> {
    /// Its number within the check.
    #[schemars(range(min = 1))]
    id: u64,
    /// The page's address.
    page: &'a str,
    /// The place on the page: a CSS selector.
    target: &'a str,
    /// Its source.
    html: &'a str,
    /// What was found on it, in the language of the report: a line for each sentence, code in backticks. Of checks of earlier
    /// releases it may be axe-core's own account in English reports, and null in others.
    details: Option<&'a str>,
    /// Whether the previous completed check did not have it.
    is_new: bool,
    /// The address of its picture, which takes the same token.
    #[schemars(extend("format" = "uri"))]
    shot: Option<String>,
    /// The width of the picture in pixels.
    shot_width: Option<u32>,
    /// The height of the picture in pixels.
    shot_height: Option<u32>,
    /// The control that was pressed before the element appeared; null for what the page shows by itself. An addition to the
    /// reference.
    opened_by: Option<&'a OpenedBy>,
}

/// The place of an example on its page, in CSS pixels from the top left corner.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Box")]
struct Rectangle {
    /// The example's number.
    #[schemars(range(min = 1))]
    id: u64,
    /// The distance from the left.
    x: u32,
    /// The distance from the top.
    y: u32,
    /// Its width.
    width: u32,
    /// Its height.
    height: u32,
}

/// One page of a check, or a dead link.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "CheckedPage")]
struct Page<'a> {
    /// Its address, as it was opened.
    url: &'a str,
    /// Its title. Written by the checked page: escape it.
    title: &'a str,
    /// The number of its problem elements; 0 where it could not be checked.
    issues: u64,
    /// The number of elements that fail on it, recommendations included, and are counted but not listed.
    left_out: u64,
    /// The reason why it could not be checked; the message is in the language of the answer.
    error: Option<FailureView<'a>>,
    /// The number of its frames that were not checked: the report says nothing about their content.
    frames_not_checked_count: u32,
    /// Those frames by address and reason. Empty in checks of releases that only counted them.
    #[schemars(length(max = PageOutcome::MAX_UNCHECKED_FRAMES))]
    frames_not_checked: &'a [UncheckedFrame],
    /// Whether it was still building itself when the time for that was up, and was checked as it was then.
    still_changing: bool,
    /// Addresses, without queries, that it asked for and got no answer from: what they would have brought is missing in
    /// what was checked. Written by the checked page: escape them.
    #[schemars(length(max = PageOutcome::MAX_UNANSWERED), inner(length(max = PageOutcome::MAX_ADDRESS)))]
    unanswered: &'a [String],
    /// The address of the page, or of the sitemap, that leads to it, where it is a dead link, which the web server does
    /// not have; else null. At most 100 dead links are listed, beside the pages of the plan. Written by the checked site:
    /// escape it.
    #[schemars(length(max = PageOutcome::MAX_LINKED_FROM))]
    linked_from: Option<&'a str>,
    /// The layer that covered most of it when it was checked; what lies behind it may not have been checked.
    cover: Option<Cover<'a>>,
    /// The page as a picture from its top left corner, on which the boxes of its examples can be drawn; null without one.
    /// Pages without an example have none, except for the start page, whose picture is `screen`.
    picture: Option<PagePicture>,
    /// The instant at which the check ended that examined the page: this one, or an earlier one if the page has not changed since; null
    /// if it could not be checked.
    #[serde(serialize_with = "timestamp::serialize_option")]
    checked_at: Option<DateTime<Utc>>,
}

/// The picture of a page, on which boxes can be drawn.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PagePicture")]
struct PagePicture {
    /// The address of the picture, which takes the same token.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// The width in pixels.
    width: u32,
    /// The height in pixels.
    height: u32,
    /// The number of pixels for one CSS pixel: the numbers of a box times `scale` are its place on the picture.
    scale: f64,
}

/// Something that covers most of a page as visitors first see it.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Cover")]
struct Cover<'a> {
    /// The kind of layer: a request for consent, another dialog, or a layer that does not say what it is.
    kind: CoverKind,
    /// The share of the visible part of the page that it covers.
    #[schemars(range(min = 50, max = 100))]
    percent: u8,
    /// The same for people, in the language of the answer.
    message: &'a str,
}

/// Elements of one rule that axe-core could not decide about: a person must look at them. They are in no total.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Undecided")]
struct Review<'a> {
    /// axe-core's id of the rule.
    rule: &'a RuleId,
    /// The rule in words.
    title: &'a str,
    /// The number of elements.
    #[schemars(range(min = 1))]
    count: u32,
}

/// Elements of one rule that a person must look at, because axe-core could not decide about them.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ToCheck")]
struct RuleToCheck<'a> {
    /// axe-core's id of the rule.
    rule: &'a RuleId,
    /// The rule in words.
    title: &'a str,
    /// The numbers of the WCAG success criteria that the rule tests.
    wcag: &'a [String],
    /// The number of elements.
    #[schemars(range(min = 1))]
    count: u64,
    /// How to tell by eye whether such an element is right; code in backticks.
    how_to_tell: &'a str,
    /// Why axe-core could not decide, the most frequent reason first. Empty in checks of earlier releases.
    #[schemars(length(max = UndecidedReason::MAX_PER_RULE))]
    reasons: Vec<WhyUndecided<'a>>,
    /// The number of elements whose reason is none of these.
    other_reasons: u64,
    /// Some of the elements, each unlike the others. Empty in checks of earlier releases.
    #[schemars(length(max = ToCheck::MAX_PLACES))]
    places: Vec<ElementToCheck<'a>>,
    /// The number of further places among the elements that are kept.
    further_places: u64,
}

/// Why axe-core could not decide about elements.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "UndecidedReason")]
struct WhyUndecided<'a> {
    /// The reason in a sentence, in the language of the answer. Code in backticks may come from the checked page: escape it.
    text: &'a str,
    /// How to tell by eye whether such an element is right.
    how_to_tell: &'a str,
    /// The number of elements.
    #[schemars(range(min = 1))]
    count: u64,
}

/// One element to look at. Its texts come from the checked page: escape them.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PlaceToCheck")]
struct ElementToCheck<'a> {
    /// Its number within the check, above those of all elements that fail.
    #[schemars(range(min = 1))]
    id: u64,
    /// The page's address.
    page: &'a str,
    /// The place on the page: a CSS selector.
    target: &'a str,
    /// Its source.
    html: &'a str,
    /// What axe-core found out about it, in the language of the report.
    details: Option<&'a str>,
    /// The address of its picture, which takes the same token.
    #[schemars(extend("format" = "uri"))]
    shot: Option<String>,
    /// The width of the picture in pixels.
    shot_width: Option<u32>,
    /// The height of the picture in pixels.
    shot_height: Option<u32>,
    /// The control that was pressed before the element appeared; null for what the page shows by itself. An addition to the
    /// reference.
    opened_by: Option<&'a OpenedBy>,
}

/// A part of the hour in which a person tests what no program can.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "HandStep")]
struct Step<'a> {
    /// Its id, the same in every language, for example `keyboard`. Later versions may add steps.
    id: &'a str,
    /// Its name.
    title: &'a str,
    /// How long it takes.
    #[schemars(range(min = 1))]
    minutes: u32,
    /// What to do, and what is right.
    how: &'a str,
    /// The success criteria that it answers.
    criteria: Vec<CriterionToTest<'a>>,
}

/// A success criterion that a person has to test.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "HandCriterion")]
struct CriterionToTest<'a> {
    /// Its number, for example `2.1.2`.
    number: &'a str,
    /// Its name, in the language of the answer.
    name: &'a str,
    /// Its level, `A` or `AA`.
    level: String,
    /// Whether rules test a part of it; otherwise no program does.
    has_rules: bool,
}

/// The changes since the previous completed check.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Diff")]
struct Changes<'a> {
    /// The check compared with; null for the first.
    previous_id: Option<ScanId>,
    /// The instant at which that one completed.
    #[serde(serialize_with = "timestamp::serialize_option")]
    previous_date: Option<DateTime<Utc>>,
    /// The number of its problem elements.
    previous_total: Option<u64>,
    /// The number of elements that it did not have.
    new: u64,
    /// The number of its elements that are gone.
    fixed: u64,
    /// The number of elements that both have.
    remaining: u64,
    /// The number of those of `remaining` on pages that the previous check did not have, known by their template.
    carried: u64,
    /// The number of elements of this check that can't be compared: `total = new + remaining + not_comparable_now`. All
    /// of them for the first.
    not_comparable_now: u64,
    /// The number of elements of the previous check that can't be compared: `previous_total = fixed + (remaining -
    /// carried) + not_comparable_before`.
    not_comparable_before: u64,
    /// The fixed elements by rule, most first.
    fixed_rules: Vec<Fixed<'a>>,
}

/// Fixed elements of one rule.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "FixedRule")]
struct Fixed<'a> {
    /// The rule in words.
    title: &'a str,
    /// The number of elements.
    count: u64,
}

/// One check of the trend.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "TrendPoint")]
struct Point {
    /// The id of the check.
    id: ScanId,
    /// The instant at which it completed.
    #[serde(serialize_with = "timestamp::serialize")]
    date: DateTime<Utc>,
    /// The number of its problem elements.
    total: u64,
}

impl<'a> ReportView<'a> {
    /// A report whose pictures are below the service's base address.
    pub fn new(report: &'a Report, links: &Links) -> Self {
        let addresses = Addresses { links, scan: report.scan_id };
        let group = |group| GroupView::new(group, &addresses);
        let screen =
            |screen: PictureRef| Screen { url: addresses.of(screen.id), width: screen.width, height: screen.height };
        Self {
            scan_id: report.scan_id,
            locale: report.locale,
            url: &report.url,
            title: &report.title,
            platform: report.platform.as_ref(),
            platform_name: report.platform_name.as_deref(),
            checked_at: report.checked_at,
            screen: report.screen.map(screen),
            pictures_not_stored: report.pictures_not_stored,
            stopped_by_timeouts: report.stopped_by_timeouts,
            standard: report.standard,
            standard_name: report.standard.name(),
            totals: report.totals,
            total: report.total,
            places: report.places,
            places_for_most: report.places_for_most,
            groups: report.groups.iter().map(group).collect(),
            advisory: report.advisory.iter().map(group).collect(),
            pages: report.pages.iter().map(|page| Page::new(page, report.checked_at, &addresses)).collect(),
            needs_review: report.needs_review.iter().map(Review::from).collect(),
            to_check: report.to_check.iter().map(|rule| RuleToCheck::new(rule, &addresses)).collect(),
            by_hand: report.by_hand.iter().map(Step::from).collect(),
            diff: (&report.diff).into(),
            trend: report.trend.iter().map(Point::from).collect(),
            review: report.review.as_ref().map(|review| Reviewed { by: review.by(), on: review.on() }),
        }
    }
}

/// The addresses of the pictures of a check.
struct Addresses<'a> {
    links: &'a Links,
    scan: ScanId,
}

impl Addresses<'_> {
    fn of(&self, picture: PictureId) -> String {
        match picture {
            PictureId::Screen => self.links.screen(self.scan),
            PictureId::Example(number) => self.links.evidence(self.scan, number),
            PictureId::Page(number) => self.links.page_picture(self.scan, number),
        }
    }
}

impl<'a> GroupView<'a> {
    fn new(group: &'a Group, addresses: &Addresses<'_>) -> Self {
        Self {
            rule: &group.rule,
            severity: group.severity,
            rank: group.rank,
            goes_away_with: group.goes_away_with,
            count: group.count,
            left_out: group.left_out,
            new_count: group.new_count,
            title: &group.title,
            summary: &group.summary,
            impact: &group.impact,
            who: &group.who,
            how_to_fix: match &group.example_code {
                Some(code) => format!("{}\n\n{code}", group.how_to_fix),
                None => group.how_to_fix.clone(),
            },
            platform_tip: group.platform_tip.as_deref(),
            machine: group.machine,
            has_card: group.has_card,
            help: &group.help,
            refs: &group.refs,
            section508: &group.section508,
            trusted_tester: &group.trusted_tester,
            rgaa: &group.rgaa,
            pages: group.pages.iter().map(Count::from).collect(),
            examples: group.examples.iter().map(|example| Element::new(example, addresses)).collect(),
            boxes: group.boxes.iter().map(Rectangle::from).collect(),
            n: group.n,
            places: group.places.iter().map(FixPlace::from).collect(),
        }
    }
}

impl<'a> From<&'a PlaceView> for FixPlace<'a> {
    fn from(PlaceView { id, count, new_count, pages, measured, .. }: &'a PlaceView) -> Self {
        Self { id: *id, count: *count, new_count: *new_count, pages: *pages, measured: measured.as_deref() }
    }
}

impl<'a> From<&'a PageCount> for Count<'a> {
    fn from(PageCount { url, count, .. }: &'a PageCount) -> Self {
        Self { url, count: *count }
    }
}

impl<'a> Element<'a> {
    fn new(example: &'a Example, addresses: &Addresses<'_>) -> Self {
        let Example { id, page, target, html, details, is_new, picture, opened_by, .. } = example;
        Self {
            id: *id,
            page,
            target,
            html,
            details: details.as_deref(),
            is_new: *is_new,
            shot: picture.map(|picture| addresses.of(picture.id)),
            shot_width: picture.map(|picture| picture.width),
            shot_height: picture.map(|picture| picture.height),
            opened_by: opened_by.as_ref(),
        }
    }
}

impl From<&ExampleBox> for Rectangle {
    fn from(&ExampleBox { id, x, y, width, height, .. }: &ExampleBox) -> Self {
        Self { id, x, y, width, height }
    }
}

impl<'a> Page<'a> {
    fn new(page: &'a PageView, checked_at: DateTime<Utc>, addresses: &Addresses<'_>) -> Self {
        let picture = |picture: PictureRef| PagePicture {
            url: addresses.of(picture.id),
            width: picture.width,
            height: picture.height,
            scale: f64::from(picture.scale_percent) / 100.0,
        };
        Self {
            url: &page.url,
            title: &page.title,
            issues: page.issues,
            left_out: page.left_out,
            error: page.error.as_ref().map(FailureView::from),
            frames_not_checked_count: page.frames_not_checked_count,
            frames_not_checked: &page.frames_not_checked,
            still_changing: page.still_changing,
            unanswered: &page.unanswered,
            linked_from: page.linked_from.as_deref(),
            cover: page.cover.as_ref().map(Cover::from),
            picture: page.picture.map(picture),
            checked_at: page.error.is_none().then_some(page.looked_at.unwrap_or(checked_at)),
        }
    }
}

impl<'a> From<&'a CoverView> for Cover<'a> {
    fn from(CoverView { kind, percent, message, .. }: &'a CoverView) -> Self {
        Self { kind: *kind, percent: *percent, message }
    }
}

impl<'a> From<&'a Undecided> for Review<'a> {
    fn from(Undecided { rule, title, count, .. }: &'a Undecided) -> Self {
        Self { rule, title, count: *count }
    }
}

impl<'a> RuleToCheck<'a> {
    fn new(rule: &'a ToCheck, addresses: &Addresses<'_>) -> Self {
        Self {
            rule: &rule.rule,
            title: &rule.title,
            wcag: &rule.wcag,
            count: rule.count,
            how_to_tell: &rule.how_to_tell,
            reasons: rule.reasons.iter().map(WhyUndecided::from).collect(),
            other_reasons: rule.other_reasons,
            places: rule.places.iter().map(|place| ElementToCheck::new(place, addresses)).collect(),
            further_places: rule.further_places,
        }
    }
}

impl<'a> From<&'a Reason> for WhyUndecided<'a> {
    fn from(Reason { text, how_to_tell, count, .. }: &'a Reason) -> Self {
        Self { text, how_to_tell, count: *count }
    }
}

impl<'a> ElementToCheck<'a> {
    fn new(place: &'a PlaceToCheck, addresses: &Addresses<'_>) -> Self {
        let PlaceToCheck { id, page, target, html, details, picture, opened_by, .. } = place;
        Self {
            id: *id,
            page,
            target,
            html,
            details: details.as_deref(),
            shot: picture.map(|picture| addresses.of(picture.id)),
            shot_width: picture.map(|picture| picture.width),
            shot_height: picture.map(|picture| picture.height),
            opened_by: opened_by.as_ref(),
        }
    }
}

impl<'a> From<&'a ByHand> for Step<'a> {
    fn from(ByHand { id, title, minutes, how, criteria, .. }: &'a ByHand) -> Self {
        Self { id, title, minutes: *minutes, how, criteria: criteria.iter().map(CriterionToTest::from).collect() }
    }
}

impl<'a> From<&'a CriterionByHand> for CriterionToTest<'a> {
    fn from(CriterionByHand { number, name, level, has_rules, .. }: &'a CriterionByHand) -> Self {
        Self { number, name, level: level.to_string(), has_rules: *has_rules }
    }
}

impl<'a> From<&'a Diff> for Changes<'a> {
    fn from(diff: &'a Diff) -> Self {
        Self {
            previous_id: diff.previous_id,
            previous_date: diff.previous_date,
            previous_total: diff.previous_total,
            new: diff.new,
            fixed: diff.fixed,
            remaining: diff.remaining,
            carried: diff.carried,
            not_comparable_now: diff.not_comparable_now,
            not_comparable_before: diff.not_comparable_before,
            fixed_rules: diff.fixed_rules.iter().map(Fixed::from).collect(),
        }
    }
}

impl<'a> From<&'a FixedRuleView> for Fixed<'a> {
    fn from(FixedRuleView { title, count, .. }: &'a FixedRuleView) -> Self {
        Self { title, count: *count }
    }
}

impl From<&Trend> for Point {
    fn from(&Trend { id, date, total, .. }: &Trend) -> Self {
        Self { id, date, total }
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::BaseUrl;

    use super::*;

    #[test]
    fn each_picture_has_its_address_below_the_base_address() {
        let links = Links::new(&BaseUrl::parse("https://a11y.example/v1").unwrap());
        let scan = ScanId::presented("scan_01K1MC0D5E7F8G9H2J3K4M5N6P");
        let addresses = Addresses { links: &links, scan };
        let of = |picture| addresses.of(picture).replace(&links.scan(scan), "…");
        assert_eq!(of(PictureId::Screen), "…/evidence/screen");
        assert_eq!(of(PictureId::Example(12)), "…/evidence/issue/12");
        assert_eq!(of(PictureId::Page(3)), "…/evidence/page/3");
    }
}
