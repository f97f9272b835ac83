//! Core's types of a run again: findings, and the report that they make.

use a11ycheck_core::{
    domain::{
        AcceptReason, Acceptance, Acceptances, Depth, DiffSummary, Finding, Findings, Outcome, PageOutcome, Scan,
        ScanKind, ScanState, Site, SiteDetails, StandardId,
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{Report, Sources},
};

use super::{AcceptedBy, Page, Run, RunFinding, Since};

impl Run {
    /// Returns the findings that the run was made of, equal in every field but two:
    /// [`Finding::is_new`] is the mark of the baseline, and [`Findings::screen`] is set if the picture of the first page was kept.
    pub fn findings(&self) -> Findings {
        let item = |finding: &RunFinding| {
            let page_url = self.pages.get(finding.page).map_or("", Page::opened);
            finding.restored(page_url)
        };
        let with_undecided = || self.rules.iter().filter(|(_, rule)| rule.undecided > 0);
        let mut findings = Findings::new(self.tools.engine())
            .with_standard(self.settings.standard)
            .with_pages(self.pages.iter().map(Page::restored))
            .with_rules(self.rules.iter().map(|(id, rule)| (id.clone(), rule.facts())))
            .with_items(self.findings.iter().map(item));
        findings.needs_review = with_undecided().map(|(id, rule)| (id.clone(), rule.undecided)).collect();
        findings.undecided = self.undecided.iter().map(item).collect();
        findings.undecided_reasons = with_undecided()
            .filter(|(_, rule)| !rule.undecided_reasons.is_empty())
            .map(|(id, rule)| (id.clone(), rule.undecided_reasons.clone()))
            .collect();
        findings.stack.clone_from(&self.platforms);
        findings.screen = self.pictures.screen.as_ref().map(|screen| (screen.width, screen.height));
        findings.ran.clone_from(&self.ran);
        findings.pictures_not_stored = self.pictures.lost;
        findings.stopped_by_timeouts = self.stopped_by_timeouts;
        findings
    }
}

impl Run {
    /// Returns what was decided about the accepted elements, by their numbers within the findings.
    fn acceptances(&self) -> Acceptances {
        let numbered = (1..).zip(&self.findings);
        let accepted = numbered.filter_map(|(number, finding)| Some((number, finding.accepted.as_ref()?)));
        let decided = accepted.map(|(number, AcceptedBy { accept, reason, note })| {
            let reason = AcceptReason::ALL.into_iter().find(|known| known.as_str() == reason);
            let until = self.accepts.get(*accept).and_then(|accept| accept.until);
            (number, Acceptance { reason, note: note.clone(), until })
        });
        decided.collect()
    }
}

impl RunFinding {
    fn restored(&self, page_url: &str) -> Finding {
        let mut finding =
            Finding::new(self.rule.clone(), self.page, page_url, &self.selector, &self.html, &self.failure_summary)
                .with_checks(self.checks.iter().cloned())
                .with_area(self.area)
                .with_screenshot(self.picture)
                .with_opened_by(self.opened_by.clone());
        finding.fingerprint = self.keys.clone();
        finding.is_new = self.since == Since::New;
        finding
    }
}

impl Page {
    fn restored(&self) -> PageOutcome {
        let mut page = PageOutcome::checked(self.opened(), &self.title);
        page.error.clone_from(&self.failure);
        page.frames_not_checked = self.frames_not_checked;
        page.unchecked_frames.clone_from(&self.unchecked_frames);
        page.still_changing = self.still_changing;
        page.unanswered.clone_from(&self.unanswered);
        page.left_out.clone_from(&self.left_out);
        page.linked_from.clone_from(&self.linked_from);
        page.cover = self.cover;
        page.picture = self.picture;
        page
    }
}

/// A run as core reads it: its findings, its site, and its report in one language.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// The findings.
    pub findings: Findings,
    /// What stands for the site.
    pub site: Site,
    /// The report.
    pub report: Report,
}

impl RunReport {
    /// Makes the report of a run. The same run gives the same report.
    pub fn of(run: &Run, locale: Locale) -> Self {
        let findings = run.findings();
        // Nothing is stored under these ids, and no file shows them.
        let (team, site, scan) = (TeamId::presented(""), SiteId::presented(""), ScanId::presented(""));
        let outcome = Outcome::new(
            u32::try_from(findings.pages_scanned()).unwrap_or(u32::MAX),
            run.totals,
            DiffSummary::first(),
            findings.engine.clone(),
        );
        let site = Site {
            id: site,
            team,
            details: SiteDetails {
                url: run.settings.site.clone(),
                name: run.settings.name.clone(),
                report_locale: locale,
                platform: None,
                stack: run.platforms.clone(),
                tags: Vec::new(),
                standard: Some(run.settings.standard).filter(|standard| *standard != StandardId::default()),
            },
            next_scan_at: run.finished_at,
            created_at: run.started_at,
        };
        let scan = Scan {
            id: scan,
            team,
            site: site.id,
            kind: ScanKind::Manual,
            pages_requested: outcome.pages_scanned,
            queued_at: run.started_at,
            state: ScanState::Completed {
                started_at: run.started_at,
                finished_at: run.finished_at,
                outcome: outcome.clone(),
            },
            express: false,
            depth: Depth::Full,
        };
        let sources = Sources {
            scan: &scan,
            outcome: &outcome,
            finished_at: run.finished_at,
            site: &site,
            findings: &findings,
            trend: &[],
        };
        let report = Report::with_accepted(sources, run.acceptances(), locale);
        Self { findings, site, report }
    }
}
