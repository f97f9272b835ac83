//! A scanner that follows the script of a test.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Semaphore;
use url::Url;

use super::{
    BoxError, CancellationToken, KeptPicture, PageList, ProgressSink, Remembered, ScanError, ScanOutput, ScanRequest,
    Scanner, Screenshot, ScreenshotFormat,
};
use crate::domain::{
    Course, Cover, Failure, FailureCode, Finding, Findings, Impact, PageCounts, PageOutcome, RuleFacts, RuleId,
    ScreenshotId, ScreenshotRef, Tool, page_key,
};

/// Plays back scripts: the first scan gets the first of them, and the last one serves all further scans. Clones share the scripts.
#[derive(Debug, Clone, Default)]
pub struct ScriptedScanner {
    scripts: Arc<Mutex<VecDeque<Script>>>,
    requests: Arc<Mutex<Vec<ScanRequest>>>,
    health: Arc<Mutex<Health>>,
}

/// The state of a scanner: the reason why no scan can begin, and the number of checks of its readiness.
#[derive(Debug, Default)]
struct Health {
    fault: Option<String>,
    trials: u32,
}

/// The script of one scan.
#[derive(Debug, Clone)]
pub struct Script {
    pages: Vec<PageOutcome>,
    items: Vec<Finding>,
    rules: BTreeMap<RuleId, RuleFacts>,
    needs_review: BTreeMap<RuleId, u32>,
    undecided: Vec<Finding>,
    screenshots: Vec<Screenshot>,
    screen: Option<Screenshot>,
    stopped_by_timeouts: bool,
    kept_pictures: Vec<KeptPicture>,
    remembered: Option<Remembered>,
    /// The pages whose outcome is taken over, by index.
    taken_over: Vec<usize>,
    end: End,
    gate: Option<Arc<Semaphore>>,
}

#[derive(Debug, Clone)]
enum End {
    Findings,
    Failed(Failure),
    Troubled(Failure, Option<Duration>),
    Broken(String),
    Cancelled,
    Panic,
}

impl ScriptedScanner {
    /// Returns a scanner that plays these scripts.
    pub fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self { scripts: Arc::new(Mutex::new(scripts.into_iter().collect())), ..Self::default() }
    }

    /// Makes every further scan fail to begin, for this reason.
    pub fn break_down(&self, reason: &str) {
        self.health().fault = Some(reason.to_owned());
    }

    /// Lets scans begin again.
    pub fn repair(&self) {
        self.health().fault = None;
    }

    /// Returns how often its readiness was checked.
    pub fn trials(&self) -> u32 {
        self.health().trials
    }

    fn health(&self) -> std::sync::MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<ScanRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&self) -> Script {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        match scripts.len() {
            0 => Script::page("https://scripted.example/"),
            1 => scripts[0].clone(),
            _ => scripts.pop_front().unwrap_or_else(|| Script::page("https://scripted.example/")),
        }
    }
}

impl Script {
    /// Finds one page without problems.
    pub fn page(url: &str) -> Self {
        Self {
            pages: vec![PageOutcome::checked(url, url)],
            items: vec![],
            rules: BTreeMap::new(),
            needs_review: BTreeMap::new(),
            undecided: vec![],
            screenshots: vec![],
            screen: None,
            stopped_by_timeouts: false,
            kept_pictures: vec![],
            remembered: None,
            taken_over: vec![],
            end: End::Findings,
            gate: None,
        }
    }

    /// Ends without findings.
    pub fn failing(failure: Failure) -> Self {
        Self { end: End::Failed(failure), ..Self::page("") }
    }

    /// Ends without findings, because of trouble at the site.
    pub fn troubled(failure: Failure, retry_after: Option<Duration>) -> Self {
        Self { end: End::Troubled(failure, retry_after), ..Self::page("") }
    }

    /// Breaks down during the scan.
    pub fn breaking(reason: &str) -> Self {
        Self { end: End::Broken(reason.to_owned()), ..Self::page("") }
    }

    /// Says that it was cancelled, though nobody cancelled it.
    pub fn cancelling() -> Self {
        Self { end: End::Cancelled, ..Self::page("") }
    }

    /// Panics.
    pub fn panicking() -> Self {
        Self { end: End::Panic, ..Self::page("") }
    }

    /// Finds a further page.
    #[must_use]
    pub fn and_page(mut self, url: &str) -> Self {
        self.pages.push(PageOutcome::checked(url, url));
        self
    }

    /// Finds a further page that can't be checked.
    #[must_use]
    pub fn and_failed_page(mut self, url: &str, failure: Failure) -> Self {
        self.pages.push(PageOutcome::failed(url, "", failure));
        self
    }

