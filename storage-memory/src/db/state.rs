//! What the store holds, and the keys by which it finds it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use a11ycheck_core::{
    domain::{Plan, PlanCode, SharedSetting, TokenHash},
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, TokenId},
    paging::Page,
    store::{Hints, StoreError},
};
use chrono::{DateTime, Utc};

use super::{
    delivery_rows::{DeliveryRow, EndpointRow},
    scan_rows::ScanRow,
    site_rows::SiteRow,
    team_rows::{TeamRow, TokenRow},
};
use crate::{deliveries::outbox::Outbox, teams::addresses::Addresses};

/// Everything. The orders ([`due`](Self::due), [`queue`](Self::queue) and those within the rows) repeat what the rows
/// say; whatever changes a row through the functions below changes them too.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) plans: BTreeMap<PlanCode, Plan>,
    pub(crate) teams: HashMap<TeamId, TeamRow>,
    pub(crate) tokens: HashMap<TokenId, TokenRow>,
    pub(crate) hashes: HashMap<TokenHash, TokenId>,
    pub(crate) addresses: Addresses,
    pub(crate) sites: HashMap<SiteId, SiteRow>,
    /// All sites, by when they are checked next.
    pub(crate) due: BTreeSet<(DateTime<Utc>, SiteId)>,
    pub(crate) scans: HashMap<ScanId, ScanRow>,
    /// Queued and running checks, by [`Urgency::rank_at`](a11ycheck_core::domain::Urgency::rank_at), then id.
    pub(crate) queue: BTreeSet<(DateTime<Utc>, ScanId)>,
    pub(crate) endpoints: HashMap<EndpointId, EndpointRow>,
    pub(crate) deliveries: HashMap<DeliveryId, DeliveryRow>,
    /// Pending deliveries, in the order in which they fall due.
    pub(crate) outbox: Outbox,
    /// Attempts that are not begun again, by when their lease ends.
    pub(crate) last_tries: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// Deliveries that have ended, by when.
    pub(crate) ended_deliveries: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// Events, and how many deliveries each has: at least one.
    pub(crate) events: HashMap<EventId, usize>,
    pub(crate) settings: BTreeMap<SharedSetting, String>,
    /// Given by the steps that make work due. Who is told looks for it under the lock, and so after the step.
    pub(crate) hints: Arc<Hints>,
}

/// A page of copies: only what is on the page is copied.
pub(crate) fn copied<T: Clone>(page: Page<&T>) -> Page<T> {
    let Page { request, items, total } = page;
    Page { request, items: items.into_iter().cloned().collect(), total }
}

/// An id that a caller says is new, and that is not.
pub(crate) fn taken(id: impl fmt::Display) -> StoreError {
    StoreError::Taken(format!("{id} is taken").into())
}

/// Rows that contradict each other: a bug of this store.
pub(crate) fn corrupt(what: impl fmt::Display, problem: &str) -> StoreError {
    StoreError::Corrupt { what: what.to_string(), source: problem.into() }
}
