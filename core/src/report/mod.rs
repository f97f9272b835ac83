//! The report that a site owner reads, made of findings, as types. The crate `a11ycheck-api-v1` has its JSON.

mod accepted;
pub mod brief;
mod by_hand;
mod details;
mod groups;
#[cfg(test)]
mod of_extract;
mod prepared;
#[cfg(feature = "testing")]
mod testing;
mod thing;
mod to_check;

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use self::groups::{GroupSources, Groups};
pub(crate) use self::{
    accepted::decided,
    by_hand::by_hand,
    details::{details, found, opened},
    prepared::{Prepared, PreparedPage, PreparedRule, PreparedUndecided},
    to_check::to_check,
};
pub use self::{
    by_hand::{ByHand, CriterionByHand},
    details::said_of,
    groups::{Example, ExampleBox, Group, PageCount, PlaceView},
    thing::{Thing, ThingKind},
    to_check::{PlaceToCheck, Reason, ToCheck},
};
pub use crate::ranking::PlaceKey;
pub(crate) use crate::ranking::measured_on;
use crate::{
    catalog::{Review, card},
    domain::{
        Acceptances, CoverKind, Failure, Findings, Outcome, PlatformKey, RuleId, Scan, ScreenshotRef, Site, StandardId,
        Tool, Totals, UncheckedFrame,
    },
    id::ScanId,
    locale::Locale,
    ranking::{Extract, MAX_SCREEN_BOXES, Ranked, most_effective},
    store::TrendPoint,
};

/// A report in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The id of the check.
    pub scan_id: ScanId,
    /// The language of the report.
    pub locale: Locale,
    /// The address of the site.
    pub url: String,
    /// The name that the owner gave the site, as in exports; or else the start page's title, or else the domain.
    /// Hostile text.
    pub title: String,
    /// The platform that tips follow.
    pub platform: Option<PlatformKey>,
    /// The name of that platform.
    pub platform_name: Option<String>,
    /// The instant at which the check completed.
    pub checked_at: DateTime<Utc>,
    /// The engine that judged the pages, and its browser.
    pub engine: Tool,
    /// The picture of the first page, if one was taken.
    pub screen: Option<PictureRef>,
    /// The places on that picture of the elements with problems, at most [`Report::MAX_SCREEN_BOXES`]; those of equal places
    /// count once.
    pub screen_boxes: Vec<ExampleBox>,
    /// True if pictures were taken but could not be stored: the report then shows none.
    pub pictures_not_stored: bool,
    /// True if the check was stopped because too many pages in a row were not ready in time: pages that it had not
    /// reached are missing.
    pub stopped_by_timeouts: bool,
    /// The standard against which the pages were checked.
    pub standard: StandardId,
    /// The number of problem elements by severity.
    pub totals: Totals,
    /// The number of all problem elements.
    pub total: u64,
    /// The number of places to fix: problem elements that one change clears count once (decision 0017).
    pub places: u64,
    /// The smallest number of these places that together have at least four fifths of the problem elements that are listed.
    pub places_for_most: u64,
    /// The problems by rule, in the order in which they should be fixed.
    pub groups: Vec<Group>,
    /// The recommendations by rule, in the same form; their elements are in no total.
    pub advisory: Vec<Group>,
    /// Every page that was visited, and dead links.
    pub pages: Vec<PageView>,
    /// The elements by rule that axe-core could not judge, so that a person must look at them; they are in no total.
    pub needs_review: Vec<Undecided>,
    /// The same rules, with the reasons and some of the elements, for whoever looks at them.
    pub to_check: Vec<ToCheck>,
    /// What no program tests, and how a person tests it: the parts of about an hour.
    pub by_hand: Vec<ByHand>,
    /// The changes since the previous completed check.
    pub diff: Diff,
    /// The latest completed checks up to this one, the oldest first; at most [`Report::TREND_LENGTH`].
    pub trend: Vec<Trend>,
    /// The review that the operator has declared for the language of the report; `None` if there was none.
    pub review: Option<Review>,
    /// The accepted elements. They are in every number and list, where they are marked, and places that are accepted as a whole
    /// are not in what to do.
    pub accepted: Acceptances,
}

