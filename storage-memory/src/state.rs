//! What the store holds, and the keys by which it finds it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use a11ycheck_core::{
    domain::{
        ApiToken, Findings, ManualChecks, Plan, PlanCode, RateCounters, Scan, ScanKind, ScanState, ScanStatus,
        ScreenshotId, SharedSetting, Site, Standing, Subscription, Team, TeamBrand, TokenHash, Urgency, is_in_history,
    },
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, TokenId},
    paging::Page,
    scanner::Screenshot,
    store::{Document, DocumentKey, Hints, StoreError, Work},
};
use chrono::{DateTime, Utc};

use crate::{
    addresses::Addresses,
    deliveries::{DeliveryRow, EndpointRow},
    outbox::Outbox,
};

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
    /// Queued and running checks, by [`Urgency::rank_at`], then id.
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

/// A team without its plan, which is shared with others.
pub(crate) struct TeamRow {
    pub(crate) name: String,
    pub(crate) plan: PlanCode,
    pub(crate) subscription: Subscription,
    pub(crate) standing: Standing,
    pub(crate) seats_used: u32,
    /// Behind an `Arc`, like results.
    pub(crate) brand: Arc<TeamBrand>,
    pub(crate) created_at: DateTime<Utc>,
    /// Nothing of the team is purged before.
    pub(crate) held_until: Option<DateTime<Utc>>,
    /// In the order of lists: by domain, then id.
    pub(crate) sites: BTreeSet<(String, SiteId)>,
    /// In the order of lists: by creation, then id.
    pub(crate) tokens: BTreeSet<(DateTime<Utc>, TokenId)>,
    /// In the order of lists: by creation, then id.
    pub(crate) endpoints: BTreeSet<(DateTime<Utc>, EndpointId)>,
}

pub(crate) struct TokenRow {
    pub(crate) token: ApiToken,
    pub(crate) hash: TokenHash,
    pub(crate) counters: RateCounters,
}

pub(crate) struct SiteRow {
    pub(crate) site: Site,
    /// When manual checks were started. Kept here because it outlives the checks.
    pub(crate) manual: ManualChecks,
    /// The queued or running check: there is room for one.
    pub(crate) active: Option<ScanId>,
    /// All checks, by when they were queued, then id.
    pub(crate) scans: BTreeSet<(DateTime<Utc>, ScanId)>,
    /// Completed checks, by when they completed, then id.
    pub(crate) completed: BTreeSet<(DateTime<Utc>, ScanId)>,
}

pub(crate) struct ScanRow {
    pub(crate) scan: Scan,
    /// Whether somebody waits for it.
    pub(crate) urgency: Urgency,
    /// What a completed check found; nothing in any other state.
    pub(crate) result: Option<ScanResult>,
}

/// Behind `Arc`s, so that the lock is not held while long data are copied for a reader.
pub(crate) struct ScanResult {
    pub(crate) findings: Arc<Findings>,
    pub(crate) screenshots: BTreeMap<ScreenshotId, Arc<Screenshot>>,
    pub(crate) screen: Option<Arc<Screenshot>>,
    pub(crate) documents: BTreeMap<DocumentKey, Arc<Document>>,
}

