//! The cost of a step does not grow with what others have stored: on a database of a thousand teams it reads a handful
//! of rows. PostgreSQL's own counters say how many rows and index entries were read, so the statements of the store
//! themselves are measured, with the plans that they really got.

use std::sync::atomic::{AtomicU64, Ordering};

use a11ycheck_core::{
    domain::{
        AttemptReport, AttemptResult, Depth, EndpointDetails, EndpointSecret, EventKind, Excerpt, Lease, Memo,
        NewEndpoint, NewEvent, NewSite, NewTeam, PageCounts, RateLimits, RequestClass, SiteDetails, SiteUrl,
        Subscription, TokenHash,
    },
    id::{EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    paging::PageRequest,
    store::{
        ClaimLimits, Completion, EventLog as _, FileStore as _, QueueStore as _, RateLimitStore as _, ScanStore as _,
        SealingStore as _, SiteStore as _, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use chrono::{TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::{
    seed::{Scale, id, seed},
    support,
};

/// 25,000 completed checks, and 1,000 that wait.
const SCALE: Scale = Scale { teams: 1_000, sites: 5, checks: 5, queued: 5 };

/// More than the five times after which PostgreSQL may keep one plan for all values.
const TIMES: i64 = 8;
/// The limits of the dispatcher.
const PLENTY: ClaimLimits = ClaimLimits { all: 256, retries: 192, per_endpoint: 4 };

/// A database of its own: row versions that statements of other tests still need are not removed from a database that
/// they share, and a step would read them.
struct Bench {
    database: String,
    url: String,
    config: PostgresConfig,
    schema: String,
    name: String,
    db: PgConnection,
    /// Removes the row versions that nobody needs.
    vacuum: String,
}

impl Bench {
    async fn new(name: &str) -> Self {
        let database = support::create_database().await;
        let name = format!("a11ycheck-{name}");
        let joint = if database.url.contains('?') { '&' } else { '?' };
        let url = format!("{}{joint}application_name={name}", database.url);
        let (config, schema) = support::config_at(&url).await;
        seed(&config, &url, &schema, SCALE).await;
        let mut db = PgConnection::connect(&database.url).await.unwrap();
        // `seed` has collected the statistics. A run of autovacuum beside a step would keep the row versions that the
        // step has replaced, and the step would read them.
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT format('ALTER TABLE %I.%I SET (autovacuum_enabled = false)', schemaname, tablename)
             FROM pg_tables WHERE schemaname = $1",
        )
        .bind(&schema)
        .fetch_all(&mut db)
        .await
        .unwrap();
        for statement in tables {
            // PostgreSQL has quoted the names.
            db.execute(AssertSqlSafe(statement)).await.unwrap();
        }
        let vacuum = sqlx::query_scalar(
            "SELECT 'VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) '
                 || string_agg(format('%I.%I', schemaname, tablename), ', ')
             FROM pg_tables WHERE schemaname = $1",
        )
        .bind(&schema)
        .fetch_one(&mut db)
        .await
        .unwrap();
        Self { database: database.name, url, config, schema, name, db, vacuum }
    }

    async fn remove(self) {
        self.db.close().await.unwrap();
        support::drop_database(&self.database).await;
    }

    /// Changes data through a connection that ends, and so reports the rows that it has read, before anything is
    /// measured.
    async fn prepare(&mut self, statements: &'static str) {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {}", self.schema))).await.unwrap();
        db.execute(statements).await.unwrap();
        db.close().await.unwrap();
    }

    /// Returns the number of rows and index entries that a step reads, in all tables except `plans` (which has a
    /// handful of rows for all).
    ///
    /// Before each round, the row versions that the one before has replaced are removed. PostgreSQL removes them by
    /// itself as well, but not while a transaction is open that began earlier, be it one of another test in another
    /// database: the step would read them, and the result would depend on what else runs.
    async fn reads(&mut self, step: impl AsyncFn(&PostgresStore, i64)) -> i64 {
        let before = self.counted().await;
        let store = PostgresStore::connect(self.config.clone().with_max_connections(1)).await.unwrap();
        for round in 0..TIMES {
            // PostgreSQL has quoted the names.
            self.db.execute(AssertSqlSafe(self.vacuum.clone())).await.unwrap();
            step(&store, round).await;
        }
        store.close().await;
        self.counted().await.saturating_sub(before) / TIMES
    }

    async fn token_hash(&mut self, token: &str) -> TokenHash {
        let hash: Vec<u8> = sqlx::query_scalar("SELECT sha256($1::bytea)")
            .bind(token.as_bytes())
            .fetch_one(&mut self.db)
            .await
            .unwrap();
        TokenHash::from_bytes(hash.try_into().unwrap())
    }

    /// Returns the number of changed rows in the tables that change often, and how many of these were changed in place.
    async fn changed(&mut self) -> (i64, i64) {
        sqlx::query_as(
            "SELECT sum(n_tup_upd)::bigint, sum(n_tup_hot_upd)::bigint FROM pg_stat_user_tables
             WHERE schemaname = $1 AND relname IN ('active_scans', 'request_counters')",
        )
        .bind(&self.schema)
        .fetch_one(&mut self.db)
        .await
        .unwrap()
    }

    async fn counted(&mut self) -> i64 {
        // A server process reports what it has read when it ends, if not before.
        loop {
            let alive: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM pg_stat_activity
                 WHERE application_name = $1 AND datname = current_database()",
            )
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

fn details() -> EndpointDetails {
    EndpointDetails::new(SiteUrl::parse("https://hooks.example").unwrap(), [EventKind::ScanCompleted])
}

fn new_endpoint() -> NewEndpoint {
    let id = EndpointId::generate(Utc::now());
    NewEndpoint { id, details: details(), secret: EndpointSecret::generate().seal(&support::ring(), id) }
}

fn event() -> NewEvent {
    let (now, body) = (Utc::now(), b"{}".as_slice().into());
    NewEvent { id: EventId::generate(now), kind: EventKind::ScanCompleted, created_at: now, body }
}

fn memo() -> Memo {
    Memo { full_at: Utc::now(), barred_until: None, document: vec![0] }
}

fn answered() -> AttemptReport {
    let result = AttemptResult::Answered { status: 204, excerpt: Excerpt::of(b"") };
    AttemptReport { duration: TimeDelta::milliseconds(120), result }
}

#[tokio::test]
async fn a_step_reads_a_handful_of_rows_however_much_others_have_stored() {
    let mut bench = Bench::new("plans").await;
    // A team from the middle of each table, with five sites, an endpoint and twenty deliveries.
    let (team, site, scan): (TeamId, SiteId, ScanId) = (id("team", 503), id("site", 2_516), id("scan", 12_580));
    let endpoint: EndpointId = id("whe", 1_006);
    let hash = bench.token_hash("token 1006").await;
    let (limits, page) = (RateLimits::new(60, 20), PageRequest::new(1, 100));
    let mut reads = Vec::new();
    macro_rules! measure {
        ($name:literal, $step:expr) => {
            reads.push(($name, bench.reads($step).await));
        };
    }
    measure!("admit_token", async |store, _| {
        assert!(store.admit_token(&hash, RequestClass::File).await.unwrap().unwrap().rate.is_admitted());
    });
    measure!("give_back_token", async |store, _| {
        let token = id("tok", 1_006);
        assert!(store.give_back_token(token, RequestClass::File, Utc::now()).await.unwrap().is_some());
    });
    measure!("admit_address", async |store, round| {
        let address = std::net::Ipv4Addr::from_bits(u32::try_from(round).unwrap()).into();
        store.admit_address(address, RequestClass::General, limits).await.unwrap();
    });
    measure!("team", async |store, _| assert!(store.team(team).await.unwrap().is_some()));
    measure!("tokens", async |store, _| assert_eq!(store.tokens(team).await.unwrap().len(), 2));
    measure!("site", async |store, _| assert!(store.site(team, site).await.unwrap().is_some()));
    measure!("sites", async |store, _| assert_eq!(store.sites(team, None, page).await.unwrap().total, 5));
    measure!("sites of a tag", async |store, _| assert_eq!(store.sites(team, Some("a"), page).await.unwrap().total, 2));
    measure!("failing_sites", async |store, _| {
        assert_eq!(store.failing_sites(team, None, page).await.unwrap().total, 0);
    });
    measure!("site_usage", async |store, _| assert_eq!(store.site_usage(team).await.unwrap().sites, 5));
    measure!("scan", async |store, _| assert!(store.scan(team, scan).await.unwrap().is_some()));
    measure!("scans", async |store, _| assert_eq!(store.scans(team, site, page).await.unwrap().unwrap().total, 5));
    measure!("latest_completed", async |store, _| {
        assert!(store.latest_completed(team, site).await.unwrap().is_some());
    });
    measure!("latest_problems", async |store, _| {
        assert_eq!(store.latest_problems(team).await.unwrap().len(), 5);
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
        store
            .start_manual_scan(team, id("site", 2_515 + round % 5), ScanId::generate(Utc::now()), Depth::Full)
            .await
            .ok();
        let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        store.renew_lease(claimed.claim, Lease::TERM, PageCounts::new(1, 1)).await.unwrap();
        store.hand_back(claimed.claim).await.unwrap();
    });
    measure!("queue_due_scans with nothing due", async |store, _| {
        assert!(store.queue_due_scans(100).await.unwrap().queued.is_empty());
    });
    bench.prepare("UPDATE sites SET next_scan_at = now() - interval '1 minute' WHERE 'a' = ANY (tags)").await;
    measure!("queue_due_scans of 5", async |store, _| assert!(store.queue_due_scans(5).await.unwrap().more));

    measure!("endpoints", async |store, _| assert_eq!(store.endpoints(team).await.unwrap().len(), 1));
    measure!("create, change, switch on, give a new secret to and delete an endpoint", async |store, _| {
        let new = store.create_endpoint(team, new_endpoint()).await.unwrap();
        assert!(store.change_endpoint(team, new.id, details()).await.unwrap().is_some());
        assert!(store.enable_endpoint(team, new.id).await.unwrap().is_some());
        let secret = EndpointSecret::generate().seal(&support::ring(), new.id);
        assert!(store.rotate_secret(team, new.id, secret, TimeDelta::hours(1)).await.unwrap());
        assert!(store.delete_endpoint(team, new.id).await.unwrap());
    });
    measure!("sealed_otherwise with nothing left to seal", async |store, _| {
        assert_eq!(store.sealed_otherwise(support::ring().current(), 100).await.unwrap(), []);
    });
    measure!("unsealed with nothing left to seal", async |store, _| {
        assert_eq!(store.unsealed(100).await.unwrap(), []);
    });
    measure!("delivery", async |store, _| {
        assert!(store.delivery(team, id("dlv", 25_162)).await.unwrap().is_some());
    });
    measure!("create a team, give it a site and an endpoint, send an event, and delete it", async |store, _| {
        let plan = store.team(team).await.unwrap().unwrap().plan.code;
        let new = NewTeam {
            id: TeamId::generate(Utc::now()),
            name: "New".to_owned(),
            plan,
            subscription: Subscription::ACTIVE,
            seats_used: 1,
        };
        let new = store.create_team(new).await.unwrap().id;
        store.add_site(new, new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
        let endpoint = store.create_endpoint(new, new_endpoint()).await.unwrap().id;
        store.send_event(new, endpoint, event()).await.unwrap();
        assert!(store.delete_team(new).await.unwrap());
    });
    measure!("deliveries", async |store, _| {
        assert!(store.deliveries(team, endpoint, page).await.unwrap().unwrap().total >= 20);
    });
    measure!("attempts", async |store, _| {
        assert_eq!(store.attempts(team, id("dlv", 25_162)).await.unwrap().unwrap().len(), 1);
    });
    measure!("send_event, claim_deliveries, record_attempt, resend_delivery", async |store, _| {
        let sent = store.send_event(team, endpoint, event()).await.unwrap();
        for claimed in
            store.claim_deliveries(&WorkerId::generate(), PLENTY, Lease::TERM, &support::ring().ids()).await.unwrap()
        {
            store.record_attempt(claimed.claim, answered()).await.unwrap();
        }
        store.resend_delivery(team, sent.id).await.unwrap();
    });
    measure!("claim_deliveries with more due than it may take", async |store, _| {
        let limits = ClaimLimits { all: 1, ..PLENTY };
        for _ in 0..2 {
            store.send_event(team, endpoint, event()).await.unwrap();
        }
        let keys = support::ring().ids();
        let claimed = store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &keys).await.unwrap();
        assert_eq!(claimed.len(), 1);
    });
    measure!("claim_scan, complete_scan with an event, memo", async |store, _| {
        let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        let completion = Completion { events: vec![event()], memo: Some(memo()), ..support::completion() };
        let scan = store.complete_scan(claimed.claim, completion).await.unwrap();
        assert!(store.memo(scan.team, scan.site, scan.id).await.unwrap().is_some());
    });
    measure!("purge_deliveries with nothing to purge", async |store, _| {
        assert_eq!(store.purge_deliveries(100).await.unwrap(), 0);
    });
    bench
        .prepare("UPDATE deliveries SET finished_at = finished_at - interval '31 days' WHERE endpoint_id LIKE '%6'")
        .await;
    measure!("purge_deliveries of 5", async |store, _| assert_eq!(store.purge_deliveries(5).await.unwrap(), 5));

    // The first purge for a new team finds nothing; afterwards only teams are examined whose checks have ended since.
    bench.reads(async |store, _| assert_eq!(store.purge_scans(100).await.unwrap(), 0)).await;
    measure!("purge_scans with nothing to purge", async |store, _| {
        assert_eq!(store.purge_scans(100).await.unwrap(), 0);
    });
    bench
        .prepare(
            "UPDATE scans SET queued_at = queued_at - interval '3 years' WHERE team_id LIKE '%9';
             UPDATE retention SET due_at = '-infinity' WHERE team_id LIKE '%9'",
        )
        .await;
    measure!("purge_scans of 5", async |store, _| assert_eq!(store.purge_scans(5).await.unwrap(), 5));

    // The first of these numbers everything that happened above.
    bench.reads(async |store, _| assert!(store.newest_scan_event().await.unwrap() > 0)).await;
    bench
        .prepare(
            "INSERT INTO scan_events (position, kind, team_id, site_id, scan_id, at)
             SELECT head.position + number, kind, team_id, site_id, scan_id, at
             FROM event_head head, generate_series(1, 20000) AS number,
                 (SELECT * FROM scan_events ORDER BY id LIMIT 1) AS entry;
             UPDATE event_head SET position = (SELECT max(position) FROM scan_events);
             ANALYZE scan_events",
        )
        .await;
    measure!("newest_scan_event", async |store, _| assert!(store.newest_scan_event().await.unwrap() > 20_000));
    measure!("scan_events with nothing new", async |store, _| {
        let newest = store.newest_scan_event().await.unwrap();
        assert_eq!(store.scan_events(newest, 100).await.unwrap().entries, []);
    });
    // Claim and completion are measured above.
    let newest = AtomicU64::new(0);
    bench
        .reads(async |store, round| {
            if round == 0 {
                newest.store(store.newest_scan_event().await.unwrap(), Ordering::Relaxed);
            }
            let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
            store.complete_scan(claimed.claim, support::completion()).await.unwrap();
        })
        .await;
    measure!("scan_events with two new ones each time", async |store, _| {
        let page = store.scan_events(newest.load(Ordering::Relaxed), 2).await.unwrap();
        assert_eq!(page.entries.len(), 2);
        newest.store(page.reached, Ordering::Relaxed);
    });
    measure!("purge_scan_events with nothing to purge", async |store, _| {
        assert_eq!(store.purge_scan_events(100).await.unwrap(), 0);
    });
    bench.prepare("UPDATE scan_events SET at = at - interval '2 days' WHERE position < 1000").await;
    measure!("purge_scan_events of 5", async |store, _| assert_eq!(store.purge_scan_events(5).await.unwrap(), 5));

    bench.remove().await;
    for (name, reads) in reads {
        assert!(reads <= 120, "{name} reads {reads} rows and index entries");
    }
}

#[tokio::test]
async fn what_changes_often_is_changed_in_place() {
    let mut bench = Bench::new("in-place").await;
    let hash = bench.token_hash("token 1006").await;
    let (before, _) = bench.changed().await;
    bench
        .reads(async |store, _| {
            let claimed = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
            for pages in 0..10 {
                store.renew_lease(claimed.claim, Lease::TERM, PageCounts::new(pages, 10)).await.unwrap();
                store.admit_token(&hash, RequestClass::General).await.unwrap();
            }
        })
        .await;
    // Heap-only updates: no index is written, and the old versions disappear without a vacuum. Not all of them, since
    // PostgreSQL itself may still need the old versions, so that a page fills up.
    let (changed, in_place) = bench.changed().await;
    bench.remove().await;
    assert_eq!(changed - before, TIMES * 21);
    assert!(in_place * 2 > changed - before, "{in_place} of {changed}");
}
