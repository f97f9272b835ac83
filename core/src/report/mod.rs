//! From findings to the report that a site owner reads: contract, "Report".

mod groups;
mod rank;

use chrono::{DateTime, Utc};
use serde::Serialize;

pub use self::groups::{Example, ExampleBox, Group, PageCount};
pub(crate) use self::rank::{RankedRule, platform, ranked};
use crate::{
    catalog::{card, describe, terms},
    domain::{
        Cover, CoverKind, Failure, Findings, Outcome, PlatformKey, RuleId, RuleKind, Scan, Site, Totals, UncheckedFrame,
    },
    id::ScanId,
    links::Links,
    locale::Locale,
    store::TrendPoint,
    timestamp,
    view::failure,
};

/// A report in one language; serialises to the contract's JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The check.
    pub scan_id: ScanId,
    /// The language.
    pub locale: Locale,
    /// The site's address.
    pub url: String,
    /// What the owner calls the site, as in exports; else the start page's title, else the domain. Hostile text.
    pub title: String,
    /// The platform that tips follow.
    pub platform: Option<PlatformKey>,
    /// Its name.
    pub platform_name: Option<String>,
    /// When the check completed.
    #[serde(serialize_with = "timestamp::serialize")]
    pub checked_at: DateTime<Utc>,
    /// The first page as a picture.
    pub screen: Option<Screen>,
    /// Whether pictures were taken and could not be stored: then the report shows none.
    pub pictures_not_stored: bool,
    /// Whether the check was stopped because too many pages in a row were not ready in time: pages that it had not reached are
    /// missing.
    pub stopped_by_timeouts: bool,
    /// Problem elements by severity.
    pub totals: Totals,
    /// All of them.
    pub total: u64,
    /// Problems by rule, what to fix first first.
    pub groups: Vec<Group>,
    /// Recommendations by rule, in the same shape; their elements are in no total.
    pub advisory: Vec<Group>,
    /// Every page that was taken up, and dead links.
    pub pages: Vec<PageView>,
    /// Elements that a person must look at, by rule: axe-core could not decide about them, and they are in no total.
    pub needs_review: Vec<Undecided>,
    /// What changed since the previous completed check.
    pub diff: Diff,
    /// The latest completed checks up to this one, the oldest first; at most [`Report::TREND_LENGTH`].
    pub trend: Vec<Trend>,
}

/// The picture of the first page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Screen {
    /// Where to get it, with the same token.
    pub url: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageView {
    /// Its address.
    pub url: String,
    /// Its title. Hostile text.
    pub title: String,
    /// Its problem elements; 0 where it could not be checked, which [`error`](Self::error) then says.
    pub issues: u64,
    /// Elements that fail on it, recommendations included, and are counted but not listed: a page has a limit of elements that
    /// are kept.
    pub left_out: u64,
    /// Why it could not be checked; the message is in the report's language. In JSON, code and message.
    #[serde(serialize_with = "failure::serialize_option")]
    pub error: Option<Failure>,
    /// The number of its frames that were not checked.
    pub frames_not_checked_count: u32,
    /// Those frames by address and reason, at most [`PageOutcome::MAX_UNCHECKED_FRAMES`](crate::domain::PageOutcome::MAX_UNCHECKED_FRAMES) of them. Empty in checks of
    /// releases that counted frames without naming them.
    pub frames_not_checked: Vec<UncheckedFrame>,
    /// Whether the page was still building itself when the time for that was up, and was checked as it stood.
    pub still_changing: bool,
    /// Addresses that it asked for and got no answer from, at most
    /// [`PageOutcome::MAX_UNANSWERED`](crate::domain::PageOutcome::MAX_UNANSWERED) of them. Hostile text.
    pub unanswered: Vec<String>,
    /// Where it is a dead link: the page, or the sitemap, that leads to it.
    pub linked_from: Option<String>,
    /// What covered most of it when it was checked, if anything did.
    pub cover: Option<CoverView>,
}

/// What covers most of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverView {
    /// What it is.
    pub kind: CoverKind,
    /// How much of the visible part of the page it covers.
    pub percent: u8,
    /// The same in a sentence.
    pub message: String,
}

/// Elements that axe-core could not decide about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undecided {
    /// The rule.
    pub rule: RuleId,
    /// The rule in words.
    pub title: String,
    /// How many elements.
    pub count: u32,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// The check compared with; null for the first.
    pub previous_id: Option<ScanId>,
    /// When that completed.
    #[serde(serialize_with = "timestamp::serialize_option")]
    pub previous_date: Option<DateTime<Utc>>,
    /// Its problem elements.
    pub previous_total: Option<u64>,
    /// Elements that it did not have.
    pub new: u64,
    /// Its elements that are gone.
    pub fixed: u64,
    /// Elements that both have.
    pub remaining: u64,
    /// Those of `remaining` on pages that the previous check did not have, known by their template.
    pub carried: u64,
    /// Elements of this check that can't be compared: `total = new + remaining + not_comparable_now`. All of them for the first.
    pub not_comparable_now: u64,
    /// Elements of the previous check that can't be compared:
    /// `previous_total = fixed + (remaining - carried) + not_comparable_before`.
    pub not_comparable_before: u64,
    /// The fixed ones by rule, most first.
    pub fixed_rules: Vec<FixedRuleView>,
}

