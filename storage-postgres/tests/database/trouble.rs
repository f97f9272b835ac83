//! Errors of the database are reported as such, leave nothing half done, and end when the database is well again.

use std::time::Duration;

use a11ycheck_core::{
    domain::{
        DeliveryState, Depth, EndpointDetails, EndpointSecret, EventKind, Lease, NewEndpoint, NewEvent, NewSite,
        NewTeam, PageCounts, PlanCatalog, PlanCode, ScanStatus, SiteDetails, SiteUrl, Subscription,
    },
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    paging::PageRequest,
    store::{
        AddSiteError, Claim, ClaimLimits, Completion, LeaseError, QueueStore as _, ScanStore as _, SendError,
        SiteStore as _, StoreClock as _, StoreError, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use chrono::{TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::support::{self, proxy::Proxy};

/// A store, a team in it, and a connection to its tables.
struct World {
    store: PostgresStore,
    config: PostgresConfig,
    team: TeamId,
    db: PgConnection,
}

impl World {
    async fn new() -> Self {
        Self::at(&support::url(), |config| config).await
    }

    async fn at(url: &str, change: impl FnOnce(PostgresConfig) -> PostgresConfig) -> Self {
        let (config, schema) = support::config_at(url).await;
        let config = change(config);
        let store = PostgresStore::connect(config.clone()).await.unwrap();
        store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
        let team = NewTeam {
            id: TeamId::generate(Utc::now()),
            name: "Team".to_owned(),
            plan: PlanCode::new("pro"),
            subscription: Subscription::ACTIVE,
            seats_used: 1,
        };
        let team = store.create_team(team).await.unwrap().id;
        let mut db = support::connect().await;
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
        Self { store, config, team, db }
    }

    async fn add_site(&self) -> Result<SiteId, AddSiteError> {
        let new = new_site();
        self.store.add_site(self.team, new, Some(ScanId::generate(Utc::now()))).await.map(|site| site.id)
    }

    async fn sites(&self) -> u64 {
        self.store.sites(self.team, None, PageRequest::new(1, 100)).await.unwrap().total
    }

    /// Starts a check, and returns it with its site.
    async fn running(&self) -> (SiteId, Claim) {
        let site = self.add_site().await.unwrap();
        let claimed = self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        (site, claimed.claim)
    }

    /// Makes a delivery that is due, to an endpoint of its own.
    async fn delivery(&self) -> (EndpointId, DeliveryId) {
        let url = SiteUrl::parse("https://hooks.example").unwrap();
        let details = EndpointDetails::new(url, [EventKind::ScanCompleted]);
        let id = EndpointId::generate(Utc::now());
        let secret = EndpointSecret::generate().seal(&support::ring(), id);
        let new = NewEndpoint { id, details, secret };
        let endpoint = self.store.create_endpoint(self.team, new).await.unwrap().id;
        let (now, body) = (Utc::now(), b"{}".as_slice().into());
        let event = NewEvent { id: EventId::generate(now), kind: EventKind::ScanCompleted, created_at: now, body };
        (endpoint, self.store.send_event(self.team, endpoint, event).await.unwrap().id)
    }

    async fn claim_one(&self, term: TimeDelta) -> Option<DeliveryId> {
        let one = ClaimLimits { all: 1, retries: 1, per_endpoint: 1 };
        let claimed =
            self.store.claim_deliveries(&WorkerId::generate(), one, term, &support::ring().ids()).await.unwrap();
        claimed.first().map(|claimed| claimed.claim.delivery)
    }

    /// Runs a statement that may name an id of a test as `$1`.
    async fn run(&mut self, statement: &'static str, id: impl ToString) {
        let done = sqlx::query(statement).bind(id.to_string()).execute(&mut self.db).await.unwrap();
        assert_eq!(done.rows_affected(), 1);
    }

    /// Makes every row that is added to a table fail with this SQLSTATE while a sequence is below `times`. A sequence
    /// is not set back when a transaction is undone.
    async fn break_table(&mut self, table: &str, sqlstate: &str, times: u32) {
        // The names and numbers are those of the tests below.
        let statements = format!(
            "CREATE SEQUENCE failures;
             CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                 IF nextval('failures') <= {times} THEN RAISE EXCEPTION USING ERRCODE = '{sqlstate}'; END IF;
                 RETURN NEW;
             END $$;
             CREATE TRIGGER fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail();"
        );
        self.db.execute(AssertSqlSafe(statements)).await.unwrap();
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

/// Returns as soon as a step waits for a lock that the backend `holder` has.
async fn step_waits_for(holder: i32) {
    let mut db = support::connect().await;
    loop {
        let waits: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))")
                .bind(holder)
                .fetch_one(&mut db)
                .await
                .unwrap();
        if waits {
            break;
        }
    }
}

fn is_unavailable(error: &AddSiteError) -> bool {
    matches!(error, AddSiteError::Store(StoreError::Unavailable(_)))
}

#[tokio::test]
async fn a_lost_connection_costs_at_most_the_step_that_used_it() {
    let name = format!("a11ycheck-lost-{}", std::process::id());
    let joint = if support::url().contains('?') { '&' } else { '?' };
    let url = format!("{}{joint}application_name={name}", support::url());
    let mut world = World::at(&url, |config| config.with_max_connections(1)).await;
    for _ in 0..5 {
        let ended: Vec<bool> =
            sqlx::query_scalar("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1")
                .bind(&name)
                .fetch_all(&mut world.db)
                .await
                .unwrap();
        assert!(!ended.is_empty());
        match world.add_site().await {
            Ok(_) => {}
            Err(error) => assert!(is_unavailable(&error), "{error:?}"),
        }
        world.add_site().await.unwrap();
    }
}

#[tokio::test]
async fn a_step_that_is_cut_off_midway_has_changed_nothing() {
    let mut world = World::new().await;
    let mut lock = world.db.begin().await.unwrap();
    lock.execute("SELECT FROM teams FOR UPDATE").await.unwrap();
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *lock).await.unwrap();
    let (store, team) = (world.store.clone(), world.team);
    let adding = tokio::spawn(async move { store.add_site(team, new_site(), None).await });
    let mut other = support::connect().await;
    loop {
        let ended: Vec<bool> = sqlx::query_scalar(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))",
        )
        .bind(holder)
        .fetch_all(&mut other)
        .await
        .unwrap();
        if ended == [true] {
            break;
        }
    }
    let error = adding.await.unwrap().unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
    lock.rollback().await.unwrap();
    assert_eq!(world.sites().await, 0);
    world.add_site().await.unwrap();
}