/// A picture that belongs to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureRef {
    /// The id of the picture within the check. The service has its bytes.
    pub id: PictureId,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The number of pixels for 100 CSS pixels of the page: 200 where a small element is shown at twice its size.
    pub scale_percent: u16,
}

/// The id of a picture within a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PictureId {
    /// The picture of the first page.
    Screen,
    /// The picture of the example or the place to check with this [`id`](Example::id).
    Example(u64),
    /// The picture of the page with this number, from 1, in the order of [`Report::pages`].
    Page(u64),
}

impl PictureRef {
    fn of(id: PictureId, shot: ScreenshotRef) -> Self {
        Self { id, width: shot.width, height: shot.height, scale_percent: shot.scale_percent }
    }
}

/// A page of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageView {
    /// The address of the page.
    pub url: String,
    /// The title of the page. Hostile text.
    pub title: String,
    /// The number of its problem elements; 0 if it could not be checked, in which case [`error`](Self::error) is set.
    pub issues: u64,
    /// The number of elements that fail on the page, recommendations included, and are counted but not listed, because
    /// only a limited number is kept for a page.
    pub left_out: u64,
    /// The reason why it could not be checked; the message is in the report's language.
    pub error: Option<Failure>,
    /// The number of its frames that were not checked.
    pub frames_not_checked_count: u32,
    /// Those frames by address and reason, at most
    /// [`PageOutcome::MAX_UNCHECKED_FRAMES`](crate::domain::PageOutcome::MAX_UNCHECKED_FRAMES) of them. Empty in checks
    /// of releases that counted frames without naming them.
    pub frames_not_checked: Vec<UncheckedFrame>,
    /// True if the page was still changing when the time for it to settle was over, and was checked as it was.
    pub still_changing: bool,
    /// Addresses from which the page requested something and got no response, at most
    /// [`PageOutcome::MAX_UNANSWERED`](crate::domain::PageOutcome::MAX_UNANSWERED) of them. Hostile text.
    pub unanswered: Vec<String>,
    /// The address of the page or sitemap that links to it, if it is a dead link.
    pub linked_from: Option<String>,
    /// The layer that covered most of the page when it was checked, if any.
    pub cover: Option<CoverView>,
    /// The picture of the page from its top left corner, if one was taken; the [boxes](Group::boxes) of its elements can
    /// be drawn on it. That of the start page is [`Report::screen`].
    pub picture: Option<PictureRef>,
    /// The end of the check that examined the page, if it was an earlier one: it has not changed since.
    pub looked_at: Option<DateTime<Utc>>,
}

/// The layer that covers most of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoverView {
    /// The kind of the layer.
    pub kind: CoverKind,
    /// The share of the visible part of the page that it covers, in percent.
    pub percent: u8,
    /// Kind and share in a sentence in the report's language.
    pub message: String,
}

/// The elements of one rule that axe-core could not judge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// The id of the rule.
    pub rule: RuleId,
    /// The title of the rule.
    pub title: String,
    /// True if the catalogue has a card for the rule; otherwise the title is that of axe-core, in English.
    pub has_card: bool,
    /// The number of elements.
    pub count: u32,
}

