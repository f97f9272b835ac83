//! Files in an object store: the same promises, and no object that is forgotten.

use std::{path::Path, time::Duration};

use a11ycheck_core::{
    clock::{Clock as _, ManualClock},
    domain::{
        Depth, EndpointDetails, EndpointSecret, EventKind, IsoDuration, Lease, NewEndpoint, NewEvent, NewSite, NewTeam,
        PlanCatalog, PlanCode, ScreenshotId, SiteDetails, SiteUrl, Subscription,
    },
    id::{EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    store::{
        Claim, Completion, Document, DocumentKey, FileStore as _, LeaseError, QueueStore as _, ScanStore as _,
        SiteStore as _, StoreError, StyleHash, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_postgres::{ConnectError, PostgresConfig, PostgresStore};
use a11ycheck_storage_testkit::StoreFactory;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::support::{self, s3::S3};

struct StoresOverObjects;

#[async_trait::async_trait]
impl StoreFactory for StoresOverObjects {
    type Store = PostgresStore;

    async fn empty(&self, clock: ManualClock) -> PostgresStore {
        let config = support::config().await.with_files("memory:///files", []);
        PostgresStore::connect(config).await.unwrap().with_clock(clock)
    }
}

// The cases that concern files.
a11ycheck_storage_testkit::store_suite!(StoresOverObjects, only: [
    completion {
        a_completed_check_shows_state_numbers_findings_and_pictures,
        a_check_that_is_not_completed_shows_no_result,
        a_refused_result_is_dropped_whole,
    },
    files,
    retention {
        what_left_the_history_is_deleted_with_findings_and_files,
        the_latest_completed_and_active_checks_are_not_purged,
        a_move_of_a_purged_check_is_answered_with_gone,
    },
    deletion {
        a_deleted_site_is_gone_with_checks_findings_and_files,
        a_worker_that_checks_a_deleted_site_learns_so_and_its_result_is_dropped,
    },
    isolation {
        a_check_is_seen_by_its_team_alone,
    },
    scan_concurrency {
        one_of_many_ends_of_a_check_counts,
        a_completed_check_is_seen_whole_or_not_at_all,
        a_site_deleted_while_its_check_completes_leaves_nothing_behind,
        purges_at_once_delete_each_check_once,
    },
]);
// Pictures and documents come from an object store, and go into another one.
a11ycheck_storage_testkit::transfer_suite!(StoresOverObjects);

/// A store over some object store, a team and a site in it.
struct World {
    store: PostgresStore,
    config: PostgresConfig,
    schema: String,
    clock: ManualClock,
    team: TeamId,
    site: SiteId,
}

impl World {
    async fn new(change: impl FnOnce(PostgresConfig) -> PostgresConfig) -> Self {
        let clock = ManualClock::at(DateTime::from_timestamp_micros(1_800_005_400_123_456).unwrap());
        let (config, schema) = support::config_at(&support::url()).await;
        let config = change(config);
        let store = PostgresStore::connect(config.clone()).await.unwrap().with_clock(clock.clone());
        let mut plan = PlanCatalog::shipped().plans().first().cloned().unwrap();
        plan.code = PlanCode::new("short");
        plan.limits.history_months = 1;
        plan.limits.manual_check_interval = IsoDuration::hours(0);
        store.put_plans(&[plan]).await.unwrap();
        let team = NewTeam {
            id: TeamId::generate(clock.now()),
            name: "Team".to_owned(),
            plan: PlanCode::new("short"),
            subscription: Subscription::ACTIVE,
            seats_used: 1,
        };
        let team = store.create_team(team).await.unwrap().id;
        let site = store.add_site(team, new_site(), None).await.unwrap().id;
        Self { store, config, schema, clock, team, site }
    }

    async fn in_folder(folder: &Path) -> Self {
        let url = format!("file://{}", folder.display());
        Self::new(|config| config.with_files(url, [])).await
    }

    async fn in_s3(s3: &S3) -> Self {
        let settings = s3.settings();
        let patience = Duration::from_secs(2);
        Self::new(|config| config.with_files("s3://bucket/some/folder", settings).with_step_timeout(patience)).await
    }

    async fn running(&self) -> Claim {
        let scan = ScanId::generate(self.clock.now());
        self.store.start_manual_scan(self.team, self.site, scan, Depth::Full).await.unwrap();
        self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().claim
    }

    fn completion(&self) -> Completion {
        Completion {
            finished_at: self.clock.now(),
            screenshots: vec![picture(1), picture(2)],
            screen: Some(picture(0)),
            ..support::completion()
        }
    }

    async fn completed(&self) -> ScanId {
        let claim = self.running().await;
        self.store.complete_scan(claim, self.completion()).await.unwrap().id
    }

    async fn put_report(&self, scan: ScanId, bytes: &[u8]) {
        let key = DocumentKey::Report(Locale::En);
        assert!(
            self.store
                .put_document(self.team, scan, key, Document { style: StyleHash([7; 16]), bytes: bytes.to_vec() })
                .await
                .unwrap()
        );
    }

    async fn report(&self, scan: ScanId) -> Option<Vec<u8>> {
        let document = self.store.document(self.team, scan, DocumentKey::Report(Locale::En)).await.unwrap();
        document.map(|document| document.bytes)
    }
}

fn new_site() -> NewSite {
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

fn picture(number: u32) -> Screenshot {
    let bytes = (0..=255).cycle().skip(usize::try_from(number).unwrap()).take(10_000).collect();
    Screenshot::new(ScreenshotId(number), ScreenshotFormat::Png, 320, 200, bytes)
}

/// Counts the files anywhere below a folder.
fn files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
}

#[tokio::test]
async fn a_purged_check_leaves_no_object_behind() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let old = world.completed().await;
    world.put_report(old, b"a report").await;
    world.clock.advance(TimeDelta::days(1));
    let latest = world.completed().await;
    assert_eq!(files(folder.path()), 3 + 1 + 3);
    world.clock.advance(TimeDelta::days(32));
    assert_eq!(world.store.purge_scans(10).await.unwrap(), 1);
    assert_eq!(files(folder.path()), 3);
    let seen = world.store.screenshot(world.team, latest, ScreenshotId(2)).await.unwrap();
    assert_eq!(seen, Some(picture(2)));
}

#[tokio::test]
async fn a_deleted_site_leaves_no_object_behind() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    assert!(world.store.delete_site(world.team, world.site).await.unwrap());
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no empty folder either");
}

#[tokio::test]
async fn a_deleted_team_leaves_no_object_behind() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    let late = world.running().await;
    assert!(world.store.delete_team(world.team).await.unwrap());
    let refused = world.store.complete_scan(late, world.completion()).await.unwrap_err();
    assert!(matches!(refused, LeaseError::Gone), "{refused:?}");
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no empty folder either");
}

