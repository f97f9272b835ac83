//! Each rule of the domain that statements repeat (`src/twins.rs`) gives the same result in SQLite as its function in core, on
//! random values.

use a11ycheck_core::{
    domain::{
        DeliveryState, Depth, DiffSummary, Failure, FailureCode, FencingToken, Lease, Outcome, Scan, ScanKind,
        ScanState, ShortenedHistory, Tool, Totals, is_in_history, purge_hold,
    },
    id::{DeliveryId, ScanId, SiteId, TeamId, WorkerId},
};
use chrono::{DateTime, Months, TimeDelta, Utc};
use proptest::{
    collection::vec,
    option, prop_oneof,
    sample::select,
    strategy::{Just, Strategy},
    test_runner::{Config, TestRunner},
};
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use tokio::sync::Mutex;

use crate::twins::{self, DROP_DELIVERIES, UNBLOCK_DELIVERIES};

/// Runs a check on random values, with a connection to an empty database in memory.
fn hold<S: Strategy>(values: S, check: impl AsyncFn(&mut SqliteConnection, S::Value)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let db = Mutex::new(runtime.block_on(SqliteConnection::connect(":memory:")).unwrap());
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

fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

#[derive(Debug, Clone, Copy)]
enum End {
    None,
    Completed,
    Failed,
}

fn scan((queued_at, end): (DateTime<Utc>, End)) -> Scan {
    let (started_at, finished_at) = (queued_at, queued_at + TimeDelta::minutes(1));
    let outcome = Outcome::new(1, Totals::default(), DiffSummary::first(), Tool::axe_core("4", "b"));
    let failure = Failure::new(FailureCode::Dns, "no address");
    let state = match end {
        End::None => ScanState::Queued,
        End::Completed => ScanState::Completed { started_at, finished_at, outcome },
        End::Failed => ScanState::Failed { started_at, finished_at, pages_scanned: 0, failure },
    };
    Scan {
        id: ScanId::generate(queued_at),
        team: TeamId::generate(queued_at),
        site: SiteId::generate(queued_at),
        kind: ScanKind::Scheduled,
        pages_requested: 1,
        queued_at,
        express: false,
        depth: Depth::Incremental,
        state,
    }
}

#[test]
fn a_team_sees_what_the_domain_calls_its_history_and_the_purge_sees_the_rest() {
    let values = (instant(), 0..40_u32).prop_flat_map(|(now, months)| {
        let oldest = now.checked_sub_months(Months::new(months)).unwrap();
        let queued_at = prop_oneof![
            around().prop_map(move |around| oldest + around),
            (0..1_500_i64).prop_map(move |days| now - TimeDelta::days(days)),
        ];
        let check = (queued_at, select(vec![End::None, End::Completed, End::Failed]));
        (Just(now), Just(months), vec(check.prop_map(scan), 1..8))
    });
    hold(values, async |db, (now, months, scans)| {
        db.execute("DROP TABLE IF EXISTS scans").await.unwrap();
        db.execute("CREATE TABLE scans (id TEXT, site_id TEXT, queued_at INTEGER, finished_at INTEGER, outcome TEXT)")
            .await
            .unwrap();
        let is_completed = |scan: &&Scan| matches!(scan.state, ScanState::Completed { .. });
        for scan in &scans {
            sqlx::query("INSERT INTO scans VALUES (?1, 'site', ?2, ?3, ?4)")
                .bind(scan.id.to_string())
                .bind(micros(scan.queued_at))
                .bind(scan.finished_at().map(micros))
                .bind(is_completed(&scan).then_some("{}"))
                .execute(&mut *db)
                .await
                .unwrap();
        }
        let latest = scans.iter().filter(is_completed).max_by_key(|scan| (scan.finished_at(), scan.id));
        let latest = latest.map(|scan| scan.id);
        let start = micros(now.checked_sub_months(Months::new(months)).unwrap());
        for scan in &scans {
            let seen: (bool, bool) = sqlx::query_as(concat!(
                "SELECT ",
                twins::in_history!("?1"),
                ", ",
                twins::left_history!("?1"),
                " FROM scans s WHERE s.id = ?2"
            ))
            .bind(start)
            .bind(scan.id.to_string())
            .fetch_one(&mut *db)
            .await
            .unwrap();
            let is_seen = is_in_history(scan, latest == Some(scan.id), months, now);
            assert_eq!(seen, (is_seen, !is_seen), "{scan:?}");
        }
    });
}

#[test]
fn of_two_holds_the_later_counts() {
    let values = two_instants().prop_flat_map(|(now, earlier)| (Just(now), option::of(Just(earlier))));
    hold(values, async |db, (now, earlier)| {
        let later: i64 = sqlx::query_scalar(concat!("SELECT ", twins::later_hold!("?1", "?2")))
            .bind(earlier.map(micros))
            .bind(micros(now + ShortenedHistory::GRACE))
            .fetch_one(db)
            .await
            .unwrap();
        assert_eq!(Some(later), purge_hold(2, 1, earlier, now).map(micros));
    });
}

#[test]
fn a_check_is_due_running_and_offered_when_the_domain_says_so() {
    let lease = option::of((around(), select(vec![false, true])));
    hold((instant(), lease), async |db, (now, lease)| {
        let (own, other) = (WorkerId::generate(), WorkerId::generate());
        let state = lease.map_or(ScanState::Queued, |(around, is_own)| ScanState::Running {
            lease: Lease {
                worker: if is_own { own.clone() } else { other },
                token: FencingToken::from_stored(1),
                expires_at: now + around,
            },
            attempt: 1,
            started_at: now,
            pages_scanned: 0,
            pages_found: 0,
        });
        let (worker, expires_at) = match &state {
            ScanState::Running { lease, .. } => (Some(lease.worker.to_string()), Some(micros(lease.expires_at))),
            _ => (None, None),
        };
        let node = own.node();
        let found: (bool, bool, bool) = sqlx::query_as(concat!(
            "SELECT ",
            twins::scan_is_due!("a.", "?1"),
            ", ",
            twins::scan_is_running!("a.", "?1"),
            ", ",
            twins::scan_is_offered!("a.", "?1", "?2", "?3"),
            " FROM (SELECT ?4 AS lease_worker, ?5 AS lease_expires_at) AS a",
        ))
        .bind(micros(now))
        .bind(node.worker_prefix())
        .bind(micros(now - ScanState::OTHERS_FIRST))
        .bind(worker)
        .bind(expires_at)
        .fetch_one(db)
        .await
        .unwrap();
        let is_due = state.is_due(now);
        assert_eq!(found, (is_due, !is_due, is_due && !state.is_left_to_others(&node, now)), "{state:?}");
    });
}

/// A delivery's state as its row has it.
struct Row {
    state: String,
    tries: u32,
    next_attempt_at: Option<i64>,
    lease_worker: Option<String>,
    finished_at: Option<i64>,
}

fn row(state: &DeliveryState) -> Row {
    let (tries, lease_worker) = match state {
        DeliveryState::Attempting { tries, lease, .. } => (*tries, Some(lease.worker.to_string())),
        _ => (0, None),
    };
    Row {
        state: state.status().as_str().to_owned(),
        tries,
        next_attempt_at: state.due_at().map(micros),
        lease_worker,
        finished_at: state.finished_at().map(micros),
    }
}

/// A state whose instants lie around `now`.
fn state(now: DateTime<Utc>, worker: WorkerId) -> impl Strategy<Value = DeliveryState> {
    let log = now - DeliveryState::LOG_TERM;
    let token = FencingToken::from_stored(1);
    prop_oneof![
        Just(DeliveryState::Blocked { after: DeliveryId::generate(now) }),
        around().prop_map(move |around| DeliveryState::Waiting { attempts: 1, token, next_attempt_at: now + around }),
        (around(), 1..=DeliveryState::MAX_TRIES).prop_map(move |(around, tries)| DeliveryState::Attempting {
            attempts: 0,
            tries,
            lease: Lease { worker: worker.clone(), token, expires_at: now + around },
            started_at: now,
        }),
        around().prop_map(move |around| DeliveryState::Delivered { attempts: 1, finished_at: log + around }),
        around().prop_map(move |around| DeliveryState::Failed { finished_at: log + around }),
        around().prop_map(move |around| DeliveryState::Dropped { attempts: 0, finished_at: log + around }),
    ]
}

#[test]
fn a_delivery_is_due_lost_and_purged_and_moved_on_when_the_domain_says_so() {
    let worker = WorkerId::generate();
    let values = instant().prop_flat_map({
        let worker = worker.clone();
        move |now| (Just(now), state(now, worker.clone()))
    });
    hold(values, async |db, (now, state)| {
        db.execute("DROP TABLE IF EXISTS deliveries").await.unwrap();
        db.execute(
            "CREATE TABLE deliveries (endpoint_id TEXT, state TEXT, tries INTEGER, token INTEGER, after_id TEXT,
                 next_attempt_at INTEGER, lease_worker TEXT, lease_started_at INTEGER, finished_at INTEGER)",
        )
        .await
        .unwrap();
        let after = match &state {
            DeliveryState::Blocked { after } => Some(after.to_string()),
            _ => None,
        };
        let stored = row(&state);
        sqlx::query("INSERT INTO deliveries VALUES ('endpoint', ?1, ?2, 1, ?3, ?4, ?5, ?6, ?7)")
            .bind(&stored.state)
            .bind(stored.tries)
            .bind(&after)
            .bind(stored.next_attempt_at)
            .bind(&stored.lease_worker)
            .bind(stored.lease_worker.as_ref().map(|_| micros(now)))
            .bind(stored.finished_at)
            .execute(&mut *db)
            .await
            .unwrap();
        let found: (bool, bool, bool, bool) = sqlx::query_as(concat!(
            "SELECT coalesce(",
            twins::delivery_is_due!("?1"),
            ", 0), coalesce(",
            twins::delivery_is_lost!("?1"),
            ", 0), coalesce(",
            twins::delivery_has_left_log!("?2"),
            ", 0), coalesce(",
            twins::delivery_is_under_way!("?3", "?1"),
            ", 0) FROM deliveries",
        ))
        .bind(micros(now))
        .bind(micros(now - DeliveryState::LOG_TERM))
        .bind(worker.to_string())
        .fetch_one(&mut *db)
        .await
        .unwrap();
        let is_under_way = matches!(&state, DeliveryState::Attempting { lease, .. } if !lease.has_expired(now));
        let expected =
            (state.due_at().is_some_and(|at| at <= now), state.is_lost(now), state.has_left_log(now), is_under_way);
        assert_eq!(found, expected, "{state:?}");

        // What both statements leave: first what waits for an attempt is unblocked, then all is dropped.
        let read = async |db: &mut SqliteConnection| -> (String, Option<i64>, Option<i64>) {
            sqlx::query_as("SELECT state, next_attempt_at, finished_at FROM deliveries").fetch_one(db).await.unwrap()
        };
        let columns = |state: &DeliveryState| {
            let row = row(state);
            (row.state, row.next_attempt_at, row.finished_at)
        };
        if let Some(after) = after {
            sqlx::query(UNBLOCK_DELIVERIES).bind(after).bind(micros(now)).execute(&mut *db).await.unwrap();
            assert_eq!(read(db).await, columns(&state.clone().unblocked(now)));
        }
        let before = if matches!(state, DeliveryState::Blocked { .. }) { state.unblocked(now) } else { state };
        sqlx::query(DROP_DELIVERIES).bind("endpoint").bind(micros(now)).execute(&mut *db).await.unwrap();
        assert_eq!(read(db).await, columns(&before.dropped(now)));
    });
}
