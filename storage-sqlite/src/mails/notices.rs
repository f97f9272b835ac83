//! The mail that steps write: notices of what went wrong, and invitations.

use a11ycheck_core::{
    domain::{FailureCode, Invitation, Mail, MailSubject, Member, NewMail, Scan, ScanState, SharedSetting, SiteNotice},
    id::{EndpointId, MailId, PersonId, TeamId},
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::rows::insert;
use crate::{
    db::{
        columns::named,
        error::Failure,
        ids::{At, Id},
    },
    people::rows::{MemberRow, member_columns, person_columns},
};

/// Writes the notices of a check that has failed, where they are due.
pub(crate) async fn failed<E>(db: &mut SqliteConnection, scan: &Scan) -> Result<(), Failure<E>> {
    let ScanState::Failed { failure, finished_at: now, .. } = &scan.state else { return Ok(()) };
    if !is_on(&mut *db).await? {
        return Ok(());
    }
    let row: Option<(Option<At>, Option<String>, Option<At>)> = sqlx::query_as(
        "SELECT site.noticed_at, site.noticed_code,
             (SELECT max(l.finished_at) FROM scans l WHERE l.site_id = site.id AND l.outcome IS NOT NULL)
         FROM sites site WHERE site.id = ?1",
    )
    .bind(Id(scan.site))
    .fetch_optional(&mut *db)
    .await?;
    let Some((at, code, completed)) = row else { return Ok(()) };
    let last = match at.zip(code) {
        Some((At(at), code)) => {
            let code = named("sites", scan.site.to_string(), FailureCode::from_stored(&code).map_err(Into::into))?;
            Some(SiteNotice { code, at })
        }
        None => None,
    };
    if !SiteNotice::is_due(last, completed.map(|at| at.0), failure.code, *now) {
        return Ok(());
    }
    sqlx::query("UPDATE sites SET noticed_at = ?2, noticed_code = ?3 WHERE id = ?1")
        .bind(Id(scan.site))
        .bind(At(*now))
        .bind(failure.code.as_str())
        .execute(&mut *db)
        .await?;
    to_members(db, scan.team, MailSubject::CheckFailed { team: scan.team, scan: scan.id }, *now).await
}

/// Writes the notices of an endpoint that was switched off by its failures.
pub(crate) async fn switched_off<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    endpoint: EndpointId,
    now: DateTime<Utc>,
) -> Result<(), Failure<E>> {
    if !is_on(&mut *db).await? {
        return Ok(());
    }
    to_members(db, team, MailSubject::EndpointOff { team, endpoint }, now).await
}

/// Writes the mail that brings an invitation.
pub(crate) async fn invited<E>(
    db: &mut SqliteConnection,
    mail: NewMail,
    invitation: &Invitation,
    now: DateTime<Utc>,
) -> Result<(), Failure<E>> {
    let subject = MailSubject::Invitation { team: invitation.team, invitation: invitation.id };
    insert(db, &Mail::new(mail, invitation.email.clone(), subject, now)).await
}

/// Forgets the links for another password of a person: one was set, with a link or otherwise.
pub(crate) async fn forget_resets(db: &mut SqliteConnection, person: PersonId) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM mails WHERE email = (SELECT email FROM people WHERE id = ?1) AND kind = 'password.reset'")
        .bind(Id(person))
        .execute(db)
        .await
        .map(drop)
}

/// Returns whether somebody sends mail.
async fn is_on(db: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let value: Option<String> = sqlx::query_scalar("SELECT value FROM settings WHERE name = ?1")
        .bind(SharedSetting::MAIL)
        .fetch_optional(db)
        .await?;
    Ok(value.is_some_and(|value| value == SharedSetting::ON))
}

/// Writes a mail to each member who receives notices, and wants to.
async fn to_members<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    subject: MailSubject,
    now: DateTime<Utc>,
) -> Result<(), Failure<E>> {
    let rows: Vec<MemberRow> = sqlx::query_as(concat!(
        "SELECT ",
        person_columns!(),
        ", ",
        member_columns!(),
        " FROM memberships m JOIN people u ON u.id = m.person_id WHERE m.team_id = ?1 ORDER BY m.since, u.id",
    ))
    .bind(Id(team))
    .fetch_all(&mut *db)
    .await?;
    for row in rows {
        let Member { person, role, .. } = row.member()?;
        if role.is_noticed() && person.notices.are_on() {
            let new = NewMail { id: MailId::generate(now), locale: person.locale };
            insert(&mut *db, &Mail::new(new, person.email, subject, now)).await?;
        }
    }
    Ok(())
}
