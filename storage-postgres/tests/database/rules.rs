//! Each rule of the domain that statements repeat (`src/twins.rs`) gives the same result in PostgreSQL as its function in core, on
//! random values.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{
        DeliveryState, Depth, DiffSummary, EndpointSecret, EndpointSecrets, Failure, FailureCode, FencingToken, Lease,
        ManualChecks, Outcome, Plan, PlanCatalog, RateCounters, RateLimits, RateWindow, RequestClass, Scan, ScanKind,
        ScanState, ShortenedHistory, Tool, Totals, is_held, is_in_history, purge_hold,
    },
    id::{DeliveryId, EndpointId, ScanId, SiteId, TeamId, WorkerId},
    sealing::Keyring,
};
use a11ycheck_storage_postgres::PostgresStore;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::{
    collection::vec,
    option, prop_oneof,
    sample::select,
    strategy::{Just, Strategy},
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, types::Json};
use tokio::sync::Mutex;

use crate::{
    support,
    twins::{self, DROP_DELIVERIES, ROTATE_SECRET, UNBLOCK_DELIVERIES},
};

/// Runs a check on random values, with a connection to the tables of a store.
fn hold<S: Strategy>(values: S, check: impl AsyncFn(&mut PgConnection, S::Value)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let db = runtime.block_on(async {
        let (config, schema) = support::config_at(&support::url()).await;
        PostgresStore::connect(config).await.unwrap().close().await;
        let mut db = support::connect().await;
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
        Mutex::new(db)
    });
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(256) });
    let run = |value| {
        runtime.block_on(async { check(&mut *db.lock().await, value).await });
        Ok(())
    };
    runner.run(&values, run).unwrap();
}

/// An instant of these years, to the microsecond.
fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    (1_700_000_000_000_000..2_000_000_000_000_000_i64).prop_map(|at| DateTime::from_timestamp_micros(at).unwrap())
}

/// A duration before or after an instant, often a microsecond or none.
fn around() -> impl Strategy<Value = TimeDelta> {
    prop_oneof![
        (-1..=1_i64).prop_map(TimeDelta::microseconds),
        (-90_000_000..90_000_000_i64).prop_map(TimeDelta::microseconds),
        (-4_000..4_000_i64).prop_map(TimeDelta::hours),
    ]
}

/// An instant, and another before or after it.
fn two_instants() -> impl Strategy<Value = (DateTime<Utc>, DateTime<Utc>)> {
    (instant(), around()).prop_map(|(one, around)| (one, one + around))
}

fn months() -> impl Strategy<Value = u32> {
    prop_oneof![0..40_u32, Just(12_000), Just(12_001), Just(u32::MAX)]
}

fn plan(history_months: u32) -> Json<Value> {
    Json(json!({ "limits": { "history_months": history_months } }))
}

/// A check of a site that has ended, or not.
#[derive(Debug, Clone)]
struct Check {
    queued_at: DateTime<Utc>,
    end: End,
}

#[derive(Debug, Clone, Copy)]
enum End {
    None,
    Completed,
    Failed,
}

impl Check {
    fn scan(&self, team: TeamId, site: SiteId) -> Scan {
        let (started_at, finished_at) = (self.queued_at, self.queued_at + TimeDelta::minutes(1));
        let engine = Tool::axe_core("4", "b");
        let outcome = Outcome::new(1, Totals::default(), DiffSummary::first(), engine);
        let failure = Failure::new(FailureCode::Dns, "no address");
        let state = match self.end {
            End::None => ScanState::Queued,
            End::Completed => ScanState::Completed { started_at, finished_at, outcome },
            End::Failed => ScanState::Failed { started_at, finished_at, pages_scanned: 0, failure },
        };
        Scan {
            id: ScanId::generate(self.queued_at),
            team,
            site,
            kind: ScanKind::Scheduled,
            pages_requested: 1,
            queued_at: self.queued_at,
            express: false,
            depth: Depth::Incremental,
            state,
        }
    }
}

