//! Files to work on.

use std::{
    path::{Path, PathBuf},
    sync::{
        Once,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use a11ycheck_core::{
    domain::{
        CheckFrequency, DiffSummary, EndpointDetails, EndpointSecret, EventKind, Features, Findings, IsoDuration,
        Lease, Limits, NewEndpoint, NewEvent, NewSite, NewTeam, Outcome, Plan, PlanCatalog, PlanCode, ScreenshotId,
        SiteDetails, SiteUrl, Subscription, Tool, Totals,
    },
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    paging::PageRequest,
    scanner::{Screenshot, ScreenshotFormat},
    sealing::{Keyring, SealingKey},
    store::{
        AddSiteError, ClaimLimits, ClaimedScan, Completion, QueueStore as _, SiteStore as _, TeamStore as _,
        WebhookStore as _,
    },
};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use chrono::{SubsecRound as _, TimeDelta, Utc};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

/// The beginning of the names of tests' folders; the rest is the process id.
const PREFIX: &str = "a11ycheck-sqlite-test-";
/// Folders of earlier runs that are older than this are removed: those runs are over.
const LEFT_OVER: Duration = Duration::from_secs(600);

/// Returns the configuration of a file for one test, which does not exist yet.
pub(crate) fn config() -> SqliteConfig {
    SqliteConfig::new(path())
}

/// Returns the path of a file for one test, which does not exist yet.
pub(crate) fn path() -> PathBuf {
    static CLEANED: Once = Once::new();
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let all = std::env::temp_dir();
    CLEANED.call_once(|| remove_left_over(&all));
    let folder = all.join(format!("{PREFIX}{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{}.db", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

fn remove_left_over(all: &Path) {
    for entry in std::fs::read_dir(all).unwrap().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|folder| folder.modified()).ok();
        if is_ours && modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER) {
            // Another process may be at it, too.
            std::fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// A store on a file of its own, and a team in it.
pub(crate) struct World {
    pub(crate) store: SqliteStore,
    pub(crate) config: SqliteConfig,
    pub(crate) team: TeamId,
    /// A connection beside the store's.
    pub(crate) db: SqliteConnection,
}

impl World {
    pub(crate) async fn new() -> Self {
        let config = config();
        let store = SqliteStore::open(config.clone()).await.unwrap();
        let db = connect(&config).await;
        let team = seed(&store).await;
        Self { store, config, team, db }
    }

    /// Adds a site, with a check that waits for a worker.
    pub(crate) async fn add_site(&self) -> Result<SiteId, AddSiteError> {
        let site = self.store.add_site(self.team, new_site(), Some(ScanId::generate(Utc::now()))).await;
        site.map(|site| site.id)
    }

    pub(crate) async fn sites(&self) -> u64 {
        self.store.sites(self.team, None, PageRequest::new(1, 100)).await.unwrap().total
    }

    pub(crate) async fn claim(&self) -> Option<ClaimedScan> {
        self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap()
    }

    /// Makes a delivery that is due, to an endpoint of its own.
    pub(crate) async fn delivery(&self) -> (EndpointId, DeliveryId) {
        let endpoint = add_endpoint(&self.store, self.team).await;
        let sent = self.store.send_event(self.team, endpoint, event()).await.unwrap();
        (endpoint, sent.id)
    }

    pub(crate) async fn claim_one(&self, term: TimeDelta) -> Option<DeliveryId> {
        let one = ClaimLimits { all: 1, retries: 1, per_endpoint: 1 };
        let claimed = self.store.claim_deliveries(&WorkerId::generate(), one, term, &ring().ids()).await.unwrap();
        claimed.first().map(|claimed| claimed.claim.delivery)
    }

    /// Runs a statement that names an id of a test as `?1`.
    pub(crate) async fn run(&mut self, statement: &'static str, id: impl ToString) {
        let done = sqlx::query(statement).bind(id.to_string()).execute(&mut self.db).await.unwrap();
        assert_eq!(done.rows_affected(), 1);
    }
}

/// Opens a connection to a file beside a store's.
pub(crate) async fn connect(config: &SqliteConfig) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(config.path()).busy_timeout(Duration::from_secs(30));
    SqliteConnection::connect_with(&options).await.unwrap()
}

/// Stores a plan without an interval between manual checks, and a team on it.
pub(crate) async fn seed(store: &SqliteStore) -> TeamId {
    let limits = Limits::new(1_000, 5, CheckFrequency::Daily)
        .with_history_months(12)
        .with_manual_check_interval(IsoDuration::hours(0));
    let roomy = Plan::new(PlanCode::new("roomy"), "Roomy", Features::none().with_api(), limits);
    store.put_plans(&[roomy]).await.unwrap();
    store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    store.create_team(new_team("roomy")).await.unwrap().id
}

pub(crate) fn new_team(plan: &str) -> NewTeam {
    NewTeam {
        id: TeamId::generate(Utc::now()),
        name: "Team".to_owned(),
        plan: PlanCode::new(plan),
        subscription: Subscription::ACTIVE,
        seats_used: 1,
    }
}

pub(crate) fn new_site() -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse("https://example.com").unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: vec![],
        tags: vec![],
        standard: None,
    };
    NewSite { id: SiteId::generate(Utc::now()), details }
}

/// Adds an endpoint that listens to completed checks.
pub(crate) async fn add_endpoint(store: &SqliteStore, team: TeamId) -> EndpointId {
    let details = EndpointDetails::new(SiteUrl::parse("https://hooks.example").unwrap(), [EventKind::ScanCompleted]);
    let id = EndpointId::generate(Utc::now());
    let secret = EndpointSecret::generate().seal(&ring(), id);
    store.create_endpoint(team, NewEndpoint { id, details, secret }).await.unwrap().id
}

pub(crate) fn event() -> NewEvent {
    let (now, body) = (Utc::now(), b"{}".as_slice().into());
    NewEvent { id: EventId::generate(now), kind: EventKind::ScanCompleted, created_at: now, body }
}

/// Returns the result of a check that found nothing.
pub(crate) fn completion() -> Completion {
    let engine = || Tool::axe_core("4", "b");
    let outcome = Outcome::new(1, Totals::default(), DiffSummary::first(), engine());
    Completion {
        finished_at: Utc::now().trunc_subsecs(6),
        outcome,
        findings: Findings::new(engine()),
        screenshots: vec![],
        screen: None,
        events: vec![],
        memo: None,
    }
}

/// Returns a picture of so many bytes.
pub(crate) fn picture(number: u32, bytes: usize) -> Screenshot {
    let bytes = (0..=255_u8).cycle().skip(usize::try_from(number).unwrap()).take(bytes).collect();
    Screenshot::new(ScreenshotId(number), ScreenshotFormat::WebP, 40, 30, bytes)
}

/// Returns the keyring that seals the tests' secrets.
pub(crate) fn ring() -> Keyring {
    Keyring::new(SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap())
}
