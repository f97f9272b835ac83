//! The measured steps: what requests, workers, dispatchers, the scheduler and the purger ask of the store, each for
//! another site in each round.

use std::{
    future::Future,
    net::Ipv4Addr,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use a11ycheck_core::{
    domain::{
        AttemptReport, AttemptResult, Depth, DiffSummary, EventKind, Excerpt, Findings, Lease, NewEvent, NewSite,
        Outcome, PageCounts, RateLimits, RequestClass, ScreenshotId, SiteDetails, SiteUrl, TokenHash, Tool, Totals,
    },
    id::{EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    paging::PageRequest,
    store::{Claim, ClaimLimits, ClaimedDelivery, ClaimedScan, Completion, Store},
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use chrono::{TimeDelta, Utc};
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};

use crate::{
    plans::{self, Plan},
    seed::{Scale, id},
    sqlite,
};

/// The number of rounds in which there is something to purge; nothing is left after them.
const PURGES: usize = 30;
/// The progress that a worker reports of a check.
const PAGES: PageCounts = PageCounts::new(1, 3);

macro_rules! steps {
    ($($step:ident: $name:literal,)*) => {
        /// The measured steps, in the order of a round.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Step {
            $($step,)*
        }

        impl Step {
            pub(crate) const ALL: &[Self] = &[$(Self::$step,)*];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$step => $name,)*
                }
            }
        }
    };
}

steps! {
    Authenticate: "recognise a token and count the request",
    CountAddress: "count a request without a token",
    ListSites: "list sites",
    ListSitesOfTag: "list the sites of a tag",
    ReadSite: "read a site",
    Usage: "usage of the plan",
    ListScans: "list a site's checks",
    ReadScan: "read a check",
    ReadFindings: "read a report's findings",
    LatestCompleted: "read the latest completed check",
    Trend: "read a trend",
    ReadScreenshot: "read a picture",
    AddSite: "add a site, queue its first check",
    DeleteSite: "delete a site",
    StartScan: "queue a manual check",
    ClaimScan: "claim a check",
    RenewLease: "renew a lease",
    CompleteScan: "complete a check, with its event",
    QueueDue: "queue checks that fall due",
    QueueNothing: "look for checks that fall due",
    ClaimDeliveries: "claim deliveries",
    RecordAttempt: "record an attempt",
    ClaimNothing: "look for deliveries",
    ListEndpoints: "list endpoints",
    ListDeliveries: "list deliveries",
    ReadAttempts: "read a delivery's attempts",
    PurgeScans: "purge checks",
    PurgeNoScans: "look for checks to purge",
    PurgeDeliveries: "purge deliveries",
    PurgeNoDeliveries: "look for deliveries to purge",
    Depth: "depth of the queue",
}

/// The cost of a step.
pub(crate) struct Sample {
    pub(crate) took: Duration,
    /// The plans of its statements, if the connection reports them.
    pub(crate) plans: Vec<Plan>,
}

/// The store as what it is, and a connection that changes data behind its back.
enum Behind {
    Postgres(PostgresStore, PgConnection),
    Sqlite(SqliteStore, SqliteConnection),
}

/// A store full of data, and the results of earlier steps of a round that later ones use.
pub(crate) struct World {
    store: Arc<dyn Store>,
    behind: Behind,
    scale: Scale,
    /// Sites of teams whose plan has room, and that have no queued check, in no order.
    targets: Vec<i64>,
    worker: WorkerId,
    added: Option<SiteId>,
    claimed: Option<ClaimedScan>,
    deliveries: Vec<ClaimedDelivery>,
}

impl World {
    /// The world in a schema of PostgreSQL, which `url` names; `schema` is a plain name.
    pub(crate) async fn postgres(config: PostgresConfig, url: &str, schema: &str, scale: Scale) -> Self {
        let store = PostgresStore::connect(config).await.unwrap();
        let mut db = PgConnection::connect(url).await.unwrap();
        // It is one of the names in `main`.
        db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
        Self::new(Arc::new(store.clone()), Behind::Postgres(store, db), scale)
    }

    /// The world in a SQLite file.
    pub(crate) async fn sqlite(config: SqliteConfig, path: &Path, scale: Scale) -> Self {
        let store = SqliteStore::open(config).await.unwrap();
        let db = SqliteConnection::connect_with(&sqlite::connect_options(path)).await.unwrap();
        Self::new(Arc::new(store.clone()), Behind::Sqlite(store, db), scale)
    }

    fn new(store: Arc<dyn Store>, behind: Behind, scale: Scale) -> Self {
        let sites = scale.teams * scale.sites;
        let is_free = |n: &i64| n / scale.sites % 20 != 0 && (n + 1) % scale.queued != 0;
        let targets = (0..sites).map(|n| (n * 7_919 + 11) % sites).filter(is_free);
        let (added, claimed, deliveries) = (None, None, Vec::new());
        let worker = WorkerId::generate();
        Self { store, behind, scale, targets: targets.collect(), worker, added, claimed, deliveries }
    }