#[tokio::test]
async fn while_the_server_is_away_steps_say_so_and_afterwards_they_work() {
    let proxy = Proxy::start().await;
    let patience = Duration::from_millis(300);
    let world = World::at(&proxy.url(), |config| config.with_acquire_timeout(patience)).await;
    world.add_site().await.unwrap();
    proxy.go_down();
    for _ in 0..4 {
        let error = world.add_site().await.unwrap_err();
        assert!(is_unavailable(&error), "{error:?}");
    }
    proxy.come_up();
    world.add_site().await.unwrap();
    assert_eq!(world.sites().await, 2);
}

#[tokio::test]
async fn a_network_that_falls_silent_holds_no_step_for_long_and_none_afterwards() {
    let proxy = Proxy::start().await;
    let config = |config: PostgresConfig| {
        let (acquire, step) = (Duration::from_millis(300), Duration::from_millis(600));
        config.with_max_connections(2).with_acquire_timeout(acquire).with_step_timeout(step)
    };
    let world = World::at(&proxy.url(), config).await;
    world.add_site().await.unwrap();
    proxy.fall_silent();
    for _ in 0..2 {
        let error = world.add_site().await.unwrap_err();
        assert!(is_unavailable(&error), "{error:?}");
    }
    proxy.speak();
    // The pool drops the connections that hang, and makes new ones; until then it has none to give.
    loop {
        match world.add_site().await {
            Ok(_) => break,
            Err(error) => assert!(is_unavailable(&error), "{error:?}"),
        }
    }
}

#[tokio::test]
async fn a_step_that_gets_no_connection_in_time_says_so() {
    let config =
        |config: PostgresConfig| config.with_max_connections(1).with_acquire_timeout(Duration::from_millis(200));
    let mut world = World::at(&support::url(), config).await;
    let mut lock = world.db.begin().await.unwrap();
    lock.execute("SELECT FROM teams FOR UPDATE").await.unwrap();
    let (store, team) = (world.store.clone(), world.team);
    let waiting = tokio::spawn(async move { store.add_site(team, new_site(), None).await });
    // The only connection is taken when the other step waits for the lock with it.
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *lock).await.unwrap();
    let blocked = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))";
    let mut other = support::connect().await;
    while !sqlx::query_scalar(blocked).bind(holder).fetch_one(&mut other).await.unwrap_or(false) {}
    let error = world.store.team(world.team).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    lock.rollback().await.unwrap();
    waiting.await.unwrap().unwrap();
    assert!(world.store.team(world.team).await.unwrap().is_some());
}

