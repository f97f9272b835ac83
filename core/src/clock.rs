//! Time as a part that can be replaced: core reads the machine's clock only through [`Clock`].

use std::sync::Arc;

use chrono::{DateTime, SubsecRound as _, Utc};

/// A source of the present time. Instants have microseconds, the precision of PostgreSQL, so that every store returns
/// exactly what it was given.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Returns the present instant, truncated to microseconds.
    fn now(&self) -> DateTime<Utc>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> DateTime<Utc> {
        (**self).now()
    }
}

/// A clock that stands still until it is moved.
#[cfg(any(test, feature = "testing"))]
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<std::sync::Mutex<DateTime<Utc>>>);

#[cfg(any(test, feature = "testing"))]
impl ManualClock {
    /// Returns a clock that shows `now`, truncated to microseconds. Clones show the same time.
    pub fn at(now: DateTime<Utc>) -> Self {
        Self(Arc::new(std::sync::Mutex::new(now.trunc_subsecs(6))))
    }

    /// Moves the clock, forwards or backwards.
    ///
    /// # Panics
    /// If the instant leaves the range of [`DateTime`].
    pub fn advance(&self, by: chrono::TimeDelta) {
        let mut now = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now = (*now + by).trunc_subsecs(6);
    }

    /// Sets the clock.
    pub fn set(&self, now: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = now.trunc_subsecs(6);
    }
}

#[cfg(any(test, feature = "testing"))]
impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