    /// Runs a step; returns `None` if it has nothing to do in this round. Rounds are numbered from first to last.
    pub(crate) async fn run(&mut self, step: Step, round: usize) -> Option<Sample> {
        let target = self.targets[round % self.targets.len()];
        let (site, team): (SiteId, TeamId) = (id("site", target), id("team", target / self.scale.sites));
        let scan: ScanId = id("scan", target * self.scale.checks);
        let store = Arc::clone(&self.store);
        let page = PageRequest::new(1, 25);
        let number = i64::try_from(round).unwrap();
        let sample = match step {
            Step::Authenticate => {
                let token = target / self.scale.sites * 2 + number % 2;
                let hash = TokenHash::from_bytes(Sha256::digest(format!("token {token}")).into());
                let (admitted, sample) = measured(store.admit_token(&hash, RequestClass::General)).await;
                assert!(admitted.unwrap().is_some());
                sample
            }
            Step::CountAddress => {
                let address = Ipv4Addr::from_bits(u32::try_from(round).unwrap()).into();
                let limits = RateLimits::new(60, 20);
                let (counted, sample) = measured(store.admit_address(address, RequestClass::General, limits)).await;
                assert!(counted.unwrap().0.is_admitted());
                sample
            }
            Step::ListSites => {
                let (sites, sample) = measured(store.sites(team, None, page)).await;
                assert_eq!(sites.unwrap().total, self.scale.sites.unsigned_abs());
                sample
            }
            Step::ListSitesOfTag => {
                let (sites, sample) = measured(store.sites(team, Some("a"), page)).await;
                assert!(sites.unwrap().total > 0);
                sample
            }
            Step::ReadSite => some(measured(store.site(team, site)).await),
            Step::Usage => {
                let (usage, sample) = measured(store.site_usage(team)).await;
                assert!(usage.unwrap().sites > 0);
                sample
            }
            Step::ListScans => some(measured(store.scans(team, site, page)).await),
            Step::ReadScan => some(measured(store.scan(team, scan)).await),
            Step::ReadFindings => some(measured(store.findings(team, scan)).await),
            Step::LatestCompleted => some(measured(store.latest_completed(team, site)).await),
            Step::Trend => {
                let (points, sample) = measured(store.trend(team, scan, 12)).await;
                assert_eq!(points.unwrap().len(), 12);
                sample
            }
            Step::ReadScreenshot => some(measured(store.screenshot(team, scan, ScreenshotId(1))).await),
            Step::AddSite => {
                let first = Some(ScanId::generate(Utc::now()));
                let (added, sample) = measured(store.add_site(team, new_site(), first)).await;
                self.added = Some(added.unwrap().id);
                sample
            }
            Step::DeleteSite => {
                let (deleted, sample) = measured(store.delete_site(team, self.added.take()?)).await;
                assert!(deleted.unwrap());
                sample
            }
            Step::StartScan => {
                let (started, sample) =
                    measured(store.start_manual_scan(team, site, ScanId::generate(Utc::now()), Depth::Full)).await;
                started.unwrap_or_else(|error| panic!("{site} in round {round}: {error:?}"));
                sample
            }
            Step::ClaimScan => {
                let (claimed, sample) = measured(store.claim_scan(&self.worker, Lease::TERM)).await;
                self.claimed = claimed.unwrap();
                sample
            }
            Step::RenewLease => {
                let (renewed, sample) = measured(store.renew_lease(self.claim(), Lease::TERM, PAGES)).await;
                renewed.unwrap();
                sample
            }
            Step::CompleteScan => {
                let (completed, sample) = measured(store.complete_scan(self.claim(), completion())).await;
                completed.unwrap();
                sample
            }
            Step::QueueDue => {
                // The site whose check has just ended.
                let due = self.claimed.take()?.site.id;
                self.make_due(due).await;
                let (queued, sample) = measured(store.queue_due_scans(100)).await;
                assert_eq!(queued.unwrap().queued.len(), 1);
                sample
            }
            Step::QueueNothing => {
                let (queued, sample) = measured(store.queue_due_scans(100)).await;
                assert!(queued.unwrap().queued.is_empty());
                sample
            }
            Step::ClaimDeliveries => {
                let (claimed, sample) = measured(self.claim_deliveries()).await;
                self.deliveries.extend(claimed);
                // No event was sent to a team without endpoints.
                if self.deliveries.is_empty() {
                    return None;
                }
                sample
            }
            Step::RecordAttempt => {
                let mut samples = Vec::new();
                for delivery in std::mem::take(&mut self.deliveries) {
                    // One in sixteen fails and is tried again.
                    let status = if round.is_multiple_of(16) { 500 } else { 204 };
                    let result = AttemptResult::Answered { status, excerpt: Excerpt::of(b"") };
                    let report = AttemptReport { duration: TimeDelta::milliseconds(120), result };
                    let (recorded, sample) = measured(store.record_attempt(delivery.claim, report)).await;
                    recorded.unwrap();
                    samples.push(sample);
                }
                return samples.pop();
            }
            Step::ClaimNothing => {
                let (claimed, sample) = measured(self.claim_deliveries()).await;
                if !claimed.is_empty() {
                    // At this moment, the next attempt of one that failed has fallen due.
                    self.deliveries = claimed;
                    return None;
                }
                sample
            }
            Step::ListEndpoints => {
                let (endpoints, sample) = measured(store.endpoints(team)).await;
                assert!(!endpoints.unwrap().is_empty());
                sample
            }
            Step::ListDeliveries => {
                let endpoint = id("whe", target / self.scale.sites * 2);
                let (deliveries, sample) = measured(store.deliveries(team, endpoint, page)).await;
                assert!(deliveries.unwrap().unwrap().total > 0);
                sample
            }
            Step::ReadAttempts => {
                let delivery = id("dlv", (target * self.scale.checks + 1) * 2);
                let (attempts, sample) = measured(store.attempts(team, delivery)).await;
                assert_eq!(attempts.unwrap().unwrap().len(), 1);
                sample
            }
            Step::PurgeScans if round < PURGES => {
                let (purged, sample) = measured(store.purge_scans(10)).await;
                assert_eq!(purged.unwrap(), 10);
                sample
            }
            Step::PurgeDeliveries if round < PURGES => {
                let (purged, sample) = measured(store.purge_deliveries(2)).await;
                assert_eq!(purged.unwrap(), 2);
                sample
            }
            Step::PurgeScans | Step::PurgeDeliveries => return None,
            Step::PurgeNoScans | Step::PurgeNoDeliveries if round < PURGES => return None,
            Step::PurgeNoScans => {
                while round == PURGES && store.purge_scans(100).await.unwrap() == 100 {}
                let (purged, sample) = measured(store.purge_scans(100)).await;
                // Time passes: now and then one falls due.
                assert!(purged.unwrap() < 5);
                sample
            }
            Step::PurgeNoDeliveries => {
                while round == PURGES && store.purge_deliveries(100).await.unwrap() == 100 {}
                let (purged, sample) = measured(store.purge_deliveries(100)).await;
                assert_eq!(purged.unwrap(), 0);
                sample
            }
            Step::Depth => {
                let (depth, sample) = measured(store.queue_depth()).await;
                assert!(depth.unwrap().requested.checks > 0);
                sample
            }
        };
        Some(sample)
    }

