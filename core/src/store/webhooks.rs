//! Endpoints, and the deliveries to them.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoreError;
use crate::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryRefusal, DeliveryStatus, EndpointDetails, EventKind, FencingToken,
        NewEndpoint, NewEvent, SiteUrl, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, EventId, TeamId, WorkerId},
    paging::{Page, PageRequest},
    sealing::{KeyId, Sealed},
};

/// The reason why an endpoint was not created.
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

/// The reason why nothing is delivered on request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The team has no such endpoint, or no such delivery.
    #[error("there is no such endpoint or delivery")]
    NotFound,
    /// The endpoint is switched off.
    #[error("the endpoint is switched off")]
    SwitchedOff,
    /// The delivery has not ended: it will be attempted without a request.
    #[error("the delivery has not ended")]
    Pending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The choice of the deliveries of a team to list: those that meet every condition that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// The endpoint that they go to; `None` for any.
    pub endpoint: Option<EndpointId>,
    /// The kind of the event; `None` for any.
    pub kind: Option<EventKind>,
    /// The status; `None` for any.
    pub status: Option<DeliveryStatus>,
    /// The earliest instant of their creation; `None` for any.
    pub since: Option<DateTime<Utc>>,
}

/// The outcome of delivering again what was not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resent {
    /// The number of deliveries that were made.
    pub queued: u32,
    /// True if there are further deliveries that were not received, beyond the limit.
    pub more: bool,
}

/// The reason why the end of an attempt was not recorded.
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

/// The claim of a worker: a delivery, and the proof of its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryClaim {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The proof.
    pub token: FencingToken,
}

/// The most attempts that a worker claims at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimLimits {
    /// The most attempts, of all kinds.
    pub all: u32,
    /// The most of these that are not the first of their delivery, so that deliveries that keep failing do not delay new ones.
    pub retries: u32,
    /// The most attempts to one endpoint that the worker has under way, including those that it claimed earlier.
    pub per_endpoint: u32,
}

/// A delivery that was given to a worker, with everything that an attempt needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The claim that proves the lease.
    pub claim: DeliveryClaim,
    /// The number of this attempt, counted from 1. An attempt whose worker died has the same number when it is made again,
    /// until it counts as failed.
    pub attempt: u32,
    /// The instant at which it began.
    pub started_at: DateTime<Utc>,
    /// The endpoint that it goes to.
    pub endpoint: EndpointId,
    /// The endpoint's address.
    pub url: SiteUrl,
    /// The secrets to sign with: the endpoint's secret, then the one before it for as long as that also signs.
    pub secrets: Vec<Sealed>,
    /// The event to deliver.
    pub event: EventId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The bytes to send.
    pub body: Bytes,
}