fn check(now: DateTime<Utc>, months: u32) -> impl Strategy<Value = Check> {
    let oldest = now.checked_sub_months(chrono::Months::new(months.min(36))).unwrap();
    let queued_at = prop_oneof![
        around().prop_map(move |around| oldest + around),
        (0..1_500_i64).prop_map(move |days| now - TimeDelta::days(days)),
    ];
    (queued_at, select(vec![End::None, End::Completed, End::Failed]))
        .prop_map(|(queued_at, end)| Check { queued_at, end })
}

#[test]
fn a_team_sees_what_the_domain_calls_its_history_and_the_purge_sees_the_rest() {
    let values =
        (instant(), months()).prop_flat_map(|(now, months)| (Just(now), Just(months), vec(check(now, months), 1..8)));
    hold(values, async |db, (now, months, checks)| {
        let (team, site) = (TeamId::generate(now), SiteId::generate(now));
        let scans: Vec<Scan> = checks.iter().map(|check| check.scan(team, site)).collect();
        let completed = |scan: &&Scan| matches!(scan.state, ScanState::Completed { .. });
        let latest =
            scans.iter().filter(completed).max_by_key(|scan| (scan.finished_at(), scan.id)).map(|scan| scan.id);
        let seen: BTreeMap<String, (bool, bool)> = sqlx::query_as::<_, (String, bool, bool)>(concat!(
            "WITH scans AS MATERIALIZED (
                 SELECT id, 'site' AS site_id, queued_at, finished_at, outcome
                 FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[])
                     AS scans (id, queued_at, finished_at, outcome)
             )
             SELECT id, coalesce(",
            twins::in_history!("$1", "$2"),
            ", false), coalesce(",
            twins::left_history!("$1", "$2"),
            ", false) FROM scans s",
        ))
        .bind(now)
        .bind(plan(months))
        .bind(scans.iter().map(|scan| scan.id.to_string()).collect::<Vec<_>>())
        .bind(scans.iter().map(|scan| scan.queued_at).collect::<Vec<_>>())
        .bind(scans.iter().map(Scan::finished_at).collect::<Vec<_>>())
        .bind(scans.iter().map(|scan| completed(&scan).then_some("{}")).collect::<Vec<_>>())
        .fetch_all(db)
        .await
        .unwrap()
        .into_iter()
        .map(|(id, seen, left)| (id, (seen, left)))
        .collect();
        for scan in scans {
            let is_seen = is_in_history(&scan, latest == Some(scan.id), months, now);
            assert_eq!(seen[&scan.id.to_string()], (is_seen, !is_seen), "{scan:?}");
        }
    });
}

#[test]
fn a_check_leaves_the_history_when_the_purge_expects_it_to() {
    hold((instant(), months().prop_map(|months| months.min(12_000))), async |db, (queued_at, months)| {
        let end: DateTime<Utc> = sqlx::query_scalar(concat!("SELECT ", twins::leaves_history_at!("$1", "$2")))
            .bind(queued_at)
            .bind(plan(months))
            .fetch_one(db)
            .await
            .unwrap();
        let scan = Check { queued_at, end: End::Failed }.scan(TeamId::generate(queued_at), SiteId::generate(queued_at));
        assert!(is_in_history(&scan, false, months, end - TimeDelta::microseconds(1)), "{end}");
        assert!(!is_in_history(&scan, false, months, end), "{end}");
    });
}

#[test]
fn a_hold_is_in_force_as_long_as_the_domain_says_and_the_later_of_two_counts() {
    let values = two_instants().prop_flat_map(|(now, earlier)| (Just(now), option::of(Just(earlier))));
    hold(values, async |db, (now, earlier)| {
        let new = now + ShortenedHistory::GRACE;
        let (held, later): (Option<bool>, Option<DateTime<Utc>>) = sqlx::query_as(concat!(
            "SELECT ",
            twins::is_held!("$1::timestamptz", "$2::timestamptz"),
            ", ",
            twins::later_hold!("$1", "$3::timestamptz"),
        ))
        .bind(earlier)
        .bind(now)
        .bind(new)
        .fetch_one(db)
        .await
        .unwrap();
        assert_eq!(held.unwrap_or(false), is_held(earlier, now));
        assert_eq!(later, purge_hold(2, 1, earlier, now));
    });
}

