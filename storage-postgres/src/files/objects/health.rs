//! What is known of an object store's health, without asking it at each question.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::FilesError;

/// What the last test showed, and when the next one is due.
#[derive(Debug)]
pub(super) struct Health(Mutex<State>);

#[derive(Debug)]
struct State {
    fault: Option<Arc<FilesError>>,
    /// When a test may begin; `None` while one is under way.
    next_test: Option<Instant>,
}

impl Health {
    /// How long a test is taken for true.
    const FRESH: Duration = Duration::from_secs(15);
    /// How soon after another failure the next one may begin.
    const SOON: Duration = Duration::from_secs(2);
    /// How long one may take; a store that takes longer is as good as none.
    pub(super) const TEST_LIMIT: Duration = Duration::from_secs(10);

    /// Well, until something else is known.
    pub(super) fn new() -> Self {
        Self(Mutex::new(State { fault: None, next_test: Some(Instant::now() + Self::FRESH) }))
    }

    /// Whether the caller is to test the store now, and to say so with [`tested`](Self::tested): one is at a time.
    pub(super) fn begin_test(&self) -> bool {
        self.state().next_test.take_if(|due| *due <= Instant::now()).is_some()
    }

    pub(super) fn tested(&self, outcome: Result<(), FilesError>) {
        let fault = outcome.err().map(Arc::new);
        *self.state() = State { fault, next_test: Some(Instant::now() + Self::FRESH) };
    }

    /// A request failed: it may have been this one, or the store. The next one who asks has it tested.
    pub(super) fn suspect(&self) {
        if let Some(next) = &mut self.state().next_test {
            *next = (*next).min(Instant::now() + Self::SOON);
        }
    }

    pub(super) fn known(&self) -> Result<(), Arc<FilesError>> {
        self.state().fault.clone().map_or(Ok(()), Err)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn however_often_it_is_asked_for_the_store_is_tested_once_in_a_while_and_by_one_alone() {
        let health = Health::new();
        assert!(!health.begin_test(), "it was just opened");
        tokio::time::advance(Health::FRESH).await;
        assert_eq!((0..100).filter(|_| health.begin_test()).count(), 1);
        health.tested(Err(FilesError::NoCredentials));
        assert!(health.known().is_err() && !health.begin_test());
        tokio::time::advance(Health::FRESH).await;
        assert!(health.begin_test());
        health.tested(Ok(()));
        assert!(health.known().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_failed_has_it_tested_soon() {
        let health = Health::new();
        health.suspect();
        assert!(!health.begin_test());
        tokio::time::advance(Health::SOON).await;
        assert!(health.begin_test());
        health.suspect();
        assert!(!health.begin_test(), "one is under way");
    }
}
