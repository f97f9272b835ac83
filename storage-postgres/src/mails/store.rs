//! Mail that waits to be sent, and the links in it.

use std::error::Error as StdError;

use a11ycheck_core::{
    domain::{
        EmailAddress, Invitation, Mail, MailKind, MailOutcome, MailState, MailSubject, NewAuditRecord, NewMail,
        Notices, PasswordHash, Person, Role, SecretHash, SharedSetting,
    },
    id::{PersonId, TeamId, WorkerId},
    store::{ClaimedMail, MailClaim, MailDepth, MailStore, RecordMailError, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::{
    notices::forget_resets,
    rows::{MailRow, insert, mail_columns, write_state},
};
use crate::{
    PostgresStore,
    db::{
        columns::{named, word},
        error::Failure,
        ids::Id,
        transaction::Tx,
    },
    people::{
        audit::append,
        rows::{PersonRow, person_columns},
        sessions::{end_others, now},
    },
};

#[async_trait]
impl MailStore for PostgresStore {
    async fn set_notices(&self, person: PersonId, notices: Notices) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let set = sqlx::query("UPDATE people SET notices = $2 WHERE id = $1")
                .bind(Id(person))
                .bind(notices.are_on())
                .execute(tx.db())
                .await?;
            Ok(set.rows_affected() > 0)
        })
        .await
    }

    async fn switch_notices_off(&self, link: &SecretHash) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let set = sqlx::query(
                "UPDATE people SET notices = $2 WHERE email = (
                     SELECT x.email FROM mails x WHERE x.link_hash = $1 AND x.kind IN ('check.failed', 'endpoint.off')
                 )",
            )
            .bind(link.as_bytes().as_slice())
            .bind(Notices::Off.are_on())
            .execute(tx.db())
            .await?;
            Ok(set.rows_affected() > 0)
        })
        .await
    }

    async fn request_reset(&self, mail: NewMail, email: &EmailAddress) -> Result<(), StoreError> {
        self.transaction(async |mut tx| {
            // A request at the same time waits here, and then counts this mail. An address that belongs to nobody has
            // no row that could be locked; this row exists wherever mail is sent, and only a server that starts writes
            // to it.
            sqlx::query("SELECT FROM settings WHERE name = $1 FOR NO KEY UPDATE")
                .bind(SharedSetting::Mail.as_str())
                .execute(tx.db())
                .await?;
            let now = now(&mut tx).await?;
            let recent: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM mails WHERE email = $1 AND kind = 'password.reset' AND created_at > $2",
            )
            .bind(email.as_str())
            .bind(now - Mail::RESET_SPAN)
            .fetch_one(tx.db())
            .await?;
            if recent.unsigned_abs() >= Mail::MOST_RESETS {
                return Ok(());
            }
            insert(tx.db(), &Mail::new(mail, email.clone(), MailSubject::PasswordReset, now)).await
        })
        .await
    }

    async fn claim_mail(
        &self,
        worker: &WorkerId,
        term: TimeDelta,
        link: SecretHash,
    ) -> Result<Option<ClaimedMail>, StoreError> {
        self.transaction(async |mut tx| take_next(&mut tx, worker, term, link).await).await
    }

    async fn record_mail(&self, claim: MailClaim, outcome: MailOutcome) -> Result<Mail, RecordMailError> {
        self.transaction(async |mut tx| {
            let row: Option<MailRow> =
                sqlx::query_as(concat!("SELECT ", mail_columns!(), " FROM mails x WHERE x.id = $1 FOR UPDATE"))
                    .bind(Id(claim.mail))
                    .fetch_optional(tx.db())
                    .await?;
            let mut mail = row.ok_or(Failure::Refused(RecordMailError::Gone))?.mail()?;
            let now = now(&mut tx).await?;
            let recorded = mail.state.record(claim.token, outcome.clone(), now);
            mail.state = recorded.map_err(|refusal| Failure::Refused(refusal.into()))?;
            write_state(tx.db(), &mail.id.to_string(), &mail.state).await?;
            Ok(mail)
        })
        .await
    }

    async fn reset_link(&self, link: &SecretHash) -> Result<Option<Person>, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            reset_link(tx.db(), link, now).await
        })
        .await
    }

    async fn reset_password(
        &self,
        link: &SecretHash,
        password: PasswordHash,
        audit: NewAuditRecord,
    ) -> Result<Option<Person>, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let Some(found) = reset_link(tx.db(), link, now).await? else { return Ok(None) };
            // The person is locked, and the link is then read as it is: it is used once.
            sqlx::query("SELECT FROM people WHERE id = $1 FOR NO KEY UPDATE")
                .bind(Id(found.id))
                .execute(tx.db())
                .await?;
            let Some(person) = reset_link(tx.db(), link, now).await? else { return Ok(None) };
            sqlx::query("UPDATE people SET password = $2 WHERE id = $1")
                .bind(Id(person.id))
                .bind(password.as_str())
                .execute(tx.db())
                .await?;
            end_others(tx.db(), person.id, None, now).await?;
            forget_resets(tx.db(), person.id).await?;
            let actor = person.email.as_str().to_owned();
            let audit = NewAuditRecord { person: Some(person.id), actor, ..audit.clone() };
            append(tx.db(), &audit, now).await?;
            Ok(Some(person))
        })
        .await
    }

    async fn mail_depth(&self) -> Result<MailDepth, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let (waiting, oldest): (i64, Option<DateTime<Utc>>) =
                sqlx::query_as("SELECT count(*), min(created_at) FROM mails WHERE due_at IS NOT NULL")
                    .fetch_one(&mut *db)
                    .await?;
            Ok(MailDepth { waiting: waiting.unsigned_abs(), oldest })
        })
        .await
    }

    async fn failed_mails(&self, limit: u32) -> Result<Vec<Mail>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let rows: Vec<MailRow> = sqlx::query_as(concat!(
                "SELECT ",
                mail_columns!(),
                " FROM mails x WHERE x.state = 'failed' AND x.kind = ANY ($1)
                 ORDER BY x.finished_at DESC, x.id LIMIT $2",
            ))
            .bind(known())
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(MailRow::mail).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn purge_mails(&self, limit: u32) -> Result<u32, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let purged = sqlx::query(
                "DELETE FROM mails WHERE id IN (
                     SELECT id FROM mails WHERE finished_at < $1 OR finished_at < $2 AND kind = 'password.reset'
                         OR due_at IS NOT NULL AND created_at < $1
                     LIMIT $3
                     FOR UPDATE SKIP LOCKED
                 )",
            )
            .bind(now - MailState::LOG_TERM)
            .bind(now - TimeDelta::days(1))
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            Ok(u32::try_from(purged.rows_affected()).unwrap_or(limit))
        })
        .await
    }
}

