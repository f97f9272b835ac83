//! Renderings: equal requests share one, and others queue.

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::{sync::watch, time::Instant};

use super::queue::{QueueLimits, TurnQueue};
use crate::{
    error::Error,
    id::{ScanId, TeamId},
    store::{DocumentKey, StoreError, StyleHash},
};

/// The number of PDFs that a process renders and lets wait, and the time for which a request waits for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderLimits {
    /// The most renderings at a time. With 0, nothing is rendered: only files that are already kept are available.
    pub running: usize,
    /// The most renderings that wait for their turn, of all teams together.
    pub waiting: usize,
    /// The most renderings of one team that wait for their turn.
    pub waiting_per_team: usize,
    /// The time for which a request waits in all, counted from its arrival.
    pub patience: Duration,
}

impl RenderLimits {
    /// The most renderings that wait. One takes 0.05 s to 0.4 s of one core, so that anything behind more than these would
    /// hardly be rendered in time on a small machine.
    const WAITING: usize = 256;
    /// The most renderings of one team that wait: a quarter of them, so that it takes several teams to fill the queue. That
    /// is enough for nine checks in all seven languages.
    const WAITING_PER_TEAM: usize = 64;
    /// The time for which a request waits. Contract §14: PDF preparation takes up to one minute, of which some is left for
    /// the response.
    const PATIENCE: Duration = Duration::from_secs(55);

    /// Sets the most renderings at a time.
    #[must_use]
    pub const fn with_running(self, running: usize) -> Self {
        Self { running, ..self }
    }

    /// Sets the most renderings that wait for their turn, of all teams together.
    #[must_use]
    pub const fn with_waiting(self, waiting: usize) -> Self {
        Self { waiting, ..self }
    }

    /// Sets the most renderings of one team that wait for their turn.
    #[must_use]
    pub const fn with_waiting_per_team(self, waiting_per_team: usize) -> Self {
        Self { waiting_per_team, ..self }
    }

    /// Sets the time for which a request waits in all.
    #[must_use]
    pub const fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl Default for RenderLimits {
    fn default() -> Self {
        // A rendering per core would leave none for requests.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            running: cores.div_ceil(2),
            waiting: Self::WAITING,
            waiting_per_team: Self::WAITING_PER_TEAM,
            patience: Self::PATIENCE,
        }
    }
}

/// The identity of a file to be rendered. Requests for equal files share one rendering.
pub(super) type FileId = (ScanId, DocumentKey, StyleHash);

/// The work that makes a file.
pub(super) type Work = BoxFuture<'static, Result<Bytes, Error>>;

/// The outcome of a rendering, shared by all that wait for it.
type Outcome = Result<Bytes, Arc<Error>>;

/// The files that are being rendered in this process, and those that wait for their turn.
///
/// A rendering continues when the clients that asked for it have gone: its file is kept, and they are likely to come again.
#[derive(Debug)]
pub(crate) struct Renderings {
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    queue: TurnQueue<Job>,
    /// The files that wait or are being rendered.
    under_way: HashMap<FileId, watch::Receiver<Option<Outcome>>>,
}

struct Job {
    team: TeamId,
    file: FileId,
    work: Work,
    outcome: watch::Sender<Option<Outcome>>,
}

impl Renderings {
    pub(crate) fn new(limits: RenderLimits) -> Arc<Self> {
        let RenderLimits { running, waiting, waiting_per_team, patience } = limits;
        let queue = TurnQueue::new(QueueLimits { running, waiting, waiting_per_team });
        Arc::new(Self { patience, state: Mutex::new(State { queue, under_way: HashMap::new() }) })
    }

    /// Waits for a file that another request already waits for, or has it made by `work` when it is the team's turn.
    ///
    /// # Errors
    /// [`Error::PdfUnavailable`] if the queue is full, if the file was not ready in time (it is still made), or if `work`
    /// panicked; those of `work`.
    pub(super) async fn wait(
        self: &Arc<Self>,
        team: TeamId,
        file: FileId,
        arrived: Instant,
        work: impl FnOnce() -> Work + Send,
    ) -> Result<Bytes, Error> {
        let mut outcome = self.join(team, file, work)?;
        let waiting = outcome.wait_for(Option::is_some);
        match tokio::time::timeout_at(arrived + self.patience, waiting).await {
            Ok(Ok(outcome)) => match &*outcome {
                Some(Ok(bytes)) => Ok(bytes.clone()),
                Some(Err(error)) => Err(joined(error)),
                None => Err(Error::PdfUnavailable),
            },
            // Out of time, or the runtime is shutting down.
            Err(_) | Ok(Err(_)) => Err(Error::PdfUnavailable),
        }
    }