#[tokio::test]
async fn a_site_deleted_while_its_check_completes_leaves_no_object_behind() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let (team, site) = (world.team, world.site);
    let url = SiteUrl::parse("https://hooks.example/").unwrap();
    let details = EndpointDetails::new(url, [EventKind::ScanCompleted]);
    let id = EndpointId::generate(Utc::now());
    let secret = EndpointSecret::generate().seal(&support::ring(), id);
    world.store.create_endpoint(team, NewEndpoint { id, details, secret }).await.unwrap();
    let claim = world.running().await;
    let (id, body) = (EventId::generate(Utc::now()), b"{}".as_slice().into());
    let event = NewEvent { id, kind: EventKind::ScanCompleted, created_at: world.clock.now(), body };
    let completion = Completion { events: vec![event], ..world.completion() };

    // The last lock that a completion waits for: everything else is done, and not committed.
    let mut db = support::connect().await;
    let mut lock = db.begin().await.unwrap();
    let statement = format!("SELECT FROM {}.endpoints FOR UPDATE", world.schema);
    // The support module made the name: nothing in it needs quoting.
    lock.execute(AssertSqlSafe(statement)).await.unwrap();
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *lock).await.unwrap();
    let (of_worker, of_team) = (world.store.clone(), world.store.clone());
    let completing = tokio::spawn(async move { of_worker.complete_scan(claim, completion).await });
    let worker = blocked_by(holder).await;
    let deleting = tokio::spawn(async move { of_team.delete_site(team, site).await });
    blocked_by(worker).await;
    lock.rollback().await.unwrap();
    completing.await.unwrap().unwrap();
    assert!(deleting.await.unwrap().unwrap());

    world.store.purge_scans(10).await.unwrap();
    assert_eq!(files(folder.path()), 0);
}

/// Returns the server process that waits for this one.
async fn blocked_by(holder: i32) -> i32 {
    let mut db = support::connect().await;
    loop {
        let blocked = "SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) LIMIT 1";
        if let Some(pid) = sqlx::query_scalar(blocked).bind(holder).fetch_optional(&mut db).await.unwrap() {
            return pid;
        }
    }
}

#[tokio::test]
async fn what_a_worker_wrote_for_a_result_that_was_not_stored_is_deleted_a_day_later() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let late = world.running().await;
    world.clock.advance(Lease::TERM + TimeDelta::seconds(1));
    let claim = world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().claim;
    let refused = world.store.complete_scan(late, world.completion()).await.unwrap_err();
    assert!(matches!(refused, LeaseError::Refused(_)), "{refused:?}");
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert_eq!(files(folder.path()), 6);
    world.clock.advance(TimeDelta::hours(23));
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(files(folder.path()), 6, "a worker may be at it still");
    world.clock.advance(TimeDelta::hours(2));
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(files(folder.path()), 3);
    assert!(world.store.screen(world.team, claim.scan).await.unwrap().is_some());
}