/// Returns the words of the kinds that this release sends.
fn known() -> Vec<&'static str> {
    MailKind::KNOWN.iter().map(MailKind::as_str).collect()
}

async fn first_due<E>(db: &mut PgConnection, now: DateTime<Utc>) -> Result<Option<MailRow>, Failure<E>> {
    Ok(sqlx::query_as(concat!(
        "SELECT ",
        mail_columns!(),
        " FROM mails x WHERE x.due_at <= $1 AND x.kind = ANY ($2) ORDER BY x.due_at, x.id LIMIT 1 FOR UPDATE SKIP LOCKED",
    ))
    .bind(now)
    .bind(known())
    .fetch_optional(db)
    .await?)
}

async fn take_next(
    tx: &mut Tx,
    worker: &WorkerId,
    term: TimeDelta,
    link: SecretHash,
) -> Result<Option<ClaimedMail>, Failure<StoreError>> {
    let now = now(tx).await?;
    while let Some(row) = first_due::<StoreError>(tx.db(), now).await? {
        let id = row.mail_id.clone();
        let mail = match row.mail() {
            Ok(mail) => mail,
            Err(problem) => {
                // One bad row holds up nothing behind it.
                tracing::error!(mail = id, error = &problem as &dyn StdError, "A mail can't be read, and is given up");
                let failed = MailState::Failed { attempts: 0, finished_at: now, reason: "it can't be read".to_owned() };
                write_state(tx.db(), &id, &failed).await?;
                continue;
            }
        };
        let reader = reader(tx.db(), &mail.to).await?;
        if !has_reason(tx.db(), &mail, reader.as_ref(), now).await? {
            write_state(tx.db(), &id, &MailState::Dropped { finished_at: now }).await?;
            continue;
        }
        let claimed = mail.state.claim(worker.clone(), term, now);
        let claimed = claimed.map_err(|error| crate::db::error::Corrupt::new("mails", &id, error))?;
        write_state(tx.db(), &id, &claimed).await?;
        if let MailState::Attempting { attempts, lease } = claimed {
            sqlx::query("UPDATE mails SET link_hash = $2, link_at = $3 WHERE id = $1")
                .bind(&id)
                .bind(link.as_bytes().as_slice())
                .bind(now)
                .execute(tx.db())
                .await?;
            return Ok(Some(ClaimedMail {
                claim: MailClaim { mail: mail.id, token: lease.token },
                attempt: attempts,
                locale: reader.map_or(mail.locale, |person| person.locale),
                to: mail.to,
                subject: mail.subject,
                at: now,
            }));
        }
    }
    Ok(None)
}

