//! Takes checks, one at a time, and brings them to their end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::{sync::Notify, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Step,
    pace::{self, Patience},
};
use crate::{
    catalog::failure_of,
    domain::{
        DiffSummary, Failure, FailureCause, FailureCode, FailureFacts, Lease, NewEvent, Outcome, PreviousScan, RetryBy,
        Scan, ScanState, compare,
    },
    id::WorkerId,
    scanner::{OutputError, ProgressSink, ScanError, ScanOutput, ScanRequest, accept},
    service::Service,
    store::{Claim, ClaimedScan, Completion, LeaseError, StoreError, Work},
    view::{SiteView, Viewer},
    webhook::payload,
};

/// Takes checks, one at a time, and brings them to their end. Any number of them may run, on any number of machines.
#[derive(Debug, Clone)]
pub struct Worker {
    service: Service,
    id: WorkerId,
}

impl Worker {
    /// Pages are told to the store at most this often; a renewal comes with each.
    const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
    /// How long the end of a check is tried to be stored while the store is in trouble, lease and all: as a rule, the lease was
    /// renewed at most [`Lease::RENEWAL`] before, and lasts as long. Where it was not, the token decides.
    const END_LIMIT: Duration = Duration::from_secs(40);
    /// How long a result's pictures are tried to be stored while the rest of the store is well, before it is stored without them.
    /// Short enough to keep workers at work through an outage, long enough for what restarts.
    const PICTURES_LIMIT: Duration = Duration::from_secs(60);
    /// After the first failed attempt; twice as long after the second.
    const RETRY_DELAY: TimeDelta = TimeDelta::seconds(30);

    /// For how long a site in trouble is left alone after the first attempt, and after later ones: deployments take a
    /// minute, maintenance takes several.
    const TROUBLE_DELAYS: [TimeDelta; 2] = [TimeDelta::minutes(1), TimeDelta::minutes(5)];
    /// The longest for which it is, whatever it asks for.
    const LONGEST_DELAY: TimeDelta = TimeDelta::minutes(15);

    /// A worker for this service, with a name of its own. All workers of a service are of one node.
    pub fn new(service: Service) -> Self {
        let id = service.parts().node.worker();
        Self { service, id }
    }

    /// Runs until `drain`, which follows `stop`; a check that runs at `stop` is handed back.
    pub(super) async fn run(self, poll: Duration, drain: CancellationToken, stop: CancellationToken) {
        let (store, parts) = (self.service.store(), self.service.parts());
        let step = || async {
            parts.gate.passed(&*parts.scanner, &drain).await;
            if drain.is_cancelled() { Ok(Step::Idle) } else { self.take(&stop).await }
        };
        pace::run("worker", poll, &drain, || store.hint(Work::Scans), step).await;
    }

    /// Takes the longest-waiting check and works on it to its end, or until `stop`. Where the scanner could not work before, it
    /// is tried first, and nothing is taken unless it can.
    ///
    /// # Errors
    /// Those of the store; a check whose result could not be stored is taken again when its lease ends.
    pub async fn step(&self, stop: &CancellationToken) -> Result<Step, StoreError> {
        let parts = self.service.parts();
        if parts.gate.passes_now(&*parts.scanner).await { self.take(stop).await } else { Ok(Step::Idle) }
    }

