//! What a step costs does not grow with what others have stored: on a database of a thousand teams it reads a handful of
//! rows. PostgreSQL's own counters tell how many rows and index entries were read, so that it is the statements of the
//! store, with the plans that they really got, that are measured.

use a11ycheck_core::{
    domain::{Lease, NewSite, RateLimits, RequestClass, SiteDetails, SiteUrl, TokenHash},
    id::{ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    page::PageRequest,
    store::{FileStore as _, QueueStore as _, RateLimitStore as _, ScanStore as _, SiteStore as _, TeamStore as _},
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use chrono::Utc;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::support;

/// A thousand teams of 5 sites of 5 completed checks each; a fifth of the sites have a queued check, and all sites are due
/// in the future. The numbers within the ids are those of `generate_series`.
const SEED: &str = r#"
    INSERT INTO plans VALUES ('pro', '{"code": "pro", "name": "Pro",
        "features": {"api": true, "exports": true, "white_label": true, "statement_drafts": true, "acr_drafts": true},
        "limits": {"sites": 50, "pages_per_check": 25, "check_frequency": "weekly", "history_months": 12, "seats": 5,
            "manual_check_interval": "PT0S", "requests_per_minute": 60, "files_per_minute": 20}}');
    CREATE FUNCTION seed_id(kind text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE
        RETURN kind || '_01J0000000' || lpad(number::text, 16, '0');
    INSERT INTO teams
        SELECT seed_id('team', n), 'Team', 'pro', 'active', NULL, NULL, 'active', 1, now() FROM generate_series(1, 1000) n;
    INSERT INTO tokens
        SELECT seed_id('tok', n), seed_id('team', n), 'CI', '{read}', sha256(n::text::bytea), now()
        FROM generate_series(1, 1000) n;
    INSERT INTO request_counters
        SELECT seed_id('tok', n), now(), 1, NULL, 0, now(), true, now() + interval '1 hour' FROM generate_series(1, 1000) n;
    INSERT INTO sites
        SELECT seed_id('site', n), seed_id('team', n / 5 + 1), 'https://example.com/', 'example.com', NULL, 'en', '{}', '{a}',
            now() + interval '1 day' + n * interval '1 second', NULL, now()
        FROM generate_series(0, 4999) n;
    INSERT INTO scans
        SELECT seed_id('scan', n), seed_id('team', n / 25 + 1), seed_id('site', n / 5), 'scheduled', 25,
            now() - (n % 5) * interval '1 week', false, now() - (n % 5) * interval '1 week',
            now() - (n % 5) * interval '1 week', '{"pages_scanned": 1,
                "totals": {"critical": 0, "serious": 0, "moderate": 0, "minor": 0},
                "diff": {"previous": null, "new": 0, "fixed": 0, "remaining": 0, "fixed_rules": []},
                "engine": {"axe": "4", "browser": "b"}}', 0, NULL, NULL
        FROM generate_series(0, 24999) n;
    INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express)
        SELECT seed_id('scan', 30000 + n), seed_id('team', n + 1), seed_id('site', n * 5), 'manual', 25, now(), false
        FROM generate_series(0, 999) n;
    INSERT INTO active_scans
        SELECT site_id, id, team_id, queued_at FROM scans WHERE finished_at IS NULL;
    INSERT INTO findings SELECT id, team_id, '' FROM scans WHERE finished_at IS NOT NULL;
    INSERT INTO screenshots
        SELECT id, team_id, 'element', 1, 'png', 1, 1, '' FROM scans WHERE finished_at IS NOT NULL;
    ANALYZE plans, teams, tokens, request_counters, sites, scans, active_scans, findings, screenshots;
"#;

/// More often than the five times after which PostgreSQL may keep one plan for all values.
const TIMES: i64 = 8;

struct Bench {
    url: String,
    config: PostgresConfig,
    schema: String,
    name: String,
    db: PgConnection,
}

impl Bench {
    async fn new(name: &str) -> Self {
        let name = format!("a11ycheck-{name}-{}", std::process::id());
        let joint = if support::url().contains('?') { '&' } else { '?' };
        let url = format!("{}{joint}application_name={name}", support::url());
        let (config, schema) = support::config_at(&url).await;
        PostgresStore::connect(config.clone()).await.unwrap().close().await;
        let mut bench = Self { url, config, schema, name, db: support::connect().await };
        bench.prepare(SEED).await;
        bench
    }

    /// Changes data through a connection that ends, and so reports what it has read, before anything is measured.
    async fn prepare(&mut self, statements: &'static str) {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {}", self.schema))).await.unwrap();
        db.execute(statements).await.unwrap();
        db.close().await.unwrap();
    }

    /// Rows and index entries that a step reads, of all tables but `plans` (which has a handful of rows for all).
    async fn reads(&mut self, step: impl AsyncFn(&PostgresStore, i64)) -> i64 {
        let before = self.counted().await;
        let store = PostgresStore::connect(self.config.clone().with_max_connections(1)).await.unwrap();
        for round in 0..TIMES {
            step(&store, round).await;
        }
        store.close().await;
        self.counted().await.saturating_sub(before) / TIMES
    }

    async fn counted(&mut self) -> i64 {
        // A server process reports what it has read at the latest when it ends.
        loop {
            let alive: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1")
                .bind(&self.name)
                .fetch_one(&mut self.db)
                .await
                .unwrap();
            if alive == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        sqlx::query_scalar(
            "SELECT (
                 SELECT sum(seq_tup_read) FROM pg_stat_user_tables
                 WHERE schemaname = $1 AND relname NOT IN ('plans', 'migrations')
             )::bigint + (
                 SELECT sum(idx_tup_read) FROM pg_stat_user_indexes
                 WHERE schemaname = $1 AND relname NOT IN ('plans', 'migrations')
             )::bigint",
        )
        .bind(&self.schema)
        .fetch_one(&mut self.db)
        .await
        .unwrap()
    }
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(kind: &str, number: i64) -> T {
    format!("{kind}_01J0000000{number:016}").parse().unwrap()
}

fn new_site() -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse("https://example.com").unwrap(),
        name: None,
        report_locale: Locale::En,
        stack: vec![],
        tags: vec![],
    };
    NewSite { id: SiteId::generate(Utc::now()), details }
}

