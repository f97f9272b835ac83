//! Giving the next check to a worker.

use a11ycheck_core::{
    domain::{Scan, ScanEventKind, ScanState, Site, TransitionError, TransitionRefusal},
    id::{NodeId, ScanId, WorkerId},
    store::{Claim, ClaimedScan, LeaseError},
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::db::transaction::Tx;
use crate::{
    db::error::{Corrupt, Failure},
    mails::notices,
    scans::{
        moves::{Logged, give_back, lock_site, move_on, write_state},
        rows::{ScanRow, scan_columns},
    },
    sites::rows::{SiteRow, site_columns},
    twins,
};

/// The outcome for the check that was to begin first.
pub(crate) enum Taken {
    /// It was given to the worker.
    Claimed(Box<ClaimedScan>),
    /// It was begun as often as it may be, and is to be abandoned.
    AttemptsUsedUp(ScanId),
    /// It can't be read, and was left as it is; its id.
    Unreadable(String, Corrupt),
    /// No check is due.
    Nothing,
}

/// The number of checks that a claim considers at a time. Callers that claim at the same moment lock up to as many of
/// them, and skip those that others have locked.
const CONSIDERED: usize = 16;

/// Gives the check that is to begin first to the worker. Checks that another caller has locked are skipped, and so is
/// `unreadable`.
pub(crate) async fn take_next<E>(
    tx: &mut Tx,
    worker: &WorkerId,
    term: TimeDelta,
    unreadable: &[String],
) -> Result<Taken, Failure<E>> {
    let mut skipped = unreadable.to_vec();
    let node = worker.node();
    loop {
        let first = first_due(tx, &node, &skipped).await?;
        if first.is_empty() {
            return Ok(Taken::Nothing);
        }
        if let Some(next) = lock_first(tx, &node, &first).await? {
            return take(tx.db(), next, worker, term).await;
        }
        if let Some(id) = without_partner(tx.db(), &first).await? {
            let problem = Corrupt::new("active_scans", &id, "there is no such check, or no site of it");
            return Ok(Taken::Unreadable(id, problem));
        }
        // Other callers have locked all of these.
        skipped.extend(first);
    }
}

/// Returns the due checks that are to begin first on this node, in their order: by the running checks of their team,
/// then by rank, then by id. If there are fewer than [`CONSIDERED`], these are all; nothing is locked yet.
async fn first_due(tx: &mut Tx, node: &NodeId, skipped: &[String]) -> Result<Vec<String>, sqlx::Error> {
    let limit = i64::try_from(CONSIDERED).unwrap_or(i64::MAX);
    let instant = tx.instant();
    let ask = async |db: &mut PgConnection, statement: &'static str| {
        sqlx::query_as::<_, DueRow>(statement)
            .bind(instant)
            .bind(skipped)
            .bind(limit)
            .bind(node.worker_prefix())
            .bind(ScanState::OTHERS_FIRST)
            .fetch_all(db)
            .await
    };
    let mut due = ask(tx.db(), LOWEST_RANKS).await?;
    // No team comes before one without a running check, so the first such check is the right one. If the first ranks
    // all belong to teams with running checks, another team may have its first check further down.
    if due.len() == CONSIDERED && due.iter().all(|row| row.running > 0) {
        due = ask(tx.db(), FIRST_OF_EACH_TEAM).await?;
    }
    due.sort_by_key(|row| row.running);
    Ok(due.into_iter().map(|row| row.scan_id).collect())
}

/// The number of running checks by team, of the teams that meet the condition `$of`; of all teams if it is empty.
macro_rules! running {
    ($of:literal) => {
        concat!(
            "running AS MATERIALIZED (
                 SELECT team_id, count(*) AS checks FROM active_scans
                 WHERE ",
            $of,
            twins::scan_is_running!("(SELECT now FROM instant)"),
            "
                 GROUP BY team_id
             )"
        )
    };
}

/// The `$3` due checks of the lowest ranks, except for `$2`, each with the number of running checks of its team.
/// Running checks of other teams are not counted, so that the cost does not grow with them.
const LOWEST_RANKS: &str = concat!(
    "WITH instant AS MATERIALIZED (
         SELECT coalesce($1, clock_timestamp()) AS now
     ), a AS MATERIALIZED (
         SELECT scan_id, team_id, rank_at FROM active_scans
         WHERE ",
    twins::scan_is_offered!("(SELECT now FROM instant)", "$4", "$5"),
    " AND scan_id <> ALL ($2)
         ORDER BY rank_at, scan_id LIMIT $3
     ), ",
    running!("team_id = ANY (ARRAY(SELECT DISTINCT team_id FROM a)) AND "),
    "
     SELECT a.scan_id, coalesce(running.checks, 0) AS running FROM a LEFT JOIN running ON running.team_id = a.team_id
     ORDER BY a.rank_at, a.scan_id",
);