/// Fixed elements of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixedRuleView {
    /// The rule in words.
    pub title: String,
    /// How many.
    pub count: u64,
}

/// One check in the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trend {
    /// The check.
    pub id: ScanId,
    /// When it completed.
    #[serde(serialize_with = "timestamp::serialize")]
    pub date: DateTime<Utc>,
    /// Its problem elements.
    pub total: u64,
}

/// What a report is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) scan: &'a Scan,
    pub(crate) outcome: &'a Outcome,
    pub(crate) finished_at: DateTime<Utc>,
    pub(crate) site: &'a Site,
    pub(crate) findings: &'a Findings,
    pub(crate) trend: &'a [TrendPoint],
    pub(crate) links: &'a Links,
}

impl Report {
    /// Checks that the trend goes back to.
    pub const TREND_LENGTH: u32 = 12;

    pub(crate) fn new(sources: Sources<'_>, locale: Locale) -> Self {
        let Sources { scan, outcome, finished_at, site, findings, trend, links } = sources;
        let platform = platform(&site.details, findings).cloned();
        let (groups, advisory) =
            groups::ranked(findings, &groups::Setting { scan: scan.id, links, locale, platform: platform.as_ref() });
        let start_title = findings.pages.first().map(|page| page.title.trim()).filter(|title| !title.is_empty());
        let name = site.details.name.as_deref().or(start_title);
        Self {
            scan_id: scan.id,
            locale,
            url: site.details.url.to_string(),
            title: name.unwrap_or_else(|| site.details.url.domain()).to_owned(),
            platform_name: platform.as_ref().map(|key| key.display_name().to_owned()),
            platform,
            checked_at: finished_at,
            screen: findings.screen.map(|(width, height)| Screen { url: links.screen(scan.id), width, height }),
            pictures_not_stored: findings.pictures_not_stored,
            stopped_by_timeouts: findings.stopped_by_timeouts,
            totals: outcome.totals,
            total: outcome.totals.total(),
            groups,
            advisory,
            pages: pages(findings, locale),
            needs_review: needs_review(findings, locale),
            diff: diff(outcome, locale),
            trend: trend
                .iter()
                .map(|point| Trend { id: point.id, date: point.finished_at, total: point.total })
                .collect(),
        }
    }
}

/// What a check says of each page that it took up.
pub(crate) fn pages(findings: &Findings, locale: Locale) -> Vec<PageView> {
    let mut issues = vec![0; findings.pages.len()];
    for finding in findings.problems() {
        if let Some(count) = issues.get_mut(finding.page) {
            *count += 1;
        }
    }
    for (issues, page) in issues.iter_mut().zip(&findings.pages) {
        let problems = page.left_out.iter().filter(|(rule, _)| findings.kind_of(rule) == RuleKind::Problem);
        *issues += problems.map(|(_, count)| u64::from(*count)).sum::<u64>();
    }
    let counted = findings.pages.iter().zip(issues);
    counted
        .map(|(page, issues)| PageView {
            url: page.url.clone(),
            title: page.title.clone(),
            issues,
            left_out: page.left_out.values().map(|count| u64::from(*count)).sum(),
            error: page.error.as_ref().map(|error| told(error, locale)),
            frames_not_checked_count: page.frames_not_checked,
            frames_not_checked: page.unchecked_frames.clone(),
            still_changing: page.still_changing,
            unanswered: page.unanswered.clone(),
            linked_from: page.linked_from.clone(),
            cover: page.cover.map(|cover| cover_view(&cover, locale)),
        })
        .collect()
}

/// The failure with its message in another language. The English one is as it was stored: it may say more than any code.
fn told(failure: &Failure, locale: Locale) -> Failure {
    if locale == Locale::En {
        return failure.clone();
    }
    let message = terms(locale).failure(failure).into_owned();
    // Cause and facts are read from the stored message where nothing else was stored.
    failure.clone().understood().with_message(message)
}

fn cover_view(cover: &Cover, locale: Locale) -> CoverView {
    // A kind of a later release is a layer to this one, in words and for programs.
    let kind = if CoverKind::KNOWN.contains(&cover.kind) { cover.kind } else { CoverKind::Overlay };
    CoverView { kind, percent: cover.percent, message: terms(locale).cover(cover) }
}

/// What axe-core could not decide about, by rule.
pub(crate) fn needs_review(findings: &Findings, locale: Locale) -> Vec<Undecided> {
    let undecided = findings.needs_review.iter().filter(|(_, count)| **count > 0);
    undecided
        .map(|(rule, count)| {
            let title = findings.rules.get(rule).map_or(rule.as_str(), |facts| describe(rule, facts, locale).title);
            Undecided { rule: rule.clone(), title: title.to_owned(), count: *count }
        })
        .collect()
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
