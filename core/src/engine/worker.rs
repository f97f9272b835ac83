//! Claims checks, one at a time, and carries them out.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::{sync::Notify, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    EngineStatus, Step,
    pace::{self, RetryBudget},
};
use crate::{
    catalog::failure_of,
    domain::{
        Course, Depth, DiffSummary, Failure, FailureCause, FailureCode, FailureFacts, Lease, Memo, NewEvent, Outcome,
        PageCounts, PreviousScan, RetryBy, Scan, ScanState, compare,
    },
    id::WorkerId,
    scanner::{
        EarlierCheck, KnownElements, OutputError, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner, accept,
    },
    service::Service,
    store::{Claim, ClaimedScan, Completion, LeaseError, StoreError, Work},
    webhook::CompletedCheck,
};

/// Claims checks, one at a time, and carries them out. Any number of workers may run, on any number of nodes.
#[derive(Clone)]
pub struct Worker {
    service: Service,
    scanner: Arc<dyn Scanner>,
    status: EngineStatus,
    id: WorkerId,
}

impl Worker {
    /// The shortest time between two reports of progress to the store; each report also renews the lease.
    const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
    /// The time for which storing the end of a check is tried while the store is in trouble and can't renew the lease
    /// either. As a rule, the lease was renewed at most [`Lease::RENEWAL`] before, and lasts this long. If it was not, the
    /// fencing token decides.
    const END_LIMIT: Duration = Duration::from_secs(40);
    /// The time for which storing the pictures of a result is tried while the rest of the store works, before the result is
    /// stored without them. It is short enough to keep workers at work through an outage, and long enough for a restart.
    const PICTURES_LIMIT: Duration = Duration::from_secs(60);
    /// The time for which the previous check is waited for before a check begins without knowing of it: the lease is not
    /// renewed meanwhile.
    const KNOWN_LIMIT: Duration = Duration::from_secs(10);
    /// The delay of a retry after the first failed attempt; twice as long after the second.
    const RETRY_DELAY: TimeDelta = TimeDelta::seconds(30);

    /// The delays of a retry at a site in trouble, after the first attempt and after later ones: deployments take a minute,
    /// maintenance takes several.
    const TROUBLE_DELAYS: [TimeDelta; 2] = [TimeDelta::minutes(1), TimeDelta::minutes(5)];
    /// The longest delay that a site can ask for.
    const LONGEST_DELAY: TimeDelta = TimeDelta::minutes(15);

    pub(super) const fn new(service: Service, scanner: Arc<dyn Scanner>, status: EngineStatus, id: WorkerId) -> Self {
        Self { service, scanner, status, id }
    }

    /// Runs until `drain`, which follows `stop`; a check that runs at `stop` is handed back.
    pub(super) async fn run(self, poll: Duration, drain: CancellationToken, stop: CancellationToken) {
        let (store, gate) = (self.service.store(), self.status.gate());
        let step = || async {
            gate.passed(&*self.scanner, &drain).await;
            if drain.is_cancelled() { Ok(Step::Idle) } else { self.take(&stop).await }
        };
        pace::run("worker", poll, &drain, || store.hint(Work::Scans), step).await;
    }

    /// Claims the next check and works on it to its end, or until `stop`. If the scanner could not work before, it is tried
    /// first, and nothing is claimed unless it can.
    ///
    /// # Errors
    /// Those of the store; a check whose result could not be stored is claimed again when its lease ends.
    pub async fn step(&self, stop: &CancellationToken) -> Result<Step, StoreError> {
        if self.status.gate().passes_now(&*self.scanner).await { self.take(stop).await } else { Ok(Step::Idle) }
    }

