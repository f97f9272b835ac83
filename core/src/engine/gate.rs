//! The gate, which knows whether the scanner of this process can work.

use std::{
    error::Error as StdError,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{Mutex as AsyncMutex, watch};

use crate::scanner::{CancellationToken, Scanner};

/// Keeps the workers of this process from claiming checks while the scanner can't work.
#[derive(Debug)]
pub(super) struct Gate {
    /// The reason why the scanner can't work; `None` while it can.
    fault: watch::Sender<Option<Arc<str>>>,
    /// Held by the one worker that tries the scanner.
    trial: AsyncMutex<()>,
    /// The pause before the next trial. It grows until a check has shown that the scanner works, so that a scanner that
    /// starts but can't check anything is not tried more and more often.
    pause: Mutex<Duration>,
}

impl Gate {
    const FIRST_PAUSE: Duration = Duration::from_secs(1);
    const LONGEST_PAUSE: Duration = Duration::from_secs(60);

    pub(super) fn open() -> Self {
        Self { fault: watch::Sender::new(None), trial: AsyncMutex::new(()), pause: Mutex::new(Self::FIRST_PAUSE) }
    }

    /// Returns the reason why the scanner can't work, in one sentence; `None` if it can, as far as is known.
    pub(super) fn fault(&self) -> Option<Arc<str>> {
        self.fault.borrow().clone()
    }

    /// Sets the metric that shows operators whether the scanner works; called at the start, too.
    pub(super) fn describe(&self) {
        metrics::gauge!("a11ycheck_scanner_ready").set(if self.fault().is_none() { 1.0 } else { 0.0 });
    }

    /// Closes the gate, because the scanner could not work. Logged once, however many workers find out.
    pub(super) fn close(&self, error: &(dyn StdError + 'static)) {
        let reason: Arc<str> = error.to_string().into();
        let is_news = self.fault.send_if_modified(|fault| {
            let is_news = fault.is_none();
            *fault = Some(reason);
            is_news
        });
        if is_news {
            tracing::error!(error, "The scanner can't work: this node begins no check until it can");
            self.describe();
        }
    }

    /// Notes that the scanner has begun a check, whatever the outcome.
    pub(super) fn has_worked(&self) {
        *self.pause() = Self::FIRST_PAUSE;
    }

    /// Waits until the scanner can work, or until `stop`. One of the waiting workers tries it, after longer and longer pauses.
    pub(super) async fn passed(&self, scanner: &dyn Scanner, stop: &CancellationToken) {
        let mut fault = self.fault.subscribe();
        while fault.borrow_and_update().is_some() {
            tokio::select! {
                () = stop.cancelled() => return,
                // The sender lives in `self`, so the channel is still open.
                _ = fault.changed() => {}
                () = self.try_scanner(scanner) => {}
            }
        }
    }

    /// Returns whether the scanner can work, as far as is known. If it could not, it is tried now.
    pub(super) async fn passes_now(&self, scanner: &dyn Scanner) -> bool {
        if self.fault().is_some() {
            let _trial = self.trial.lock().await;
            self.attempt(scanner).await;
        }
        self.fault().is_none()
    }

    async fn try_scanner(&self, scanner: &dyn Scanner) {
        let _trial = self.trial.lock().await;
        if self.fault().is_none() {
            return;
        }
        let pause = {
            let mut next = self.pause();
            let pause = *next;
            *next = (pause * 2).min(Self::LONGEST_PAUSE);
            pause
        };
        // Spread, so that nodes whose browser was replaced do not all try at the same moment.
        tokio::time::sleep(pause.mul_f64(rand::random_range(0.75..1.25))).await;
        self.attempt(scanner).await;
    }

    async fn attempt(&self, scanner: &dyn Scanner) {
        match scanner.check_readiness().await {
            Ok(()) => {
                tracing::info!("The scanner works again");
                self.fault.send_replace(None);
                self.describe();
            }
            Err(error) => {
                tracing::debug!(error = &*error as &dyn StdError, "The scanner still can't work");
                let reason: Arc<str> = error.to_string().into();
                // Probes show the new reason; the workers go on waiting.
                self.fault.send_if_modified(|fault| {
                    *fault = Some(reason);
                    false
                });
            }
        }
    }

    fn pause(&self) -> std::sync::MutexGuard<'_, Duration> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::scanner::ScriptedScanner;

    #[tokio::test(start_paused = true)]
    async fn one_worker_tries_for_all_ever_more_seldom_until_the_scanner_works() {
        let (gate, scanner) = (Arc::new(Gate::open()), ScriptedScanner::default());
        scanner.break_down("no browser");
        gate.close(&crate::scanner::ScanError::Unavailable("no browser".into()));
        assert_eq!(gate.fault().as_deref(), Some("no browser"));
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let (gate, scanner) = (Arc::clone(&gate), scanner.clone());
                tokio::spawn(async move { gate.passed(&scanner, &CancellationToken::new()).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        let trials = scanner.trials();
        assert!((48..=90).contains(&trials), "once a minute in the end, for all of them: {trials}");
        scanner.repair();
        let since = Instant::now();
        for worker in workers {
            worker.await.unwrap();
        }
        assert!(since.elapsed() <= Duration::from_secs(75), "{:?}", since.elapsed());
        assert_eq!((gate.fault(), scanner.trials()), (None, trials + 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_is_asked_to_stop_waits_no_longer_and_another_tries_on() {
        let (gate, scanner) = (Arc::new(Gate::open()), ScriptedScanner::default());
        scanner.break_down("no browser");
        gate.close(&crate::scanner::ScanError::Unavailable("no browser".into()));
        let stop = CancellationToken::new();
        let pass = |stop: CancellationToken| {
            let (gate, scanner) = (Arc::clone(&gate), scanner.clone());
            tokio::spawn(async move { gate.passed(&scanner, &stop).await })
        };
        let (stopped, other) = (pass(stop.clone()), pass(CancellationToken::new()));
        tokio::time::sleep(Duration::from_secs(30)).await;
        stop.cancel();
        stopped.await.unwrap();
        assert!(gate.fault().is_some());
        scanner.repair();
        other.await.unwrap();
        assert_eq!(gate.fault(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_scanner_that_starts_and_still_checks_nothing_is_not_tried_again_at_once() {
        let (gate, scanner) = (Gate::open(), ScriptedScanner::default());
        let stop = CancellationToken::new();
        let since = Instant::now();
        for _ in 0..10 {
            gate.close(&crate::scanner::ScanError::Unavailable("no port is free".into()));
            gate.passed(&scanner, &stop).await;
        }
        assert!(since.elapsed() >= Duration::from_secs(200), "{:?}", since.elapsed());
        gate.has_worked();
        let since = Instant::now();
        gate.close(&crate::scanner::ScanError::Unavailable("no port is free".into()));
        gate.passed(&scanner, &stop).await;
        assert!(since.elapsed() <= Duration::from_secs(2), "{:?}", since.elapsed());
    }
}