#[test]
fn a_plan_keeps_the_fields_of_a_later_release() {
    let fields = || vec((select(vec!["colour", "zone", "a"]), 0..9_i64), 0..3);
    let values = (0..4_usize, 0..4_usize, [fields(), fields(), fields()], [fields(), fields(), fields()]);
    let plan_with = |plan: &Plan, fields: &[Vec<(&'static str, i64)>; 3]| -> Plan {
        let mut document = serde_json::to_value(plan).unwrap();
        for (place, fields) in ["", "/features", "/limits"].into_iter().zip(fields) {
            let object = document.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
            object.extend(fields.iter().map(|(name, value)| (format!("later_{name}"), json!(value))));
        }
        serde_json::from_value(document).unwrap()
    };
    hold(values, async |db, (stored, new, stored_fields, new_fields)| {
        let catalog = PlanCatalog::shipped();
        let stored = plan_with(&catalog.plans()[stored], &stored_fields);
        let mut new = plan_with(&catalog.plans()[new], &new_fields);
        new.code = stored.code.clone();
        let Json(merged): Json<Value> =
            sqlx::query_scalar(concat!("SELECT ", twins::merged_plan!("$1::jsonb", "$2::jsonb")))
                .bind(Json(&stored))
                .bind(Json(&new))
                .fetch_one(db)
                .await
                .unwrap();
        assert_eq!(merged, serde_json::to_value(new.in_place_of(&stored)).unwrap());
    });
}

/// A request, or its return.
#[derive(Debug, Clone)]
enum Step {
    /// Requests of one token at the same instant.
    Asks {
        class: RequestClass,
        limits: RateLimits,
        number: u32,
    },
    GivesBack {
        class: RequestClass,
        before: TimeDelta,
    },
}

fn class() -> impl Strategy<Value = RequestClass> {
    select(vec![RequestClass::General, RequestClass::File])
}

#[test]
fn requests_are_counted_refused_and_given_back_as_the_domain_says() {
    let limits = (0..4_u32, 0..4_u32).prop_map(|(general, files)| RateLimits::new(general, files));
    let asks = (class(), limits, 1..4_u32).prop_map(|(class, limits, number)| Step::Asks { class, limits, number });
    let before = prop_oneof![Just(60_000_000), 0..70_000_000_i64].prop_map(TimeDelta::microseconds);
    let gives_back = (class(), before).prop_map(|(class, before)| Step::GivesBack { class, before });
    // Now and then a request arrives before one that was counted already.
    let pause = prop_oneof![Just(0), Just(60_000_000), Just(-1), -30_000_000..30_000_000_i64];
    let pause = pause.prop_map(TimeDelta::microseconds);
    let steps = vec((pause, prop_oneof![4 => asks, 1 => gives_back]), 1..20);
    type Row = (Option<DateTime<Utc>>, i64, Option<DateTime<Utc>>, i64, bool);
    let columns = |counters: &RateCounters| {
        let of = |window: Option<RateWindow>| {
            (window.map(|window| window.started_at), window.map_or(0, |window| i64::from(window.used)))
        };
        (of(counters.general), of(counters.files))
    };
    hold((instant(), steps), async |db, (start, steps)| {
        let (mut counters, mut now) = (RateCounters::default(), start);
        db.execute("TRUNCATE request_counters").await.unwrap();
        for (pause, step) in steps {
            now += pause;
            match step {
                Step::Asks { class, limits, number } => {
                    let together: Option<Row> = sqlx::query_as(concat!(
                        "UPDATE request_counters AS c SET ",
                        twins::counted_more!("$1", "$6::bigint", "$3::timestamptz"),
                        " WHERE ",
                        twins::lasting_windows_admit!(
                            "$1",
                            "$2",
                            "$6::bigint",
                            "$3::timestamptz",
                            "$4::bigint",
                            "$5::bigint"
                        ),
                        " RETURNING general_started_at, general_used, files_started_at, files_used, admitted",
                    ))
                    .bind(class == RequestClass::File)
                    .bind(RateWindow::LENGTH)
                    .bind(now)
                    .bind(i64::from(limits.general))
                    .bind(i64::from(limits.files))
                    .bind(i64::from(number))
                    .fetch_optional(&mut *db)
                    .await
                    .unwrap();
                    let counts_at = counters.counts_at(now);
                    let lasting =
                        |window: Option<RateWindow>| window.is_some_and(|window| counts_at < window.ends_at());
                    let windows_last =
                        lasting(counters.general) && (class == RequestClass::General || lasting(counters.files));
                    let mut all_admitted = true;
                    for counted in 1..=number {
                        let is_admitted = counters.admit(class, limits, now).is_admitted();
                        all_admitted &= is_admitted;
                        let row = match together {
                            Some(_) if counted < number => continue,
                            Some(row) => row,
                            None => sqlx::query_as(concat!(
                                twins::counted!(
                                    "SELECT
                                         'key' AS key, $4::bigint AS general_limit, $5::bigint AS files_limit,
                                         $3::timestamptz AS at"
                                ),
                                " SELECT general_started_at, general_used, files_started_at, files_used, admitted FROM counted",
                            ))
                            .bind(class == RequestClass::File)
                            .bind(RateWindow::LENGTH)
                            .bind(now)
                            .bind(i64::from(limits.general))
                            .bind(i64::from(limits.files))
                            .fetch_one(&mut *db)
                            .await
                            .unwrap(),
                        };
                        let (general, files) = columns(&counters);
                        assert_eq!(row, (general.0, general.1, files.0, files.1, is_admitted), "at {now}");
                    }
                    assert_eq!(together.is_some(), windows_last && all_admitted, "at {now}");
                }
                Step::GivesBack { class, before } => {
                    let row: Option<Row> = sqlx::query_as(concat!(
                        "UPDATE request_counters AS c SET ",
                        twins::given_back!("$1", "$2", "$3"),
                        " RETURNING general_started_at, general_used, files_started_at, files_used, admitted",
                    ))
                    .bind(class == RequestClass::File)
                    .bind(RateWindow::LENGTH)
                    .bind(now - before)
                    .fetch_optional(&mut *db)
                    .await
                    .unwrap();
                    counters.give_back(class, now - before);
                    let (general, files) = columns(&counters);
                    let (general, files) = ((general.0, general.1), (files.0, files.1));
                    let stored = row.map(|row| ((row.0, row.1), (row.2, row.3)));
                    assert_eq!(stored.unwrap_or_default(), (general, files), "at {now}");
                }
            }
        }
    });
}

/// A site's manual checks as its table has them: the last one, the one before it, the one that was given back.
type ManualColumns = (Option<DateTime<Utc>>, Option<DateTime<Utc>>, Option<DateTime<Utc>>);

#[test]
fn a_manual_check_is_remembered_as_the_domain_says() {
    let values = (instant(), option::of(instant()), option::of(instant()), option::of(instant()));
    hold(values, async |db, (now, last_at, previous_at, given_back_at)| {
        db.execute(
            "CREATE TEMP TABLE IF NOT EXISTS manual (
                 last_manual_at timestamptz, previous_manual_at timestamptz, manual_given_back_at timestamptz
             )",
        )
        .await
        .unwrap();
        db.execute("TRUNCATE manual").await.unwrap();
        sqlx::query("INSERT INTO manual VALUES ($1, $2, $3)")
            .bind(last_at)
            .bind(previous_at)
            .bind(given_back_at)
            .execute(&mut *db)
            .await
            .unwrap();
        let stored: ManualColumns = sqlx::query_as(concat!(
            "UPDATE manual SET ",
            twins::manual_check_started!("$1"),
            " RETURNING last_manual_at, previous_manual_at, manual_given_back_at",
        ))
        .bind(now)
        .fetch_one(db)
        .await
        .unwrap();
        let started = ManualChecks { last_at, previous_at, given_back_at }.started(now);
        assert_eq!(stored, (started.last_at, started.previous_at, started.given_back_at));
    });
}