    fn claim(&self) -> Claim {
        self.claimed.as_ref().expect("a check was claimed").claim
    }

    /// Claims deliveries with the limits of the dispatcher.
    async fn claim_deliveries(&self) -> Vec<ClaimedDelivery> {
        let limits = ClaimLimits { all: 256, retries: 192, per_endpoint: 4 };
        // The key of `seed.sql`.
        let key = "key_603b46db489a5537".parse().unwrap();
        self.store.claim_deliveries(&self.worker, limits, TimeDelta::seconds(60), &[key]).await.unwrap()
    }

    /// Lets the next check of a site fall due.
    async fn make_due(&mut self, site: SiteId) {
        match &mut self.behind {
            Behind::Postgres(_, db) => {
                let update = sqlx::query("UPDATE sites SET next_scan_at = now() WHERE id = $1").bind(site.to_string());
                update.execute(db).await.unwrap();
            }
            Behind::Sqlite(_, db) => {
                let update = sqlx::query("UPDATE sites SET next_scan_at = ?1 WHERE id = ?2");
                update.bind(Utc::now().timestamp_micros()).bind(site.to_string()).execute(db).await.unwrap();
            }
        }
    }

    pub(crate) async fn close(self) {
        match self.behind {
            Behind::Postgres(store, db) => {
                store.close().await;
                db.close().await.unwrap();
            }
            Behind::Sqlite(store, db) => {
                store.close().await;
                db.close().await.unwrap();
            }
        }
    }
}

async fn measured<T>(step: impl Future<Output = T>) -> (T, Sample) {
    drop(plans::taken());
    let began = Instant::now();
    let outcome = step.await;
    let took = began.elapsed();
    (outcome, Sample { took, plans: plans::taken() })
}

/// Returns the sample of a read whose value must exist.
fn some<T, E: std::fmt::Debug>((read, sample): (Result<Option<T>, E>, Sample)) -> Sample {
    assert!(read.unwrap().is_some());
    sample
}

fn new_site() -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse("https://new.example").unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: vec![],
        tags: vec![],
        standard: None,
    };
    NewSite { id: SiteId::generate(Utc::now()), details }
}

fn completion() -> Completion {
    let now = Utc::now();
    let engine = Tool::axe_core("4.14.1", "Chromium 156");
    let findings = Findings::new(engine.clone());
    let outcome = Outcome::new(1, Totals::default(), DiffSummary::first(), engine);
    let body = b"{\"issues\": 7}".repeat(60).into();
    let event = NewEvent { id: EventId::generate(now), kind: EventKind::ScanCompleted, created_at: now, body };
    Completion {
        finished_at: now,
        outcome,
        findings,
        screenshots: vec![],
        screen: None,
        events: vec![event],
        memo: None,
    }
}