/// The changes since the previous completed check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// The id of the previous check; `None` for the first check of a site.
    pub previous_id: Option<ScanId>,
    /// The instant at which the previous check completed.
    pub previous_date: Option<DateTime<Utc>>,
    /// The number of its problem elements.
    pub previous_total: Option<u64>,
    /// The number of elements that the previous check did not have.
    pub new: u64,
    /// The number of elements of the previous check that are no longer there.
    pub fixed: u64,
    /// The number of elements that both checks have.
    pub remaining: u64,
    /// The number of `remaining` elements on pages that the previous check did not have, which are known by their
    /// template.
    pub carried: u64,
    /// The number of elements of this check that can't be compared: `total = new + remaining + not_comparable_now`. All
    /// elements for the first check of a site.
    pub not_comparable_now: u64,
    /// The number of elements of the previous check that can't be compared:
    /// `previous_total = fixed + (remaining - carried) + not_comparable_before`.
    pub not_comparable_before: u64,
    /// The fixed elements by rule, the largest count first.
    pub fixed_rules: Vec<FixedRuleView>,
}

/// The fixed elements of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedRuleView {
    /// The title of the rule.
    pub title: String,
    /// The number of elements.
    pub count: u64,
}

/// A check in the trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trend {
    /// The id of the check.
    pub id: ScanId,
    /// The instant at which it completed.
    pub date: DateTime<Utc>,
    /// The number of its problem elements.
    pub total: u64,
}

/// The data from which a report is made.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The check.
    pub scan: &'a Scan,
    /// The numbers of the check.
    pub outcome: &'a Outcome,
    /// The instant at which the check completed.
    pub finished_at: DateTime<Utc>,
    /// The site that was checked.
    pub site: &'a Site,
    /// Everything that the check found.
    pub findings: &'a Findings,
    /// The latest completed checks up to this one, the oldest first; at most [`Report::TREND_LENGTH`].
    pub trend: &'a [TrendPoint],
}

/// The data from which a report is made where there is an extract of the findings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtractSources<'a> {
    pub(crate) scan: &'a Scan,
    pub(crate) outcome: &'a Outcome,
    pub(crate) finished_at: DateTime<Utc>,
    pub(crate) site: &'a Site,
    pub(crate) extract: &'a Extract,
    pub(crate) trend: &'a [TrendPoint],
}

impl Report {
    /// The greatest number of checks in the trend.
    pub const TREND_LENGTH: u32 = 12;
    /// The greatest number of outlines on the picture of the first page.
    pub const MAX_SCREEN_BOXES: usize = MAX_SCREEN_BOXES;

    /// Makes the report of a check in one language.
    pub fn new(sources: Sources<'_>, locale: Locale) -> Self {
        Self::with_accepted(sources, Acceptances::default(), locale)
    }

    /// Makes the report of a check in one language where some of its elements are accepted.
    pub fn with_accepted(sources: Sources<'_>, accepted: Acceptances, locale: Locale) -> Self {
        Self::of_ranked(&Ranked::of(sources.findings), sources, accepted, locale)
    }

    /// Makes the same report from the extract of the findings.
    pub(crate) fn of_extract(sources: ExtractSources<'_>, accepted: Acceptances, locale: Locale) -> Self {
        let ExtractSources { scan, outcome, finished_at, site, extract, trend } = sources;
        let sources = Sources { scan, outcome, finished_at, site, findings: extract.rest(), trend };
        Self::of_ranked(&extract.ranked(), sources, accepted, locale)
    }

