//! Backups are of one instant and hold up nobody; what is restored is what was backed up; nothing is lost on the way.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use a11ycheck_core::{
    id::ScanId,
    store::{Completion, FileStore as _, QueueStore as _, ScanStore as _, SiteStore as _},
};
use a11ycheck_storage_sqlite::{
    BackupError, ExamineError, ExistingFile, OpenError, RestoreError, SqliteConfig, SqliteStore,
};
use chrono::{DateTime, Utc};
use sqlx::{Connection as _, Executor as _};

use crate::support::{self, World};

/// Backs the world up into a new file, and returns that.
async fn back_up(world: &World) -> PathBuf {
    let file = support::path();
    SqliteStore::back_up(&world.config, &file, ExistingFile::Kept).await.unwrap();
    file
}

fn at_noon() -> DateTime<Utc> {
    "2027-06-01T12:00:00Z".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_made_while_others_write_is_of_one_instant_and_makes_nobody_wait_or_fail() {
    let world = World::new().await;
    let site = world.add_site().await.unwrap();
    let claim = world.claim().await.unwrap().claim;
    let picture = support::picture(1, 300_000);
    let result = Completion { screenshots: vec![picture.clone()], ..support::completion() };
    let before = world.store.complete_scan(claim, result).await.unwrap();

    let (stop, stopped) = tokio::sync::watch::channel(false);
    let writers: Vec<_> = (0..2)
        .map(|_| {
            let (store, team, stopped) = (world.store.clone(), world.team, stopped.clone());
            tokio::spawn(async move {
                let mut added = 0;
                while !*stopped.borrow() {
                    store.add_site(team, support::new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
                    added += 1;
                }
                added
            })
        })
        .collect();
    let mut files = Vec::new();
    for _ in 0..5 {
        files.push(back_up(&world).await);
    }
    stop.send(true).unwrap();
    let mut added = 1;
    for writer in writers {
        added += writer.await.unwrap();
    }
    assert_eq!(world.sites().await, added);

    let mut sites = 0;
    for file in files {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let config = support::config();
        SqliteStore::restore(&config, &file, at_noon()).await.unwrap();
        let mut db = support::connect(&config).await;
        let (with_checks, active, all): (i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM scans), (SELECT count(*) FROM active_scans), (SELECT count(*) FROM sites)",
        )
        .fetch_one(&mut db)
        .await
        .unwrap();
        assert_eq!((with_checks, active), (all, all - 1), "a site is there with its check, or not at all");
        assert!(all >= sites && all <= i64::try_from(added).unwrap(), "the later backup has as much or more");
        sites = all;
        let again = SqliteStore::open(config).await.unwrap();
        assert_eq!(again.scan(world.team, before.id).await.unwrap().unwrap(), before);
        assert_eq!(again.screenshot(world.team, before.id, picture.id).await.unwrap().unwrap(), picture);
        assert!(again.site(world.team, site).await.unwrap().is_some());
        again.close().await;
    }
}

#[tokio::test]
async fn a_backup_names_the_keys_that_it_takes_and_replaces_nothing_unless_it_is_asked_to() {
    let world = World::new().await;
    world.delivery().await;
    let file = support::path();
    fs::write(&file, "somebody's letters").unwrap();
    let refused = SqliteStore::back_up(&world.config, &file, ExistingFile::Kept).await.unwrap_err();
    assert!(matches!(refused, BackupError::Taken(_)), "{refused}");
    assert_eq!(fs::read(&file).unwrap(), b"somebody's letters");
    let backup = SqliteStore::back_up(&world.config, &file, ExistingFile::Replaced).await.unwrap();
    assert_eq!(backup.bytes, fs::metadata(&file).unwrap().len());
    assert_eq!(backup.contents.keys, [(support::ring().ids()[0], 1)].into());
    assert_eq!(backup.contents.teams, 1);

    let itself = world.config.path();
    let refused = SqliteStore::back_up(&world.config, itself, ExistingFile::Replaced).await.unwrap_err();
    assert!(matches!(refused, BackupError::Itself(_)), "{refused}");
    let nowhere = file.with_extension("missing").join("backup.db");
    let refused = SqliteStore::back_up(&world.config, &nowhere, ExistingFile::Kept).await.unwrap_err();
    assert!(matches!(refused, BackupError::Write { .. }), "{refused}");
    let none = SqliteStore::back_up(&support::config(), &support::path(), ExistingFile::Kept).await.unwrap_err();
    assert!(matches!(none, BackupError::Unusable(ExamineError::Unreadable { .. })), "{none}");
}

#[tokio::test]
async fn nothing_is_restored_under_a_server_and_what_was_there_before_is_kept() {
    let mut world = World::new().await;
    world.db.execute("SELECT count(*) FROM sites").await.unwrap();
    let early = world.add_site().await.unwrap();
    let file = back_up(&world).await;
    let late = world.add_site().await.unwrap();
    let refused = SqliteStore::restore(&world.config, &file, at_noon()).await.unwrap_err();
    let own = std::process::id();
    assert!(matches!(refused, RestoreError::Open(OpenError::InUse { pid: Some(pid), .. }) if pid == own), "{refused}");
    world.store.close().await;
    let refused = SqliteStore::restore(&world.config, &file, at_noon()).await.unwrap_err();
    assert!(matches!(refused, RestoreError::Busy(_)), "the test's own connection is open still: {refused}");
    world.db.close().await.unwrap();

    let restored = SqliteStore::restore(&world.config, &file, at_noon()).await.unwrap();
    let kept = restored.kept.unwrap();
    assert!(kept.to_str().unwrap().ends_with(".db.before-20270601T120000Z"), "{}", kept.display());
    let [now, before] = [world.config.clone(), SqliteConfig::new(&kept)];
    let (now, before) = (SqliteStore::open(now).await.unwrap(), SqliteStore::open(before).await.unwrap());
    for (store, has_late) in [(now, false), (before, true)] {
        assert!(store.site(world.team, early).await.unwrap().is_some());
        assert_eq!(store.site(world.team, late).await.unwrap().is_some(), has_late);
    }
    assert!(file.exists(), "the backup can be used once more");
}

#[tokio::test]
async fn what_a_killed_server_left_in_the_log_is_in_the_file_that_is_kept() {
    let world = World::new().await;
    let file = back_up(&world).await;
    let site = world.add_site().await.unwrap();
    // As a server leaves it that is killed: file and log as they are at this moment.
    let killed = support::config();
    for end in ["db", "db-wal"] {
        fs::copy(world.config.path().with_extension(end), killed.path().with_extension(end)).unwrap();
    }
    let kept = SqliteStore::restore(&killed, &file, at_noon()).await.unwrap().kept.unwrap();
    let kept = SqliteStore::open(SqliteConfig::new(kept)).await.unwrap();
    assert!(kept.site(world.team, site).await.unwrap().is_some());
    let now = SqliteStore::open(killed).await.unwrap();
    assert!(now.site(world.team, site).await.unwrap().is_none());
}

#[tokio::test]
async fn a_file_that_is_damaged_or_of_another_program_or_of_a_later_release_replaces_nothing() {
    let world = World::new().await;
    world.add_site().await.unwrap();
    let sound = back_up(&world).await;
    // Other tests write beside theirs.
    let folder = support::path().with_extension("folder");
    fs::create_dir(&folder).unwrap();
    let config = SqliteConfig::new(folder.join("a11ycheck.db"));

    let text = support::path();
    fs::write(
        &text,
        "a letter that is long enough to be taken for the head of a database of a hundred bytes, and more, much more",
    )
    .unwrap();
    let damaged = support::path();
    let mut bytes = fs::read(&sound).unwrap();
    let length = bytes.len();
    bytes[8_192..length - 4_096].fill(0x5a);
    fs::write(&damaged, bytes).unwrap();
    let (empty, missing) = (support::path(), support::path());
    fs::write(&empty, "").unwrap();
    for file in [text, damaged, empty, missing] {
        let refused = SqliteStore::restore(&config, &file, at_noon()).await.unwrap_err();
        assert!(
            matches!(refused, RestoreError::Unusable { .. } | RestoreError::Copy { .. }),
            "{}: {refused:?}",
            file.display()
        );
        assert!(!config.path().exists());
    }

    let later = support::path();
    fs::copy(&sound, &later).unwrap();
    let mut db = support::connect(&SqliteConfig::new(&later)).await;
    db.execute("UPDATE migrations SET version = 9000 WHERE version = (SELECT max(version) FROM migrations)")
        .await
        .unwrap();
    db.close().await.unwrap();
    let refused = SqliteStore::restore(&config, &later, at_noon()).await.unwrap_err();
    assert!(matches!(refused, RestoreError::Newer { found: 9_000, .. }), "{refused}");
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn who_looks_at_a_file_learns_who_serves_it_and_changes_nothing() {
    let config = support::config();
    let nothing = SqliteStore::examine(&config).await.unwrap();
    assert!(nothing.file.is_none() && nothing.server.is_none());
    assert!(!config.path().exists());

    let world = World::new().await;
    world.add_site().await.unwrap();
    let found = SqliteStore::examine(&world.config).await.unwrap();
    assert_eq!(found.server.unwrap().pid, Some(std::process::id()));
    let file = found.file.unwrap().unwrap();
    assert_eq!((file.contents.schema, file.contents.teams), (found.newest, 1));
    assert!(file.bytes > 4_096);
    world.store.close().await;
    assert_eq!(SqliteStore::examine(&world.config).await.unwrap().server, None);
}