    /// Ends with the pages so far, because too many in a row were not ready in time.
    #[must_use]
    pub fn stopped_by_timeouts(mut self) -> Self {
        self.stopped_by_timeouts = true;
        self
    }

    /// Finds a dead link on the page `linked_from`.
    #[must_use]
    pub fn and_dead_link(mut self, url: &str, linked_from: &str, failure: Failure) -> Self {
        self.pages.push(PageOutcome::dead_link(url, linked_from, failure));
        self
    }

    /// Finds an element on the last page that breaks `rule`, a WCAG rule of level A.
    #[must_use]
    pub fn with_problem(self, rule: &str, impact: Impact, selector: &str, html: &str) -> Self {
        self.with_finding(rule, impact, "wcag2a", selector, html)
    }

    /// Finds an element on the last page that goes against a best practice.
    #[must_use]
    pub fn with_recommendation(self, rule: &str, impact: Impact, selector: &str, html: &str) -> Self {
        self.with_finding(rule, impact, "best-practice", selector, html)
    }

    /// Finds this many elements that the rule of the last finding could not decide. Has no effect without a finding.
    #[must_use]
    pub fn with_undecided(mut self, count: u32) -> Self {
        if let Some(finding) = self.items.last() {
            self.needs_review.insert(finding.rule.clone(), count);
        }
        self
    }

    /// Finds an element that the rule of the last finding could not decide, and keeps it. Has no effect without a finding.
    #[must_use]
    pub fn with_undecided_element(mut self, selector: &str, html: &str) -> Self {
        if let (Some(finding), Some(page)) = (self.items.last(), self.pages.last()) {
            let (rule, number) = (finding.rule.clone(), self.pages.len() - 1);
            *self.needs_review.entry(rule.clone()).or_default() += 1;
            self.undecided.push(Finding::new(rule, number, &page.url, selector, html, ""));
        }
        self
    }

    /// Lets the rule of the last finding test a success criterion, by axe-core's tag for it (`wcag111`). Has no effect without a
    /// finding.
    #[must_use]
    pub fn of_criterion(mut self, tag: &str) -> Self {
        let rule = self.items.last().map(|finding| &finding.rule);
        if let Some(facts) = rule.and_then(|rule| self.rules.get_mut(rule)) {
            facts.tags.push(tag.to_owned());
        }
        self
    }

    /// Finds the last page covered.
    #[must_use]
    pub fn covered_by(mut self, cover: Cover) -> Self {
        if let Some(page) = self.pages.last_mut() {
            page.cover = Some(cover);
        }
        self
    }

    /// Takes a picture of the last element, and one of the first page.
    #[must_use]
    pub fn with_pictures(mut self) -> Self {
        let picture = |id| Screenshot {
            id: ScreenshotId(id),
            format: ScreenshotFormat::Png,
            width: 4,
            height: 3,
            bytes: b"\x89PNG\r\n\x1a\n, or what a browser would put here".to_vec(),
        };
        if let Some(finding) = self.items.last_mut() {
            finding.screenshot = Some(ScreenshotRef::new(ScreenshotId(1), 4, 3));
            self.screenshots = vec![picture(1)];
        }
        self.screen = Some(picture(0));
        self
    }

    /// Takes a picture of each element, of so many bytes.
    #[must_use]
    pub fn with_pictures_of_all(mut self, bytes: usize) -> Self {
        for (id, finding) in (1..).zip(&mut self.items) {
            finding.screenshot = Some(ScreenshotRef::new(ScreenshotId(id), 4, 3));
            let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
            picture.resize(bytes, 0);
            self.screenshots.push(Screenshot::new(ScreenshotId(id), ScreenshotFormat::Png, 4, 3, picture));
        }
        self
    }

    /// Leaves this document for the next scan, and says that it took this course.
    #[must_use]
    pub fn remembering(mut self, course: Course, document: impl Into<Vec<u8>>) -> Self {
        self.remembered = Some(Remembered::new(course, document.into()));
        self
    }

    /// Takes the outcome of the last page over from the previous check, if the request has one.
    #[must_use]
    pub fn taken_over(mut self) -> Self {
        self.taken_over.push(self.pages.len() - 1);
        self
    }

    /// Keeps the picture with this number of the previous check, 4 × 3 pixels, for the last element.
    #[must_use]
    pub fn with_kept_picture(mut self, was: u32) -> Self {
        if let Some(finding) = self.items.last_mut() {
            // Distinct from the numbers of pictures that are taken.
            let id = ScreenshotId(1_000 + was);
            finding.screenshot = Some(ScreenshotRef::new(id, 4, 3));
            self.kept_pictures.push(KeptPicture { id, was: ScreenshotId(was), width: 4, height: 3 });
        }
        self
    }