#[tokio::test]
async fn a_step_reads_a_handful_of_rows_however_much_others_have_stored() {
    let mut bench = Bench::new("plans").await;
    // In the middle of each table.
    let (team, site, scan): (TeamId, SiteId, ScanId) = (id("team", 501), id("site", 2_501), id("scan", 12_505));
    let hash: Vec<u8> = sqlx::query_scalar("SELECT sha256('501')").fetch_one(&mut bench.db).await.unwrap();
    let hash = TokenHash::from_bytes(hash.try_into().unwrap());
    let (limits, page) = (RateLimits { general: 60, files: 20 }, PageRequest::new(1, 100));
    let mut reads = Vec::new();
    macro_rules! measure {
        ($name:literal, $step:expr) => {
            reads.push(($name, bench.reads($step).await));
        };
    }
    measure!("admit_token", async |store, _| {
        assert!(store.admit_token(&hash, RequestClass::File).await.unwrap().unwrap().rate.is_admitted());
    });
    measure!("admit_address", async |store, round| {
        let address = std::net::Ipv4Addr::from_bits(u32::try_from(round).unwrap()).into();
        store.admit_address(address, RequestClass::General, limits).await.unwrap();
    });
    measure!("team", async |store, _| assert!(store.team(team).await.unwrap().is_some()));
    measure!("tokens", async |store, _| assert_eq!(store.tokens(team).await.unwrap().len(), 1));
    measure!("site", async |store, _| assert!(store.site(team, site).await.unwrap().is_some()));
    measure!("sites", async |store, _| assert_eq!(store.sites(team, None, page).await.unwrap().total, 5));
    measure!("sites of a tag", async |store, _| assert_eq!(store.sites(team, Some("a"), page).await.unwrap().total, 5));
    measure!("site_usage", async |store, _| assert_eq!(store.site_usage(team).await.unwrap().sites, 5));
    measure!("scan", async |store, _| assert!(store.scan(team, scan).await.unwrap().is_some()));
    measure!("scans", async |store, _| assert_eq!(store.scans(team, site, page).await.unwrap().unwrap().total, 5));
    measure!("latest_completed", async |store, _| {
        assert!(store.latest_completed(team, site).await.unwrap().is_some());
    });
    measure!("trend", async |store, _| assert!(!store.trend(team, scan, 12).await.unwrap().is_empty()));
    measure!("screenshot", async |store, _| {
        assert!(store.screenshot(team, scan, a11ycheck_core::domain::ScreenshotId(1)).await.unwrap().is_some());
    });
    measure!("screen", async |store, _| assert!(store.screen(team, scan).await.unwrap().is_none()));
    measure!("mark_express", async |store, _| assert!(store.mark_express(team, scan).await.unwrap()));
    measure!("add_site and delete_site", async |store, _| {
        let site = store.add_site(team, new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
        assert!(store.delete_site(team, site.id).await.unwrap());
    });
    measure!("start_manual_scan, claim_scan, renew_lease, hand_back", async |store, round| {
        store.start_manual_scan(team, id("site", 2_501 + round % 4), ScanId::generate(Utc::now())).await.ok();
        let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        store.renew_lease(claimed.claim, Lease::TERM, 1).await.unwrap();
        store.hand_back(claimed.claim).await.unwrap();
    });
    measure!("queue_due_scans with nothing due", async |store, _| {
        assert!(store.queue_due_scans(100).await.unwrap().queued.is_empty());
    });
    bench.prepare("UPDATE sites SET next_scan_at = now() - interval '1 minute' WHERE tags = '{a}'").await;
    measure!("queue_due_scans of 5", async |store, _| assert!(store.queue_due_scans(5).await.unwrap().more));

    for (name, reads) in reads {
        assert!(reads <= 120, "{name} reads {reads} rows and index entries");
    }

    // The purge is for all teams: it looks into an index once for each, and reads none of their checks.
    let purge = bench.reads(async |store, _| assert_eq!(store.purge_scans(100).await.unwrap(), 0)).await;
    assert!(purge <= 3_000, "the purge reads {purge} rows and index entries of 25,000 checks");
}

#[tokio::test]
async fn what_changes_often_is_changed_in_place() {
    let mut bench = Bench::new("in-place").await;
    let hash: Vec<u8> = sqlx::query_scalar("SELECT sha256('501')").fetch_one(&mut bench.db).await.unwrap();
    let hash = TokenHash::from_bytes(hash.try_into().unwrap());
    bench
        .reads(async |store, _| {
            let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
            for pages in 0..10 {
                store.renew_lease(claimed.claim, Lease::TERM, pages).await.unwrap();
                store.admit_token(&hash, RequestClass::General).await.unwrap();
            }
        })
        .await;
    // Heap-only updates: no index is written, and what is left behind goes without a vacuum. Not all of them, since a
    // statement of another test may still need the old versions, so that a page fills up.
    let (changed, in_place): (i64, i64) = sqlx::query_as(
        "SELECT sum(n_tup_upd)::bigint, sum(n_tup_hot_upd)::bigint FROM pg_stat_user_tables
         WHERE schemaname = $1 AND relname IN ('active_scans', 'request_counters')",
    )
    .bind(&bench.schema)
    .fetch_one(&mut bench.db)
    .await
    .unwrap();
    assert_eq!(changed, TIMES * 21);
    assert!(in_place * 2 > changed, "{in_place} of {changed}");
}
