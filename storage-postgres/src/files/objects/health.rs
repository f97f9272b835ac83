//! The known health of an object store, so that not every question causes a request.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::FilesError;

/// The outcome of the last test, and the instant at which the next one is due.
#[derive(Debug)]
pub(super) struct Health(Mutex<State>);

#[derive(Debug)]
struct State {
    fault: Option<Arc<FilesError>>,
    /// The earliest instant of the next test; `None` while one is in progress.
    next_test: Option<Instant>,
}

impl Health {
    /// The time for which the outcome of a test is relied on.
    const FRESH: Duration = Duration::from_secs(15);
    /// The time after a failed request at which a test may begin.
    const SOON: Duration = Duration::from_secs(2);
    /// The longest time that a test may take; a store that takes longer counts as failed.
    pub(super) const TEST_LIMIT: Duration = Duration::from_secs(10);

    /// Begins with a healthy store, until a test shows something else.
    pub(super) fn new() -> Self {
        Self(Mutex::new(State { fault: None, next_test: Some(Instant::now() + Self::FRESH) }))
    }

    /// Begins a test if one is due: the caller is to test the store now. There is one test at a time.
    pub(super) fn begin_test(self: &Arc<Self>) -> Option<Test> {
        self.state().next_test.take_if(|due| *due <= Instant::now())?;
        Some(Test(Arc::clone(self)))
    }

    /// Brings the next test forward after a failed request: the fault may be that request's, or the store's. A later
    /// caller of [`begin_test`](Self::begin_test) tests it.
    pub(super) fn suspect(&self) {
        if let Some(next) = &mut self.state().next_test {
            *next = (*next).min(Instant::now() + Self::SOON);
        }
    }

    pub(super) fn known(&self) -> Result<(), Arc<FilesError>> {
        self.state().fault.clone().map_or(Ok(()), Err)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock does no harm: the state is replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A test in progress. If it is dropped before it has [`ended`](Self::ended), because it panicked or its runtime was shut
/// down, another test may begin soon, and what is known stays as it is.
#[derive(Debug)]
pub(super) struct Test(Arc<Health>);

impl Test {
    pub(super) fn ended(self, outcome: Result<(), FilesError>) {
        let fault = outcome.err().map(Arc::new);
        *self.0.state() = State { fault, next_test: Some(Instant::now() + Health::FRESH) };
    }
}

impl Drop for Test {
    fn drop(&mut self) {
        self.0.state().next_test.get_or_insert_with(|| Instant::now() + Health::SOON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn however_often_it_is_asked_for_the_store_is_tested_once_in_a_while_and_by_one_alone() {
        let health = Arc::new(Health::new());
        assert!(health.begin_test().is_none(), "it was just opened");
        tokio::time::advance(Health::FRESH).await;
        let mut tests: Vec<_> = (0..100).filter_map(|_| health.begin_test()).collect();
        assert_eq!(tests.len(), 1);
        tests.remove(0).ended(Err(FilesError::NoCredentials));
        assert!(health.known().is_err() && health.begin_test().is_none());
        tokio::time::advance(Health::FRESH).await;
        health.begin_test().unwrap().ended(Ok(()));
        assert!(health.known().is_ok() && health.begin_test().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_failed_has_it_tested_soon() {
        let health = Arc::new(Health::new());
        health.suspect();
        assert!(health.begin_test().is_none());
        tokio::time::advance(Health::SOON).await;
        let test = health.begin_test();
        assert!(test.is_some());
        health.suspect();
        assert!(health.begin_test().is_none(), "one is in progress");
    }

    #[tokio::test(start_paused = true)]
    async fn a_test_that_panicked_or_was_aborted_is_not_the_last_one() {
        let health = Arc::new(Health::new());
        tokio::time::advance(Health::FRESH).await;
        health.begin_test().unwrap().ended(Err(FilesError::NoCredentials));
        tokio::time::advance(Health::FRESH).await;
        let test = health.begin_test().unwrap();
        let panicked = tokio::spawn(async move {
            let _test = test;
            panic!("as a bug in a test would");
        });
        assert!(panicked.await.unwrap_err().is_panic());
        assert!(health.known().is_err() && health.begin_test().is_none(), "not at once");
        tokio::time::advance(Health::SOON).await;
        let test = health.begin_test().unwrap();
        let aborted = tokio::spawn(async move {
            let _test = test;
            std::future::pending::<()>().await;
        });
        aborted.abort();
        assert!(aborted.await.unwrap_err().is_cancelled());
        tokio::time::advance(Health::SOON).await;
        health.begin_test().unwrap().ended(Ok(()));
        assert!(health.known().is_ok());
    }
}