    fn join(
        self: &Arc<Self>,
        team: TeamId,
        file: FileId,
        work: impl FnOnce() -> Work,
    ) -> Result<watch::Receiver<Option<Outcome>>, Error> {
        let mut state = self.state();
        if let Some(outcome) = state.under_way.get(&file) {
            return Ok(outcome.clone());
        }
        let (sender, receiver) = watch::channel(None);
        let job = Job { team, file, work: work(), outcome: sender };
        state.queue.enqueue(team, job).map_err(|_| Error::PdfUnavailable)?;
        state.under_way.insert(file, receiver.clone());
        self.start(state);
        Ok(receiver)
    }

    /// Starts the jobs whose turn it is, each in a task of its own, so that a client that goes away does not waste what was begun.
    fn start(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        while let Some(job) = state.queue.start_next() {
            tokio::spawn(Arc::clone(self).run(job));
        }
        // Exact up to 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        metrics::gauge!("a11ycheck_pdf_waiting").set(state.queue.waiting() as f64);
    }

    async fn run(self: Arc<Self>, Job { team, file, work, outcome }: Job) {
        let made = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(scan = %file.0, "Rendering a PDF panicked");
            Err(Error::PdfUnavailable)
        });
        let mut state = self.state();
        state.under_way.remove(&file);
        state.queue.finish(team);
        self.start(state);
        outcome.send_replace(Some(made.map_err(Arc::new)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("team", &self.team).field("file", &self.file).finish_non_exhaustive()
    }
}

/// Returns the error of a rendering, for each of the requests that waited for it.
fn joined(error: &Arc<Error>) -> Error {
    let source = || Box::new(Joined(Arc::clone(error)));
    match &**error {
        Error::NotFound => Error::NotFound,
        Error::Unavailable(_) => Error::Unavailable(StoreError::Unavailable(source())),
        Error::Corrupt(StoreError::Corrupt { what, .. }) => {
            Error::Corrupt(StoreError::Corrupt { what: what.clone(), source: source() })
        }
        _ => Error::PdfUnavailable,
    }
}

