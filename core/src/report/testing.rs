//! Constructors for tests of whatever reads reports. Everything that is not given is empty, and can be set afterwards.

use chrono::{DateTime, Utc};

use super::{
    CoverView, Diff, Example, ExampleBox, FixedRuleView, Group, PageCount, PageView, PictureId, PictureRef, PlaceView,
    Report, Thing, Trend, Undecided, by_hand, to_check,
};
use crate::{
    domain::{Acceptances, CoverKind, Findings, Impact, RuleId, StandardId, Tool, Totals},
    id::ScanId,
    locale::Locale,
};

impl Report {
    /// Returns the report of a first check of the site at `url` that found nothing and lists no page.
    pub fn empty(scan_id: ScanId, locale: Locale, url: &str, checked_at: DateTime<Utc>, engine: Tool) -> Self {
        Self {
            scan_id,
            locale,
            url: url.to_owned(),
            title: url.to_owned(),
            platform: None,
            platform_name: None,
            checked_at,
            engine,
            screen: None,
            screen_boxes: Vec::new(),
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
            totals: Totals::default(),
            total: 0,
            places: 0,
            places_for_most: 0,
            groups: Vec::new(),
            advisory: Vec::new(),
            pages: Vec::new(),
            needs_review: Vec::new(),
            to_check: Vec::new(),
            by_hand: Vec::new(),
            diff: Diff::first(),
            trend: Vec::new(),
            review: None,
            accepted: Acceptances::default(),
        }
    }
}

impl Report {
    /// Sets what a person has to look at and to test, as the report of these findings has it.
    #[must_use]
    pub fn with_work_by_hand(self, findings: &Findings) -> Self {
        Self { to_check: to_check(findings, self.locale), by_hand: by_hand(self.locale), ..self }
    }
}

impl Group {
    /// Returns a group of no elements, first in the order of fixing.
    pub const fn empty(rule: RuleId, severity: Impact) -> Self {
        Self {
            rule,
            severity,
            rank: 1,
            goes_away_with: None,
            fixer: None,
            effort: None,
            count: 0,
            left_out: 0,
            new_count: 0,
            accepted_count: 0,
            accepted_places: 0,
            title: String::new(),
            summary: String::new(),
            impact: String::new(),
            who: Vec::new(),
            how_to_fix: String::new(),
            example_code: None,
            platform_tip: None,
            machine: false,
            has_card: true,
            help: String::new(),
            refs: Vec::new(),
            section508: Vec::new(),
            trusted_tester: Vec::new(),
            rgaa: Vec::new(),
            pages: Vec::new(),
            examples: Vec::new(),
            boxes: Vec::new(),
            n: 0,
            places: Vec::new(),
        }
    }
}

impl PlaceView {
    /// Returns a place with so many elements, which the previous check had and nothing was measured of.
    pub fn new(id: u64, count: u64, pages: u64) -> Self {
        let (page, thing) = (String::new(), Thing::default());
        Self { id, count, new_count: 0, accepted_count: 0, pages, page, thing, measured: None }
    }
}

impl PictureRef {
    /// Returns a reference to the picture with this id and size in pixels.
    pub const fn new(id: PictureId, width: u32, height: u32) -> Self {
        Self { id, width, height, scale_percent: 100 }
    }
}

impl ExampleBox {
    /// Returns the rectangle of this size whose top left corner is at `x` and `y`.
    pub const fn new(id: u64, x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { id, x, y, width, height }
    }
}

impl PageCount {
    /// Returns a page with so many elements.
    pub fn new(url: impl Into<String>, count: u64) -> Self {
        Self { url: url.into(), count }
    }
}

impl Example {
    /// Returns an element that the previous check had, without a picture.
    pub fn new(id: u64, page: impl Into<String>, target: impl Into<String>, html: impl Into<String>) -> Self {
        let (page, target, html) = (page.into(), target.into(), html.into());
        Self { id, page, target, html, details: None, is_new: false, accepted: None, picture: None, opened_by: None }
    }
}

impl PageView {
    /// Returns a page that was checked with all its frames and has no problem.
    pub fn checked(url: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            title: title.into(),
            issues: 0,
            left_out: 0,
            error: None,
            frames_not_checked_count: 0,
            frames_not_checked: Vec::new(),
            still_changing: false,
            unanswered: Vec::new(),
            linked_from: None,
            cover: None,
            picture: None,
            looked_at: None,
        }
    }
}

impl CoverView {
    /// Returns a layer with its sentence.
    pub fn new(kind: CoverKind, percent: u8, message: impl Into<String>) -> Self {
        Self { kind, percent, message: message.into() }
    }
}

impl Undecided {
    /// Returns a rule with a card in the catalogue, and the number of its elements.
    pub fn new(rule: RuleId, title: impl Into<String>, count: u32) -> Self {
        Self { rule, title: title.into(), has_card: true, count }
    }
}

impl Diff {
    /// Returns the changes of a first check that found nothing.
    pub const fn first() -> Self {
        Self {
            previous_id: None,
            previous_date: None,
            previous_total: None,
            new: 0,
            fixed: 0,
            remaining: 0,
            carried: 0,
            not_comparable_now: 0,
            not_comparable_before: 0,
            fixed_rules: Vec::new(),
        }
    }
}

impl FixedRuleView {
    /// Returns a rule with the number of its fixed elements.
    pub fn new(title: impl Into<String>, count: u64) -> Self {
        Self { title: title.into(), count }
    }
}

impl Trend {
    /// Returns a check in the trend.
    pub const fn new(id: ScanId, date: DateTime<Utc>, total: u64) -> Self {
        Self { id, date, total }
    }
}
