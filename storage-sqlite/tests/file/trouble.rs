//! Errors of the disk are reported as such, leave nothing half done, and end when there is room again; rows that can't be
//! read hold up no others.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use a11ycheck_core::{
    domain::{DeliveryState, Depth, Lease},
    id::{ScanId, WorkerId},
    paging::PageRequest,
    store::{
        AddSiteError, ClaimLimits, Completion, FileStore as _, LeaseError, QueueStore as _, ScanStore as _,
        SiteStore as _, StoreError, TeamStore as _, UnknownPlan, WebhookStore as _,
    },
};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use chrono::{TimeDelta, Utc};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sqlx::Executor as _;

use crate::support::{self, World};

/// Names the file on which the child with a full disk works.
const FILE: &str = "A11YCHECK_SQLITE_FULL";

#[test]
fn a_full_disk_refuses_what_it_has_no_room_for_as_a_whole_and_service_goes_on_when_there_is_room() {
    // A limit to the size of files stands for the full disk. It is the process's, so this is a child. A shell ignores the signal
    // that goes with it, since a signal's handling is not safe Rust's.
    let mut child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "trouble::full_disk_child", "--nocapture", "--test-threads=1"])
        .env(FILE, support::path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success(), "{lines:#?}");
    assert!(lines.iter().any(|line| line.ends_with("the disk was full, and has room again")), "{lines:#?}");
}

/// The child of the test before it. Among the tests it is none.
#[test]
fn full_disk_child() {
    let Some(path) = env::var_os(FILE).map(PathBuf::from) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(SqliteConfig::new(&path)).await.unwrap();
        let team = support::seed(&store).await;
        let site = support::new_site();
        let id = ScanId::generate(Utc::now());
        let site = store.add_site(team, site, Some(id)).await.unwrap().id;
        support::add_endpoint(&store, team).await;
        let claim = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().claim;

        let before = getrlimit(Resource::Fsize);
        let wal = fs::metadata(path.with_extension("db-wal")).unwrap().len();
        setrlimit(Resource::Fsize, Rlimit { current: Some(wal + 40_000), maximum: before.maximum }).unwrap();
        let result = || Completion {
            screenshots: vec![support::picture(1, 400_000)],
            screen: Some(support::picture(2, 400_000)),
            events: vec![support::event()],
            ..support::completion()
        };
        for _ in 0..3 {
            let refused = store.complete_scan(claim, result()).await.unwrap_err();
            assert!(matches!(refused, LeaseError::Store(StoreError::Unavailable(_))), "{refused:?}");
            // Nothing of it is there, and reading goes on.
            assert!(store.scan(team, claim.scan).await.unwrap().unwrap().state.is_active());
            assert!(store.findings(team, claim.scan).await.unwrap().is_none());
            assert!(store.screen(team, claim.scan).await.unwrap().is_none());
            assert_eq!(store.delivery_depth().await.unwrap().pending, 0);
        }
        // Small steps until there is room for none.
        let refused = loop {
            if let Err(refused) = store.add_site(team, support::new_site(), None).await {
                break refused;
            }
        };
        assert!(matches!(refused, AddSiteError::Store(StoreError::Unavailable(_))), "{refused:?}");
        let sites = store.sites(team, None, PageRequest::new(1, 1)).await.unwrap().total;

        setrlimit(Resource::Fsize, before).unwrap();
        let completed = store.complete_scan(claim, result()).await.unwrap();
        assert_eq!(completed.site, site);
        assert_eq!(store.screen(team, claim.scan).await.unwrap().unwrap().bytes.len(), 400_000);
        assert_eq!(store.delivery_depth().await.unwrap().pending, 1);
        store.add_site(team, support::new_site(), None).await.unwrap();
        assert_eq!(store.sites(team, None, PageRequest::new(1, 1)).await.unwrap().total, sites + 1);
        store.close().await;
    });
    println!("\nthe disk was full, and has room again");
}

#[tokio::test]
async fn a_step_that_is_abandoned_midway_has_changed_nothing_and_stops_no_other() {
    let world = World::new().await;
    for _ in 0..20 {
        // Dropped after its first wait, wherever that is.
        let step = world.add_site();
        tokio::select! { biased; _ = step => {}, () = tokio::task::yield_now() => {} }
    }
    let sites = world.sites().await;
    world.add_site().await.unwrap();
    assert!(world.sites().await > sites);
    let halves: i64 = sqlx::query_scalar("SELECT (SELECT count(*) FROM sites) - (SELECT count(*) FROM active_scans)")
        .fetch_one(&mut support::connect(&world.config).await)
        .await
        .unwrap();
    assert_eq!(halves, 0, "a site without its first check");
}

#[tokio::test]
async fn a_file_that_another_process_keeps_for_itself_is_not_waited_for_without_end() {
    let mut world = World::new().await;
    world.db.execute("BEGIN IMMEDIATE").await.unwrap();
    let refused = world.add_site().await.unwrap_err();
    assert!(matches!(refused, AddSiteError::Store(StoreError::Unavailable(_))), "{refused:?}");
    // Reading goes on.
    assert_eq!(world.sites().await, 0);
    world.db.execute("ROLLBACK").await.unwrap();
    world.add_site().await.unwrap();
}

#[tokio::test]
async fn an_id_that_is_taken_is_not_trouble_that_may_pass() {
    let world = World::new().await;
    let team = support::new_team("pro");
    world.store.create_team(team.clone()).await.unwrap();
    let refused = world.store.create_team(team).await.unwrap_err();
    assert!(matches!(refused, UnknownPlan::Store(StoreError::Taken(_))), "{refused:?}");
}

