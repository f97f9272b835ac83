//! Endpoints, and what is delivered to them.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoreError;
use crate::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryRefusal, EndpointDetails, EventKind, FencingToken, NewEndpoint,
        NewEvent, SiteUrl, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, EventId, TeamId, WorkerId},
    paging::{Page, PageRequest},
    sealing::{KeyId, Sealed},
};

/// Why an endpoint was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateEndpointError {
    /// The team has [`WebhookEndpoint::MAX_PER_TEAM`] endpoints.
    #[error("the team has all endpoints that it can have")]
    LimitReached,
    /// There is no such team.
    #[error("there is no such team")]
    NoTeam,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why nothing is delivered on request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The team has no such endpoint, or no such delivery.
    #[error("there is no such endpoint or delivery")]
    NotFound,
    /// The endpoint is switched off.
    #[error("the endpoint is switched off")]
    SwitchedOff,
    /// The delivery has not ended: it will be attempted by itself.
    #[error("the delivery has not ended")]
    Pending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the end of an attempt was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The token is not that of the delivery's present holder, or the delivery has ended. Nothing was changed.
    #[error(transparent)]
    Refused(#[from] DeliveryRefusal),
    /// There is no such delivery: it was deleted with its endpoint.
    #[error("the delivery was deleted")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a worker holds: a delivery, and the proof that it is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryClaim {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The proof.
    pub token: FencingToken,
}

/// How many attempts a worker takes up at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Attempts, of all kinds.
    pub all: u32,
    /// Of these at most so many that are not the first of their delivery, so that what keeps failing does not keep what
    /// is new waiting.
    pub retries: u32,
    /// Attempts to one endpoint that the worker has under way, those that it took up earlier included.
    pub per_endpoint: u32,
}

/// A delivery that was given to a worker, with all that an attempt takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// What to prove the lease with.
    pub claim: DeliveryClaim,
    /// Which attempt this is, counted from 1. An attempt whose worker died has the same number when it is made again, until
    /// it counts as failed.
    pub attempt: u32,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// The endpoint's address.
    pub url: SiteUrl,
    /// What to sign with: the endpoint's secret, then the one before it for as long as that signs along.
    pub secrets: Vec<Sealed>,
    /// What is told.
    pub event: EventId,
    /// What kind of event that is.
    pub kind: EventKind,
    /// The bytes to send.
    pub body: Bytes,
}

