//! Giving the next check to a worker.

use a11ycheck_core::{
    domain::{Scan, ScanEventKind, ScanState, Site, TransitionError, TransitionRefusal},
    id::{NodeId, ScanId, WorkerId},
    store::{Claim, ClaimedScan, LeaseError},
};
use chrono::TimeDelta;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        columns::json,
        error::{Corrupt, Failure},
        ids::At,
        skipped::Skipped,
        transaction::Tx,
    },
    mails::notices,
    scans::{
        moves::{Logged, give_back, move_on, write_state},
        rows::{ScanRow, scan_columns},
    },
    sites::rows::{SiteRow, site_columns},
    twins,
};

/// The outcome of a claim.
#[derive(Default)]
pub(crate) struct Taken {
    /// The check that was given to the worker.
    pub(crate) claimed: Option<ClaimedScan>,
    /// True if checks were abandoned on the way.
    pub(crate) has_given_up: bool,
    /// True if the claim should be continued: it has abandoned as many checks as one transaction does.
    pub(crate) is_to_continue: bool,
}

/// The number of checks that are looked at to find one of a team without a running check.
const CONSIDERED: i64 = 16;
/// The most checks that one transaction abandons.
const GIVEN_UP_AT_ONCE: u32 = 64;

/// Gives the check that is to begin first to the worker. Those before it that were begun as often as they may be are
/// abandoned, and those that can't be read are skipped.
pub(crate) async fn take_next(
    tx: &mut Tx,
    worker: &WorkerId,
    term: TimeDelta,
    skipped: &Skipped,
) -> Result<Taken, Failure<LeaseError>> {
    let mut taken = Taken::default();
    for _ in 0..GIVEN_UP_AT_ONCE {
        let Some(id) = first_due(tx, &worker.node(), &skipped.ids()).await? else { return Ok(taken) };
        let problem = match take(tx, &id, worker, term).await {
            Ok(One::Claimed(claimed)) => return Ok(Taken { claimed: Some(*claimed), ..taken }),
            Ok(One::AttemptsUsedUp(scan)) => {
                let given_up = move_on(tx, scan, Some(ScanEventKind::GivenUp), |held, now| held.abandon(now)).await?;
                give_back(tx.db(), &given_up).await?;
                notices::failed(tx.db(), &given_up).await?;
                taken.has_given_up = true;
                continue;
            }
            Err(Failure::Corrupt(problem)) => problem,
            Err(other) => return Err(other),
        };
        if !skipped.add(id, &problem) {
            return Err(problem.into());
        }
    }
    Ok(Taken { is_to_continue: true, ..taken })
}

/// Returns the due check that is to begin first on this node: by the running checks of its team, then by rank, then by id.
async fn first_due(tx: &mut Tx, node: &NodeId, skipped: &[String]) -> Result<Option<String>, Failure<LeaseError>> {
    let now = tx.now();
    let skipped = json(skipped)?;
    let ask = async |db: &mut SqliteConnection, statement: &'static str| {
        sqlx::query_as::<_, DueRow>(statement)
            .bind(At(now))
            .bind(&skipped)
            .bind(CONSIDERED)
            .bind(node.worker_prefix())
            .bind(At(now - ScanState::OTHERS_FIRST))
            .fetch_all(db)
            .await
    };
    let mut due = ask(tx.db(), LOWEST_RANKS).await?;
    // No team comes before one without a running check, so the first such check is the right one. If the first ranks
    // all belong to teams with running checks, another team may have its first check further down.
    if i64::try_from(due.len()) == Ok(CONSIDERED) && due.iter().all(|row| row.running > 0) {
        due = ask(tx.db(), FIRST_OF_EACH_TEAM).await?;
    }
    // The first of several with as few is the first in their order.
    Ok(due.into_iter().min_by_key(|row| row.running).map(|row| row.scan_id))
}

/// The number of running checks of a team.
macro_rules! running {
    ($team:literal) => {
        concat!(
            "(SELECT count(*) FROM active_scans AS r WHERE r.team_id = ",
            $team,
            " AND ",
            twins::scan_is_running!("r.", "?1"),
            ")"
        )
    };
}