    async fn take(&self, stop: &CancellationToken) -> Result<Step, StoreError> {
        if self.status.gate().fault().is_some() {
            return Ok(Step::Idle);
        }
        let Some(claimed) = self.service.store().claim_scan(&self.id, Lease::TERM).await? else {
            return Ok(Step::Idle);
        };
        let scan = claimed.scan.id;
        let ScanState::Running { attempt, started_at, .. } = claimed.scan.state else {
            let problem = "it was claimed, and is not running";
            return Err(StoreError::Corrupt { what: scan.to_string(), source: problem.into() });
        };
        tracing::info!(
            %scan,
            site = %claimed.site.id,
            url = %claimed.site.details.url,
            kind = %claimed.scan.kind,
            attempt,
            waited_seconds = (started_at - claimed.scan.queued_at).num_seconds(),
            worker = %self.id,
            "Began a check"
        );
        let _running = Running::begin();
        match self.work(claimed, stop).await {
            Ok(()) => Ok(Step::Worked),
            Err(LeaseError::Store(error)) => Err(error),
            Err(LeaseError::Pictures(error)) => Err(StoreError::Unavailable(error)),
            Err(LeaseError::Gone) => {
                tracing::info!(%scan, "Dropped a check: it was deleted while it ran");
                Ok(Step::Worked)
            }
            Err(LeaseError::Refused(error)) => {
                tracing::warn!(%scan, error = &error as &dyn std::error::Error, "Dropped a result: another worker has the check");
                Ok(Step::Worked)
            }
        }
    }

    async fn work(&self, claimed: ClaimedScan, stop: &CancellationToken) -> Result<(), LeaseError> {
        let claim = claimed.claim;
        let cancel = stop.child_token();
        // A step that is dropped leaves no scanner running.
        let _abandoned = cancel.clone().drop_guard();
        let (start, pages) = (claimed.site.details.url.clone(), claimed.scan.pages_requested);
        let before = self.before(&claimed.scan).await;
        let request = ScanRequest::new(claimed.scan.id, start, pages)
            .with_standard(self.service.standard_of(&claimed.site.details))
            .with_known(before.known)
            .with_earlier(before.earlier.clone());
        let mut scanning = self.begin(request.clone(), cancel.clone());
        let scanned = match self.keep_alive(claim, &mut scanning).await {
            Ok(scanned) => accept(&request, scanned, cancel.is_cancelled()),
            Err(error) => {
                cancel.cancel();
                // The scanner ends soon after its token is cancelled, and leaves nothing running.
                if let Err(panic) = scanning.task.await {
                    tracing::error!(scan = %claim.scan, error = &panic as &dyn std::error::Error, "The scanner panicked");
                }
                return Err(error);
            }
        };
        match &scanned {
            // Before the check is handed back: no worker of this process may claim it again.
            Err(error @ ScanError::Unavailable(_)) => self.status.gate().close(error),
            Err(ScanError::Cancelled) => {}
            Ok(_) | Err(ScanError::Failed(_) | ScanError::Troubled { .. } | ScanError::Broken(_)) => {
                self.status.gate().has_worked();
            }
        }
        self.end(&claimed, before.earlier.as_deref(), scanned, scanning.progress.pages(), stop).await
    }

    /// Stores the outcome of the scan, renewing the lease until that is done. When the lease is lost, nothing more is tried.
    async fn end(
        &self,
        claimed: &ClaimedScan,
        earlier: Option<&EarlierCheck>,
        scanned: Result<ScanOutput, ScanError>,
        pages: PageCounts,
        stop: &CancellationToken,
    ) -> Result<(), LeaseError> {
        let give_up = stop.child_token();
        let mut ending = std::pin::pin!(self.store_end(claimed, earlier, scanned, &give_up));
        let mut losing = std::pin::pin!(self.lose_lease(claimed.claim, pages));
        let lost = tokio::select! {
            biased;
            ended = &mut ending => return ended,
            lost = &mut losing => lost,
        };
        // The lease may also be lost because the end has just been stored: the outcome of storing decides.
        give_up.cancel();
        match ending.await {
            Err(LeaseError::Store(StoreError::Unavailable(_)) | LeaseError::Pictures(_)) => Err(lost),
            ended => ended,
        }
    }

