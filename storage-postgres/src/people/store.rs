//! People, sessions, memberships, invitations and the audit log.

use a11ycheck_core::{
    domain::{
        AuditRecord, EmailAddress, Invitation, Member, Membership, NewAuditRecord, NewInvitation, NewPerson,
        NewSession, Notices, PasswordHash, Person, Role, SecretHash, Session, Team,
    },
    id::{InvitationId, PersonId, SessionId, TeamId},
    paging::{Page, PageRequest},
    store::{
        AcceptError, AddMemberError, ChangeMemberError, CreatePersonError, Credentials, Entry, InviteError, Joining,
        PeopleStore, PurgedPeople, RedeemError, SignedIn, StoreError,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use super::{
    audit::append,
    members,
    rows::{
        CredentialsRow, InvitationRow, MemberRow, PersonRow, SessionRow, SignedInRow, invitation_columns,
        invited_by_link, person_columns, session_columns,
    },
    sessions::{self, now},
};
use crate::{
    PostgresStore,
    db::{
        columns::{BoxedError, named, paged, stored_word, word},
        error::{Corrupt, Failure},
        ids::Id,
    },
    mails::notices,
    teams::rows::{TeamRow, team_columns},
};

#[async_trait]
impl PeopleStore for PostgresStore {
    async fn put_first_link(&self, link: SecretHash, term: TimeDelta) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let ends_at = now(&mut tx).await? + term;
            let put = sqlx::query(
                "INSERT INTO first_link (number, hash, ends_at)
                 SELECT 1, $1, $2 WHERE NOT EXISTS (SELECT FROM people)
                 ON CONFLICT (number) DO UPDATE SET hash = excluded.hash, ends_at = excluded.ends_at",
            )
            .bind(link.as_bytes().as_slice())
            .bind(ends_at)
            .execute(tx.db())
            .await?;
            Ok(put.rows_affected() > 0)
        })
        .await
    }

    async fn is_first_link(&self, link: &SecretHash) -> Result<bool, StoreError> {
        self.step(|| async {
            let is_valid = sqlx::query_scalar(
                "SELECT EXISTS (SELECT FROM first_link WHERE hash = $1 AND ends_at > coalesce($2, clock_timestamp()))
                     AND NOT EXISTS (SELECT FROM people)",
            )
            .bind(link.as_bytes().as_slice())
            .bind(self.instant())
            .fetch_one(&mut *self.session().await?)
            .await?;
            Ok(is_valid)
        })
        .await
    }

    async fn redeem_first_link(
        &self,
        link: &SecretHash,
        person: NewPerson,
        audit: NewAuditRecord,
    ) -> Result<Person, RedeemError> {
        self.transaction(async |mut tx| {
            // Who comes at the same time waits here, and then finds no link.
            let ends_at: Option<DateTime<Utc>> =
                sqlx::query_scalar("DELETE FROM first_link WHERE hash = $1 RETURNING ends_at")
                    .bind(link.as_bytes().as_slice())
                    .fetch_optional(tx.db())
                    .await?;
            let now = now(&mut tx).await?;
            let is_anybody: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM people)").fetch_one(tx.db()).await?;
            if is_anybody || ends_at.is_none_or(|end| end <= now) {
                return Err(Failure::Refused(RedeemError::Gone));
            }
            let person = create(tx.db(), &person, now).await?.ok_or(Failure::Refused(RedeemError::Gone))?;
            append(tx.db(), &audit, now).await?;
            Ok(person)
        })
        .await
    }

    async fn create_person(&self, person: NewPerson, audit: NewAuditRecord) -> Result<Person, CreatePersonError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let created = create(tx.db(), &person, now).await?;
            let person = created.ok_or(Failure::Refused(CreatePersonError::AddressTaken))?;
            append(tx.db(), &audit, now).await?;
            Ok(person)
        })
        .await
    }

    async fn persons(&self, page: PageRequest) -> Result<Page<Person>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<PersonRow> = sqlx::query_as(concat!(
                "SELECT ",
                person_columns!(),
                " FROM people u ORDER BY u.created_at, u.id LIMIT $1 OFFSET $2",
            ))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: i64 =
                sqlx::query_scalar("SELECT count(*) FROM people").fetch_one(&mut *self.session().await?).await?;
            let items = rows.into_iter().map(PersonRow::person).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn credentials(&self, email: &EmailAddress) -> Result<Option<Credentials>, StoreError> {
        self.step(|| async {
            let row: Option<CredentialsRow> =
                sqlx::query_as(concat!("SELECT ", person_columns!(), ", u.password FROM people u WHERE u.email = $1"))
                    .bind(email.as_str())
                    .fetch_optional(&mut *self.session().await?)
                    .await?;
            Ok(row.map(CredentialsRow::credentials).transpose()?)
        })
        .await
    }

    async fn set_password(
        &self,
        person: PersonId,
        password: PasswordHash,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let set = sqlx::query("UPDATE people SET password = $2 WHERE id = $1")
                .bind(Id(person))
                .bind(password.as_str())
                .execute(tx.db())
                .await?;
            if set.rows_affected() == 0 {
                return Ok(false);
            }
            let now = now(&mut tx).await?;
            notices::forget_resets(tx.db(), person).await?;
            sessions::end_others(tx.db(), person, kept, now).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn begin_session(
        &self,
        session: NewSession,
        replaced: Option<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<Option<Session>, StoreError> {
        self.transaction(async |mut tx| {
            if !lock_person(tx.db(), session.person).await? {
                return Ok(None);
            }
            let now = now(&mut tx).await?;
            let session = sessions::begin(tx.db(), &session, replaced, now).await?;
            append(tx.db(), &audit, now).await?;
            Ok(Some(session))
        })
        .await
    }

    async fn session(&self, hash: &SecretHash) -> Result<Option<SignedIn>, StoreError> {
        match self.find_session(hash).await? {
            Some(found) => self.touched(found).await.map(Some),
            None => Ok(None),
        }
    }

    async fn entry(&self, hash: &SecretHash, team: TeamId) -> Result<Option<Entry>, StoreError> {
        let row: Option<EntryRow> = self
            .step(|| async {
                let row = sqlx::query_as(concat!(
                    "SELECT coalesce($3, clock_timestamp()) AS now, ",
                    session_columns!(),
                    ", ",
                    person_columns!(),
                    ", m.role, ",
                    team_columns!(),
                    " FROM sessions s JOIN people u ON u.id = s.person_id
                     JOIN memberships m ON m.person_id = u.id AND m.team_id = $2
                     JOIN teams t ON t.id = m.team_id JOIN plans p ON p.code = t.plan_code
                     WHERE s.hash = $1",
                ))
                .bind(hash.as_bytes().as_slice())
                .bind(Id(team))
                .bind(self.instant())
                .fetch_optional(&mut *self.session().await?)
                .await?;
                Ok::<_, Failure<StoreError>>(row)
            })
            .await?;
        let Some(EntryRow { signed_in, role, team }) = row else { return Ok(None) };
        let Some(signed_in) = signed_in.signed_in()? else { return Ok(None) };
        let role = named("memberships", signed_in.person.id.to_string(), word(&role))?;
        let team = team.team()?;
        Ok(Some(Entry { signed_in: self.touched(signed_in).await?, role, team }))
    }

    async fn sessions(&self, person: PersonId) -> Result<Vec<Session>, StoreError> {
        self.step(|| async {
            let rows: Vec<SessionRow> = sqlx::query_as(concat!(
                "SELECT ",
                session_columns!(),
                " FROM sessions s WHERE s.person_id = $1
                 AND s.last_used_at > coalesce($2, clock_timestamp()) - $3 AND s.created_at > coalesce($2, clock_timestamp()) - $4
                 ORDER BY s.created_at DESC, s.id",
            ))
            .bind(Id(person))
            .bind(self.instant())
            .bind(Session::IDLE)
            .bind(Session::LONGEST)
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(SessionRow::session).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn end_session(
        &self,
        person: PersonId,
        session: SessionId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let row: Option<SessionRow> = sqlx::query_as(concat!(
                "SELECT ",
                session_columns!(),
                " FROM sessions s WHERE s.person_id = $1 AND s.id = $2 FOR UPDATE",
            ))
            .bind(Id(person))
            .bind(Id(session))
            .fetch_optional(tx.db())
            .await?;
            let found = row.map(SessionRow::session).transpose()?;
            if found.is_none_or(|session| session.is_over(now)) {
                return Ok(false);
            }
            sqlx::query("DELETE FROM sessions WHERE id = $1").bind(Id(session)).execute(tx.db()).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn end_sessions(
        &self,
        person: PersonId,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<u64, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let ended = sessions::end_others(tx.db(), person, kept, now).await?;
            if ended > 0 {
                append(tx.db(), &audit, now).await?;
            }
            Ok(ended)
        })
        .await
    }

    async fn add_member(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, AddMemberError> {
        self.transaction(async |mut tx| {
            let found = members::lock_team(tx.db(), team).await?;
            let Some(team) = found else { return Err(Failure::Refused(AddMemberError::NotFound)) };
            let now = now(&mut tx).await?;
            if !lock_person(tx.db(), person).await? {
                return Err(Failure::Refused(AddMemberError::NotFound));
            }
            if members::member(tx.db(), team.id, person).await?.is_some() {
                return Err(Failure::Refused(AddMemberError::AlreadyMember));
            }
            let membership = Membership { team: team.id, person, role, since: now };
            if !members::join(tx.db(), &team, membership).await? {
                return Err(Failure::Refused(AddMemberError::NoFreeSeat(team.plan.limits.seats)));
            }
            append(tx.db(), &audit, now).await?;
            Ok(membership)
        })
        .await
    }

    async fn members(&self, team: TeamId) -> Result<Vec<Member>, StoreError> {
        self.step(|| async {
            let rows: Vec<MemberRow> = sqlx::query_as(concat!(
                "SELECT ",
                person_columns!(),
                ", m.role, m.since FROM memberships m JOIN people u ON u.id = m.person_id
                 WHERE m.team_id = $1 ORDER BY m.since, u.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(MemberRow::member).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, StoreError> {
        self.step(|| async {
            let rows: Vec<TeamOfRow> = sqlx::query_as(concat!(
                "SELECT m.person_id, m.role, m.since, ",
                team_columns!(),
                " FROM memberships m JOIN teams t ON t.id = m.team_id JOIN plans p ON p.code = t.plan_code
                 WHERE m.person_id = $1 ORDER BY m.since, t.id",
            ))
            .bind(Id(person))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(TeamOfRow::read).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn change_role(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, ChangeMemberError> {
        self.transaction(async |mut tx| {
            if members::lock_team::<ChangeMemberError>(tx.db(), team).await?.is_none() {
                return Err(Failure::Refused(ChangeMemberError::NotFound));
            }
            let now = now(&mut tx).await?;
            let before = members::changed(tx.db(), team, person, Some(role)).await?;
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

    async fn remove_member(
        &self,
        team: TeamId,
        person: PersonId,
        audit: NewAuditRecord,
    ) -> Result<(), ChangeMemberError> {
        self.transaction(async |mut tx| {
            if members::lock_team::<ChangeMemberError>(tx.db(), team).await?.is_none() {
                return Err(Failure::Refused(ChangeMemberError::NotFound));
            }
            let now = now(&mut tx).await?;
            members::changed(tx.db(), team, person, None).await?;
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
            members::count_seats(tx.db(), team).await?;
            append(tx.db(), &audit, now).await?;
            Ok(())
        })
        .await
    }

    async fn invite(
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

    async fn invitations(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError> {
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

    async fn invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError> {
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

    async fn withdraw_invitation(
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

    async fn accept_invitation(
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

    async fn append_audit(&self, record: NewAuditRecord) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            Ok(append(tx.db(), &record, now).await?)
        })
        .await
    }

    async fn audit(&self, team: Option<TeamId>, page: PageRequest) -> Result<Page<AuditRecord>, StoreError> {
        self.audit_page(team, page).await
    }

    async fn purge_people(&self, limit: u32) -> Result<PurgedPeople, StoreError> {
        self.purge_what_is_over(limit).await
    }
}

/// Creates a person; returns `None` if another one has the address.
async fn create<E>(
    db: &mut PgConnection,
    new: &NewPerson,
    created_at: DateTime<Utc>,
) -> Result<Option<Person>, Failure<E>> {
    let NewPerson { id, email, name, locale, kind, password } = new.clone();
    let created = sqlx::query(
        "INSERT INTO people (id, email, name, locale, kind, password, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (email) DO NOTHING",
    )
    .bind(Id(id))
    .bind(email.as_str())
    .bind(&name)
    .bind(locale.code())
    .bind(stored_word(kind)?)
    .bind(password.as_ref().map(PasswordHash::as_str))
    .bind(created_at)
    .execute(db)
    .await?;
    Ok((created.rows_affected() > 0).then_some(Person {
        id,
        email,
        name,
        locale,
        kind,
        created_at,
        notices: Notices::On,
    }))
}

/// Locks a person, so that no other session of the person is begun meanwhile. Returns `false` if there is none.
async fn lock_person(db: &mut PgConnection, id: PersonId) -> Result<bool, sqlx::Error> {
    let found: Option<i32> = sqlx::query_scalar("SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE")
        .bind(Id(id))
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

async fn find_invitation<E>(db: &mut PgConnection, hash: &SecretHash) -> Result<Option<Invitation>, Failure<E>> {
    let row: Option<InvitationRow> =
        sqlx::query_as(concat!("SELECT ", invitation_columns!(), " FROM invitations i WHERE ", invited_by_link!("$1")))
            .bind(hash.as_bytes().as_slice())
            .fetch_optional(db)
            .await?;
    Ok(row.map(InvitationRow::invitation).transpose()?)
}

/// A session with its person, the person's role in a team, and the team.
#[derive(FromRow)]
struct EntryRow {
    #[sqlx(flatten)]
    signed_in: SignedInRow,
    role: String,
    #[sqlx(flatten)]
    team: TeamRow,
}

/// An invitation with its team.
#[derive(FromRow)]
struct InvitedRow {
    #[sqlx(flatten)]
    invitation: InvitationRow,
    #[sqlx(flatten)]
    team: TeamRow,
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