    /// Reports its pages, then waits for a permit of `gate` before it ends.
    #[must_use]
    pub fn held_by(mut self, gate: &Arc<Semaphore>) -> Self {
        self.gate = Some(Arc::clone(gate));
        self
    }

    /// Returns the script of a scan of exactly these pages. One that this script does not have failed.
    fn of_exactly(mut self, asked: &PageList) -> Self {
        let has = |page: &PageOutcome, url: &Url| page_key(&page.url) == page_key(url.as_str());
        let old: Vec<Option<usize>> =
            asked.as_slice().iter().map(|url| self.pages.iter().position(|page| has(page, url))).collect();
        let failed =
            |url: &Url| PageOutcome::failed(url.as_str(), "", Failure::new(FailureCode::HttpStatus, "No page."));
        let pages = old.iter().zip(asked.as_slice());
        let pages: Vec<PageOutcome> =
            pages.map(|(old, url)| old.map_or_else(|| failed(url), |old| self.pages[old].clone())).collect();
        let place = |page: usize| old.iter().position(|old| *old == Some(page));
        self.items.retain(|item| place(item.page).is_some());
        for item in &mut self.items {
            item.page = place(item.page).unwrap_or_default();
        }
        self.items.sort_by_key(|item| item.page);
        Self { pages, ..self }
    }

    fn with_finding(mut self, rule: &str, impact: Impact, tag: &str, selector: &str, html: &str) -> Self {
        let page = self.pages.len() - 1;
        let id = RuleId::new(rule);
        self.items.push(Finding::new(id.clone(), page, &self.pages[page].url, selector, html, "Fix this."));
        self.rules.entry(id).or_insert_with(|| RuleFacts {
            impact,
            tags: vec![tag.to_owned()],
            help: format!("Help for {rule}"),
            description: format!("Description of {rule}"),
            help_url: format!("https://rules.example/{rule}"),
        });
        self
    }
}

/// Returns the first of the pages, as many as the request permits beside dead links, and their number without dead links.
fn within_budget(pages: Vec<PageOutcome>, request: &ScanRequest) -> (Vec<PageOutcome>, u32) {
    let mut scanned = 0;
    let is_within = |page: &PageOutcome| {
        if page.is_dead_link() {
            return true;
        }
        scanned += 1;
        scanned <= request.page_budget
    };
    let pages: Vec<PageOutcome> = pages.into_iter().take_while(is_within).collect();
    (pages, scanned.min(request.page_budget))
}

#[async_trait]
impl Scanner for ScriptedScanner {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        if let Some(fault) = &self.health().fault {
            return Err(ScanError::Unavailable(fault.as_str().into()));
        }
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let script = self.next();
        let script = if let Some(asked) = &request.pages { script.of_exactly(asked) } else { script };
        let (mut pages, scanned) = within_budget(script.pages, &request);
        let looked_at = request.earlier.as_ref().map(|earlier| earlier.finished_at);
        for page in script.taken_over {
            if let Some(page) = pages.get_mut(page) {
                page.looked_at = looked_at;
            }
        }
        for done in 1..=scanned {
            progress.progress(PageCounts { done, found: scanned });
        }
        if let Some(gate) = &script.gate {
            tokio::select! {
                () = cancel.cancelled() => return Err(ScanError::Cancelled),
                permit = gate.acquire() => {
                    if let Ok(permit) = permit {
                        permit.forget();
                    }
                }
            }
        }
        match script.end {
            End::Failed(failure) => Err(ScanError::Failed(failure)),
            End::Troubled(failure, retry_after) => Err(ScanError::Troubled { failure, retry_after }),
            End::Broken(reason) => Err(ScanError::Broken(reason.into())),
            End::Cancelled => Err(ScanError::Cancelled),
            End::Panic => panic!("the script says so"),
            End::Findings => Ok(ScanOutput {
                findings: Findings {
                    engine: Tool::new("scripted", "1"),
                    items: script.items.into_iter().filter(|finding| finding.page < pages.len()).collect(),
                    pages,
                    rules: script.rules,
                    needs_review: script.needs_review,
                    undecided: script.undecided,
                    undecided_reasons: BTreeMap::new(),
                    stack: vec![],
                    screen: script.screen.as_ref().map(|screen| (screen.width, screen.height)),
                    ran: None,
                    pictures_not_stored: false,
                    stopped_by_timeouts: script.stopped_by_timeouts,
                    standard: request.standard,
                },
                screenshots: script.screenshots,
                screen: script.screen,
                rule_outcomes: Vec::new(),
                kept_pictures: script.kept_pictures,
                remembered: script.remembered,
            }),
        }
    }

    async fn check_readiness(&self) -> Result<(), BoxError> {
        let mut health = self.health();
        health.trials += 1;
        health.fault.as_deref().map_or(Ok(()), |fault| Err(fault.into()))
    }
}