/// Keeps endpoints, and deliveries with their log.
///
/// A delivery and its event exist until they are [purged](Self::purge_deliveries), or their endpoint is deleted. Deliveries
/// about a site stay when the site is deleted.
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

    /// Returns the team's endpoints; none if there is no such team.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError>;

    /// Changes an endpoint's address and the events that it listens to, and returns it. Returns `None` if the team has no
    /// such endpoint.
    ///
    /// Pending deliveries go to the new address from their next attempt. They stay even if the endpoint no longer listens
    /// to their kind. Kinds that only a later release knows stay ([`EndpointDetails::in_place_of`]).
    async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        details: EndpointDetails,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Replaces an endpoint's secret, as [`EndpointSecrets::rotated`](crate::domain::EndpointSecrets::rotated) does: the
    /// present one also signs for `overlap` from now. Returns `false` if the team has no such endpoint.
    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError>;

    /// Switches an endpoint on, whether it is on or off, with its count at 0, and returns it. Returns `None` if the team
    /// has no such endpoint.
    async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Switches an endpoint off now, as [`EndpointStatus::switched_off`](crate::domain::EndpointStatus::switched_off) does,
    /// and returns it. Returns `None` if the team has no such endpoint.
    ///
    /// Its pending deliveries are [dropped](crate::domain::DeliveryState::dropped), except for attempts that are under way.
    ///
    /// # Atomicity
    /// All of this is one step.
    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Deletes an endpoint with all its deliveries and their log. A worker that has an attempt under way learns of this
    /// when it records the end ([`RecordError::Gone`]). Returns `false` if the team has no such endpoint.
    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError>;

    /// Makes a delivery of an event to one endpoint, whatever it listens to, due at once; returns it.
    ///
    /// # Errors
    /// [`SendError::NotFound`], [`SendError::SwitchedOff`]: nothing is made.
    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError>;

    /// Makes a new delivery of the event of a delivery that has ended, to the same endpoint, due at once; returns it. The
    /// event and its bytes are the same, the delivery's id is not, and it has all attempts before it: receivers that
    /// de-duplicate deliveries accept it, and those that de-duplicate events do not.
    ///
    /// # Errors
    /// [`SendError::NotFound`], then [`SendError::Pending`], then [`SendError::SwitchedOff`]: nothing is made.
    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError>;

    /// Makes a new delivery, as [`resend_delivery`](Self::resend_delivery) does, of each event whose newest delivery to the endpoint
    /// was created at `since` or later, and has failed or was dropped: `limit` of them at most, those created first before others.
    ///
    /// An event that was sent again is on its way or was received, so that a second call makes no further delivery of it before
    /// that one has failed, too.
    ///
    /// # Atomicity
    /// All of this is one step.
    ///
    /// # Concurrency
    /// If it is called several times at once, each event is sent again once.
    ///
    /// # Errors
    /// [`SendError::NotFound`], [`SendError::SwitchedOff`]: nothing is made.
    async fn resend_failed(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Resent, SendError>;

    /// Returns the deliveries of a team to all of its endpoints that the filter chooses; none for an endpoint that is not the team's.
    ///
    /// # Ordering
    /// By `created_at`, the newest first, then by id, the greatest first.
    async fn delivery_log(
        &self,
        team: TeamId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<Delivery>, StoreError>;

    /// Returns the deliveries to an endpoint; `None` if the team has no such endpoint.
    ///
    /// # Ordering
    /// By `created_at`, the newest first, then by id, the greatest first.
    async fn deliveries(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        page: PageRequest,
    ) -> Result<Option<Page<Delivery>>, StoreError>;

    /// Returns a delivery; `None` if the team has no such delivery.
    async fn delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// Returns a delivery's attempts that have ended; `None` if the team has no such delivery.
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
    /// [abandoned](crate::domain::DeliveryState::give_up), `limits.all` at most, those whose lease ended first before
    /// others: with everything that [recording](Self::record_attempt) a failed one entails, and with
    /// [`WORKER_LOST`](AttemptReport::WORKER_LOST) in the log.
    ///
    /// A due delivery of an endpoint that is switched off (its worker died) is
    /// [dropped](crate::domain::DeliveryState::dropped) instead. An attempt counts as under way until its end is recorded
    /// or its lease has ended. The standing of the team plays no part: an event is delivered even if the team was blocked
    /// since.
    ///
    /// # Atomicity
    /// The choice and the leases are one step: a delivery is never given to two workers, and a crash leaves each either as
    /// it was or leased. Each attempt that is abandoned is a step of its own before it.
    ///
    /// # Ordering
    /// Those that fell due first, then by id, as far as `limits` permits: a delivery that a limit stops is skipped and
    /// stops no other. Under contention, a delivery that another caller is about to claim is skipped, not waited for, so
    /// fewer than `limits` allows does not mean that no more are due.
    ///
    /// # Concurrency
    /// `limits` applies to each worker by itself, as long as it makes one call at a time.
    async fn claim_deliveries(
        &self,
        worker: &WorkerId,
        limits: ClaimLimits,
        term: TimeDelta,
        keys: &[KeyId],
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records the end of an attempt, now, in the delivery's log, and advances the delivery as
    /// [`DeliveryState::record`](crate::domain::DeliveryState::record) does; returns it.
    ///
    /// If this was the first attempt, deliveries that are blocked by this one become due. If the delivery was received or
    /// has failed, the count of its endpoint changes as [`EndpointStatus`](crate::domain::EndpointStatus) says; if that
    /// switches the endpoint off, all its pending deliveries are [dropped](crate::domain::DeliveryState::dropped), except
    /// for attempts that are under way.
    ///
    /// # Atomicity
    /// All of this is one step.
    ///
    /// # Concurrency
    /// If several attempts to one endpoint end at once, each counts, one after the other.
    ///
    /// # Errors
    /// [`RecordError::Refused`] for an old token, and for an attempt that was already recorded; [`RecordError::Gone`].
    /// Nothing is changed, and nothing is logged.
    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError>;

    /// Deletes at most `limit` deliveries, of any team, that have
    /// [left the log](crate::domain::DeliveryState::has_left_log), with their attempts, and with their events if no other
    /// delivery needs them; returns how many. Fewer than `limit` means that no more are left for now.
    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError>;

    /// Returns the endpoints that are switched off, of all teams, at most `limit`.
    ///
    /// # Ordering
    /// Those that were switched off last come first, then by id.
    async fn endpoints_off(&self, limit: u32) -> Result<Vec<WebhookEndpoint>, StoreError>;

    /// Returns the number of deliveries that wait, of all teams, and the instant at which the first due one fell due.
    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError>;
}

/// The number of deliveries that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryDepth {
    /// Deliveries that have not ended.
    pub pending: u64,
    /// Of these, those that are [due](crate::domain::DeliveryState::due_at) and that no worker holds.
    pub due: u64,
    /// The instant at which the first of the due deliveries fell due.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Endpoints that are switched off.
    pub endpoints_off: u64,
}