impl State {
    /// The team as callers see it: with the plan of now.
    pub(crate) fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        let Some(row) = self.teams.get(&id) else { return Ok(None) };
        Ok(Some(Team {
            id,
            name: row.name.clone(),
            plan: self.plan(&row.plan)?.clone(),
            subscription: row.subscription,
            standing: row.standing,
            seats_used: row.seats_used,
            created_at: row.created_at,
        }))
    }

    /// The plan of a team. A plan is not removed while a team is on it, and no team is put on one that is missing.
    pub(crate) fn plan(&self, code: &PlanCode) -> Result<&Plan, StoreError> {
        self.plans.get(code).ok_or_else(|| corrupt(code, "a team is on it, and it is missing"))
    }

    /// The plan of the team that a row names as its owner.
    pub(crate) fn plan_of(&self, team: TeamId) -> Result<&Plan, StoreError> {
        self.plan(&self.teams.get(&team).ok_or_else(|| corrupt(team, "it has data, and it is missing"))?.plan)
    }

    /// The site, where it is the team's.
    pub(crate) fn site(&self, team: TeamId, id: SiteId) -> Option<&SiteRow> {
        self.sites.get(&id).filter(|row| row.site.team == team)
    }

    /// The check, where it is in the team's history.
    pub(crate) fn scan(&self, team: TeamId, id: ScanId, now: DateTime<Utc>) -> Result<Option<&ScanRow>, StoreError> {
        let Some(row) = self.scans.get(&id).filter(|row| row.scan.team == team) else { return Ok(None) };
        let months = self.plan_of(team)?.limits.history_months;
        let latest = self.sites.get(&row.scan.site).and_then(SiteRow::latest_completed);
        Ok(Some(row).filter(|row| is_in_history(&row.scan, latest == Some(id), months, now)))
    }

    /// What the check found, where it is completed and in the team's history.
    pub(crate) fn result(
        &self,
        team: TeamId,
        id: ScanId,
        now: DateTime<Utc>,
    ) -> Result<Option<&ScanResult>, StoreError> {
        Ok(self.scan(team, id, now)?.and_then(|row| row.result.as_ref()))
    }

    /// Queues a check of a site that has no queued or running one. The caller has made sure that the id is free.
    pub(crate) fn enqueue(
        &mut self,
        site: SiteId,
        id: ScanId,
        kind: ScanKind,
        urgency: Urgency,
        now: DateTime<Utc>,
    ) -> Result<Scan, StoreError> {
        let team =
            self.sites.get(&site).ok_or_else(|| corrupt(site, "it is to be checked, and it is missing"))?.site.team;
        let pages_requested = self.plan_of(team)?.limits.pages_per_check;
        let scan =
            Scan { id, team, site, kind, pages_requested, queued_at: now, state: ScanState::Queued, express: false };
        if let Some(row) = self.sites.get_mut(&site) {
            row.active = Some(id);
            row.scans.insert((now, id));
            if kind == ScanKind::Manual {
                row.manual = row.manual.started(now);
            }
        }
        self.queue.insert((urgency.rank_at(now), id));
        self.scans.insert(id, ScanRow { scan: scan.clone(), urgency, result: None });
        self.hints.give(Work::Scans);
        Ok(scan)
    }

    /// Puts a check into a state that the domain has allowed, and keeps the orders in step with it.
    pub(crate) fn set_scan_state(&mut self, id: ScanId, state: ScanState) {
        let Some(row) = self.scans.get_mut(&id) else { return };
        row.scan.state = state;
        if row.scan.state.is_active() {
            return;
        }
        let scan = row.scan.clone();
        self.queue.remove(&(row.urgency.rank_at(scan.queued_at), id));
        // A team with checks has a plan.
        let interval = self.plan_of(scan.team).map(|plan| plan.limits.manual_check_interval);
        if let Some(site) = self.sites.get_mut(&scan.site) {
            site.active = None;
            if let (ScanState::Failed { failure, .. }, ScanKind::Manual, Ok(interval)) =
                (&scan.state, scan.kind, interval)
            {
                site.manual = site.manual.failed(scan.queued_at, failure.code, interval);
            }
            if let (ScanStatus::Completed, Some(finished_at)) = (scan.status(), scan.finished_at()) {
                site.completed.insert((finished_at, id));
            }
        }
    }

    /// Moves a site's next check on, seen from now.
    pub(crate) fn set_next_scan_at(&mut self, id: SiteId, at: DateTime<Utc>) {
        if let Some(row) = self.sites.get_mut(&id) {
            self.due.remove(&(row.site.next_scan_at, id));
            self.due.insert((at, id));
            row.site.next_scan_at = at;
        }
    }

    /// Takes a team away with all that it has.
    pub(crate) fn remove_team(&mut self, id: TeamId) {
        // The rows below take themselves off the team's lists, and so while it is still there.
        let Some(row) = self.teams.get(&id) else { return };
        let sites: Vec<SiteId> = row.sites.iter().map(|(_, id)| *id).collect();
        let endpoints: Vec<EndpointId> = row.endpoints.iter().map(|(_, id)| *id).collect();
        let tokens: Vec<TokenId> = row.tokens.iter().map(|(_, id)| *id).collect();
        for site in sites {
            self.remove_site(site);
        }
        for endpoint in endpoints {
            self.remove_endpoint(endpoint);
        }
        for token in tokens {
            if let Some(TokenRow { hash, .. }) = self.tokens.remove(&token) {
                self.hashes.remove(&hash);
            }
        }
        self.teams.remove(&id);
    }

    /// Takes a site away with all its checks.
    pub(crate) fn remove_site(&mut self, id: SiteId) {
        let Some(row) = self.sites.remove(&id) else { return };
        self.due.remove(&(row.site.next_scan_at, id));
        if let Some(team) = self.teams.get_mut(&row.site.team) {
            team.sites.remove(&(row.site.details.url.domain().to_owned(), id));
        }
        for (queued_at, id) in row.scans {
            if let Some(scan) = self.scans.remove(&id) {
                self.queue.remove(&(scan.urgency.rank_at(queued_at), id));
            }
        }
    }

    /// Takes an ended check away.
    pub(crate) fn remove_scan(&mut self, id: ScanId) {
        let Some(ScanRow { scan, .. }) = self.scans.remove(&id) else { return };
        if let Some(site) = self.sites.get_mut(&scan.site) {
            site.scans.remove(&(scan.queued_at, id));
            if let Some(finished_at) = scan.finished_at() {
                site.completed.remove(&(finished_at, id));
            }
        }
    }
}

impl SiteRow {
    pub(crate) fn latest_completed(&self) -> Option<ScanId> {
        self.completed.last().map(|(_, id)| *id)
    }

    /// Whether the plan's time between two manual checks is over.
    pub(crate) fn manual_interval_is_over(&self, plan: &Plan, now: DateTime<Utc>) -> bool {
        self.manual.may_start(plan.limits.manual_check_interval, now)
    }
}

/// A page of copies: only what is on the page is copied.
pub(crate) fn copied<T: Clone>(page: Page<&T>) -> Page<T> {
    let Page { request, items, total } = page;
    Page { request, items: items.into_iter().cloned().collect(), total }
}

/// An id that a caller says is new, and that is not.
pub(crate) fn taken(id: impl fmt::Display) -> StoreError {
    StoreError::Unavailable(format!("{id} is taken").into())
}

/// Rows that contradict each other: a bug of this store.
pub(crate) fn corrupt(what: impl fmt::Display, problem: &str) -> StoreError {
    StoreError::Corrupt { what: what.to_string(), source: problem.into() }
}