    async fn take(&self, stop: &CancellationToken) -> Result<Step, StoreError> {
        if self.service.parts().gate.fault().is_some() {
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
        let request = ScanRequest {
            scan: claimed.scan.id,
            start: claimed.site.details.url.clone(),
            page_budget: claimed.scan.pages_requested,
        };
        let mut scanning = self.begin(request.clone(), cancel.clone());
        let scanned = match self.keep_alive(claim, &mut scanning).await {
            Ok(scanned) => accept(&request, scanned, cancel.is_cancelled()),
            Err(error) => {
                cancel.cancel();
                // The scanner ends soon after its token, and leaves nothing running behind.
                if let Err(panic) = scanning.task.await {
                    tracing::error!(scan = %claim.scan, error = &panic as &dyn std::error::Error, "The scanner panicked");
                }
                return Err(error);
            }
        };
        match &scanned {
            // Before the check is handed back: no worker of this process is to take it again.
            Err(error @ ScanError::Unavailable(_)) => self.service.parts().gate.close(error),
            Err(ScanError::Cancelled) => {}
            Ok(_) | Err(ScanError::Failed(_) | ScanError::Troubled { .. } | ScanError::Broken(_)) => {
                self.service.parts().gate.has_worked();
            }
        }
        self.end(&claimed, scanned, scanning.progress.pages(), stop).await
    }

    /// Stores how the scanner ended, and renews the lease until that is done. When the lease is lost, nothing more is tried.
    async fn end(
        &self,
        claimed: &ClaimedScan,
        scanned: Result<ScanOutput, ScanError>,
        pages: u32,
        stop: &CancellationToken,
    ) -> Result<(), LeaseError> {
        let give_up = stop.child_token();
        let mut ending = std::pin::pin!(self.store_end(claimed, scanned, &give_up));
        let mut losing = std::pin::pin!(self.lose_lease(claimed.claim, pages));
        let lost = tokio::select! {
            biased;
            ended = &mut ending => return ended,
            lost = &mut losing => lost,
        };
        // It may also be lost because the end has just been stored: what became of that counts.
        give_up.cancel();
        match ending.await {
            Err(LeaseError::Store(StoreError::Unavailable(_)) | LeaseError::Pictures(_)) => Err(lost),
            ended => ended,
        }
    }

    /// Renews a lease until it is lost, and says how.
    async fn lose_lease(&self, claim: Claim, pages: u32) -> LeaseError {
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

    /// Stores how the scanner ended. What a store in trouble can't take yet is not thrown away: it is offered again for as
    /// long as the check is this worker's, unless that is to stop. A result whose pictures alone can't be stored is in the end,
    /// or when this worker is to stop, stored without them.
    async fn store_end(
        &self,
        claimed: &ClaimedScan,
        mut scanned: Result<ScanOutput, ScanError>,
        stop: &CancellationToken,
    ) -> Result<(), LeaseError> {
        let mut store_patience = Patience::of(Self::END_LIMIT);
        let mut picture_patience = Patience::of(Self::PICTURES_LIMIT);
        loop {
            let error = match self.try_to_end(claimed, &scanned).await {
                Err(error @ (LeaseError::Store(StoreError::Unavailable(_)) | LeaseError::Pictures(_))) => error,
                ended => return ended,
            };
            tracing::warn!(scan = %claimed.scan.id, error = &error as &dyn std::error::Error, "The end of a check could not be stored yet");
            let is_about_pictures = matches!(error, LeaseError::Pictures(_));
            if is_about_pictures {
                // The rest of the store was well just now.
                store_patience = Patience::of(Self::END_LIMIT);
            }
            let patience = if is_about_pictures { &mut picture_patience } else { &mut store_patience };
            let may_try_again = tokio::select! {
                () = stop.cancelled() => false,
                is_in_time = patience.wait() => is_in_time,
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
        scanned: &Result<ScanOutput, ScanError>,
    ) -> Result<(), LeaseError> {
        let claim = claimed.claim;
        match scanned {
            Ok(output) => self.finish(claimed, output.clone()).await,
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
        let progress = Arc::new(Progress::default());
        let service = self.service.clone();
        let sink = Arc::clone(&progress);
        // A task of its own: a panic in the scanner ends the check, not the worker.
        let task = tokio::spawn(async move { service.parts().scanner.scan(request, &*sink, cancel).await });
        Scanning { task, progress }
    }

    /// Renews the lease until the scanner is done. Gives up when the lease is lost, or could not be renewed for so long
    /// that another worker may soon take the check.
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
                () = scanning.progress.grown(renewed + Self::PROGRESS_INTERVAL) => {}
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

    async fn finish(&self, claimed: &ClaimedScan, output: ScanOutput) -> Result<(), LeaseError> {
        let ScanOutput { mut findings, screenshots, screen } = output;
        let store = self.service.store();
        let diff = match store.latest_completed(claimed.scan.team, claimed.scan.site).await? {
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
        let lacks_pictures = findings.pictures_not_stored;
        let completion = Completion { finished_at, outcome, findings, screenshots, screen, events };
        let scan = store.complete_scan(claimed.claim, completion).await?;
        count_ended(&scan);
        if lacks_pictures {
            metrics::counter!("a11ycheck_scans_without_pictures_total").increment(1);
            tracing::error!(scan = %scan.id, "A check was completed without its pictures: they could not be stored");
        }
        tracing::info!(scan = %scan.id, issues = scan.outcome().map(|outcome| outcome.totals.total()), "Completed a check");
        Ok(())
    }

    /// What endpoints are told: the check as it will be once it is stored, with links to the files that the team may have
    /// now, and the site as it is now.
    async fn events(
        &self,
        claimed: &ClaimedScan,
        outcome: &Outcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<NewEvent>, LeaseError> {
        let ClaimedScan { claim, scan, .. } = claimed;
        let store = self.service.store();
        let site = store.site(scan.team, scan.site).await?.ok_or(LeaseError::Gone)?;
        let team = store.team(scan.team).await?.ok_or(LeaseError::Gone)?;
        let state = scan.state.clone().complete(claim.token, outcome.clone(), now)?;
        // An express report may have been bought while the check ran.
        let express = store.scan(scan.team, scan.id).await?.ok_or(LeaseError::Gone)?.express;
        let completed = Scan { state, express, ..scan.clone() };
        let site = SiteView::new(&site, team.is_served(now));
        let viewer = Viewer { team: &team, at: now, links: self.service.links() };
        Ok(payload::scan_events(&completed, outcome, site, &viewer))
    }

    /// The base can't change while this worker holds the site's one active check.
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

/// Counts a check that has ended, and how long it took from its first beginning, in seconds.
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

/// A scan under way.
struct Scanning {
    task: JoinHandle<Result<ScanOutput, ScanError>>,
    progress: Arc<Progress>,
}

/// Carries the number of pages from the scanner to the heartbeat.
#[derive(Debug, Default)]
struct Progress {
    pages: AtomicU32,
    grown: Notify,
}

impl Progress {
    fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Ends when the number has grown, but not before `earliest`.
    async fn grown(&self, earliest: Instant) {
        self.grown.notified().await;
        tokio::time::sleep_until(earliest).await;
    }
}

impl ProgressSink for Progress {
    fn pages_done(&self, pages: u32) {
        self.pages.fetch_max(pages, Ordering::Relaxed);
        self.grown.notify_one();
    }
}
