//! The data of the store, and the keys under which they are found.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use a11ycheck_core::{
    domain::{
        Assessment, Assignment, Batch, BatchContent, CriterionNumber, ExternalKey, Judgement, Plan, PlanCode, TokenHash,
    },
    id::{AssignmentId, BatchId, DeliveryId, EndpointId, EventId, JudgementId, ScanId, SiteId, TeamId, TokenId},
    paging::Page,
    store::{Hints, StoreError, Work},
};
use chrono::{DateTime, Utc};

use super::{
    delivery_rows::{DeliveryRow, EndpointRow},
    mail_rows::Mails,
    people_rows::People,
    scan_log::ScanLog,
    scan_rows::ScanRow,
    share_rows::Shares,
    site_field_rows::SiteFields,
    site_rows::SiteRow,
    team_rows::{TeamRow, TokenRow},
};
use crate::{deliveries::outbox::Outbox, teams::addresses::Addresses};

/// All data. The orders ([`due`](Self::due), [`queue`](Self::queue) and those within the rows) repeat what the rows
/// say; a change of a row through the functions below changes them too.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) plans: BTreeMap<PlanCode, Plan>,
    pub(crate) teams: HashMap<TeamId, TeamRow>,
    pub(crate) external_keys: HashMap<ExternalKey, TeamId>,
    pub(crate) tokens: HashMap<TokenId, TokenRow>,
    pub(crate) hashes: HashMap<TokenHash, TokenId>,
    pub(crate) addresses: Addresses,
    pub(crate) sites: HashMap<SiteId, SiteRow>,
    /// All sites, by the instant of their next check.
    pub(crate) due: BTreeSet<(DateTime<Utc>, SiteId)>,
    pub(crate) scans: HashMap<ScanId, ScanRow>,
    /// Queued and running checks, by [`Urgency::rank_at`](a11ycheck_core::domain::Urgency::rank_at), then id.
    pub(crate) queue: BTreeSet<(DateTime<Utc>, ScanId)>,
    pub(crate) scan_log: ScanLog,
    pub(crate) endpoints: HashMap<EndpointId, EndpointRow>,
    pub(crate) deliveries: HashMap<DeliveryId, DeliveryRow>,
    /// Pending deliveries, in the order in which they fall due.
    pub(crate) outbox: Outbox,
    /// Attempts that will not be begun again, by the end of their lease.
    pub(crate) last_tries: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// Deliveries that have ended, by the instant of their end.
    pub(crate) ended_deliveries: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// Events, each with the number of its deliveries: at least one.
    pub(crate) events: HashMap<EventId, usize>,
    pub(crate) people: People,
    pub(crate) mails: Mails,
    pub(crate) shares: Shares,
    pub(crate) site_fields: SiteFields,
    pub(crate) judgements: BTreeMap<(SiteId, JudgementId), Judgement>,
    pub(crate) assignments: BTreeMap<AssignmentId, Assignment>,
    /// The assessments of success criteria, by site. A site without an entry was never assessed.
    pub(crate) assessments: BTreeMap<SiteId, BTreeMap<CriterionNumber, Assessment>>,
    /// Batches that may be undone, with what they made.
    pub(crate) batches: BTreeMap<BatchId, (Batch, BatchContent)>,
    /// Shared settings by name. A name that this release does not know belongs to a later one, and is kept.
    pub(crate) settings: BTreeMap<String, String>,
    /// Hints, given by the steps that make work due. A loop that is notified looks for the work under the lock, and so
    /// after the step.
    pub(crate) hints: Arc<Hints>,
}

impl State {
    /// Takes the place of all data, and wakes the loops for what they may find.
    pub(crate) fn replace(&mut self, data: Self) {
        let hints = Arc::clone(&self.hints);
        *self = Self { hints, ..data };
        Work::ALL.into_iter().for_each(|work| self.hints.give(work));
    }
}

/// Copies a page: only its own items are copied.
pub(crate) fn copied<T: Clone>(page: Page<&T>) -> Page<T> {
    let Page { request, items, total } = page;
    Page { request, items: items.into_iter().cloned().collect(), total }
}

/// Returns the error for an id that a caller says is new, and that is not.
pub(crate) fn taken(id: impl fmt::Display) -> StoreError {
    StoreError::Taken(format!("{id} is taken").into())
}

/// Returns the error for rows that contradict each other: a bug of this store.
pub(crate) fn corrupt(what: impl fmt::Display, problem: &str) -> StoreError {
    StoreError::Corrupt { what: what.to_string(), source: problem.into() }
}