    /// Renews a lease until it is lost, and returns the reason.
    async fn lose_lease(&self, claim: Claim, pages: PageCounts) -> LeaseError {
        let renewal = Lease::RENEWAL.to_std().unwrap_or_default();
        loop {
            tokio::time::sleep(renewal).await;
            match self.service.store().renew_lease(claim, Lease::TERM, pages).await {
                Ok(()) => {}
                Err(LeaseError::Store(error)) => {
                    tracing::warn!(scan = %claim.scan, error = &error as &dyn std::error::Error, "Could not renew a lease");
                }
                Err(error) => return error,
            }
        }
    }

    /// Stores the outcome of the scan. What a store in trouble can't take yet is not thrown away: it is offered again for
    /// as long as the check is this worker's, unless the worker is to stop. If only the pictures of a result can't be
    /// stored, it is stored without them in the end, or when this worker is to stop.
    async fn store_end(
        &self,
        claimed: &ClaimedScan,
        earlier: Option<&EarlierCheck>,
        mut scanned: Result<ScanOutput, ScanError>,
        stop: &CancellationToken,
    ) -> Result<(), LeaseError> {
        let mut store_budget = RetryBudget::of(Self::END_LIMIT);
        let mut picture_budget = RetryBudget::of(Self::PICTURES_LIMIT);
        loop {
            let error = match self.try_to_end(claimed, earlier, &scanned).await {
                Err(error @ (LeaseError::Store(StoreError::Unavailable(_)) | LeaseError::Pictures(_))) => error,
                ended => return ended,
            };
            tracing::warn!(scan = %claimed.scan.id, error = &error as &dyn std::error::Error, "The end of a check could not be stored yet");
            let is_about_pictures = matches!(error, LeaseError::Pictures(_));
            if is_about_pictures {
                // The rest of the store was well just now.
                store_budget = RetryBudget::of(Self::END_LIMIT);
            }
            let budget = if is_about_pictures { &mut picture_budget } else { &mut store_budget };
            let may_try_again = tokio::select! {
                () = stop.cancelled() => false,
                is_in_time = budget.wait() => is_in_time,
            };
            scanned = match scanned {
                scanned if may_try_again => scanned,
                Ok(output) if is_about_pictures && output.has_pictures() => Ok(output.without_pictures()),
                _ => return Err(error),
            }
        }
    }

    async fn try_to_end(
        &self,
        claimed: &ClaimedScan,
        earlier: Option<&EarlierCheck>,
        scanned: &Result<ScanOutput, ScanError>,
    ) -> Result<(), LeaseError> {
        let claim = claimed.claim;
        match scanned {
            Ok(output) => self.finish(claimed, earlier, output.clone()).await,
            Err(ScanError::Cancelled | ScanError::Unavailable(_)) => {
                tracing::info!(scan = %claim.scan, "Handed a check back");
                self.service.store().hand_back(claim).await
            }
            Err(ScanError::Failed(failure)) if !failure.code.is_worth_retrying() => {
                self.fail(claim, failure.clone()).await
            }
            Err(ScanError::Failed(failure)) => {
                let next = match failure.code {
                    FailureCode::BrowserCrashed => RetryBy::OtherNodesFirst,
                    _ => RetryBy::Anyone,
                };
                self.retry_or_fail(&claimed.scan, claim, failure.clone(), next, Self::usual_delay).await
            }
            Err(ScanError::Troubled { failure, retry_after }) => {
                let delay = |attempt| Self::trouble_delay(attempt, *retry_after);
                self.retry_or_fail(&claimed.scan, claim, failure.clone(), RetryBy::Anyone, delay).await
            }
            Err(error @ ScanError::Broken(cause)) => {
                tracing::error!(scan = %claim.scan, error = error as &dyn std::error::Error, "The scanner broke down");
                let cause =
                    if cause.is::<OutputError>() { FailureCause::ResultDiscarded } else { FailureCause::BrowserBroken };
                let failure = failure_of(cause, FailureFacts::default());
                self.retry_or_fail(&claimed.scan, claim, failure, RetryBy::OtherNodesFirst, Self::usual_delay).await
            }
        }
    }

