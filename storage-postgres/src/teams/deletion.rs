//! The deletion of a team: one transaction of bounded statements, so that others see the team whole or not at all, and
//! a team with more data takes more statements, not slower ones.
//!
//! The team's row is locked twice. The first lock keeps others from adding a site or an endpoint and from deleting the
//! team, but their foreign keys can still refer to it: a worker that completes a check would otherwise wait for this
//! transaction while it holds locks that this transaction waits for. The second lock, at the end, when nothing is left
//! that such a step could hold, excludes everything.

use std::time::Duration;

use a11ycheck_core::{id::TeamId, store::StoreError};
use chrono::{DateTime, Utc};

use crate::{
    PostgresStore,
    db::{error::Failure, ids::Id, store, transaction::Tx},
    deliveries::attempts,
    files::uploads::mark_for_deletion,
};

/// The most checks, or deliveries, that one statement deletes.
const BATCH: i64 = 500;

impl PostgresStore {
    /// Deletes a team with everything it has; `false` if there is none. This is the one step whose time is not bounded
    /// as a whole; that of each of its statements is.
    pub(crate) async fn delete_whole_team(&self, team: TeamId) -> Result<bool, StoreError> {
        let mut attempt = 1;
        loop {
            let tried = self.try_transaction(async |tx| Deletion { tx, limit: self.step_timeout() }.of(team).await);
            match tried.await {
                Ok(deleted) => return Ok(deleted),
                Err(failure) if failure.is_conflict() && attempt < store::ATTEMPTS => attempt += 1,
                Err(failure) => return Err(failure.into_error()),
            }
        }
    }
}

/// A deletion in progress.
struct Deletion {
    tx: Tx,
    /// The longest time that a statement may take, including the way to the server and back.
    limit: Duration,
}

impl Deletion {
    async fn of(mut self, team: TeamId) -> Result<bool, Failure<StoreError>> {
        let team = Id(team);
        if self.ids("SELECT id FROM teams WHERE id = $1 FOR NO KEY UPDATE", team).await?.is_empty() {
            return Ok(false);
        }
        // In the order in which all steps lock: team, site, active scan, scan, retention, endpoint, delivery, event.
        let sites = self.ids("SELECT id FROM sites WHERE team_id = $1 ORDER BY id FOR UPDATE", team).await?;
        self.run("DELETE FROM active_scans WHERE site_id = ANY ($1)", &sites).await?;
        for site in &sites {
            self.scans(site).await?;
        }
        self.run("DELETE FROM retention WHERE team_id = $1", &team).await?;
        let endpoints = self.ids("SELECT id FROM endpoints WHERE team_id = $1 ORDER BY id FOR UPDATE", team).await?;
        for endpoint in &endpoints {
            self.deliveries(endpoint).await?;
        }
        for statement in [
            "DELETE FROM endpoints WHERE team_id = $1",
            "SELECT FROM teams WHERE id = $1 FOR UPDATE",
            "DELETE FROM request_counters WHERE key = ANY (ARRAY(SELECT id FROM tokens WHERE team_id = $1))",
            "DELETE FROM tokens WHERE team_id = $1",
            "DELETE FROM brands WHERE team_id = $1",
            "DELETE FROM memberships WHERE team_id = $1",
            "DELETE FROM invitations WHERE team_id = $1",
            "DELETE FROM audit_records WHERE team_id = $1",
            "DELETE FROM mails WHERE team_id = $1",
            "DELETE FROM shared_reports WHERE team_id = $1",
            "DELETE FROM site_values WHERE team_id = $1",
            "DELETE FROM site_fields WHERE team_id = $1",
            "DELETE FROM sites WHERE team_id = $1",
            // With its remaining events: there are none, since each has a delivery to an endpoint.
            "DELETE FROM teams WHERE id = $1",
        ] {
            self.run(statement, &team).await?;
        }
        Ok(true)
    }

    /// Deletes the judgements, the assignments, the batches and the checks of a site, with findings and files.
    async fn scans(&mut self, site: &String) -> Result<(), Failure<StoreError>> {
        self.run("DELETE FROM judgements WHERE site_id = $1", site).await?;
        self.run("DELETE FROM assignments WHERE site_id = $1", site).await?;
        self.run("DELETE FROM batches WHERE site_id = $1", site).await?;
        // Starts after the last one, so that no statement walks past the rows of those before it.
        let mut last: Option<(DateTime<Utc>, String)> = None;
        loop {
            let (at, id) = last.unzip();
            let query = sqlx::query_as(
                "WITH gone AS MATERIALIZED (
                     SELECT id FROM scans
                     WHERE site_id = $1 AND ($2::timestamptz IS NULL OR (queued_at, id) > ($2, $3))
                     ORDER BY queued_at, id LIMIT $4
                 )
                 DELETE FROM scans WHERE id = ANY (ARRAY(SELECT id FROM gone)) RETURNING queued_at, id",
            );
            let query = query.bind(site).bind(at).bind(id).bind(BATCH);
            let mut gone: Vec<(DateTime<Utc>, String)> = bounded(self.limit, query.fetch_all(self.tx.db())).await?;
            gone.sort_unstable();
            let instant = self.tx.instant();
            let ids: Vec<String> = gone.iter().map(|(_, id)| id.clone()).collect();
            bounded(self.limit, mark_for_deletion(self.tx.db(), &ids, instant)).await?;
            if i64::try_from(gone.len()) != Ok(BATCH) {
                return Ok(());
            }
            last = gone.pop();
        }
    }

    /// Deletes the deliveries to an endpoint, with their attempts and events.
    async fn deliveries(&mut self, endpoint: &str) -> Result<(), Failure<StoreError>> {
        let mut last: Option<(DateTime<Utc>, String)> = None;
        loop {
            let (at, id) = last.unzip();
            let query = sqlx::query_as(
                "SELECT created_at, id, event_id FROM deliveries
                 WHERE endpoint_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3))
                 ORDER BY created_at, id LIMIT $4
                 FOR UPDATE",
            );
            let query = query.bind(endpoint).bind(at).bind(id).bind(BATCH);
            let found: Vec<(DateTime<Utc>, String, String)> =
                bounded(self.limit, query.fetch_all(self.tx.db())).await?;
            last = found.last().map(|(at, id, _)| (*at, id.clone()));
            let is_last = i64::try_from(found.len()) != Ok(BATCH);
            let gone = found.into_iter().map(|(_, id, event)| (id, event)).collect();
            bounded(self.limit, attempts::delete(self.tx.db(), gone)).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    async fn ids(&mut self, statement: &'static str, team: Id<TeamId>) -> Result<Vec<String>, Failure<StoreError>> {
        bounded(self.limit, sqlx::query_scalar(statement).bind(team).fetch_all(self.tx.db())).await
    }

    async fn run<'q, T>(&mut self, statement: &'static str, of: &'q T) -> Result<(), Failure<StoreError>>
    where
        &'q T: sqlx::Encode<'q, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send,
    {
        bounded(self.limit, sqlx::query(statement).bind(of).execute(self.tx.db())).await?;
        Ok(())
    }
}

async fn bounded<T>(
    limit: Duration,
    statement: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Failure<StoreError>> {
    Ok(tokio::time::timeout(limit, statement).await.map_err(|_| Failure::TooSlow(limit))??)
}
