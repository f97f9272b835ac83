//! What core asks of a part that keeps data.
//!
//! [`Store`] is the sum of one trait per concern. Its methods are not rows to read and write but whole steps, each of
//! which carries an invariant of the service; what they promise is tested by the store
//! suite, which every store passes: `store_suite!` of the crate `a11ycheck-storage-testkit`.
//!
//! # Promises common to all methods
//! - *Atomicity*: a method happens as a whole or not at all, whenever the process or the machine stops.
//! - *Teams*: a method that takes a team sees nothing of another. What belongs to another team is treated as what does
//!   not exist.
//! - *Time*: every instant is the store's own: [`StoreClock::now`], truncated to microseconds. Callers on several
//!   machines need not agree on the time. What callers hand in as instants and durations is whole microseconds.
//! - *Ids*: an id that comes with something new, and a token's hash, is new too. One that is taken already is
//!   [`StoreError::Taken`], and nothing is changed.
//! - *Fidelity*: what is stored is read back as it was given: texts in any script, without U+0000 (the domain drops it),
//!   of any length; lists in their order; instants to the microsecond.
//! - *Errors*: [`StoreError::Unavailable`] and [`StoreError::Corrupt`] may come from any method and are not repeated below.
//!   Steps that choose work themselves (claims, the scheduler's) pass over what they can't read and tell the log: one bad row
//!   holds up nothing behind it.

mod error;
mod files;
mod hints;
mod queue;
mod rate_limits;
mod scans;
mod sealing;
mod settings;
mod sites;
mod teams;
mod webhooks;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg(test)]
pub(crate) use self::webhooks::MockWebhookStore;
pub use self::{
    error::StoreError,
    files::{Document, DocumentKey, FileStore, Look},
    hints::{HintStore, Hints, Work},
    queue::{Claim, ClaimedScan, Completion, DueSites, LeaseError, QueueDepth, QueueStore, Waiting},
    rate_limits::{AdmittedToken, RateLimitStore},
    scans::{ScanStore, StartScanError, TrendPoint},
    sealing::{SealedValue, SealingStore, UnsealedValue},
    settings::SettingsStore,
    sites::{AddSiteError, SiteStore, SiteUsage},
    teams::{DeletePlanError, TeamStore, UnknownPlan},
    webhooks::{
        ClaimLimits, ClaimedDelivery, CreateEndpointError, DeliveryClaim, DeliveryDepth, RecordError, SendError,
        WebhookStore,
    },
};

/// Tells the store's time.
#[async_trait]
pub trait StoreClock {
    /// The present instant, the same for all who use this store, truncated to microseconds.
    async fn now(&self) -> Result<DateTime<Utc>, StoreError>;
}

/// All that the service needs of a store.
pub trait Store:
    StoreClock
    + TeamStore
    + RateLimitStore
    + SiteStore
    + ScanStore
    + QueueStore
    + FileStore
    + WebhookStore
    + SealingStore
    + HintStore
    + SettingsStore
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
}

impl<S> Store for S where
    S: StoreClock
        + TeamStore
        + RateLimitStore
        + SiteStore
        + ScanStore
        + QueueStore
        + FileStore
        + WebhookStore
        + SealingStore
        + HintStore
        + SettingsStore
        + Send
        + Sync
        + std::fmt::Debug
        + 'static
{
}