#[tokio::test]
async fn a_database_that_is_too_slow_is_not_waited_for() {
    let config = |config: PostgresConfig| config.with_step_timeout(Duration::from_millis(400));
    let mut world = World::at(&support::url(), config).await;
    let mut lock = world.db.begin().await.unwrap();
    lock.execute("SELECT FROM teams FOR UPDATE").await.unwrap();
    let error = world.store.add_site(world.team, new_site(), None).await.unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
    lock.rollback().await.unwrap();
    assert_eq!(world.sites().await, 0);
    world.add_site().await.unwrap();
}

#[tokio::test]
async fn a_step_that_lost_against_another_is_tried_again() {
    for sqlstate in ["40001", "40P01"] {
        let mut world = World::new().await;
        world.break_table("sites", sqlstate, 3).await;
        world.add_site().await.unwrap();
        assert_eq!(world.sites().await, 1);
    }
}

#[tokio::test]
async fn a_step_that_loses_for_ever_is_given_up() {
    let mut world = World::new().await;
    world.break_table("sites", "40001", 1_000_000).await;
    let error = world.add_site().await.unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
}

#[tokio::test]
async fn a_check_that_is_slow_to_be_stored_holds_up_no_other_of_its_team() {
    let mut world = World::new().await;
    world.delivery().await;
    let (_, before) = world.running().await;
    world.store.complete_scan(before, support::completion()).await.unwrap();
    let ((_, slow), (_, other)) = (world.running().await, world.running().await);
    let (now, body) = (Utc::now(), b"{}".as_slice().into());
    let event = NewEvent { id: EventId::generate(now), kind: EventKind::ScanCompleted, created_at: now, body };
    let completion = Completion { events: vec![event], ..support::completion() };
    // Deliveries are the last that is stored.
    let mut lock = world.db.begin().await.unwrap();
    lock.execute("SELECT FROM endpoints FOR UPDATE").await.unwrap();
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *lock).await.unwrap();
    let store = world.store.clone();
    let storing = tokio::spawn(async move { store.complete_scan(slow, completion).await });
    step_waits_for(holder).await;
    world.store.complete_scan(other, support::completion()).await.unwrap();
    lock.rollback().await.unwrap();
    storing.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_check_that_ends_while_its_team_is_purged_makes_the_team_due_again() {
    let mut world = World::new().await;
    let (_, before) = world.running().await;
    world.store.complete_scan(before, support::completion()).await.unwrap();
    let (_, claim) = world.running().await;
    // As the purge does: it does not see the check yet, and finds nothing to delete for a long time.
    let mut purge = world.db.begin().await.unwrap();
    purge.execute("SELECT FROM retention FOR UPDATE").await.unwrap();
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *purge).await.unwrap();
    let store = world.store.clone();
    let storing = tokio::spawn(async move { store.complete_scan(claim, support::completion()).await });
    step_waits_for(holder).await;
    purge.execute("UPDATE retention SET due_at = '2200-01-01'").await.unwrap();
    purge.commit().await.unwrap();
    storing.await.unwrap().unwrap();
    let is_due: bool =
        sqlx::query_scalar("SELECT due_at < '2200-01-01' FROM retention").fetch_one(&mut world.db).await.unwrap();
    assert!(is_due, "an older check of the site may no longer be its latest");
}

#[tokio::test]
async fn a_result_for_which_the_disk_has_no_room_is_stored_when_it_has() {
    let mut world = World::new().await;
    let (_, claim) = world.running().await;
    world.break_table("findings", "53100", 1).await;
    let error = world.store.complete_scan(claim, support::completion()).await.unwrap_err();
    let LeaseError::Store(StoreError::Unavailable(cause)) = &error else { panic!("{error:?}") };
    assert!(cause.to_string().contains("disk_full"), "{cause}");
    let half = world.store.scan(world.team, claim.scan).await.unwrap().unwrap();
    assert_eq!(half.status(), ScanStatus::Running, "nothing is half done");
    world.store.renew_lease(claim, Lease::TERM, PageCounts::new(1, 1)).await.unwrap();
    world.store.complete_scan(claim, support::completion()).await.unwrap();
    assert!(world.store.findings(world.team, claim.scan).await.unwrap().is_some());
}

#[tokio::test]
async fn a_connection_to_a_server_that_takes_no_changes_any_more_is_not_kept() {
    let mut world = World::at(&support::url(), |config| config.with_max_connections(1)).await;
    // As when the server becomes a read-only replica: a connection that has added a site can change nothing afterwards.
    let turn = "CREATE FUNCTION turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM set_config('default_transaction_read_only', 'on', false);
            RETURN NEW;
        END $$;
        CREATE TRIGGER turn BEFORE INSERT ON sites FOR EACH ROW EXECUTE FUNCTION turn();";
    world.db.execute(turn).await.unwrap();
    for _ in 0..3 {
        world.add_site().await.unwrap();
    }
}

