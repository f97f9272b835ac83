//! Makes the attempts of deliveries.

use std::{
    error::Error as StdError,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use chrono::TimeDelta;
use tokio::{sync::Notify, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{Step, pace, recording::record, tasks::Tasks};
use crate::{
    domain::{AttemptFailure, AttemptReport, AttemptResult, EndpointSecret},
    id::WorkerId,
    sealing::Keyring,
    service::Service,
    store::{ClaimLimits, ClaimedDelivery, StoreError, Work},
    webhook::{WebhookSender, request},
};

/// Makes the attempts of deliveries that are due, many at a time. Any number of dispatchers may run, on any number of nodes.
///
/// An endpoint that responds slowly, or not at all, holds at most [`PER_ENDPOINT`](Self::PER_ENDPOINT) permits, and retries
/// hold at most [`RETRIES`](Self::RETRIES), so that they delay nobody else.
#[derive(Debug, Clone)]
pub struct Dispatcher {
    service: Service,
    sender: Arc<dyn WebhookSender>,
    /// The value of the header `User-Agent`: this program, and the address of the service.
    user_agent: Arc<str>,
    id: WorkerId,
}

impl Dispatcher {
    /// The most attempts that are under way at once.
    pub const AT_ONCE: u32 = 256;
    /// The most of these that may be retries, attempts that are not the first of their delivery.
    pub const RETRIES: u32 = 192;
    /// The most attempts to one endpoint that are under way at once.
    pub const PER_ENDPOINT: u32 = 4;
    /// The lease of an attempt: the 10 s that a receiver has, and time to record the end.
    pub(super) const LEASE: TimeDelta = TimeDelta::seconds(60);
    /// The time after which a sender that should have ended by itself is given up.
    pub(super) const SENDER_LIMIT: Duration = Duration::from_secs(15);

    /// Returns a dispatcher with an id of its own; `None` if the service has no keys.
    pub(super) fn new(service: Service, sender: Arc<dyn WebhookSender>) -> Option<Self> {
        service.parts().sealing.as_ref()?;
        let user_agent = format!("a11ycheck/{} (+{})", env!("CARGO_PKG_VERSION"), service.base_url().in_ascii());
        Some(Self { service, sender, user_agent: user_agent.into(), id: WorkerId::generate() })
    }

    /// Runs until `stop`; attempts that are under way then are completed.
    pub(super) async fn run(self, poll: Duration, stop: CancellationToken) {
        let places = Arc::new(Places::default());
        let under_way = Tasks::default();
        let woken = || async {
            tokio::select! {
                () = self.service.store().hint(Work::Deliveries) => {}
                () = places.freed.notified() => {}
            }
        };
        pace::run("dispatcher", poll, &stop, woken, || self.fill(&places, &under_way)).await;
        under_way.ended().await;
    }

    /// Claims as many deliveries as there are free permits. The end of each attempt wakes the loop: it frees a permit, and
    /// may allow another delivery to the same endpoint.
    async fn fill(&self, places: &Arc<Places>, under_way: &Tasks) -> Result<Step, StoreError> {
        let limits = places.free();
        if limits.all == 0 {
            return Ok(Step::Idle);
        }
        let claimed = self.claim(limits).await?;
        let is_full = claimed.len() == usize::try_from(limits.all).unwrap_or(usize::MAX);
        for delivery in claimed {
            let place = Places::take(places, delivery.attempt > 1);
            let dispatcher = self.clone();
            under_way.spawn(async move {
                let id = delivery.claim.delivery;
                if let Err(error) = dispatcher.attempt(delivery).await {
                    tracing::error!(delivery = %id, error = &error as &dyn StdError, "An attempt was made, and could not be recorded: it will be made again");
                }
                drop(place);
            });
        }
        Ok(if is_full { Step::Worked } else { Step::Idle })
    }

    /// Claims deliveries that are due, as many as may be under way at once, makes one attempt of each concurrently, and
    /// returns when all have ended.
    ///
    /// # Errors
    /// Those of the store. An attempt whose end could not be recorded is made again when its lease ends.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let limits = Places::default().free();
        let mut under_way = JoinSet::new();
        for delivery in self.claim(limits).await? {
            let dispatcher = self.clone();
            under_way.spawn(async move { dispatcher.attempt(delivery).await });
        }
        let is_idle = under_way.is_empty();
        while let Some(ended) = under_way.join_next().await {
            match ended {
                Ok(recorded) => recorded?,
                Err(panic) => tracing::error!(error = &panic as &dyn StdError, "A sender panicked"),
            }
        }
        Ok(if is_idle { Step::Idle } else { Step::Worked })
    }

    async fn claim(&self, limits: ClaimLimits) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let keys = self.service.parts().sealing.as_ref().map(Keyring::ids).unwrap_or_default();
        self.service.store().claim_deliveries(&self.id, limits, Self::LEASE, &keys).await
    }

    async fn attempt(&self, delivery: ClaimedDelivery) -> Result<(), StoreError> {
        let parts = self.service.parts();
        // `new` makes sure that there are keys.
        let Some(keys) = &parts.sealing else { return Ok(()) };
        let opened = delivery.secrets.iter().map(|secret| EndpointSecret::open(keys, delivery.endpoint, secret));
        let secrets = match opened.collect::<Result<Vec<_>, _>>() {
            Ok(secrets) => secrets,
            Err(error) => {
                // Claims return only deliveries whose secrets the keys open, so the row is damaged. In the end the attempt
                // counts as lost.
                tracing::error!(delivery = %delivery.claim.delivery, endpoint = %delivery.endpoint, error = &error as &dyn StdError, "A delivery can't be signed: replace the secret of its endpoint");
                return Ok(());
            }
        };
        let request = request::signed(&delivery, &secrets, &parts.header_prefix, &self.user_agent);
        drop(secrets);
        let begun = Instant::now();
        let sent = tokio::time::timeout(Self::SENDER_LIMIT, self.sender.send(request)).await;
        let result = sent.unwrap_or(AttemptResult::Failed(AttemptFailure::Timeout));
        let took = begun.elapsed();
        tracing::debug!(delivery = %delivery.claim.delivery, endpoint = %delivery.endpoint, attempt = delivery.attempt, ?result, ?took, "Made an attempt");
        // Whole microseconds are what stores keep.
        let duration = TimeDelta::microseconds(i64::try_from(took.as_micros()).unwrap_or(i64::MAX));
        record(self.service.store(), &delivery, AttemptReport { duration, result }).await
    }
}

/// The number of attempts that are under way.
#[derive(Debug, Default)]
struct Places {
    all: AtomicU32,
    retries: AtomicU32,
    /// Wakes the loop that claims deliveries.
    freed: Notify,
}

impl Places {
    fn free(&self) -> ClaimLimits {
        let retries = Dispatcher::RETRIES.saturating_sub(self.retries.load(Ordering::Relaxed));
        ClaimLimits {
            all: Dispatcher::AT_ONCE.saturating_sub(self.all.load(Ordering::Relaxed)),
            retries,
            per_endpoint: Dispatcher::PER_ENDPOINT,
        }
    }

    fn take(places: &Arc<Self>, is_retry: bool) -> Place {
        places.all.fetch_add(1, Ordering::Relaxed);
        places.retries.fetch_add(u32::from(is_retry), Ordering::Relaxed);
        Place { places: Arc::clone(places), is_retry }
    }
}

/// A permit for one attempt, held until this is dropped, also by a panic.
struct Place {
    places: Arc<Places>,
    is_retry: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.all.fetch_sub(1, Ordering::Relaxed);
        self.places.retries.fetch_sub(u32::from(self.is_retry), Ordering::Relaxed);
        self.places.freed.notify_one();
    }
}
