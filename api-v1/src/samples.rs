//! A check of an example shop, and what the service says of it: the examples of the published document.

use a11ycheck_core::{
    catalog::axe_check,
    domain::{
        Area, BaseUrl, CheckNeed, CheckOutcome, Colour, Cover, CoverKind, Depth, DiffSummary, EventKind, Failure,
        FailureCode, Finding, Findings, FixedRule, Impact, Outcome, PageOutcome, PlanCatalog, PlanCode, PlatformKey,
        PreviousScan, RuleFacts, RuleId, Scan, ScanKind, ScanState, ScreenshotId, ScreenshotRef, Site, SiteInput,
        SiteName, Standing, Subscription, Tag, Team, Tool, UncheckedFrame, UndecidedReason,
    },
    export::{
        self, Artifact, Brand, ExportSource,
        acr::{self, AcrFormat},
    },
    id::{EventId, ScanId, SiteId, TeamId},
    locale::Locale,
    paging::{Page, PageRequest},
    report::{Report, Sources},
    service::{SitesQuery, TeamHandle},
    store::{SiteUsage, TrendPoint},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

use crate::{
    Links,
    events::{Event, PingData, ScanData},
    view::{AccountView, Answer, ListView, PagedList, ReportView, ScanView, SiteView, Viewer},
};

/// The address of the service in samples.
pub(crate) const BASE: &str = "https://a11ycheck.example/v1";
/// The id of the check in samples.
pub(crate) const SCAN: &str = "scan_01K1MC0D5E7F8G9H2J3K4M5N6P";
/// The id of the site in samples.
pub(crate) const SITE: &str = "site_01K1MBZ7Q3R9V4X8T2N6W5Y0AB";
const HOME: &str = "https://shop.example.com/";

/// A team with one site, which was checked twice.
pub(crate) struct Samples {
    links: Links,
    team: Team,
    site: Site,
    findings: Findings,
    previous: PreviousScan,
    queued_at: DateTime<Utc>,
}

impl Samples {
    #[expect(clippy::expect_used, reason = "it is made of constants, and each start of a server makes it")]
    pub(crate) fn new() -> Self {
        Self::made().expect("the samples are what they stand for")
    }

    fn made() -> Option<Self> {
        let queued_at = DateTime::from_timestamp(1_811_851_200, 0)?;
        let details = SiteInput::parse(HOME).ok()?.with_name(SiteName::new("Example shop").ok()?);
        let details =
            details.with_stack(["shopify", "vue"].map(PlatformKey::new)).with_tags([Tag::new("client-a").ok()?]);
        let team = TeamId::presented("team_01K1MBY2A3B4C5D6E7F8G9H0JK");
        Some(Self {
            links: Links::new(&BaseUrl::parse(BASE)?),
            team: Team {
                id: team,
                name: "Blue Team".to_owned(),
                plan: PlanCatalog::shipped().plan(&PlanCode::AGENCY)?.clone(),
                subscription: Subscription::ACTIVE,
                standing: Standing::Active,
                seats_used: 1,
                created_at: queued_at,
            },
            site: Site {
                id: SiteId::presented(SITE),
                team,
                details: details.into_details().ok()?,
                next_scan_at: queued_at + TimeDelta::days(1),
                created_at: queued_at,
            },
            findings: findings(),
            previous: PreviousScan::new(
                ScanId::presented("scan_01K11C0D5E7F8G9H2J3K4M5N6P"),
                queued_at - TimeDelta::days(7),
                2,
            ),
            queued_at,
        })
    }

    pub(crate) fn account(&self) -> Value {
        let usage = SiteUsage { sites: 2, manual_checks_available: 2 };
        one(AccountView::new(&self.team, self.team.subscription.status, &usage))
    }

    pub(crate) fn site(&self) -> Value {
        one(SiteView::new(&self.site, true))
    }

    pub(crate) fn sites(&self) -> Value {
        list(&self.links.sites(), SitesQuery::PER_PAGE, &self.site, |site| SiteView::new(site, true))
    }

    /// Returns bodies of requests that add a site, by name.
    pub(crate) fn new_sites(&self) -> [(&'static str, Value); 2] {
        let details = &self.site.details;
        let least = json!({"url": details.url.domain(), "report_locale": details.report_locale});
        let mut full = least.clone();
        full["name"] = json!(details.name);
        full["stack"] = json!(details.stack);
        full["tags"] = json!(details.tags);
        full["scan"] = false.into();
        [("least", least), ("full", full)]
    }

    /// Returns checks in different states, by name.
    pub(crate) fn checks(&self) -> [(&'static str, Value); 3] {
        [("completed", self.completed()), ("queued", self.queued()), ("failed", self.failed())]
    }

    pub(crate) fn queued(&self) -> Value {
        one(ScanView::new(&self.scan(ScanState::Queued), &self.viewer()))
    }

    fn failed(&self) -> Value {
        let failure = Failure::new(FailureCode::LoginRequired, "A login page stands in place of the site.");
        let (started_at, finished_at) =
            (self.queued_at + TimeDelta::seconds(5), self.queued_at + TimeDelta::seconds(9));
        let state = ScanState::Failed { started_at, finished_at, pages_scanned: 0, failure };
        one(ScanView::new(&self.scan(state), &self.viewer()))
    }

    fn completed(&self) -> Value {
        one(ScanView::new(&self.scan(self.end()), &self.viewer()))
    }

    pub(crate) fn scans(&self) -> Value {
        let (scan, viewer) = (self.scan(self.end()), self.viewer());
        list(&self.links.site_scans(self.site.id), TeamHandle::PER_PAGE, &scan, |scan| ScanView::new(scan, &viewer))
    }

    pub(crate) fn report(&self) -> Value {
        let (scan, outcome, finished_at) = (self.scan(self.end()), self.outcome(), self.finished_at());
        let PreviousScan { id, finished_at: before, total, .. } = self.previous;
        let now = TrendPoint { id: scan.id, finished_at, total: outcome.totals.total() };
        let trend = &[TrendPoint { id, finished_at: before, total }, now];
        let (scan, outcome, site, findings) = (&scan, &outcome, &self.site, &self.findings);
        let report = Report::new(Sources { scan, outcome, finished_at, site, findings, trend }, Locale::En);
        one(ReportView::new(&report, &self.links))
    }

    /// Returns a file; nothing for those that would be too long for an example.
    pub(crate) fn file(&self, artifact: Artifact) -> Option<Value> {
        let (site, finished_at) = (&self.site.details, self.finished_at());
        let source = ExportSource::new(&self.team.name, site, finished_at, &self.findings, Locale::En);
        let brand = Brand::new(self.team.name.clone(), Colour::WHITE);
        let mut file = vec![];
        match artifact {
            Artifact::Issues(format) => export::write(format, &source, &mut file),
            Artifact::Acr(AcrFormat::Json) => acr::write(AcrFormat::Json, &source, &brand, &mut file),
            Artifact::Acr(AcrFormat::Html | AcrFormat::Docx)
            | Artifact::ReportHtml
            | Artifact::ReportPdf
            | Artifact::FullReportPdf
            | Artifact::AcrPdf => return None,
        }
        .ok()?;
        let text = String::from_utf8(file).ok()?;
        let mut value = if text.starts_with('{') { serde_json::from_str(&text).ok()? } else { Value::from(text) };
        // A draft has some hundred criteria.
        for (_, chapter) in value.get_mut("chapters").and_then(Value::as_object_mut).into_iter().flatten() {
            chapter.get_mut("criteria").and_then(Value::as_array_mut).into_iter().for_each(|all| all.truncate(1));
        }
        Some(value)
    }

    pub(crate) fn event(&self, kind: EventKind) -> Value {
        let (id, created_at) = (EventId::presented("evt_01K1MC1Q2R3S4T5V6W7X8Y9Z0A"), self.finished_at());
        if kind == EventKind::Ping {
            return value(Event { id, kind, created_at, data: PingData::TEST });
        }
        let (scan, viewer) = (self.scan(self.end()), self.viewer());
        let (scan, site) = (ScanView::new(&scan, &viewer), SiteView::new(&self.site, true));
        value(Event { id, kind, created_at, data: ScanData { scan, site, new_issues: self.outcome().diff.new } })
    }

    fn viewer(&self) -> Viewer<'_> {
        Viewer { team: &self.team, at: self.finished_at(), links: &self.links }
    }

    fn finished_at(&self) -> DateTime<Utc> {
        self.queued_at + TimeDelta::minutes(1)
    }

    fn scan(&self, state: ScanState) -> Scan {
        Scan {
            id: ScanId::presented(SCAN),
            team: self.team.id,
            site: self.site.id,
            kind: ScanKind::Manual,
            pages_requested: self.team.plan.limits.pages_per_check,
            queued_at: self.queued_at,
            state,
            express: false,
            depth: Depth::Full,
        }
    }

    fn end(&self) -> ScanState {
        let (started_at, finished_at) = (self.queued_at + TimeDelta::seconds(5), self.finished_at());
        ScanState::Completed { started_at, finished_at, outcome: self.outcome() }
    }

    fn outcome(&self) -> Outcome {
        let mut diff = DiffSummary::first();
        (diff.previous, diff.new, diff.fixed) = (Some(self.previous), 1, 2);
        diff.fixed_rules = vec![FixedRule::new(RuleId::new("label"), "", 2)];
        Outcome::new(2, self.findings.totals(), diff, self.findings.engine.clone())
    }
}

fn findings() -> Findings {
    let (broken, undecided) = (RuleId::new("image-alt"), RuleId::new("color-contrast"));
    let facts = |rule: &RuleId, impact, tags: [&str; 3]| {
        RuleFacts::new(impact, tags).with_help_url(format!("https://dequeuniversity.com/rules/axe/4.14/{rule}"))
    };
    let summary = "Fix any of the following:\n  Element does not have an alt attribute";
    let logo = Finding::new(broken.clone(), 0, HOME, "#logo", r#"<img id="logo" src="logo.png">"#, summary);
    let tracker = "https://tracker.example.net/t.js";
    let mut start = PageOutcome::checked(HOME, "Example shop").without_answers_of(&[tracker]);
    start.frames_not_checked = 1;
    start.unchecked_frames = vec![UncheckedFrame::new("https://ads.example.net/banner", FailureCode::Timeout)];
    start.still_changing = true;
    start.cover = Some(Cover::new(CoverKind::Consent, 85));
    let slow = Failure::new(FailureCode::Timeout, "The page was not ready in time.");
    let gone = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.");
    let checks = ["has-alt", "aria-label", "aria-labelledby"];
    let logo = logo.with_checks(checks.map(|id| axe_check(id, CheckNeed::Any, CheckOutcome::Fail, &Value::Null)));
    let mut logo = logo.with_area(Area::new(16, 24, 160, 48));
    logo.screenshot = Some(ScreenshotRef::new(ScreenshotId(1), 320, 120));
    logo.is_new = true;
    let pages = [
        start,
        PageOutcome::failed(format!("{HOME}slow"), "", slow),
        PageOutcome::dead_link(format!("{HOME}spring-sale"), HOME, gone),
    ];
    let rules = [
        (broken.clone(), facts(&broken, Impact::Critical, ["wcag2a", "wcag111", "EN-9.1.1.1"])),
        (undecided.clone(), facts(&undecided, Impact::Serious, ["wcag2aa", "wcag143", "EN-9.1.4.3"])),
    ];
    let engine = Tool::axe_core("4.14.1", "Chromium 150.0").with_probes("0.1.0");
    let mut findings = Findings::new(engine).with_pages(pages).with_rules(rules).with_items([logo]);
    let image = json!({ "messageKey": "bgImage" });
    let check = axe_check("color-contrast", CheckNeed::Any, CheckOutcome::Incomplete, &image);
    let text = Finding::new(undecided.clone(), 0, HOME, ".hero > p", "<p>Spring is here</p>", "").with_checks([check]);
    findings.undecided = vec![text.with_screenshot(ScreenshotRef::new(ScreenshotId(2), 420, 90))];
    let reasons = vec![UndecidedReason::new("color-contrast", Some("bgImage"), 3)];
    findings.undecided_reasons = [(undecided.clone(), reasons)].into();
    findings.needs_review = [(undecided, 3)].into();
    findings.screen = Some((1280, 800));
    findings
}

fn one(data: impl Serialize) -> Value {
    value(Answer { data })
}

fn list<I: Copy, T: Serialize>(path: &str, per_page: u32, item: I, view: impl Fn(I) -> T) -> Value {
    let page = Page::cut([item].into_iter(), PageRequest::new(1, per_page));
    value(Url::parse(path).ok().map(|path| ListView::new(&page, &PagedList::new(path, []), |item| view(*item))))
}

fn value(body: impl Serialize) -> Value {
    serde_json::to_value(body).unwrap_or_default()
}
