//! Positions in the log of occurrences are assigned by readers, so that a writer that commits late is not missed.

use a11ycheck_core::{
    id::{ScanId, SiteId, TeamId},
    store::EventLog as _,
};
use a11ycheck_storage_postgres::PostgresStore;
use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::support;

struct Log {
    store: PostgresStore,
    schema: String,
}

impl Log {
    async fn new() -> Self {
        let (config, schema) = support::config_at(&support::url()).await;
        Self { store: PostgresStore::connect(config).await.unwrap(), schema }
    }

    /// Opens a connection on which a step could write.
    async fn writer(&self) -> PgConnection {
        let mut db = support::connect().await;
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {}", self.schema))).await.unwrap();
        db
    }

    async fn read(&self, after: u64) -> Vec<(u64, ScanId)> {
        let entries = self.store.scan_events(after, 100).await.unwrap().entries;
        entries.iter().map(|entry| (entry.position, entry.scan)).collect()
    }
}

/// Writes an entry as a step does.
async fn write(db: &mut PgConnection) -> ScanId {
    let now: DateTime<Utc> = Utc::now();
    let scan = ScanId::generate(now);
    sqlx::query("INSERT INTO scan_events (kind, team_id, site_id, scan_id, at) VALUES ('started', $1, $2, $3, now())")
        .bind(TeamId::generate(now).to_string())
        .bind(SiteId::generate(now).to_string())
        .bind(scan.to_string())
        .execute(db)
        .await
        .unwrap();
    scan
}

#[tokio::test]
async fn an_entry_that_is_committed_late_comes_after_all_that_was_read_and_holds_up_nobody() {
    let log = Log::new().await;
    let (mut slow, mut quick) = (log.writer().await, log.writer().await);
    let mut late = slow.begin().await.unwrap();
    let last = write(&mut late).await;
    let first = write(&mut quick).await;
    assert_eq!(log.read(0).await, [(1, first)]);
    assert_eq!(log.store.newest_scan_event().await.unwrap(), 1);
    assert_eq!(log.store.purge_scan_events(100).await.unwrap(), 0);
    let second = write(&mut quick).await;
    assert_eq!(log.read(1).await, [(2, second)]);
    late.commit().await.unwrap();
    assert_eq!(log.read(2).await, [(3, last)], "although it was written before all others");
    assert_eq!(log.read(0).await, [(1, first), (2, second), (3, last)]);
}

#[tokio::test]
async fn an_entry_that_is_undone_leaves_no_gap() {
    let log = Log::new().await;
    let mut db = log.writer().await;
    let first = write(&mut db).await;
    let mut undone = db.begin().await.unwrap();
    write(&mut undone).await;
    undone.rollback().await.unwrap();
    let second = write(&mut db).await;
    assert_eq!(log.read(0).await, [(1, first), (2, second)]);
}

#[tokio::test]
async fn thousands_of_entries_that_nobody_has_read_are_numbered_for_the_first_reader() {
    let log = Log::new().await;
    let mut db = log.writer().await;
    write(&mut db).await;
    db.execute(
        "INSERT INTO scan_events (kind, team_id, site_id, scan_id, at)
         SELECT kind, team_id, site_id, scan_id, at FROM scan_events, generate_series(1, 2499)",
    )
    .await
    .unwrap();
    assert_eq!(log.store.newest_scan_event().await.unwrap(), 2_500);
    let (mut after, mut read) = (0, 0);
    loop {
        let page = log.store.scan_events(after, 600).await.unwrap();
        (after, read) = (page.reached, read + page.entries.len());
        if !page.more {
            break;
        }
    }
    assert_eq!((after, read), (2_500, 2_500));
}

#[tokio::test]
async fn an_entry_that_can_not_be_read_holds_up_none_behind_it() {
    let log = Log::new().await;
    let mut db = log.writer().await;
    let first = write(&mut db).await;
    write(&mut db).await;
    db.execute("UPDATE scan_events SET team_id = 'team_?' WHERE id = (SELECT max(id) FROM scan_events)").await.unwrap();
    let page = log.store.scan_events(0, 1).await.unwrap();
    assert_eq!((page.entries.len(), page.reached, page.more), (1, 1, true));
    let page = log.store.scan_events(1, 1).await.unwrap();
    assert_eq!((page.entries.len(), page.reached, page.more), (0, 2, true), "it is read past");
    let third = write(&mut db).await;
    assert_eq!(log.read(0).await, [(1, first), (3, third)]);
}
