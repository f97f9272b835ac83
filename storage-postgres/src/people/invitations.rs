//! Invitations, and what becomes of them.

use a11ycheck_core::{
    domain::{Invitation, Membership, NewAuditRecord, NewInvitation, SecretHash, Team},
    id::{InvitationId, TeamId},
    store::{AcceptError, InviteError, Joining, StoreError},
};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use super::{
    audit::append,
    members,
    rows::{InvitationRow, invitation_columns, invited_by_link},
    sessions::now,
    store::create,
};
use crate::{
    PostgresStore,
    db::{columns::stored_word, error::Failure, ids::Id},
    mails::notices,
    teams::rows::{TeamRow, team_columns},
};

impl PostgresStore {
    pub(super) async fn put_invitation(
        &self,
        team: TeamId,
        invitation: NewInvitation,
        audit: NewAuditRecord,
    ) -> Result<Invitation, InviteError> {
        self.transaction(async |mut tx| {
            let NewInvitation { id, email, role, invited_by, hash, mail } = invitation.clone();
            let refused = |refusal: InviteError| Failure::Refused(refusal);
            if members::lock_team::<InviteError>(tx.db(), team).await?.is_none() {
                return Err(refused(InviteError::NotFound));
            }
            let now = now(&mut tx).await?;
            let is_member: bool = sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM memberships m JOIN people u ON u.id = m.person_id
                 WHERE m.team_id = $1 AND u.email = $2)",
            )
            .bind(Id(team))
            .bind(email.as_str())
            .fetch_one(tx.db())
            .await?;
            if is_member {
                return Err(refused(InviteError::AlreadyMember));
            }
            sqlx::query("DELETE FROM invitations WHERE team_id = $1 AND email = $2")
                .bind(Id(team))
                .bind(email.as_str())
                .execute(tx.db())
                .await?;
            let waiting: i64 =
                sqlx::query_scalar("SELECT count(*) FROM invitations WHERE team_id = $1 AND created_at > $2")
                    .bind(Id(team))
                    .bind(now - Invitation::TERM)
                    .fetch_one(tx.db())
                    .await?;
            if waiting.unsigned_abs() >= Invitation::MOST {
                return Err(refused(InviteError::TooMany));
            }
            sqlx::query(
                "INSERT INTO invitations (id, team_id, email, role, invited_by, hash, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(Id(id))
            .bind(Id(team))
            .bind(email.as_str())
            .bind(stored_word(role)?)
            .bind(invited_by.map(Id))
            .bind(hash.as_bytes().as_slice())
            .bind(now)
            .execute(tx.db())
            .await?;
            append(tx.db(), &audit, now).await?;
            let invitation = Invitation { id, team, email, role, invited_by, created_at: now };
            if let Some(mail) = mail {
                notices::invited(tx.db(), mail, &invitation, now).await?;
            }
            Ok(invitation)
        })
        .await
    }

    pub(super) async fn invitations_of(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError> {
        self.step(|| async {
            let rows: Vec<InvitationRow> = sqlx::query_as(concat!(
                "SELECT ",
                invitation_columns!(),
                " FROM invitations i WHERE i.team_id = $1 AND i.created_at > coalesce($2, clock_timestamp()) - $3
                 ORDER BY i.created_at, i.id",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Invitation::TERM)
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(InvitationRow::invitation).collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn open_invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError> {
        self.step(|| async {
            let row: Option<InvitedRow> = sqlx::query_as(concat!(
                "SELECT ",
                invitation_columns!(),
                ", ",
                team_columns!(),
                " FROM invitations i JOIN teams t ON t.id = i.team_id JOIN plans p ON p.code = t.plan_code
                 WHERE ",
                invited_by_link!("$1"),
                " AND i.created_at > coalesce($2, clock_timestamp()) - $3",
            ))
            .bind(hash.as_bytes().as_slice())
            .bind(self.instant())
            .bind(Invitation::TERM)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            let Some(InvitedRow { invitation, team }) = row else { return Ok(None) };
            Ok(Some((invitation.invitation()?, team.team()?)))
        })
        .await
    }

    pub(super) async fn take_back_invitation(
        &self,
        team: TeamId,
        invitation: InvitationId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let withdrawn = sqlx::query("DELETE FROM invitations WHERE team_id = $1 AND id = $2 AND created_at > $3")
                .bind(Id(team))
                .bind(Id(invitation))
                .bind(now - Invitation::TERM)
                .execute(tx.db())
                .await?;
            if withdrawn.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    pub(super) async fn take_up_invitation(
        &self,
        hash: &SecretHash,
        joining: Joining,
        audit: NewAuditRecord,
    ) -> Result<Membership, AcceptError> {
        self.transaction(async |mut tx| {
            // The team is locked first, as in all steps, and the invitation is then read as it is.
            let found: Option<Invitation> = find_invitation(tx.db(), hash).await?;
            let team = found.ok_or(Failure::Refused(AcceptError::Gone))?.team;
            let team = members::lock_team(tx.db(), team).await?;
            let team = team.ok_or(Failure::Refused(AcceptError::Gone))?;
            let now = now(&mut tx).await?;
            let found: Option<Invitation> = find_invitation(tx.db(), hash).await?;
            let invitation = found.filter(|invitation| !invitation.is_over(now));
            let invitation = invitation.ok_or(Failure::Refused(AcceptError::Gone))?;
            let of_address: Option<String> = sqlx::query_scalar("SELECT id FROM people WHERE email = $1")
                .bind(invitation.email.as_str())
                .fetch_optional(tx.db())
                .await?;
            let person = match &joining {
                Joining::Known(person) if of_address == Some(person.to_string()) => *person,
                Joining::New(new) if new.email == invitation.email => {
                    let created = create(tx.db(), new, now).await?;
                    created.ok_or(Failure::Refused(AcceptError::AddressTaken))?.id
                }
                Joining::Known(_) | Joining::New(_) => return Err(Failure::Refused(AcceptError::OtherAddress)),
            };
            if members::member(tx.db(), team.id, person).await?.is_some() {
                return Err(Failure::Refused(AcceptError::AlreadyMember));
            }
            let membership = Membership { team: team.id, person, role: invitation.role, since: now };
            if !members::join(tx.db(), &team, membership).await? {
                return Err(Failure::Refused(AcceptError::NoFreeSeat(team.plan.limits.seats)));
            }
            sqlx::query("DELETE FROM invitations WHERE id = $1").bind(Id(invitation.id)).execute(tx.db()).await?;
            let audit = NewAuditRecord { team: Some(team.id), person: Some(person), ..audit.clone() };
            append(tx.db(), &audit, now).await?;
            Ok(membership)
        })
        .await
    }
}

async fn find_invitation<E>(db: &mut PgConnection, hash: &SecretHash) -> Result<Option<Invitation>, Failure<E>> {
    let row: Option<InvitationRow> =
        sqlx::query_as(concat!("SELECT ", invitation_columns!(), " FROM invitations i WHERE ", invited_by_link!("$1")))
            .bind(hash.as_bytes().as_slice())
            .fetch_optional(db)
            .await?;
    Ok(row.map(InvitationRow::invitation).transpose()?)
}

/// An invitation with its team.
#[derive(FromRow)]
struct InvitedRow {
    #[sqlx(flatten)]
    invitation: InvitationRow,
    #[sqlx(flatten)]
    team: TeamRow,
}
