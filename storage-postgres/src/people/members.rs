//! Members and seats.

use a11ycheck_core::{
    domain::{Membership, Role, Team, keeps_an_owner},
    id::{PersonId, TeamId},
    store::ChangeMemberError,
};
use sqlx::PgConnection;

use super::rows::MembershipRow;
use crate::{
    db::{columns::stored_word, error::Failure, ids::Id},
    teams::rows::{TeamRow, team_columns},
};

/// Locks a team, so that nobody else changes its members or deletes it, and returns it with its plan.
pub(super) async fn lock_team<E>(db: &mut PgConnection, id: TeamId) -> Result<Option<Team>, Failure<E>> {
    let row: Option<TeamRow> = sqlx::query_as(concat!(
        "SELECT ",
        team_columns!(),
        " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = $1 FOR NO KEY UPDATE OF t",
    ))
    .bind(Id(id))
    .fetch_optional(db)
    .await?;
    Ok(row.map(TeamRow::team).transpose()?)
}

pub(super) async fn member<E>(
    db: &mut PgConnection,
    team: TeamId,
    person: PersonId,
) -> Result<Option<Membership>, Failure<E>> {
    let row: Option<MembershipRow> =
        sqlx::query_as("SELECT team_id, person_id, role, since FROM memberships WHERE team_id = $1 AND person_id = $2")
            .bind(Id(team))
            .bind(Id(person))
            .fetch_optional(db)
            .await?;
    Ok(row.map(MembershipRow::membership).transpose()?)
}

/// Makes a person a member of a team that is locked, and counts the seats. Returns `false`, and changes nothing, if no seat is free.
pub(super) async fn join<E>(db: &mut PgConnection, team: &Team, membership: Membership) -> Result<bool, Failure<E>> {
    let Membership { team: id, person, role, since } = membership;
    let members: i64 = sqlx::query_scalar("SELECT count(*) FROM memberships WHERE team_id = $1")
        .bind(Id(id))
        .fetch_one(&mut *db)
        .await?;
    if members >= i64::from(team.plan.limits.seats) {
        return Ok(false);
    }
    sqlx::query("INSERT INTO memberships (team_id, person_id, role, since) VALUES ($1, $2, $3, $4)")
        .bind(Id(id))
        .bind(Id(person))
        .bind(stored_word(role)?)
        .bind(since)
        .execute(&mut *db)
        .await?;
    count_seats(db, id).await?;
    Ok(true)
}

pub(super) async fn count_seats(db: &mut PgConnection, team: TeamId) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE teams SET seats_used = (SELECT count(*) FROM memberships WHERE team_id = $1) WHERE id = $1")
        .bind(Id(team))
        .execute(db)
        .await?;
    Ok(())
}

/// Returns a member of a team that is locked, if the member may get another role, or leave.
pub(super) async fn changed(
    db: &mut PgConnection,
    team: TeamId,
    person: PersonId,
    to: Option<Role>,
) -> Result<Membership, Failure<ChangeMemberError>> {
    let found = member(&mut *db, team, person).await?;
    let found = found.ok_or(Failure::Refused(ChangeMemberError::NotFound))?;
    let owners: i64 = sqlx::query_scalar("SELECT count(*) FROM memberships WHERE team_id = $1 AND role = $2")
        .bind(Id(team))
        .bind(stored_word(Role::Owner)?)
        .fetch_one(db)
        .await?;
    keeps_an_owner(found.role, to, owners.unsigned_abs())
        .map_err(|_| Failure::Refused(ChangeMemberError::LastOwner))?;
    Ok(found)
}
