//! Conversion of rows to mail.

use a11ycheck_core::{
    domain::{FencingToken, Lease, Mail, MailState, MailSubject},
    id::WorkerId,
    locale::Locale,
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, count, named, word},
    error::{Corrupt, Failure},
    ids::Id,
};

/// The columns of [`MailRow`], of a mail `x`.
macro_rules! mail_columns {
    () => {
        "x.id AS mail_id, x.kind AS mail_kind, x.team_id AS mail_team_id, x.about, x.email AS mail_email, \
         x.locale AS mail_locale, x.created_at AS mail_created_at, x.state, x.attempts, x.token, x.lease_worker, x.due_at, \
         x.finished_at, x.reason"
    };
}

pub(super) use mail_columns;

#[derive(FromRow)]
pub(super) struct MailRow {
    pub(super) mail_id: String,
    mail_kind: String,
    mail_team_id: Option<String>,
    about: String,
    mail_email: String,
    mail_locale: String,
    mail_created_at: DateTime<Utc>,
    #[sqlx(flatten)]
    state: MailStateColumns,
}

impl MailRow {
    pub(super) fn mail(self) -> Result<Mail, Corrupt> {
        named("mails", self.mail_id.clone(), self.read())
    }

    fn read(self) -> Result<Mail, BoxedError> {
        let team = self.mail_team_id.map(|id| id.parse()).transpose()?;
        Ok(Mail {
            id: self.mail_id.parse()?,
            to: self.mail_email.parse()?,
            locale: Locale::from_stored(&self.mail_locale),
            subject: MailSubject::from_stored(&self.mail_kind, team, &self.about)?,
            created_at: self.mail_created_at,
            state: self.state.read()?,
        })
    }
}

/// The progress of the sending of a mail, as it is stored.
#[derive(FromRow)]
pub(super) struct MailStateColumns {
    state: String,
    attempts: i64,
    token: i64,
    lease_worker: Option<String>,
    due_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    reason: Option<String>,
}

impl MailStateColumns {
    fn of(state: &MailState) -> Self {
        let mut columns = Self {
            state: String::new(),
            attempts: 0,
            token: FencingToken::NONE.get(),
            lease_worker: None,
            due_at: state.due_at(),
            finished_at: state.finished_at(),
            reason: None,
        };
        let (name, attempts) = match state {
            MailState::Waiting { attempts, token, .. } => {
                columns.token = token.get();
                ("waiting", *attempts)
            }
            MailState::Attempting { attempts, lease } => {
                columns.token = lease.token.get();
                columns.lease_worker = Some(lease.worker.to_string());
                ("attempting", *attempts)
            }
            MailState::Sent { attempts, .. } => ("sent", *attempts),
            MailState::Failed { attempts, reason, .. } => {
                columns.reason = Some(reason.clone());
                ("failed", *attempts)
            }
            MailState::Dropped { .. } => ("dropped", 0),
        };
        (columns.state, columns.attempts) = (name.to_owned(), attempts.into());
        columns
    }

    fn read(self) -> Result<MailState, BoxedError> {
        let (attempts, token) = (count(self.attempts)?, FencingToken::from_stored(self.token));
        match (self.state.as_str(), self.due_at, self.finished_at) {
            ("waiting", Some(next_attempt_at), None) => Ok(MailState::Waiting { attempts, token, next_attempt_at }),
            ("attempting", Some(expires_at), None) => {
                let worker = self.lease_worker.ok_or("nobody makes its attempt")?;
                let lease = Lease { worker: word::<WorkerId>(&worker)?, token, expires_at };
                Ok(MailState::Attempting { attempts, lease })
            }
            ("sent", None, Some(finished_at)) => Ok(MailState::Sent { attempts, finished_at }),
            ("failed", None, Some(finished_at)) => {
                Ok(MailState::Failed { attempts, finished_at, reason: self.reason.unwrap_or_default() })
            }
            ("dropped", None, Some(finished_at)) => Ok(MailState::Dropped { finished_at }),
            _ => Err("it neither waits nor has ended".into()),
        }
    }
}

/// Stores a new mail.
pub(super) async fn insert<E>(db: &mut PgConnection, mail: &Mail) -> Result<(), Failure<E>> {
    let columns = MailStateColumns::of(&mail.state);
    sqlx::query(
        "INSERT INTO mails (id, kind, team_id, about, email, locale, created_at, state, attempts, token, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(Id(mail.id))
    .bind(mail.subject.kind().as_str())
    .bind(mail.subject.team().map(Id))
    .bind(mail.subject.about())
    .bind(mail.to.as_str())
    .bind(mail.locale.code())
    .bind(mail.created_at)
    .bind(columns.state)
    .bind(columns.attempts)
    .bind(columns.token)
    .bind(columns.due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Writes the state of a mail.
pub(super) async fn write_state<E>(db: &mut PgConnection, id: &str, state: &MailState) -> Result<(), Failure<E>> {
    let columns = MailStateColumns::of(state);
    sqlx::query(
        "UPDATE mails SET state = $2, attempts = $3, token = $4, lease_worker = $5, due_at = $6, finished_at = $7, reason = $8
         WHERE id = $1",
    )
    .bind(id)
    .bind(columns.state)
    .bind(columns.attempts)
    .bind(columns.token)
    .bind(columns.lease_worker)
    .bind(columns.due_at)
    .bind(columns.finished_at)
    .bind(columns.reason)
    .execute(db)
    .await?;
    Ok(())
}
