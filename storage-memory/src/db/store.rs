//! The store: a state behind a lock, and a clock.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use a11ycheck_core::{
    clock::{Clock, SystemClock},
    store::{Hints, StoreClock, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};

use crate::db::state::State;

/// A store that keeps everything in memory. Clones share their data.
///
/// # Promises
/// Keeps every promise of [`Store`](a11ycheck_core::store::Store). *Atomicity* means here that no caller ever sees half
/// a step.
/// The data do not outlive the process.
///
/// # Costs
/// The cost of a step depends on how much the team has of the data in question, never on what other teams have; only
/// the steps that concern all teams (the scheduler, workers, the purge) read data of more than one. No step waits for
/// anything but another step.
///
/// # Errors
/// [`StoreError::Unavailable`] for every step after one that panicked, since that one may have been left half done.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Box<dyn Clock>,
    // A std mutex and not an async one: a step computes and never awaits, so the lock is held for microseconds and
    // never across an await, where a future that is dropped would leave a step half done.
    state: Mutex<State>,
    /// The hints that the state gives.
    hints: Arc<Hints>,
}

impl MemoryStore {
    /// Creates an empty store that uses the machine's clock.
    pub fn new() -> Self {
        Self::with_clock(SystemClock)
    }

    /// Creates an empty store that uses `clock`; its instants are truncated to microseconds.
    pub fn with_clock(clock: impl Clock + 'static) -> Self {
        let state = State::default();
        let hints = Arc::clone(&state.hints);
        Self { shared: Arc::new(Shared { clock: Box::new(clock), state: Mutex::new(state), hints }) }
    }

    /// Runs one step of a trait as a whole. The clock is read under the lock, so that the order of instants is the order
    /// of steps.
    pub(crate) fn step<T, E: From<StoreError>>(
        &self,
        run: impl FnOnce(&mut State, DateTime<Utc>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut state = self.shared.state.lock().map_err(|_| StoreError::Unavailable(Box::new(StepPanicked)))?;
        run(&mut state, self.time())
    }

    pub(crate) fn hints(&self) -> &Hints {
        &self.shared.hints
    }

    fn time(&self) -> DateTime<Utc> {
        self.shared.clock.now().trunc_subsecs(6)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    /// Shows the clock and none of the data: those are secret (hashes of tokens) or long (findings).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("clock", &self.shared.clock).finish_non_exhaustive()
    }
}

#[async_trait]
impl StoreClock for MemoryStore {
    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(self.time())
    }
}

/// An earlier step panicked, and may have been left half done.
#[derive(Debug)]
struct StepPanicked;

impl fmt::Display for StepPanicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an earlier step of the memory store panicked")
    }
}

impl std::error::Error for StepPanicked {}

#[cfg(test)]
mod tests {
    use a11ycheck_core::{
        domain::{NewTeam, PlanCatalog, PlanCode, Subscription},
        id::TeamId,
        store::{TeamStore as _, UnknownPlan},
    };

    use super::*;

    #[test]
    fn a_store_can_be_logged_without_its_data() {
        assert_eq!(format!("{:?}", MemoryStore::new()), "MemoryStore { clock: SystemClock, .. }");
    }

    #[tokio::test]
    async fn an_id_that_is_taken_is_not_trouble_that_may_pass() {
        let store = MemoryStore::new();
        store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
        let new = NewTeam {
            id: TeamId::generate(Utc::now()),
            name: "Team".to_owned(),
            plan: PlanCode::new("pro"),
            subscription: Subscription::ACTIVE,
            seats_used: 1,
        };
        store.create_team(new.clone()).await.unwrap();
        let refused = store.create_team(new).await.unwrap_err();
        assert!(matches!(refused, UnknownPlan::Store(StoreError::Taken(_))), "{refused:?}");
    }

    #[test]
    fn nothing_is_answered_from_data_that_a_panic_may_have_left_half_done() {
        let store = MemoryStore::new();
        let other = store.clone();
        let crash = std::thread::spawn(move || other.step(|_, _| -> Result<(), StoreError> { panic!("on purpose") }));
        assert!(crash.join().is_err());
        assert!(matches!(store.step(|_, _| Ok::<_, StoreError>(())), Err(StoreError::Unavailable(_))));
    }
}
