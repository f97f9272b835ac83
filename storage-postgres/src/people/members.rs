//! Members and seats.

use a11ycheck_core::{
    domain::{Member, Membership, NewAuditRecord, Role, Team, keeps_an_owner},
    id::{PersonId, TeamId},
    store::{AddMemberError, ChangeMemberError, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use super::{
    audit::append,
    rows::{MemberRow, MembershipRow, member_columns, person_columns},
    sessions::now,
    store::lock_person,
};
use crate::{
    PostgresStore,
    db::{
        columns::{BoxedError, named, stored_word, word},
        error::{Corrupt, Failure},
        ids::Id,
    },
    teams::rows::{TeamRow, team_columns},
};

impl PostgresStore {
    pub(super) async fn put_member(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, AddMemberError> {
        self.transaction(async |mut tx| {
            let found = lock_team(tx.db(), team).await?;
            let Some(team) = found else { return Err(Failure::Refused(AddMemberError::NotFound)) };
            let now = now(&mut tx).await?;
            if !lock_person(tx.db(), person).await? {
                return Err(Failure::Refused(AddMemberError::NotFound));
            }
            if member(tx.db(), team.id, person).await?.is_some() {
                return Err(Failure::Refused(AddMemberError::AlreadyMember));
            }
            let membership = Membership { team: team.id, person, role, since: now };
            if !join(tx.db(), &team, membership).await? {
                return Err(Failure::Refused(AddMemberError::NoFreeSeat(team.plan.limits.seats)));
            }
            append(tx.db(), &audit, now).await?;
            Ok(membership)
        })
        .await
    }

    pub(super) async fn members_of(&self, team: TeamId) -> Result<Vec<Member>, StoreError> {
        self.step(|| async {
            let rows: Vec<MemberRow> = sqlx::query_as(concat!(
                "SELECT ",
                person_columns!(),
                ", ",
                member_columns!(),
                " FROM memberships m JOIN people u ON u.id = m.person_id
                 WHERE m.team_id = $1 ORDER BY m.since, u.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(MemberRow::member).collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn memberships_of(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let rows: Vec<TeamOfRow> = sqlx::query_as(concat!(
                "SELECT m.person_id, m.role, m.since, ",
                team_columns!(),
                " FROM memberships m JOIN teams t ON t.id = m.team_id JOIN plans p ON p.code = t.plan_code
                 WHERE m.person_id = $1 ORDER BY m.since, t.id",
            ))
            .bind(Id(person))
            .fetch_all(&mut *session)
            .await?;
            session.leave_ready();
            Ok(rows.into_iter().map(TeamOfRow::read).collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn put_role(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, ChangeMemberError> {
        self.transaction(async |mut tx| {
            if lock_team::<ChangeMemberError>(tx.db(), team).await?.is_none() {
                return Err(Failure::Refused(ChangeMemberError::NotFound));
            }
            let now = now(&mut tx).await?;
            let before = changed(tx.db(), team, person, Some(role)).await?;
            if before.role != role {
                sqlx::query("UPDATE memberships SET role = $3 WHERE team_id = $1 AND person_id = $2")
                    .bind(Id(team))
                    .bind(Id(person))
                    .bind(stored_word(role)?)
                    .execute(tx.db())
                    .await?;
                append(tx.db(), &audit, now).await?;
            }
            Ok(Membership { role, ..before })
        })
        .await
    }

    pub(super) async fn take_out_member(
        &self,
        team: TeamId,
        person: PersonId,
        audit: NewAuditRecord,
    ) -> Result<(), ChangeMemberError> {
        self.transaction(async |mut tx| {
            if lock_team::<ChangeMemberError>(tx.db(), team).await?.is_none() {
                return Err(Failure::Refused(ChangeMemberError::NotFound));
            }
            let now = now(&mut tx).await?;
            changed(tx.db(), team, person, None).await?;
            sqlx::query("DELETE FROM memberships WHERE team_id = $1 AND person_id = $2")
                .bind(Id(team))
                .bind(Id(person))
                .execute(tx.db())
                .await?;
            sqlx::query("UPDATE assignments SET assignee_id = NULL WHERE team_id = $1 AND assignee_id = $2")
                .bind(Id(team))
                .bind(Id(person))
                .execute(tx.db())
                .await?;
            count_seats(tx.db(), team).await?;
            append(tx.db(), &audit, now).await?;
            Ok(())
        })
        .await
    }
}

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

/// A membership with the team.
#[derive(FromRow)]
struct TeamOfRow {
    person_id: String,
    role: String,
    since: DateTime<Utc>,
    #[sqlx(flatten)]
    team: TeamRow,
}

impl TeamOfRow {
    fn read(self) -> Result<(Membership, Team), Corrupt> {
        let team = self.team.team()?;
        let read = || -> Result<Membership, BoxedError> {
            let (person, role) = (self.person_id.parse()?, word(&self.role)?);
            Ok(Membership { team: team.id, person, role, since: self.since })
        };
        let membership = named("memberships", format!("{} {}", team.id, self.person_id), read())?;
        Ok((membership, team))
    }
}