fn worker() -> impl Strategy<Value = WorkerId> {
    // The name of a node may begin with that of another; one of an earlier release is a node of its own.
    let names = ["node-1-a/1", "node-1-a/2", "node-1-ab/1", "node-2-a/1", "worker-7-0a1b2c3d", "none"];
    select(names.to_vec()).prop_map(|name| serde_json::from_value(json!(name)).unwrap())
}

#[test]
fn a_check_is_due_running_and_offered_to_a_node_as_the_domain_says() {
    let values = two_instants().prop_flat_map(|(now, near)| {
        let expires_at = prop_oneof![
            Just(near),
            (-1..=1_i64).prop_map(move |micros| now - ScanState::OTHERS_FIRST + TimeDelta::microseconds(micros)),
        ];
        (Just(now), option::of((worker(), expires_at)), select(vec!["node-1-a/9", "node-1-ab/9", "node-2-a/9"]))
    });
    hold(values, async |db, (now, lease, node)| {
        let node = serde_json::from_value::<WorkerId>(json!(node)).unwrap().node();
        let row: (bool, bool, bool) = sqlx::query_as(concat!(
            "SELECT ",
            twins::scan_is_due!("$3"),
            ", ",
            twins::scan_is_running!("$3"),
            ", ",
            twins::scan_is_offered!("$3", "$4", "$5"),
            " FROM (SELECT $1::text AS lease_worker, $2::timestamptz AS lease_expires_at) AS active_scans",
        ))
        .bind(lease.as_ref().map(|(worker, _)| worker.to_string()))
        .bind(lease.as_ref().map(|(_, expires_at)| *expires_at))
        .bind(now)
        .bind(node.worker_prefix())
        .bind(ScanState::OTHERS_FIRST)
        .fetch_one(db)
        .await
        .map(|(due, running, offered): (Option<bool>, Option<bool>, Option<bool>)| {
            (due.unwrap_or(false), running.unwrap_or(false), offered.unwrap_or(false))
        })
        .unwrap();
        let state = lease.map_or(ScanState::Queued, |(worker, expires_at)| ScanState::Running {
            lease: Lease { worker, token: FencingToken::FIRST, expires_at },
            attempt: 1,
            started_at: now,
            pages_scanned: 0,
            pages_found: 0,
        });
        let is_due = state.is_due(now);
        assert_eq!(row, (is_due, !is_due, is_due && !state.is_left_to_others(&node, now)), "{state:?}");
    });
}

