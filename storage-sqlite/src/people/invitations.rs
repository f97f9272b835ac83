//! Invitations, and what becomes of them.

use a11ycheck_core::{
    domain::{Invitation, Membership, NewAuditRecord, NewInvitation, SecretHash, Team},
    id::{InvitationId, TeamId},
    store::{AcceptError, InviteError, Joining, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::{
    audit::append,
    members,
    rows::{InvitationRow, invitation_columns, invited_by_link},
    store::create,
};
use crate::{
    SqliteStore,
    db::{
        columns::stored_word,
        error::Failure,
        ids::{At, Id},
    },
    mails::notices,
};

impl SqliteStore {
    pub(super) async fn put_invitation(
        &self,
        team: TeamId,
        invitation: NewInvitation,
        audit: NewAuditRecord,
    ) -> Result<Invitation, InviteError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let NewInvitation { id, email, role, invited_by, hash, mail } = invitation;
            let refused = |refusal: InviteError| Failure::Refused(refusal);
            if members::team(tx.db(), team).await?.is_none() {
                return Err(refused(InviteError::NotFound));
            }
            let is_member: bool = sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM memberships m JOIN people u ON u.id = m.person_id
                 WHERE m.team_id = ?1 AND u.email = ?2)",
            )
            .bind(Id(team))
            .bind(email.as_str())
            .fetch_one(tx.db())
            .await?;
            if is_member {
                return Err(refused(InviteError::AlreadyMember));
            }
            sqlx::query("DELETE FROM invitations WHERE team_id = ?1 AND email = ?2")
                .bind(Id(team))
                .bind(email.as_str())
                .execute(tx.db())
                .await?;
            let waiting: i64 =
                sqlx::query_scalar("SELECT count(*) FROM invitations WHERE team_id = ?1 AND created_at > ?2")
                    .bind(Id(team))
                    .bind(At(now - Invitation::TERM))
                    .fetch_one(tx.db())
                    .await?;
            if waiting.unsigned_abs() >= Invitation::MOST {
                return Err(refused(InviteError::TooMany));
            }
            sqlx::query(
                "INSERT INTO invitations (id, team_id, email, role, invited_by, hash, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .bind(Id(id))
            .bind(Id(team))
            .bind(email.as_str())
            .bind(stored_word(role)?)
            .bind(invited_by.map(Id))
            .bind(hash.as_bytes().as_slice())
            .bind(At(now))
            .execute(tx.db())
            .await?;
            append(tx.db(), audit, now).await?;
            let invitation = Invitation { id, team, email, role, invited_by, created_at: now };
            if let Some(mail) = mail {
                notices::invited(tx.db(), mail, &invitation, now).await?;
            }
            Ok(invitation)
        })
        .await
    }

    pub(super) async fn invitations_of(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<InvitationRow> = sqlx::query_as(concat!(
                "SELECT ",
                invitation_columns!(),
                " FROM invitations i WHERE i.team_id = ?1 ORDER BY i.created_at, i.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            let mut invitations = rows.into_iter().map(InvitationRow::invitation).collect::<Result<Vec<_>, _>>()?;
            invitations.retain(|invitation| !invitation.is_over(self.time()));
            Ok(invitations)
        })
        .await
    }

    pub(super) async fn open_invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError> {
        self.read(async |mut db| {
            let now = self.time();
            let Some(invitation) = find_invitation(&mut db, hash, now).await? else { return Ok(None) };
            let team = members::team(&mut db, invitation.team).await?;
            Ok(team.map(|team| (invitation, team)))
        })
        .await
    }

    pub(super) async fn take_back_invitation(
        &self,
        team: TeamId,
        invitation: InvitationId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let withdrawn = sqlx::query("DELETE FROM invitations WHERE team_id = ?1 AND id = ?2 AND created_at > ?3")
                .bind(Id(team))
                .bind(Id(invitation))
                .bind(At(now - Invitation::TERM))
                .execute(tx.db())
                .await?;
            if withdrawn.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), audit, now).await?;
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
        self.write(async |mut tx| {
            let now = tx.now();
            let found = find_invitation(tx.db(), hash, now).await?;
            let invitation = found.ok_or(Failure::Refused(AcceptError::Gone))?;
            let team = members::team(tx.db(), invitation.team).await?;
            let team = team.ok_or(Failure::Refused(AcceptError::Gone))?;
            let of_address: Option<String> = sqlx::query_scalar("SELECT id FROM people WHERE email = ?1")
                .bind(invitation.email.as_str())
                .fetch_optional(tx.db())
                .await?;
            let person = match joining {
                Joining::Known(person) if of_address == Some(person.to_string()) => person,
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
            sqlx::query("DELETE FROM invitations WHERE id = ?1").bind(Id(invitation.id)).execute(tx.db()).await?;
            let audit = NewAuditRecord { team: Some(team.id), person: Some(person), ..audit };
            append(tx.db(), audit, now).await?;
            Ok(membership)
        })
        .await
    }
}

async fn find_invitation<E>(
    db: &mut SqliteConnection,
    hash: &SecretHash,
    now: DateTime<Utc>,
) -> Result<Option<Invitation>, Failure<E>> {
    let row: Option<InvitationRow> =
        sqlx::query_as(concat!("SELECT ", invitation_columns!(), " FROM invitations i WHERE ", invited_by_link!("?1")))
            .bind(hash.as_bytes().as_slice())
            .fetch_optional(db)
            .await?;
    let invitation = row.map(InvitationRow::invitation).transpose()?;
    Ok(invitation.filter(|invitation| !invitation.is_over(now)))
}