#[tokio::test]
async fn steps_go_on_where_the_server_has_no_place_for_another_connection() {
    let proxy = Proxy::start().await;
    let store = PostgresStore::connect(support::config_at(&proxy.url()).await.0).await.unwrap();
    let plans = PlanCatalog::shipped();
    store.put_plans(plans.plans()).await.unwrap();
    proxy.admit_nobody();
    // Each begins while the pool still examines the connection of the one before.
    for _ in 0..10 {
        store.put_plans(plans.plans()).await.unwrap();
    }
}

#[tokio::test]
async fn connections_that_reads_leave_ready_are_shared_and_closed_like_all_others() {
    let name = format!("a11ycheck-ready-{}", std::process::id());
    let joint = if support::url().contains('?') { '&' } else { '?' };
    let url = format!("{}{joint}application_name={name}", support::url());
    let mut world = World::at(&url, |config| config.with_max_connections(2)).await;
    world.add_site().await.unwrap();
    // More steps at once than there are connections: none waits for one that is ready for another step.
    for _ in 0..10 {
        let reads = (world.sites(), world.sites(), world.sites(), world.add_site());
        let (first, second, third, added) = tokio::join!(reads.0, reads.1, reads.2, reads.3);
        added.unwrap();
        assert!(first.min(second).min(third) >= 1);
    }
    assert!(world.store.pool_usage().open <= 2, "{:?}", world.store.pool_usage());
    // The server ends the connections that are ready: the step that meets one fails, and those after it work.
    world.sites().await;
    let ended: Vec<bool> =
        sqlx::query_scalar("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1")
            .bind(&name)
            .fetch_all(&mut world.db)
            .await
            .unwrap();
    assert!(!ended.is_empty());
    let mut failures = 0;
    while let Err(error) = world.store.sites(world.team, None, PageRequest::new(1, 1)).await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        failures += 1;
        assert!(failures <= 2, "each connection costs one step at most");
    }
    world.sites().await;
    world.store.close().await;
    assert_eq!(world.store.pool_usage().open, 0);
    assert!(world.store.sites(world.team, None, PageRequest::new(1, 1)).await.is_err());
}

#[tokio::test]
async fn what_can_not_be_read_is_reported_by_table_and_id() {
    let mut world = World::new().await;
    let (site, claim) = world.running().await;
    world.store.complete_scan(claim, support::completion()).await.unwrap();
    for statement in [
        "UPDATE findings SET document = 'no gzip'",
        "UPDATE sites SET url = 'no address:'",
        "UPDATE scans SET outcome = '{}'",
    ] {
        world.db.execute(statement).await.unwrap();
    }
    let what = |error: StoreError| match error {
        StoreError::Corrupt { what, .. } => what,
        other => panic!("{other:?}"),
    };
    let findings = world.store.findings(world.team, claim.scan).await.unwrap_err();
    assert_eq!(what(findings), format!("findings {}", claim.scan));
    assert_eq!(what(world.store.site(world.team, site).await.unwrap_err()), format!("sites {site}"));
    let scan = world.store.scan(world.team, claim.scan).await.unwrap_err();
    assert_eq!(what(scan), format!("scans {}", claim.scan));
}

#[tokio::test]
async fn an_id_that_is_taken_is_not_trouble_that_may_pass() {
    let world = World::new().await;
    let (endpoint, delivery) = world.delivery().await;
    let event = world.store.delivery(world.team, delivery).await.unwrap().unwrap().event;
    let again = NewEvent { id: event, kind: EventKind::Ping, created_at: Utc::now(), body: b"{}".as_slice().into() };
    let refused = world.store.send_event(world.team, endpoint, again.clone()).await.unwrap_err();
    let SendError::Store(StoreError::Taken(cause)) = &refused else { panic!("{refused:?}") };
    assert!(cause.to_string().contains("unique_violation"), "{cause}");
    let (_, claim) = world.running().await;
    let event = NewEvent { kind: EventKind::ScanCompleted, ..again };
    let completion = Completion { events: vec![event], ..support::completion() };
    let refused = world.store.complete_scan(claim, completion).await.unwrap_err();
    assert!(matches!(refused, LeaseError::Store(StoreError::Taken(_))), "{refused:?}");
}