/// The error of a rendering that several requests waited for.
#[derive(Debug, thiserror::Error)]
#[error("the PDF could not be rendered")]
struct Joined(#[source] Arc<Error>);

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use chrono::Utc;
    use tokio::{sync::Notify, task::JoinSet};

    use super::*;
    use crate::locale::Locale;

    const LIMITS: RenderLimits =
        RenderLimits { running: 1, waiting: 10, waiting_per_team: 5, patience: RenderLimits::PATIENCE };

    fn file(locale: Locale) -> FileId {
        (ScanId::presented("scan_x"), DocumentKey::Report(locale), StyleHash([0; 16]))
    }

    fn team() -> TeamId {
        TeamId::generate(Utc::now())
    }

    /// Returns work that makes this text once `gate` opens.
    fn gated(gate: &Arc<Notify>, text: &'static str) -> Work {
        let gate = Arc::clone(gate);
        async move {
            gate.notified().await;
            Ok(Bytes::from_static(text.as_bytes()))
        }
        .boxed()
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_for_a_file_that_is_being_rendered_gets_the_same_one_and_it_is_rendered_once() {
        let renderings = Renderings::new(LIMITS);
        let (team, rendered) = (team(), Arc::new(AtomicUsize::new(0)));
        let ask = |locale| {
            let (renderings, rendered) = (Arc::clone(&renderings), Arc::clone(&rendered));
            async move {
                let work = || {
                    async move {
                        rendered.fetch_add(1, Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_secs(10)).await;
                        Ok(Bytes::from_static(b"%PDF"))
                    }
                    .boxed()
                };
                renderings.wait(team, file(locale), Instant::now(), work).await
            }
        };
        let mut asked = JoinSet::new();
        for locale in [Locale::De, Locale::De, Locale::Uk, Locale::De, Locale::Uk] {
            asked.spawn(ask(locale));
        }
        let answers = asked.join_all().await;
        assert!(answers.into_iter().all(|answer| answer.unwrap() == "%PDF"));
        assert_eq!(rendered.load(Ordering::SeqCst), 2, "once per language");
        ask(Locale::De).await.unwrap();
        assert_eq!(rendered.load(Ordering::SeqCst), 3, "what has ended is not joined");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_55_seconds_from_its_arrival_and_its_file_is_still_made() {
        let renderings = Renderings::new(LIMITS);
        let (team, gate) = (team(), Arc::new(Notify::new()));
        let arrived = Instant::now();
        tokio::time::advance(Duration::from_secs(5)).await;
        let late = renderings.wait(team, file(Locale::De), arrived, || gated(&gate, "late")).await;
        assert!(matches!(late, Err(Error::PdfUnavailable)), "{late:?}");
        assert_eq!(arrived.elapsed().as_secs(), 55);

        gate.notify_one();
        let joined = renderings.wait(team, file(Locale::De), Instant::now(), || unreachable!("it is under way")).await;
        assert_eq!(joined.unwrap(), "late");
    }

    #[tokio::test(start_paused = true)]
    async fn a_rendering_goes_on_when_its_client_leaves() {
        let renderings = Renderings::new(LIMITS);
        let (team, gate, kept) = (team(), Arc::new(Notify::new()), Arc::new(Notify::new()));
        for locale in [Locale::De, Locale::Uk] {
            let (gate, kept) = (Arc::clone(&gate), Arc::clone(&kept));
            let work = || {
                async move {
                    gate.notified().await;
                    kept.notify_one();
                    Ok(Bytes::new())
                }
                .boxed()
            };
            let client = renderings.wait(team, file(locale), Instant::now(), work);
            assert!(tokio::time::timeout(Duration::from_secs(1), client).await.is_err(), "it has left");
        }
        for _ in 0..2 {
            gate.notify_one();
            kept.notified().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_refuses_at_once_and_takes_more_when_something_has_ended() {
        let renderings = Renderings::new(RenderLimits { waiting: 1, ..LIMITS });
        let (team, gate) = (team(), Arc::new(Notify::new()));
        let mut asked = JoinSet::new();
        for locale in [Locale::De, Locale::Uk] {
            let (renderings, gate) = (Arc::clone(&renderings), Arc::clone(&gate));
            asked.spawn(async move { renderings.wait(team, file(locale), Instant::now(), || gated(&gate, "")).await });
        }
        tokio::task::yield_now().await;
        let start = Instant::now();
        let refused = renderings.wait(team, file(Locale::Pl), start, || gated(&gate, "")).await;
        assert!(matches!(refused, Err(Error::PdfUnavailable)) && start.elapsed().is_zero(), "{refused:?}");
        gate.notify_one();
        asked.join_next().await.unwrap().unwrap().unwrap();
        gate.notify_one();
        asked.join_next().await.unwrap().unwrap().unwrap();
        gate.notify_one();
        assert!(renderings.wait(team, file(Locale::Pl), start, || gated(&gate, "")).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_or_an_error_of_a_rendering_reaches_all_who_wait_and_frees_its_slot() {
        let renderings = Renderings::new(LIMITS);
        let team = team();
        let refusals = async |work: fn() -> Work| {
            let ask = || renderings.wait(team, file(Locale::De), Instant::now(), work);
            let (first, second) = tokio::join!(ask(), ask());
            [first.unwrap_err(), second.unwrap_err()]
        };
        let panicked = refusals(|| async { panic!("a fault of ours") }.boxed()).await;
        assert!(panicked.iter().all(|error| matches!(error, Error::PdfUnavailable)), "{panicked:?}");
        let deleted = refusals(|| async { Err(Error::NotFound) }.boxed()).await;
        assert!(deleted.iter().all(|error| matches!(error, Error::NotFound)), "{deleted:?}");
        let away = refusals(|| {
            let error = StoreError::Unavailable("no connection".into());
            async { Err(Error::Unavailable(error)) }.boxed()
        });
        for error in away.await {
            let mut causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
            assert!(matches!(error, Error::Unavailable(_)) && causes.any(|cause| cause.to_string() == "no connection"));
        }
        let fine = renderings.wait(team, file(Locale::De), Instant::now(), || async { Ok(Bytes::new()) }.boxed());
        assert!(fine.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn one_file_of_a_team_does_not_wait_for_all_of_another() {
        let renderings = Renderings::new(LIMITS);
        let (agency, shop) = (team(), team());
        let mut asked = JoinSet::new();
        let requests = [Locale::De, Locale::Uk, Locale::Pl, Locale::Cs].map(|locale| (agency, locale));
        for (team, locale) in requests.into_iter().chain([(shop, Locale::En)]) {
            let renderings = Arc::clone(&renderings);
            let work = || {
                async {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Ok(Bytes::new())
                }
                .boxed()
            };
            asked.spawn(async move {
                renderings.wait(team, file(locale), Instant::now(), work).await.unwrap();
                team
            });
        }
        let order = asked.join_all().await;
        assert_eq!(
            order.iter().position(|team| *team == shop),
            Some(1),
            "right behind the one that was begun before it"
        );
    }
}