    /// Makes the report. Of the findings among the sources, the elements that fail are not read.
    fn of_ranked(ranked: &Ranked<'_>, sources: Sources<'_>, accepted: Acceptances, locale: Locale) -> Self {
        let Sources { scan, outcome, finished_at, site, findings, trend } = sources;
        let platform = prepared::platform(&site.details, findings);
        let Groups { problems: groups, recommendations: advisory, place_counts } =
            groups::groups(GroupSources { ranked, accepted: &accepted, platform, locale });
        let start_title = findings.pages.first().map(|page| page.title.trim()).filter(|title| !title.is_empty());
        let name = site.details.name.as_deref().or(start_title);
        let screen = findings.screen.map(|(width, height)| PictureRef {
            id: PictureId::Screen,
            width,
            height,
            scale_percent: 100,
        });
        let of_rules = ranked.rules.iter().map(|rule| (rule.kind, rule.pages.as_slice()));
        let pages = (1..).zip(prepared::pages(findings, of_rules, locale)).map(|(number, page)| {
            let own = page.outcome.picture.map(|shot| PictureRef::of(PictureId::Page(number), shot));
            PageView { picture: own.or(screen.filter(|_| number == 1)), ..page.into() }
        });
        Self {
            scan_id: scan.id,
            locale,
            url: site.details.url.to_string(),
            title: name.unwrap_or_else(|| site.details.url.domain()).to_owned(),
            platform: platform.cloned(),
            platform_name: platform.map(|key| key.display_name().to_owned()),
            checked_at: finished_at,
            engine: findings.engine.clone(),
            screen,
            screen_boxes: ranked.boxes.iter().map(|(id, area)| groups::example_box(*id, *area)).collect(),
            pictures_not_stored: findings.pictures_not_stored,
            stopped_by_timeouts: findings.stopped_by_timeouts,
            standard: findings.standard,
            totals: outcome.totals,
            total: outcome.totals.total(),
            places: groups.iter().map(|group| group.n).sum(),
            places_for_most: most_effective(place_counts),
            groups,
            advisory,
            pages: pages.collect(),
            needs_review: prepared::undecided(findings, locale).map(Undecided::from).collect(),
            to_check: to_check::to_check_from(findings, ranked.first_undecided, locale),
            by_hand: by_hand(locale),
            diff: diff(outcome, locale),
            trend: trend
                .iter()
                .map(|point| Trend { id: point.id, date: point.finished_at, total: point.total })
                .collect(),
            review: None,
            accepted,
        }
    }

    /// Notes that the texts of the report's language have been reviewed: none of them is a machine draft any more.
    #[must_use]
    pub fn with_review(mut self, review: impl Into<Option<Review>>) -> Self {
        self.review = review.into();
        if self.review.is_some() {
            for group in self.groups.iter_mut().chain(&mut self.advisory) {
                group.machine = false;
            }
        }
        self
    }
}

impl From<PreparedPage<'_>> for PageView {
    fn from(page: PreparedPage<'_>) -> Self {
        let outcome = page.outcome;
        Self {
            url: outcome.url.clone(),
            title: outcome.title.clone(),
            issues: page.issues,
            left_out: page.left_out,
            error: page.error.map(Cow::into_owned),
            frames_not_checked_count: outcome.frames_not_checked,
            frames_not_checked: outcome.unchecked_frames.clone(),
            still_changing: outcome.still_changing,
            unanswered: outcome.unanswered.clone(),
            linked_from: outcome.linked_from.clone(),
            cover: page.cover,
            picture: None,
            looked_at: outcome.looked_at,
        }
    }
}

impl From<PreparedUndecided<'_>> for Undecided {
    fn from(PreparedUndecided { rule, title, has_card, count }: PreparedUndecided<'_>) -> Self {
        Self { rule: rule.clone(), title: title.to_owned(), has_card, count }
    }
}

fn diff(outcome: &Outcome, locale: Locale) -> Diff {
    let summary = &outcome.diff;
    Diff {
        previous_id: summary.previous.map(|previous| previous.id),
        previous_date: summary.previous.map(|previous| previous.finished_at),
        previous_total: summary.previous.map(|previous| previous.total),
        new: summary.new,
        fixed: summary.fixed,
        remaining: summary.remaining,
        carried: summary.carried,
        not_comparable_now: match summary.previous {
            Some(_) => summary.not_comparable_now,
            None => outcome.totals.total(),
        },
        not_comparable_before: summary.not_comparable_before,
        fixed_rules: summary
            .fixed_rules
            .iter()
            .map(|fixed| {
                let card = card(fixed.rule.as_str(), locale);
                FixedRuleView {
                    title: card.map_or(fixed.help.as_str(), |card| card.title).to_owned(),
                    count: fixed.count,
                }
            })
            .collect(),
    }
}