/// Keeps endpoints, and deliveries with their log.
///
/// A delivery and its event are there until they are [purged](Self::purge_deliveries), or their endpoint is deleted. What was
/// told of a site stays when the site is deleted.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait WebhookStore {
    /// Adds an endpoint, switched on.
    ///
    /// # Concurrency
    /// A team never has more than [`WebhookEndpoint::MAX_PER_TEAM`] endpoints, however many are created at once.
    ///
    /// # Errors
    /// [`CreateEndpointError::NoTeam`], [`CreateEndpointError::LimitReached`]: nothing is created.
    async fn create_endpoint(
        &self,
        team: TeamId,
        endpoint: NewEndpoint,
    ) -> Result<WebhookEndpoint, CreateEndpointError>;

    /// The team's endpoints; none where there is no such team.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError>;

    /// Changes an endpoint's address and what it listens to, and gives it. `None` where the team has no such endpoint.
    ///
    /// Pending deliveries go to the new address from their next attempt on. They stay although the endpoint may no longer
    /// listen to their kind. Kinds that only a later release knows stay ([`EndpointDetails::in_place_of`]).
    async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        details: EndpointDetails,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Replaces an endpoint's secret, as [`EndpointSecrets::rotated`](crate::domain::EndpointSecrets::rotated) does: the
    /// present one signs along for `overlap` from now. `false` where the team has no such endpoint.
    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError>;

    /// Switches an endpoint on, its count at 0, and gives it: one that is on as well as one that is off. `None` where the
    /// team has no such endpoint.
    async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Switches an endpoint off now, and gives it, as [`EndpointStatus::switched_off`](crate::domain::EndpointStatus::switched_off)
    /// does. `None` where the team has no such endpoint.
    ///
    /// What is pending for it is [dropped](crate::domain::DeliveryState::dropped), but for attempts that are under way.
    ///
    /// # Atomicity
    /// All of this is one step.
    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Deletes an endpoint with all its deliveries and their log. A worker that has an attempt under way learns so when
    /// it records the end ([`RecordError::Gone`]). `false` where the team has no such endpoint.
    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError>;

    /// Makes a delivery of an event to one endpoint, whatever it listens to, due at once; gives it.
    ///
    /// # Errors
    /// [`SendError::NotFound`], [`SendError::SwitchedOff`]: nothing is made.
    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError>;

    /// Makes a new delivery of the event of a delivery that has ended, to the same endpoint, due at once; gives it. The
    /// event and its bytes are the same, the delivery's id is not, and it has all attempts before it: receivers that
    /// de-duplicate deliveries take it in, those that de-duplicate events do not.
    ///
    /// # Errors
    /// [`SendError::NotFound`], then [`SendError::Pending`], then [`SendError::SwitchedOff`]: nothing is made.
    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError>;

    /// The deliveries to an endpoint. `None` where the team has no such endpoint.
    ///
    /// # Ordering
    /// By `created_at`, the newest first, then by id, the greatest first.
    async fn deliveries(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        page: PageRequest,
    ) -> Result<Option<Page<Delivery>>, StoreError>;

    /// A delivery. `None` where the team has no such delivery.
    async fn delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// A delivery's attempts that have ended. `None` where the team has no such delivery.
    ///
    /// # Ordering
    /// By number.
    async fn attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError>;

    /// Gives deliveries that are [due](crate::domain::DeliveryState::due_at) to `worker`, each under a lease that lasts
    /// `term`, as [`DeliveryState::claim`](crate::domain::DeliveryState::claim) does.
    ///
    /// A worker is given only what it can sign: deliveries of endpoints with a secret that none of `keys`
    /// [opens](crate::domain::EndpointSecrets::are_opened_by), or with one that is not sealed yet, are left as they are.
    ///
    /// Before that, attempts that [are lost](crate::domain::DeliveryState::is_lost) are
    /// [given up](crate::domain::DeliveryState::give_up), `limits.all` at most, those whose lease ended first before others:
    /// with all that [recording](Self::record_attempt) a failed one entails, and
    /// [`WORKER_LOST`](AttemptReport::WORKER_LOST) in the log.
    ///
    /// A due delivery of an endpoint that is switched off (its worker died) is
    /// [dropped](crate::domain::DeliveryState::dropped) instead. An attempt counts as under way until its end is recorded
    /// or its lease has ended. Whose delivery it is plays no part: what happened is told, though the team was blocked since.
    ///
    /// # Atomicity
    /// The choice and the leases are one step: a delivery is never given to two workers, and a crash leaves each either as
    /// it was or leased. Each attempt that is given up is a step of its own before it.
    ///
    /// # Ordering
    /// Those that fell due first, then by id, as far as `limits` lets them: a delivery that a limit stops is passed over
    /// and stops no other. Under contention a delivery that another caller is about to take is passed over, not waited
    /// for, so that fewer than `limits` allow does not mean that no more are due.
    ///
    /// # Concurrency
    /// `limits` are held for each worker by itself, as long as it makes one call at a time.
    async fn claim_deliveries(
        &self,
        worker: &WorkerId,
        limits: ClaimLimits,
        term: TimeDelta,
        keys: &[KeyId],
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records the end of an attempt, now, in the delivery's log, and moves the delivery on as
    /// [`DeliveryState::record`](crate::domain::DeliveryState::record) does; gives it.
    ///
    /// When this was the first attempt, deliveries that are blocked by this one become due. When the delivery was received
    /// or has failed, the count of its endpoint moves on as [`EndpointStatus`](crate::domain::EndpointStatus) says; when
    /// that switches the endpoint off, all that is pending for it is [dropped](crate::domain::DeliveryState::dropped),
    /// but for attempts that are under way.
    ///
    /// # Atomicity
    /// All of this is one step.
    ///
    /// # Concurrency
    /// Of attempts to one endpoint that end at once, each counts, one after the other.
    ///
    /// # Errors
    /// [`RecordError::Refused`] for an old token, and for an attempt that was recorded already; [`RecordError::Gone`]. Nothing
    /// is changed, and nothing logged.
    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError>;

    /// Deletes at most `limit` deliveries, of any team, that have [left the log](crate::domain::DeliveryState::has_left_log),
    /// with their attempts, and with their events where no other delivery needs them; gives how many. Fewer than `limit` means that no more are
    /// left for now.
    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError>;

    /// How many deliveries wait, of all teams, and since when the first that is due has been.
    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError>;
}

/// How many deliveries wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryDepth {
    /// Deliveries that have not ended.
    pub pending: u64,
    /// Of these, those that are [due](crate::domain::DeliveryState::due_at) and that no worker holds.
    pub due: u64,
    /// When the first of those that are due fell due.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Endpoints that are switched off.
    pub endpoints_off: u64,
}