fn delivery(now: DateTime<Utc>, near: DateTime<Utc>) -> impl Strategy<Value = DeliveryState> {
    let token = || (1..9_i64).prop_map(FencingToken::from_stored);
    let finished_at = || {
        prop_oneof![
            Just(near),
            (-1..=1_i64).prop_map(move |micros| now - DeliveryState::LOG_TERM + TimeDelta::microseconds(micros)),
        ]
    };
    prop_oneof![
        Just(DeliveryState::Blocked { after: DeliveryId::generate(now) }),
        (0..6_u32, token()).prop_map(move |(attempts, token)| DeliveryState::Waiting {
            attempts,
            token,
            next_attempt_at: near
        }),
        (0..6_u32, 1..5_u32, worker(), token()).prop_map(move |(attempts, tries, worker, token)| {
            let lease = Lease { worker, token, expires_at: near };
            DeliveryState::Attempting { attempts, tries, lease, started_at: now }
        }),
        (1..7_u32, finished_at())
            .prop_map(|(attempts, finished_at)| DeliveryState::Delivered { attempts, finished_at }),
        finished_at().prop_map(|finished_at| DeliveryState::Failed { finished_at }),
        (0..6_u32, finished_at()).prop_map(|(attempts, finished_at)| DeliveryState::Dropped { attempts, finished_at }),
    ]
}

/// A delivery's state as its table has it: state, attempts, tries, token, `after_id`, `next_attempt_at`, `lease_worker`,
/// `lease_started_at`, `finished_at`.
type DeliveryColumns = (
    String,
    i64,
    i64,
    i64,
    Option<String>,
    Option<DateTime<Utc>>,
    Option<String>,
    Option<DateTime<Utc>>,
    Option<DateTime<Utc>>,
);