#[tokio::test]
async fn a_document_that_is_replaced_is_deleted_an_hour_later() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    world.put_report(scan, b"another report").await;
    world.clock.advance(TimeDelta::minutes(59));
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(files(folder.path()), 3 + 2, "somebody may be reading it");
    world.clock.advance(TimeDelta::minutes(2));
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(files(folder.path()), 3 + 1);
    assert_eq!(world.report(scan).await.unwrap(), b"another report");
}

#[tokio::test]
async fn files_go_to_s3_and_come_back_signed_byte_for_byte() {
    let s3 = S3::start().await;
    let world = World::in_s3(&s3).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    assert_eq!(s3.names().len(), 4);
    let prefix = format!("/bucket/some/folder/{scan}/");
    assert!(s3.names().iter().all(|name| name.starts_with(&prefix)), "{:?}", s3.names());
    assert_eq!(world.store.screenshot(world.team, scan, ScreenshotId(1)).await.unwrap(), Some(picture(1)));
    assert_eq!(world.store.screen(world.team, scan).await.unwrap(), Some(picture(0)));
    assert_eq!(world.report(scan).await.unwrap(), b"a report");
    assert!(world.store.delete_site(world.team, world.site).await.unwrap());
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(s3.names(), [] as [&str; 0]);
}

#[tokio::test]
async fn while_the_object_store_is_away_results_wait_and_purged_files_are_not_forgotten() {
    let s3 = S3::start().await;
    let world = World::in_s3(&s3).await;
    let first = world.completed().await;
    let claim = world.running().await;
    s3.go_down();
    let error = world.store.complete_scan(claim, world.completion()).await.unwrap_err();
    assert!(matches!(error, LeaseError::Pictures(_)), "{error:?}");
    assert!(world.store.findings(world.team, claim.scan).await.unwrap().is_none(), "nothing is half done");
    let error = world.store.screen(world.team, first).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(world.store.delete_site(world.team, world.site).await.unwrap());
    assert_eq!(world.store.purge_scans(10).await.unwrap(), 0);

    s3.come_up();
    world.clock.advance(TimeDelta::days(2));
    world.store.purge_scans(10).await.unwrap();
    assert_eq!(s3.names(), [] as [&str; 0]);
}

#[tokio::test]
async fn files_from_before_there_was_an_object_store_are_read_from_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(|config| config).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    let url = format!("file://{}", folder.path().display());
    let later = PostgresStore::connect(world.config.clone().with_files(url, [])).await.unwrap();
    let later = World { store: later.with_clock(world.clock.clone()), ..world };
    assert_eq!(later.store.screen(later.team, scan).await.unwrap(), Some(picture(0)));
    assert_eq!(later.report(scan).await.unwrap(), b"a report");
    later.put_report(scan, b"another report").await;
    assert_eq!(later.report(scan).await.unwrap(), b"another report");
    assert_eq!(files(folder.path()), 1);
}

#[tokio::test]
async fn files_that_somebody_else_took_away_or_cut_off_are_none_and_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::in_folder(folder.path()).await;
    let scan = world.completed().await;
    world.put_report(scan, b"a report").await;
    let upload = std::fs::read_dir(folder.path().join(scan.to_string())).unwrap();
    for object in upload.flat_map(|upload| std::fs::read_dir(upload.unwrap().path()).unwrap()) {
        let object = object.unwrap().path();
        match object.file_name().unwrap().to_str().unwrap() {
            "element-1" | "document" => std::fs::remove_file(object).unwrap(),
            "screen-0" => std::fs::write(object, b"cut o").unwrap(),
            _ => {}
        }
    }
    let (store, team) = (&world.store, world.team);
    assert_eq!(store.screenshot(team, scan, ScreenshotId(1)).await.unwrap(), None);
    assert_eq!(store.screenshot(team, scan, ScreenshotId(2)).await.unwrap(), Some(picture(2)));
    assert_eq!(store.screen(team, scan).await.unwrap(), None);
    assert_eq!(world.report(scan).await, None);
    world.put_report(scan, b"a report").await;
    assert_eq!(world.report(scan).await.unwrap(), b"a report", "what can be made again is");
}

#[tokio::test]
async fn an_address_that_is_of_no_object_store_is_refused_before_anything_is_tried() {
    for url in ["", "bucket/folder", "ftp://host/folder", "gs://bucket/folder", "file:///is/not/there"] {
        let refused = PostgresStore::connect(PostgresConfig::new(support::url()).with_files(url, [])).await;
        assert!(matches!(refused, Err(ConnectError::Files(_))), "{url}");
    }
}