#[tokio::test]
async fn what_can_not_be_read_is_reported_by_table_and_id() {
    let mut world = World::new().await;
    let site = world.add_site().await.unwrap();
    world.run("UPDATE sites SET url = 'no address:' WHERE id = ?1", site).await;
    let error = world.store.site(world.team, site).await.unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { what, .. } if *what == format!("sites {site}")), "{error:?}");
}

#[tokio::test]
async fn a_check_that_can_not_be_read_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, sound) = (world.add_site().await.unwrap(), world.add_site().await.unwrap());
    world.run("UPDATE sites SET url = 'of a newer version: ' || url WHERE id = ?1", odd).await;
    assert_eq!(world.claim().await.unwrap().site.id, sound);
    assert!(world.claim().await.is_none());
    // A later release may be able to read it.
    world.run("UPDATE sites SET url = substr(url, 21) WHERE id = ?1", odd).await;
    world.store.close().await;
    let other = SqliteStore::open(world.config.clone()).await.unwrap();
    assert_eq!(other.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().site.id, odd);
}

#[tokio::test]
async fn a_check_that_somebody_deleted_by_hand_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, sound) = (world.add_site().await.unwrap(), world.add_site().await.unwrap());
    world.run("DELETE FROM scans WHERE site_id = ?1", odd).await;
    assert_eq!(world.claim().await.unwrap().site.id, sound);
    assert!(world.claim().await.is_none());
}

#[tokio::test]
async fn a_team_that_can_not_be_read_keeps_no_other_from_its_schedule() {
    let mut world = World::new().await;
    let other = world.store.create_team(support::new_team("starter")).await.unwrap().id;
    for _ in 0..2 {
        world.store.add_site(other, support::new_site(), None).await.unwrap();
    }
    let sound = world.store.add_site(world.team, support::new_site(), None).await.unwrap().id;
    world.db.execute("UPDATE sites SET next_scan_at = 0").await.unwrap();
    world.run("UPDATE sites SET next_scan_at = 1 WHERE id = ?1", sound).await;
    world.run("UPDATE plans SET document = '{}' WHERE code = ?1", "starter").await;
    let mut queued = Vec::new();
    loop {
        let due = world.store.queue_due_scans(1).await.unwrap();
        queued.extend(due.queued.iter().map(|scan| scan.site));
        if !due.more {
            break;
        }
    }
    assert_eq!(queued, [sound]);
}

#[tokio::test]
async fn a_delivery_that_can_not_be_read_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, _) = world.delivery().await;
    let (_, sound) = world.delivery().await;
    world.run("UPDATE endpoints SET url = 'no address:' WHERE id = ?1", odd).await;
    assert_eq!(world.claim_one(Lease::TERM).await, Some(sound));
    assert_eq!(world.claim_one(Lease::TERM).await, None);
}

#[tokio::test]
async fn a_lost_attempt_that_can_not_be_read_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, lost) = world.delivery().await;
    for _ in 0..DeliveryState::MAX_TRIES {
        assert_eq!(world.claim_one(TimeDelta::zero()).await, Some(lost));
    }
    world.run("UPDATE endpoints SET failed_in_a_row = -1 WHERE id = ?1", odd).await;
    let (_, sound) = world.delivery().await;
    assert_eq!(world.claim_one(Lease::TERM).await, Some(sound));
}

#[tokio::test]
async fn deliveries_that_can_not_be_read_are_no_empty_queue_when_they_are_too_many_to_be_skipped() {
    let mut world = World::new().await;
    let (endpoint, sound) = world.delivery().await;
    // The id of no team.
    let copied = sqlx::query(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1001)
         INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, next_attempt_at)
         SELECT 'odd_' || number, '', endpoint_id, event_id, created_at, state, attempts, tries, token,
             next_attempt_at - 86400000000
         FROM deliveries, numbers WHERE endpoint_id = ?1",
    )
    .bind(endpoint.to_string())
    .execute(&mut world.db)
    .await
    .unwrap();
    assert_eq!(copied.rows_affected(), 1_001);
    let (store, keys) = (world.store.clone(), support::ring().ids());
    let claim = async |all| {
        let limits = ClaimLimits { all, retries: 0, per_endpoint: all };
        store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &keys).await
    };
    assert!(claim(1_000).await.unwrap().is_empty(), "these are skipped from now on");
    let error = claim(1).await.unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { what, .. } if what.starts_with("deliveries odd_")), "{error:?}");
    let claimed = claim(2).await.unwrap();
    assert_eq!(claimed.iter().map(|claimed| claimed.claim.delivery).collect::<Vec<_>>(), [sound]);
}

#[tokio::test]
async fn what_a_deleted_site_took_is_deleted_soon_and_its_room_is_given_back() {
    let world = World::new().await;
    let site = world.add_site().await.unwrap();
    for _ in 0..40 {
        let claim = world.claim().await.unwrap().claim;
        let result = Completion { screen: Some(support::picture(1, 300_000)), ..support::completion() };
        world.store.complete_scan(claim, result).await.unwrap();
        let id = ScanId::generate(Utc::now());
        world.store.start_manual_scan(world.team, site, id, Depth::Full).await.unwrap();
    }
    assert!(world.store.delete_site(world.team, site).await.unwrap());
    // What the deletion began, or what the purge does if it was interrupted.
    world.store.purge_scans(10).await.unwrap();
    world.store.close().await;
    let (left, free): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM screenshots) + (SELECT count(*) FROM findings) + (SELECT count(*) FROM deleted_scans),
             (SELECT freelist_count FROM pragma_freelist_count)",
    )
    .fetch_one(&mut support::connect(&world.config).await)
    .await
    .unwrap();
    assert_eq!(left, 0);
    assert!(free < 1_000, "{free} pages of 4 KiB are kept");
    assert!(fs::metadata(world.config.path()).unwrap().len() < 6_000_000);
}