/// The `?3` due checks of the lowest ranks, except for `?2`, with the running checks of their teams, in the order of ranks.
const LOWEST_RANKS: &str = concat!(
    "SELECT due.scan_id, ",
    running!("due.team_id"),
    " AS running FROM (
         SELECT a.scan_id, a.team_id, a.rank_at FROM active_scans AS a INDEXED BY active_scans_by_rank
         WHERE ",
    twins::scan_is_offered!("a.", "?1", "?4", "?5"),
    " AND a.scan_id NOT IN (SELECT value FROM json_each(?2))
         ORDER BY a.rank_at, a.scan_id LIMIT ?3
     ) AS due ORDER BY due.rank_at, due.scan_id",
);

/// The first due check of each team, except for `?2`, likewise: the teams with active checks are found by a jump through an index
/// from each to the next.
const FIRST_OF_EACH_TEAM: &str = concat!(
    "WITH RECURSIVE teams (team_id) AS (
         SELECT (SELECT team_id FROM active_scans ORDER BY team_id LIMIT 1)
         UNION ALL
         SELECT (SELECT a.team_id FROM active_scans a WHERE a.team_id > teams.team_id ORDER BY a.team_id LIMIT 1)
         FROM teams WHERE teams.team_id IS NOT NULL
     ), firsts (team_id, scan_id) AS MATERIALIZED (
         SELECT teams.team_id, (
             SELECT a.scan_id FROM active_scans AS a INDEXED BY active_scans_by_team
             WHERE a.team_id = teams.team_id AND ",
    twins::scan_is_offered!("a.", "?1", "?4", "?5"),
    "            AND a.scan_id NOT IN (SELECT value FROM json_each(?2))
             ORDER BY a.rank_at, a.scan_id LIMIT 1
         ) FROM teams WHERE teams.team_id IS NOT NULL
     )
     SELECT firsts.scan_id, ",
    running!("firsts.team_id"),
    " AS running FROM firsts JOIN active_scans AS a ON a.scan_id = firsts.scan_id
     -- As few as one is needed; the number is that of the other statement, so that both have the same parameters.
     ORDER BY 2, a.rank_at, a.scan_id LIMIT ?3",
);

/// Gives a check to the worker, or returns why it can't.
async fn take(tx: &mut Tx, id: &str, worker: &WorkerId, term: TimeDelta) -> Result<One, Failure<LeaseError>> {
    let now = tx.now();
    let row: Option<NextRow> = sqlx::query_as(concat!(
        "SELECT ",
        scan_columns!(),
        ", ",
        site_columns!(),
        " FROM active_scans a JOIN scans s ON s.id = a.scan_id JOIN sites site ON site.id = s.site_id
          WHERE a.scan_id = ?1",
    ))
    .bind(id)
    .fetch_optional(tx.db())
    .await?;
    let row = row.ok_or_else(|| Corrupt::new("active_scans", id, "there is no such check, or no site of it"))?;
    let (mut scan, site): (Scan, Site) = (row.scan.scan()?, row.site.site()?);
    scan.state = match scan.state.clone().claim(worker.clone(), term, now) {
        Ok(running) => running,
        Err(TransitionError { refusal: TransitionRefusal::AttemptsUsedUp, .. }) => {
            return Ok(One::AttemptsUsedUp(scan.id));
        }
        Err(problem) => return Err(Corrupt::new("active_scans", id, problem).into()),
    };
    write_state(tx.db(), &scan, Some(Logged { kind: ScanEventKind::Started, at: now })).await?;
    let ScanState::Running { lease, .. } = &scan.state else {
        return Err(Corrupt::new("active_scans", id, "it was claimed, and is not running").into());
    };
    let claim = Claim { scan: scan.id, token: lease.token };
    Ok(One::Claimed(Box::new(ClaimedScan { claim, scan, site })))
}

/// The outcome for the check that was to begin first.
enum One {
    Claimed(Box<ClaimedScan>),
    AttemptsUsedUp(ScanId),
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
    #[sqlx(flatten)]
    scan: ScanRow,
    #[sqlx(flatten)]
    site: SiteRow,
}