    fn begin(&self, request: ScanRequest, cancel: CancellationToken) -> Scanning {
        let progress = Arc::new(Progress::of(request.page_budget));
        let scanner = Arc::clone(&self.scanner);
        let sink = Arc::clone(&progress);
        // A task of its own: a panic in the scanner ends the check, not the worker.
        let task = tokio::spawn(async move { scanner.scan(request, &*sink, cancel).await });
        Scanning { task, progress }
    }

    /// Renews the lease until the scanner is done. Gives up when the lease is lost, or could not be renewed for so long
    /// that another worker may soon claim the check.
    async fn keep_alive(
        &self,
        claim: Claim,
        scanning: &mut Scanning,
    ) -> Result<Result<ScanOutput, ScanError>, LeaseError> {
        let mut renewed = Instant::now();
        let give_up = Lease::GIVE_UP.to_std().unwrap_or_default();
        let renewal = Lease::RENEWAL.to_std().unwrap_or_default();
        loop {
            tokio::select! {
                scanned = &mut scanning.task => return Ok(scanned.unwrap_or_else(|panic| Err(ScanError::Broken(panic.into())))),
                () = tokio::time::sleep(renewal) => {}
                () = scanning.progress.changed(renewed + Self::PROGRESS_INTERVAL) => {}
            }
            match self.service.store().renew_lease(claim, Lease::TERM, scanning.progress.pages()).await {
                Ok(()) => renewed = Instant::now(),
                Err(LeaseError::Store(error)) if renewed.elapsed() < give_up => {
                    tracing::warn!(scan = %claim.scan, error = &error as &dyn std::error::Error, "Could not renew a lease");
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn finish(
        &self,
        claimed: &ClaimedScan,
        earlier: Option<&EarlierCheck>,
        mut output: ScanOutput,
    ) -> Result<(), LeaseError> {
        let store = self.service.store();
        let base = store.latest_completed(claimed.scan.team, claimed.scan.site).await?;
        self.settle_kept(base.as_ref(), &mut output).await?;
        let ScanOutput { mut findings, screenshots, screen, remembered, .. } = output;
        let diff = match base {
            Some(base) => self.compared_with(&base, &mut findings).await?,
            None => DiffSummary::first(),
        };
        let outcome = Outcome {
            pages_scanned: u32::try_from(findings.pages_scanned()).unwrap_or(u32::MAX),
            totals: findings.totals(),
            diff,
            engine: findings.engine.clone(),
        };
        let finished_at = store.now().await?;
        let events = self.events(claimed, &outcome, finished_at).await?;
        let (lacks_pictures, taken_over) = (findings.pictures_not_stored, findings.pages_taken_over());
        let is_contradicted = remembered.as_ref().is_some_and(|remembered| remembered.course == Course::Contradicted);
        let memo = remembered.map(|remembered| {
            Memo::after(earlier.map(|earlier| &earlier.memo), remembered.course, remembered.document, finished_at)
        });
        let completion = Completion { finished_at, outcome, findings, screenshots, screen, events, memo };
        let scan = store.complete_scan(claimed.claim, completion).await?;
        count_ended(&scan);
        // The check is completed, whatever becomes of this.
        match self.service.reopen_found(&scan).await {
            Ok(0) => {}
            Ok(reopened) => {
                tracing::info!(scan = %scan.id, reopened, "Opened assignments again: the check found what was done")
            }
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::error!(scan = %scan.id, error, "Assignments could not be compared with a check: the next one will be");
            }
        }
        if lacks_pictures {
            metrics::counter!("a11ycheck_scans_without_pictures_total").increment(1);
            tracing::error!(scan = %scan.id, "A check was completed without its pictures: they could not be stored");
        }
        metrics::counter!("a11ycheck_pages_reused_total").increment(taken_over as u64);
        if is_contradicted {
            metrics::counter!("a11ycheck_scans_contradicted_total").increment(1);
            tracing::warn!(
                scan = %scan.id,
                site = %scan.site,
                "A page that seemed unchanged had another outcome: the site's checks examine every page for thirty days"
            );
        }
        let issues = scan.outcome().map(|outcome| outcome.totals.total());
        tracing::info!(scan = %scan.id, issues, taken_over, "Completed a check");
        Ok(())
    }

    /// Reads the pictures of the previous check that are kept, so that they are stored with this one like those that were taken. One
    /// that was lost meanwhile, or finds no room, is left out.
    async fn settle_kept(&self, base: Option<&Scan>, output: &mut ScanOutput) -> Result<(), LeaseError> {
        let mut bytes = 0;
        for kept in output.kept_pictures.clone() {
            let found = match base {
                Some(base) if bytes < ScanOutput::MAX_KEPT_BYTES => {
                    let found = self.service.store().screenshot(base.team, base.id, kept.was).await;
                    found.map_err(|error| LeaseError::Pictures(error.into()))?
                }
                Some(_) | None => None,
            };
            bytes += found.as_ref().map_or(0, |picture| picture.bytes.len());
            output.settle_kept(kept, found);
        }
        Ok(())
    }

    /// Returns the events of the check: about the check as it will be once it is stored, and about site and team as they
    /// are now. Without a writer there are none, which is a fault if the team has endpoints.
    async fn events(
        &self,
        claimed: &ClaimedScan,
        outcome: &Outcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<NewEvent>, LeaseError> {
        let ClaimedScan { claim, scan, .. } = claimed;
        let store = self.service.store();
        let Some(writer) = &self.service.parts().event_writer else {
            if !store.endpoints(scan.team).await?.is_empty() {
                self.status.note_lack_of_event_writer();
            }
            return Ok(Vec::new());
        };
        let site = store.site(scan.team, scan.site).await?.ok_or(LeaseError::Gone)?;
        let team = store.team(scan.team).await?.ok_or(LeaseError::Gone)?;
        let state = scan.state.clone().complete(claim.token, outcome.clone(), now)?;
        // An express report may have been bought while the check ran.
        let express = store.scan(scan.team, scan.id).await?.ok_or(LeaseError::Gone)?.express;
        let completed = Scan { state, express, ..scan.clone() };
        let check = CompletedCheck::new(&completed, outcome, &site, &team, self.service.base_url());
        Ok(check.events(&**writer, now))
    }

    /// Returns what a scan may know of the previous completed check. A check can be done without it, so a store that can't be read
    /// keeps none from being done.
    async fn before(&self, scan: &Scan) -> Before {
        match tokio::time::timeout(Self::KNOWN_LIMIT, self.read_before(scan)).await {
            Ok(Ok(before)) => before,
            Ok(Err(error)) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(scan = %scan.id, error, "The previous check could not be read");
                Before::default()
            }
            Err(_) => {
                tracing::warn!(scan = %scan.id, "The previous check could not be read in time");
                Before::default()
            }
        }
    }

    async fn read_before(&self, scan: &Scan) -> Result<Before, StoreError> {
        let store = self.service.store();
        let Some(base) = store.latest_completed(scan.team, scan.site).await? else { return Ok(Before::default()) };
        let Some(findings) = store.findings(base.team, base.id).await? else { return Ok(Before::default()) };
        let known = Some(Arc::new(KnownElements::of(&findings)));
        let memo = store.memo(base.team, base.site, base.id).await?;
        let earlier = match (memo, base.finished_at()) {
            (Some(memo), Some(finished_at)) => {
                let depth = Depth::of(scan.depth, Some(&memo), store.now().await?);
                Some(Arc::new(EarlierCheck::new(finished_at, findings, memo, depth)))
            }
            _ => None,
        };
        Ok(Before { known, earlier })
    }

    /// Compares the findings with those of the base, which can't change while this worker holds the site's one active check.
    async fn compared_with(
        &self,
        base: &Scan,
        findings: &mut crate::domain::Findings,
    ) -> Result<DiffSummary, LeaseError> {
        let previous = self.service.store().findings(base.team, base.id).await?;
        Ok(match (previous, base.outcome(), base.finished_at()) {
            (Some(previous), Some(outcome), Some(finished_at)) => {
                compare(findings, &previous, PreviousScan { id: base.id, finished_at, total: outcome.totals.total() })
            }
            _ => DiffSummary::first(),
        })
    }

    async fn retry_or_fail(
        &self,
        scan: &Scan,
        claim: Claim,
        failure: Failure,
        next: RetryBy,
        delay: impl FnOnce(u32) -> TimeDelta,
    ) -> Result<(), LeaseError> {
        match &scan.state {
            ScanState::Running { attempt, .. } if *attempt < ScanState::MAX_ATTEMPTS => {
                let delay = delay(*attempt);
                tracing::info!(scan = %claim.scan, code = %failure.code, %delay, "A check failed and will be tried again");
                self.service.store().retry_scan(claim, delay, next).await
            }
            ScanState::Running { .. } | ScanState::Queued | ScanState::Completed { .. } | ScanState::Failed { .. } => {
                self.fail(claim, failure).await
            }
        }
    }

    fn usual_delay(attempt: u32) -> TimeDelta {
        Self::RETRY_DELAY * i32::try_from(attempt).unwrap_or(1)
    }

    fn trouble_delay(attempt: u32, retry_after: Option<Duration>) -> TimeDelta {
        let [first, later] = Self::TROUBLE_DELAYS;
        let usual = if attempt == 1 { first } else { later };
        let asked = TimeDelta::from_std(retry_after.unwrap_or_default()).unwrap_or(TimeDelta::MAX);
        usual.max(asked.min(Self::LONGEST_DELAY))
    }

    async fn fail(&self, claim: Claim, failure: Failure) -> Result<(), LeaseError> {
        tracing::info!(scan = %claim.scan, code = %failure.code, "A check failed");
        let scan = self.service.store().fail_scan(claim, failure).await?;
        count_ended(&scan);
        Ok(())
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("service", &self.service).field("id", &self.id).finish_non_exhaustive()
    }
}

/// Counts a check as running in this process until it is dropped.
struct Running;

impl Running {
    fn begin() -> Self {
        metrics::gauge!("a11ycheck_scans_running").increment(1.0);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        metrics::gauge!("a11ycheck_scans_running").decrement(1.0);
    }
}

/// Counts a check that has ended, and records the seconds since it first began.
fn count_ended(scan: &Scan) {
    let status = scan.status().as_str();
    let code = match &scan.state {
        ScanState::Failed { failure, .. } => failure.code.to_string(),
        ScanState::Queued | ScanState::Running { .. } | ScanState::Completed { .. } => "none".to_owned(),
    };
    metrics::counter!("a11ycheck_scans_total", "status" => status, "code" => code).increment(1);
    if let ScanState::Completed { started_at, finished_at, .. } | ScanState::Failed { started_at, finished_at, .. } =
        &scan.state
    {
        let seconds = (*finished_at - *started_at).as_seconds_f64();
        metrics::histogram!("a11ycheck_scan_duration_seconds", "status" => status).record(seconds);
    }
}

/// The data of the previous completed check of a site that a scan gets. It is empty for the first check.
#[derive(Default)]
struct Before {
    /// The elements that the check found.
    known: Option<Arc<KnownElements>>,
    /// The whole check, if it left a memo.
    earlier: Option<Arc<EarlierCheck>>,
}

/// A scan under way.
struct Scanning {
    task: JoinHandle<Result<ScanOutput, ScanError>>,
    progress: Arc<Progress>,
}

/// Carries the page counts from the scanner to the loop that renews the lease.
#[derive(Debug)]
struct Progress {
    /// Pages that the check may visit.
    budget: u32,
    pages: Mutex<PageCounts>,
    changed: Notify,
}

impl Progress {
    fn of(budget: u32) -> Self {
        Self { budget, pages: Mutex::default(), changed: Notify::new() }
    }

    fn pages(&self) -> PageCounts {
        *self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when one of the counts has changed, but not before `earliest`.
    async fn changed(&self, earliest: Instant) {
        self.changed.notified().await;
        tokio::time::sleep_until(earliest).await;
    }
}

impl ProgressSink for Progress {
    fn progress(&self, pages: PageCounts) {
        let pages = pages.within(self.budget);
        let mut known = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // A report of fewer pages was overtaken by a later one.
        if pages.done >= known.done && pages != *known {
            *known = pages;
            self.changed.notify_one();
        }
    }
}