/// As [`LOWEST_RANKS`], but in the order in which they are to begin: the teams with active checks are found by a jump through
/// an index from each to the next.
const FIRST_OF_EACH_TEAM: &str = concat!(
    "WITH RECURSIVE instant AS MATERIALIZED (
         SELECT coalesce($1, clock_timestamp()) AS now
     ), ",
    running!(""),
    ", teams AS (
         SELECT (SELECT team_id FROM active_scans ORDER BY team_id LIMIT 1) AS team_id
         UNION ALL
         SELECT (SELECT a.team_id FROM active_scans a WHERE a.team_id > teams.team_id ORDER BY a.team_id LIMIT 1)
         FROM teams WHERE teams.team_id IS NOT NULL
     )
     SELECT due.scan_id, coalesce(running.checks, 0) AS running
     FROM teams LEFT JOIN running ON running.team_id = teams.team_id CROSS JOIN LATERAL (
         SELECT a.scan_id, a.rank_at FROM active_scans a
         WHERE a.team_id = teams.team_id AND a.scan_id <> ALL ($2) AND ",
    twins::scan_is_offered!("(SELECT now FROM instant)", "$4", "$5"),
    "
         ORDER BY a.rank_at, a.scan_id LIMIT $3
     ) AS due
     ORDER BY coalesce(running.checks, 0), due.rank_at, due.scan_id LIMIT $3",
);

/// Locks the first of these checks that no other caller has locked and that is still due.
async fn lock_first(tx: &mut Tx, node: &NodeId, first: &[String]) -> Result<Option<NextRow>, sqlx::Error> {
    sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         ), a AS MATERIALIZED (
             SELECT * FROM active_scans
             WHERE scan_id = ANY ($2) AND ",
        twins::scan_is_offered!("(SELECT now FROM instant)", "$3", "$4"),
        "
             ORDER BY array_position($2, scan_id) LIMIT 1
             FOR UPDATE SKIP LOCKED
         )
         SELECT instant.now, ",
        scan_columns!(),
        ", ",
        site_columns!(),
        " FROM a JOIN scans s ON s.id = a.scan_id JOIN sites site ON site.id = s.site_id CROSS JOIN instant",
    ))
    .bind(tx.instant())
    .bind(first)
    .bind(node.worker_prefix())
    .bind(ScanState::OTHERS_FIRST)
    .fetch_optional(tx.db())
    .await
}

/// Gives a locked check to the worker, or returns why it can't.
async fn take<E>(
    db: &mut PgConnection,
    next: NextRow,
    worker: &WorkerId,
    term: TimeDelta,
) -> Result<Taken, Failure<E>> {
    let (id, now) = (next.scan.id().to_owned(), next.now);
    let (scan, site) = match next.claimed(worker, term) {
        Ok(Claimed::Running(running)) => *running,
        Ok(Claimed::AttemptsUsedUp(scan)) => return Ok(Taken::AttemptsUsedUp(scan)),
        Err(problem) => return Ok(Taken::Unreadable(id, problem)),
    };
    write_state(db, scan.id, &scan.state, Some(Logged { kind: ScanEventKind::Started, at: now })).await?;
    let ScanState::Running { lease, .. } = &scan.state else {
        return Err(Corrupt::new("active_scans", scan.id, "it was claimed, and is not running").into());
    };
    let claim = Claim { scan: scan.id, token: lease.token };
    Ok(Taken::Claimed(Box::new(ClaimedScan { claim, scan, site })))
}

/// Abandons a check that was begun as often as it may be. Does nothing if its last worker came back, or another caller
/// was faster.
pub(crate) async fn give_up(tx: &mut Tx, scan: ScanId) -> Result<(), Failure<LeaseError>> {
    lock_site(tx.db(), scan).await?;
    let given_up = move_on(tx, scan, Some(ScanEventKind::GivenUp), |held, now| held.abandon(now)).await?;
    give_back(tx.db(), &given_up).await?;
    notices::failed(tx.db(), &given_up).await
}

/// Returns one of these checks that exists in the queue only, which no foreign key prevents: every claim would meet it
/// again.
async fn without_partner(db: &mut PgConnection, first: &[String]) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT scan_id FROM active_scans a
         WHERE scan_id = ANY ($1)
             AND NOT EXISTS (SELECT FROM scans s JOIN sites site ON site.id = s.site_id WHERE s.id = a.scan_id)
         LIMIT 1",
    )
    .bind(first)
    .fetch_optional(db)
    .await
}

/// A check that is due.
#[derive(FromRow)]
struct DueRow {
    scan_id: String,
    /// The number of running checks of its team.
    running: i64,
}

#[derive(FromRow)]
struct NextRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    scan: ScanRow,
    #[sqlx(flatten)]
    site: SiteRow,
}

impl NextRow {
    fn claimed(self, worker: &WorkerId, term: TimeDelta) -> Result<Claimed, Corrupt> {
        let (mut scan, site) = (self.scan.scan()?, self.site.site()?);
        match scan.state.clone().claim(worker.clone(), term, self.now) {
            Ok(running) => {
                scan.state = running;
                Ok(Claimed::Running(Box::new((scan, site))))
            }
            Err(TransitionError { refusal: TransitionRefusal::AttemptsUsedUp, .. }) => {
                Ok(Claimed::AttemptsUsedUp(scan.id))
            }
            Err(problem) => Err(Corrupt::new("active_scans", scan.id, problem)),
        }
    }
}

/// The result of claiming a check that is due.
enum Claimed {
    Running(Box<(Scan, Site)>),
    AttemptsUsedUp(ScanId),
}