fn delivery_columns(state: &DeliveryState) -> DeliveryColumns {
    let (mut tries, mut token, mut after, mut worker, mut started) = (0, FencingToken::NONE, None, None, None);
    match state {
        DeliveryState::Blocked { after: other } => after = Some(other.to_string()),
        DeliveryState::Waiting { token: last, .. } => token = *last,
        DeliveryState::Attempting { tries: begun, lease, started_at, .. } => {
            (tries, token) = (i64::from(*begun), lease.token);
            (worker, started) = (Some(lease.worker.to_string()), Some(*started_at));
        }
        DeliveryState::Delivered { .. } | DeliveryState::Failed { .. } | DeliveryState::Dropped { .. } => {}
    }
    let state_word = state.status().as_str().to_owned();
    let (attempts, due_at) = (i64::from(state.attempts()), state.due_at());
    (state_word, attempts, tries, token.get(), after, due_at, worker, started, state.finished_at())
}

/// Makes a table of deliveries without foreign keys, with this one in it.
async fn store_delivery(db: &mut PgConnection, state: &DeliveryState) {
    db.execute("CREATE TEMP TABLE IF NOT EXISTS deliveries (LIKE deliveries INCLUDING CONSTRAINTS INCLUDING DEFAULTS)")
        .await
        .unwrap();
    db.execute("TRUNCATE deliveries").await.unwrap();
    let (word, attempts, tries, token, after, due_at, worker, started_at, finished_at) = delivery_columns(state);
    sqlx::query(
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, after_id, next_attempt_at,
              lease_worker, lease_started_at, finished_at)
         VALUES ('delivery', 'team', 'endpoint', 'event', now(), $1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(word)
    .bind(attempts)
    .bind(tries)
    .bind(token)
    .bind(after)
    .bind(due_at)
    .bind(worker)
    .bind(started_at)
    .bind(finished_at)
    .execute(db)
    .await
    .unwrap();
}

async fn stored_delivery(db: &mut PgConnection) -> DeliveryColumns {
    sqlx::query_as(
        "SELECT state, attempts, tries, token, after_id, next_attempt_at, lease_worker, lease_started_at, finished_at
         FROM deliveries",
    )
    .fetch_one(db)
    .await
    .unwrap()
}

fn deliveries() -> impl Strategy<Value = (DateTime<Utc>, DeliveryState)> {
    two_instants().prop_flat_map(|(now, near)| (Just(now), delivery(now, near)))
}

#[test]
fn a_delivery_is_due_under_way_lost_and_out_of_the_log_as_the_domain_says() {
    hold((deliveries(), worker()), async |db, ((now, state), worker)| {
        store_delivery(db, &state).await;
        let row: (bool, bool, bool, bool) = sqlx::query_as(concat!(
            "SELECT coalesce(",
            twins::delivery_is_due!("$1"),
            ", false), coalesce(",
            twins::delivery_is_under_way!("$3", "$1"),
            ", false), coalesce(",
            twins::delivery_is_lost!("$1"),
            ", false), coalesce(",
            twins::delivery_has_left_log!("$1", "$2"),
            ", false) FROM deliveries",
        ))
        .bind(now)
        .bind(DeliveryState::LOG_TERM)
        .bind(worker.to_string())
        .fetch_one(db)
        .await
        .unwrap();
        let is_due = state.due_at().is_some_and(|at| at <= now);
        let is_under_way = matches!(
            &state,
            DeliveryState::Attempting { lease, .. } if lease.worker == worker && !lease.has_expired(now)
        );
        assert_eq!(row, (is_due, is_under_way, state.is_lost(now), state.has_left_log(now)), "{state:?} at {now}");
    });
}

#[test]
fn a_first_attempt_that_ended_lets_go_on_what_the_domain_says() {
    hold(deliveries(), async |db, (now, state)| {
        store_delivery(db, &state).await;
        let ended = if let DeliveryState::Blocked { after } = &state { *after } else { DeliveryId::generate(now) };
        sqlx::query(UNBLOCK_DELIVERIES).bind(ended.to_string()).bind(now).execute(&mut *db).await.unwrap();
        assert_eq!(stored_delivery(db).await, delivery_columns(&state.unblocked(now)));
    });
}

#[test]
fn an_endpoint_that_is_switched_off_drops_what_the_domain_says() {
    hold(deliveries(), async |db, (now, state)| {
        store_delivery(db, &state).await;
        sqlx::query(DROP_DELIVERIES).bind("endpoint").bind(now).execute(&mut *db).await.unwrap();
        assert_eq!(stored_delivery(db).await, delivery_columns(&state.dropped(now)));
    });
}

/// Secrets as the table has them: the present one and its key, the one before it, its key and its end.
type SecretColumns = (Vec<u8>, String, Option<Vec<u8>>, Option<String>, Option<DateTime<Utc>>);

fn secret_columns(secrets: &EndpointSecrets) -> SecretColumns {
    let (previous, until) = secrets.previous.clone().unzip();
    (
        secrets.current.to_bytes(),
        secrets.current.key().to_string(),
        previous.as_ref().map(|previous| previous.to_bytes()),
        previous.as_ref().map(|previous| previous.key().to_string()),
        until,
    )
}

#[test]
fn secrets_are_opened_by_the_keys_and_replaced_as_the_domain_says() {
    let values = (instant(), vec(0..3_usize, 1..3), vec(0..3_usize, 0..4), 0..3_usize);
    hold(values, async |db, (now, sealed_with, keys, new_key)| {
        let (rings, id) = ([(); 3].map(|()| Keyring::ephemeral()), EndpointId::generate(now));
        let sealed = |ring: usize| EndpointSecret::generate().seal(&rings[ring], id);
        let mut secrets = EndpointSecrets::new(sealed(sealed_with[0]));
        for ring in &sealed_with[1..] {
            secrets = secrets.rotated(sealed(*ring), now);
        }
        db.execute("CREATE TEMP TABLE IF NOT EXISTS endpoints (LIKE endpoints INCLUDING CONSTRAINTS)").await.unwrap();
        db.execute("TRUNCATE endpoints").await.unwrap();
        let (secret, key, previous, previous_key, until) = secret_columns(&secrets);
        sqlx::query(
            "INSERT INTO endpoints
                 (id, team_id, url, events, failed_in_a_row, created_at, sealed_secret, sealed_with, sealed_previous,
                  sealed_previous_with, previous_until)
             VALUES ('endpoint', 'team', 'url', '{}', 0, now(), $1, $2, $3, $4, $5)",
        )
        .bind(secret)
        .bind(key)
        .bind(previous)
        .bind(previous_key)
        .bind(until)
        .execute(&mut *db)
        .await
        .unwrap();
        let keys: Vec<_> = keys.into_iter().map(|ring| rings[ring].current()).collect();
        let opened: bool =
            sqlx::query_scalar(concat!("SELECT ", twins::secrets_are_opened_by!("$1"), " FROM endpoints e"))
                .bind(keys.iter().map(ToString::to_string).collect::<Vec<_>>())
                .fetch_one(&mut *db)
                .await
                .unwrap();
        assert_eq!(opened, secrets.are_opened_by(&keys));
        let (new, overlap) = (sealed(new_key), TimeDelta::hours(24));
        sqlx::query(ROTATE_SECRET)
            .bind("team")
            .bind("endpoint")
            .bind(now)
            .bind(overlap)
            .bind(new.to_bytes())
            .bind(new.key().to_string())
            .execute(&mut *db)
            .await
            .unwrap();
        let stored: SecretColumns = sqlx::query_as(
            "SELECT sealed_secret, sealed_with, sealed_previous, sealed_previous_with, previous_until FROM endpoints",
        )
        .fetch_one(db)
        .await
        .unwrap();
        assert_eq!(stored, secret_columns(&secrets.rotated(new, now + overlap)));
    });
}
