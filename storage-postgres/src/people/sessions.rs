//! Sessions.

use a11ycheck_core::{
    domain::{NewSession, SecretHash, Session},
    id::{PersonId, SessionId},
    store::{SignedIn, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::rows::{SignedInRow, person_columns, session_columns};
use crate::{
    PostgresStore,
    db::{error::Failure, ids::Id, transaction::Tx},
};

/// Stores a session of a person who is there.
pub(super) async fn begin(
    db: &mut PgConnection,
    new: &NewSession,
    replaced: Option<SecretHash>,
    now: DateTime<Utc>,
) -> Result<Session, sqlx::Error> {
    let NewSession { id, person, hash, browser, address } = new.clone();
    if let Some(replaced) = replaced {
        sqlx::query("DELETE FROM sessions WHERE hash = $1")
            .bind(replaced.as_bytes().as_slice())
            .execute(&mut *db)
            .await?;
    }
    sqlx::query(
        "INSERT INTO sessions (id, person_id, hash, browser, address, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(Id(id))
    .bind(Id(person))
    .bind(hash.as_bytes().as_slice())
    .bind(&browser)
    .bind(address.map(|address| address.to_string()))
    .bind(now)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "DELETE FROM sessions WHERE id IN
             (SELECT id FROM sessions WHERE person_id = $1 ORDER BY (id = $2) DESC, last_used_at DESC, id OFFSET $3)",
    )
    .bind(Id(person))
    .bind(Id(id))
    .bind(i64::try_from(Session::MOST).unwrap_or(i64::MAX))
    .execute(db)
    .await?;
    Ok(Session { id, person, browser, address, created_at: now, last_used_at: now })
}

/// Ends the sessions of a person except for one, and returns how many were not over.
pub(crate) async fn end_others(
    db: &mut PgConnection,
    person: PersonId,
    kept: Option<SessionId>,
    now: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let running: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sessions
         WHERE person_id = $1 AND id IS DISTINCT FROM $2 AND last_used_at > $3 AND created_at > $4",
    )
    .bind(Id(person))
    .bind(kept.map(Id))
    .bind(now - Session::IDLE)
    .bind(now - Session::LONGEST)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("DELETE FROM sessions WHERE person_id = $1 AND id IS DISTINCT FROM $2")
        .bind(Id(person))
        .bind(kept.map(Id))
        .execute(db)
        .await?;
    Ok(running.unsigned_abs())
}

impl PostgresStore {
    /// Returns who is signed in with a session.
    pub(super) async fn find_session(&self, hash: &SecretHash) -> Result<Option<SignedIn>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let row: Option<SignedInRow> = sqlx::query_as(concat!(
                "SELECT coalesce($2, clock_timestamp()) AS now, ",
                session_columns!(),
                ", ",
                person_columns!(),
                " FROM sessions s JOIN people u ON u.id = s.person_id WHERE s.hash = $1",
            ))
            .bind(hash.as_bytes().as_slice())
            .bind(self.instant())
            .fetch_optional(&mut *session)
            .await?;
            session.leave_ready();
            Ok(row.map(SignedInRow::signed_in).transpose()?.flatten())
        })
        .await
    }

    /// Notes the use of a session, if that is due: most requests only read.
    pub(super) async fn touched(&self, mut found: SignedIn) -> Result<SignedIn, StoreError> {
        if found.session.is_to_be_touched(found.at) {
            let (id, at) = (found.session.id, found.at);
            self.step(|| async {
                sqlx::query("UPDATE sessions SET last_used_at = greatest(last_used_at, $2) WHERE id = $1")
                    .bind(Id(id))
                    .bind(at)
                    .execute(&mut *self.session().await?)
                    .await?;
                Ok::<_, Failure<StoreError>>(())
            })
            .await?;
            found.session.last_used_at = at;
        }
        Ok(found)
    }
}

/// Returns the present instant, to be asked for once the step has its locks.
pub(crate) async fn now(tx: &mut Tx) -> Result<DateTime<Utc>, sqlx::Error> {
    let instant = tx.instant();
    sqlx::query_scalar("SELECT coalesce($1, clock_timestamp())").bind(instant).fetch_one(tx.db()).await
}