/// Returns the person with an address.
async fn reader<E>(db: &mut PgConnection, email: &EmailAddress) -> Result<Option<Person>, Failure<E>> {
    let row: Option<PersonRow> =
        sqlx::query_as(concat!("SELECT ", person_columns!(), " FROM people u WHERE u.email = $1"))
            .bind(email.as_str())
            .fetch_optional(db)
            .await?;
    Ok(row.map(PersonRow::person).transpose()?)
}

/// Returns whether there still is something to say.
async fn has_reason<E>(
    db: &mut PgConnection,
    mail: &Mail,
    reader: Option<&Person>,
    now: DateTime<Utc>,
) -> Result<bool, Failure<E>> {
    match mail.subject {
        MailSubject::Invitation { team, invitation } => {
            let found: Option<i32> =
                sqlx::query_scalar("SELECT 1 FROM invitations WHERE id = $1 AND team_id = $2 AND created_at > $3")
                    .bind(Id(invitation))
                    .bind(Id(team))
                    .bind(now - Invitation::TERM)
                    .fetch_optional(db)
                    .await?;
            Ok(found.is_some())
        }
        MailSubject::PasswordReset => Ok(reader.is_some()),
        MailSubject::CheckFailed { team, .. } | MailSubject::EndpointOff { team, .. } => {
            let Some(person) = reader.filter(|person| person.notices.are_on()) else { return Ok(false) };
            Ok(role(db, team, person.id).await?.is_some_and(Role::is_noticed))
        }
        _ => Ok(false),
    }
}

async fn role<E>(db: &mut PgConnection, team: TeamId, person: PersonId) -> Result<Option<Role>, Failure<E>> {
    let role: Option<String> = sqlx::query_scalar("SELECT role FROM memberships WHERE team_id = $1 AND person_id = $2")
        .bind(Id(team))
        .bind(Id(person))
        .fetch_optional(db)
        .await?;
    Ok(role.map(|role| named("memberships", format!("{team} {person}"), word(&role))).transpose()?)
}

/// Returns the person who may set another password with a link.
async fn reset_link<E>(
    db: &mut PgConnection,
    link: &SecretHash,
    now: DateTime<Utc>,
) -> Result<Option<Person>, Failure<E>> {
    let row: Option<PersonRow> = sqlx::query_as(concat!(
        "SELECT ",
        person_columns!(),
        " FROM mails x JOIN people u ON u.email = x.email
         WHERE x.link_hash = $1 AND x.kind = 'password.reset' AND x.link_at > $2",
    ))
    .bind(link.as_bytes().as_slice())
    .bind(now - Mail::RESET_TERM)
    .fetch_optional(db)
    .await?;
    Ok(row.map(PersonRow::person).transpose()?)
}
