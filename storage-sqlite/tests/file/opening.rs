//! Opening a file: who may, what is found in it again, and which files are refused.

use std::{fs, os::unix::fs::PermissionsExt as _};

use a11ycheck_core::{
    domain::{Depth, Lease},
    id::{ScanId, WorkerId},
    paging::PageRequest,
    store::{
        Completion, FileStore as _, QueueStore as _, ScanStore as _, SiteStore as _, StoreClock as _, TeamStore as _,
        WebhookStore as _,
    },
};
use a11ycheck_storage_sqlite::{OpenError, SqliteConfig, SqliteStore};
use chrono::Utc;
use sqlx::{Connection as _, Executor as _};

use crate::support::{self, World};

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let world = World::new().await;
    let (endpoint, pending) = world.delivery().await;
    let site = world.add_site().await.unwrap();
    let claim = world.claim().await.unwrap().claim;
    let picture = support::picture(1, 30_000);
    let result = Completion {
        screenshots: vec![picture.clone()],
        screen: Some(support::picture(2, 90_000)),
        ..support::completion()
    };
    let completed = world.store.complete_scan(claim, result).await.unwrap();
    let waiting =
        world.store.start_manual_scan(world.team, site, ScanId::generate(Utc::now()), Depth::Full).await.unwrap();
    world.store.close().await;

    let again = SqliteStore::open(world.config.clone()).await.unwrap();
    let team = world.team;
    assert_eq!(again.site(team, site).await.unwrap().unwrap().id, site);
    assert_eq!(again.scan(team, completed.id).await.unwrap().unwrap(), completed);
    assert!(again.findings(team, completed.id).await.unwrap().is_some());
    assert_eq!(again.screenshot(team, completed.id, picture.id).await.unwrap().unwrap(), picture);
    assert_eq!(again.screen(team, completed.id).await.unwrap().unwrap().bytes.len(), 90_000);
    assert_eq!(again.delivery(team, pending).await.unwrap().unwrap().endpoint, endpoint);
    let claimed = again.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
    assert_eq!(claimed.scan.id, waiting.id);
}

#[tokio::test]
async fn a_second_server_on_a_file_is_refused_with_the_process_id_of_the_first() {
    let world = World::new().await;
    let refused = SqliteStore::open(world.config.clone()).await.unwrap_err();
    let (own, path) = (std::process::id(), world.config.path().display());
    assert!(matches!(&refused, OpenError::InUse { pid: Some(pid), .. } if *pid == own), "{refused:?}");
    assert_eq!(
        refused.to_string(),
        format!(
            "another server works on {path} (its process id is {own}): stop it first, or give this one a data folder of \
             its own"
        )
    );
    // The first one works on, and when it has ended, another may begin.
    world.add_site().await.unwrap();
    world.store.close().await;
    SqliteStore::open(world.config.clone()).await.unwrap();
}

#[tokio::test]
async fn a_lock_that_a_dead_server_left_keeps_nobody_out() {
    let config = support::config();
    // Its file is there, and its process is not.
    fs::write(config.path().with_extension("db-lock"), "4194304\n").unwrap();
    SqliteStore::open(config).await.unwrap();
}

#[tokio::test]
async fn what_is_administered_beside_a_server_is_seen_by_it_and_the_other_way_round() {
    let world = World::new().await;
    let beside = SqliteStore::open_beside(world.config.clone()).await.unwrap();
    let team = beside.create_team(support::new_team("pro")).await.unwrap().id;
    assert_eq!(world.store.team(team).await.unwrap().unwrap().id, team);
    let site = world.add_site().await.unwrap();
    assert_eq!(beside.site(world.team, site).await.unwrap().unwrap().id, site);
    // What is queued there is found here by the next look.
    assert!(world.claim().await.is_some());
    let queued = beside.start_manual_scan(world.team, site, ScanId::generate(Utc::now()), Depth::Full).await;
    assert!(queued.is_err(), "its check is running");
    let other = beside.add_site(team, support::new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
    assert_eq!(world.claim().await.unwrap().site.id, other.id);
}

#[tokio::test]
async fn a_server_and_a_program_beside_it_that_write_at_once_get_in_each_others_way_for_no_step() {
    let world = World::new().await;
    let beside = SqliteStore::open_beside(world.config.clone()).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for store in [world.store.clone(), beside.clone(), world.store.clone(), beside] {
        let team = world.team;
        tasks.spawn(async move {
            for _ in 0..50 {
                store.add_site(team, support::new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(world.sites().await, 200);
}

#[tokio::test]
async fn a_file_of_another_program_is_refused_and_not_touched() {
    let config = support::config();
    let mut other = sqlx::SqliteConnection::connect_with(
        &sqlx::sqlite::SqliteConnectOptions::new().filename(config.path()).create_if_missing(true),
    )
    .await
    .unwrap();
    other.execute("CREATE TABLE theirs (id INTEGER)").await.unwrap();
    other.close().await.unwrap();
    let before = fs::read(config.path()).unwrap();
    assert!(matches!(SqliteStore::open(config.clone()).await, Err(OpenError::Foreign(_))));
    assert!(matches!(SqliteStore::open_beside(config.clone()).await, Err(OpenError::Foreign(_))));
    assert_eq!(fs::read(config.path()).unwrap(), before);

    let text = support::config();
    fs::write(
        text.path(),
        "a letter that is long enough to be taken for the head of a database of a hundred bytes, and more",
    )
    .unwrap();
    assert!(matches!(SqliteStore::open(text).await, Err(OpenError::Foreign(_))));
}

#[tokio::test]
async fn a_program_beside_the_server_makes_no_file_that_the_server_could_not_open() {
    let config = support::config();
    let missing = SqliteStore::open_beside(config.clone()).await.unwrap_err();
    assert!(matches!(&missing, OpenError::Missing(path) if path == config.path()), "{missing:?}");
    assert!(!config.path().exists());
}

#[tokio::test]
async fn a_folder_that_is_missing_is_named() {
    let config = SqliteConfig::new(support::path().with_extension("missing").join("a11ycheck.db"));
    let missing = SqliteStore::open(config.clone()).await.unwrap_err();
    assert!(missing.to_string().contains(&config.path().display().to_string()), "{missing}");
}

#[tokio::test]
async fn other_users_of_the_machine_can_not_read_the_data() {
    let world = World::new().await;
    world.add_site().await.unwrap();
    for end in ["db", "db-wal", "db-shm", "db-lock"] {
        let mode = fs::metadata(world.config.path().with_extension(end)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{end}: {mode:o}");
    }
}

#[tokio::test]
async fn counts_of_requests_are_all_that_a_restart_forgets_and_the_clock_goes_on() {
    let world = World::new().await;
    let before = world.store.now().await.unwrap();
    world.store.close().await;
    assert!(world.store.teams(PageRequest::new(1, 10)).await.is_err(), "it is closed");
    let again = SqliteStore::open(world.config.clone()).await.unwrap();
    assert!(again.now().await.unwrap() > before);
}

#[tokio::test]
async fn the_file_says_whose_it_is() {
    let world = World::new().await;
    world.store.close().await;
    let header = fs::read(world.config.path()).unwrap();
    assert_eq!((&header[..15], &header[68..72]), (b"SQLite format 3".as_slice(), b"A11Y".as_slice()));
}
