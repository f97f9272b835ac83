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
    rows::{CredentialsRow, PersonRow, SessionRow, SignedInRow, person_columns, session_columns},
    sessions::{self, now},
};
use crate::{
    PostgresStore,
    db::{
        columns::{named, paged, stored_word, word},
        error::Failure,
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
            // A second call with the same link waits here, and then finds no row.
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
                    ", m.role, t.demands_two_steps AND NOT EXISTS (SELECT 1 FROM second_factors f WHERE f.person_id = u.id) \
                     AS lacks_second_factor, ",
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
        let Some(EntryRow { signed_in, role, team, lacks_second_factor }) = row else { return Ok(None) };
        let Some(signed_in) = signed_in.signed_in()? else { return Ok(None) };
        let role = named("memberships", signed_in.person.id.to_string(), word(&role))?;
        let team = team.team()?;
        let signed_in = self.touched(signed_in).await?;
        Ok(Some(Entry { signed_in, role, team, lacks_second_factor }))
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
        self.put_member(team, person, role, audit).await
    }

    async fn members(&self, team: TeamId) -> Result<Vec<Member>, StoreError> {
        self.members_of(team).await
    }

    async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Team)>, StoreError> {
        self.memberships_of(person).await
    }

    async fn change_role(
        &self,
        team: TeamId,
        person: PersonId,
        role: Role,
        audit: NewAuditRecord,
    ) -> Result<Membership, ChangeMemberError> {
        self.put_role(team, person, role, audit).await
    }

    async fn remove_member(
        &self,
        team: TeamId,
        person: PersonId,
        audit: NewAuditRecord,
    ) -> Result<(), ChangeMemberError> {
        self.take_out_member(team, person, audit).await
    }

    async fn invite(
        &self,
        team: TeamId,
        invitation: NewInvitation,
        audit: NewAuditRecord,
    ) -> Result<Invitation, InviteError> {
        self.put_invitation(team, invitation, audit).await
    }

    async fn invitations(&self, team: TeamId) -> Result<Vec<Invitation>, StoreError> {
        self.invitations_of(team).await
    }

    async fn invitation(&self, hash: &SecretHash) -> Result<Option<(Invitation, Team)>, StoreError> {
        self.open_invitation(hash).await
    }

    async fn withdraw_invitation(
        &self,
        team: TeamId,
        invitation: InvitationId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.take_back_invitation(team, invitation, audit).await
    }

    async fn accept_invitation(
        &self,
        hash: &SecretHash,
        joining: Joining,
        audit: NewAuditRecord,
    ) -> Result<Membership, AcceptError> {
        self.take_up_invitation(hash, joining, audit).await
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
pub(super) async fn create<E>(
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
pub(super) async fn lock_person(db: &mut PgConnection, id: PersonId) -> Result<bool, sqlx::Error> {
    let found: Option<i32> = sqlx::query_scalar("SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE")
        .bind(Id(id))
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// A session with its person, the person's role in a team, and the team.
#[derive(FromRow)]
struct EntryRow {
    #[sqlx(flatten)]
    signed_in: SignedInRow,
    role: String,
    lacks_second_factor: bool,
    #[sqlx(flatten)]
    team: TeamRow,
}