#[tokio::test]
async fn a_check_that_can_not_be_read_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, sound) = (world.add_site().await.unwrap(), world.add_site().await.unwrap());
    world.run("UPDATE sites SET url = 'of a newer version: ' || url WHERE id = $1", odd).await;
    let claimed = world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
    assert_eq!(claimed.site.id, sound);
    assert!(world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().is_none());
    // Another node may be able to read it.
    world.run("UPDATE sites SET url = substr(url, 21) WHERE id = $1", odd).await;
    let other = PostgresStore::connect(world.config.clone()).await.unwrap();
    assert_eq!(other.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().site.id, odd);
}

#[tokio::test]
async fn a_check_that_somebody_deleted_by_hand_holds_up_no_other() {
    let mut world = World::new().await;
    let (odd, sound) = (world.add_site().await.unwrap(), world.add_site().await.unwrap());
    world.run("DELETE FROM scans WHERE site_id = $1", odd).await;
    let claimed = world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
    assert_eq!(claimed.site.id, sound);
    assert!(world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().is_none());
}

#[tokio::test]
async fn a_team_that_can_not_be_read_keeps_no_other_from_its_schedule() {
    let mut world = World::new().await;
    let other = NewTeam {
        id: TeamId::generate(Utc::now()),
        name: "Other".to_owned(),
        plan: PlanCode::new("starter"),
        subscription: Subscription::ACTIVE,
        seats_used: 1,
    };
    let other = world.store.create_team(other).await.unwrap().id;
    for _ in 0..2 {
        world.store.add_site(other, new_site(), None).await.unwrap();
    }
    let sound = world.store.add_site(world.team, new_site(), None).await.unwrap().id;
    let two = sqlx::query("UPDATE sites SET next_scan_at = now() - interval '2 days' WHERE team_id = $1")
        .bind(other.to_string())
        .execute(&mut world.db)
        .await
        .unwrap();
    assert_eq!(two.rows_affected(), 2);
    world.run("UPDATE sites SET next_scan_at = now() - interval '1 day' WHERE id = $1", sound).await;
    world.run("UPDATE plans SET document = '{}' WHERE code = $1", "starter").await;
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
    world.run("UPDATE endpoints SET url = 'no address:' WHERE id = $1", odd).await;
    // The other one took the room, so this one comes with the next claim.
    assert_eq!(world.claim_one(Lease::TERM).await, None);
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
    world.run("UPDATE endpoints SET failed_in_a_row = -1 WHERE id = $1", odd).await;
    let (_, sound) = world.delivery().await;
    assert_eq!(world.claim_one(Lease::TERM).await, Some(sound));
}

#[tokio::test]
async fn deliveries_that_can_not_be_read_are_no_empty_queue_when_they_are_too_many_to_be_skipped() {
    let mut world = World::new().await;
    let (endpoint, sound) = world.delivery().await;
    // The id of no team.
    let copied = sqlx::query(
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, token, next_attempt_at)
         SELECT 'odd_' || number, '', endpoint_id, event_id, created_at, state, attempts, token,
             next_attempt_at - interval '1 day'
         FROM deliveries, generate_series(1, 1001) AS number WHERE endpoint_id = $1",
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
async fn the_databases_clock_counts_from_the_first_step_to_the_last() {
    let mut world = World::new().await;
    let instant = "SELECT clock_timestamp()";
    let before: chrono::DateTime<Utc> = sqlx::query_scalar(instant).fetch_one(&mut world.db).await.unwrap();
    let (site, claim) = world.running().await;
    world.store.renew_lease(claim, Lease::TERM, PageCounts::new(1, 1)).await.unwrap();
    let finished_at = world.store.now().await.unwrap();
    let scan = world.store.complete_scan(claim, Completion { finished_at, ..support::completion() }).await.unwrap();
    let manual =
        world.store.start_manual_scan(world.team, site, ScanId::generate(Utc::now()), Depth::Full).await.unwrap();
    let after: chrono::DateTime<Utc> = sqlx::query_scalar(instant).fetch_one(&mut world.db).await.unwrap();
    let instants = [before, scan.queued_at, finished_at, manual.queued_at, after];
    assert!(instants.is_sorted(), "{instants:?}");
    assert_eq!(world.store.queue_depth().await.unwrap().requested.checks, 1);
    assert_eq!(world.store.purge_scans(10).await.unwrap(), 0);
    assert!(!world.store.queue_due_scans(10).await.unwrap().more);
    assert_eq!(world.store.trend(world.team, claim.scan, 5).await.unwrap().len(), 1);
    assert_eq!(world.store.scans(world.team, site, PageRequest::new(1, 5)).await.unwrap().unwrap().total, 2);
}
