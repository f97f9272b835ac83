//! A clock that several processes share and that runs fast.

use a11ycheck_core::clock::Clock;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde::{Deserialize, Serialize};

/// A clock that shows the machine's time at its origin, and has run `factor` times as fast since. All clocks with the
/// same origin and factor show the same time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct QuickClock {
    origin: DateTime<Utc>,
    factor: i32,
}

impl QuickClock {
    /// Creates a clock that begins now.
    pub fn new(factor: i32) -> Self {
        Self { origin: Utc::now().trunc_subsecs(6), factor }
    }
}

impl Clock for QuickClock {
    fn now(&self) -> DateTime<Utc> {
        (self.origin + (Utc::now() - self.origin) * self.factor).trunc_subsecs(6)
    }
}
