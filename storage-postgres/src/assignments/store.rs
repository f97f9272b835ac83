//! Assignments.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{Assignment, NewAssignment, NewAuditRecord, Site, WorkChange, without_repeated_assignments},
    id::{AssignmentId, PersonId, ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{AssignError, AssignmentFilter, AssignmentStore, Progress, StoreError, Whose},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, QueryBuilder, types::Json};

use super::rows::{AssignmentRow, assignment_columns};
use crate::{
    PostgresStore,
    db::{
        columns::{paged, stored_word},
        error::Failure,
        ids::Id,
    },
    people::{audit::append, sessions::now},
    reviews::store::lock_site,
    sites::rows::{SiteRow, site_columns},
};

/// The condition on an assignment `w` of the team `$1` must be: of the site `$2`, and the member's `$3`, where they are given; nobody's, where `$4`
/// says so; and unfinished, where `$5` says so.
macro_rules! is_meant {
    () => {
        "w.team_id = $1 AND ($2::text IS NULL OR w.site_id = $2) AND ($3::text IS NULL OR w.assignee_id = $3)
         AND (NOT $4 OR w.assignee_id IS NULL) AND (NOT $5 OR w.state <> 'done')"
    };
}

#[async_trait]
impl AssignmentStore for PostgresStore {
    async fn put_assignments(
        &self,
        team: TeamId,
        site: SiteId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Assignment>, AssignError> {
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(AssignError::NotFound));
            }
            let now = now(&mut tx).await?;
            let new =
                without_repeated_assignments(assignments.iter().cloned().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(tx.db(), team, site, &new).await?;
            append(tx.db(), &audit, now).await?;
            Ok(new)
        })
        .await
    }

    async fn change_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        change: WorkChange,
        audit: NewAuditRecord,
    ) -> Result<Assignment, AssignError> {
        self.transaction(async |mut tx| {
            lock_team(tx.db(), team).await?;
            possible(tx.db(), team, change.assignee).await?;
            let before = locked(tx.db(), team, assignment).await?.ok_or(Failure::Refused(AssignError::NotFound))?;
            let now = now(&mut tx).await?;
            let changed = before.changed(change, now);
            update(tx.db(), &changed).await?;
            append(tx.db(), &audit, now).await?;
            Ok(changed)
        })
        .await
    }

    async fn remove_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            lock_team(tx.db(), team).await?;
            let removed = sqlx::query("DELETE FROM assignments WHERE id = $1 AND team_id = $2")
                .bind(Id(assignment))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            if removed.rows_affected() == 0 {
                return Ok(false);
            }
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn reopen_assignments(
        &self,
        team: TeamId,
        scan: ScanId,
        began: DateTime<Utc>,
        found: Vec<(AssignmentId, NewAuditRecord)>,
    ) -> Result<Vec<Assignment>, StoreError> {
        self.transaction(async |mut tx| {
            lock_team(tx.db(), team).await?;
            let now = now(&mut tx).await?;
            let mut reopened = Vec::new();
            for (id, audit) in &found {
                let before = locked(tx.db(), team, *id).await?;
                if let Some(open) = before.and_then(|before| before.reopened(scan, began, now)) {
                    update(tx.db(), &open).await?;
                    append(tx.db(), audit, now).await?;
                    reopened.push(open);
                }
            }
            Ok(reopened)
        })
        .await
    }

    async fn assignment(&self, team: TeamId, assignment: AssignmentId) -> Result<Option<Assignment>, StoreError> {
        self.step(|| async {
            let row: Option<AssignmentRow> = sqlx::query_as(concat!(
                "SELECT ",
                assignment_columns!(),
                " FROM assignments w WHERE w.id = $1 AND w.team_id = $2",
            ))
            .bind(Id(assignment))
            .bind(Id(team))
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(AssignmentRow::assignment).transpose()?)
        })
        .await
    }

    async fn assignments(
        &self,
        team: TeamId,
        filter: AssignmentFilter,
        page: PageRequest,
    ) -> Result<Page<Assignment>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let (person, nobody) = match filter.whose {
                Whose::Anybody => (None, false),
                Whose::Nobody => (None, true),
                Whose::Person(person) => (Some(person), false),
            };
            let unfinished = filter.progress == Progress::Unfinished;
            let mut session = self.session().await?;
            let rows: Vec<AssignmentRow> = sqlx::query_as(concat!(
                "SELECT ",
                assignment_columns!(),
                " FROM assignments w WHERE ",
                is_meant!(),
                " ORDER BY w.due, w.at, w.id LIMIT $6 OFFSET $7",
            ))
            .bind(Id(team))
            .bind(filter.site.map(Id))
            .bind(person.map(Id))
            .bind(nobody)
            .bind(unfinished)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *session)
            .await?;
            let total: i64 = sqlx::query_scalar(concat!("SELECT count(*) FROM assignments w WHERE ", is_meant!()))
                .bind(Id(team))
                .bind(filter.site.map(Id))
                .bind(person.map(Id))
                .bind(nobody)
                .bind(unfinished)
                .fetch_one(&mut *session)
                .await?;
            let items = rows.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn all_assignments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assignment>, StoreError> {
        self.step(|| async { all(&mut *self.session().await?, team, site).await }).await
    }

    async fn unfinished_assignments(&self, team: TeamId, person: PersonId) -> Result<u64, StoreError> {
        self.step(|| async {
            let number: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM assignments WHERE team_id = $1 AND assignee_id = $2 AND state <> 'done'",
            )
            .bind(Id(team))
            .bind(Id(person))
            .fetch_one(&mut *self.session().await?)
            .await?;
            Ok(number.unsigned_abs())
        })
        .await
    }

    async fn assigned_sites(&self, team: TeamId) -> Result<Vec<Site>, StoreError> {
        self.step(|| async {
            let rows: Vec<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                " FROM sites site
                 WHERE site.id IN (SELECT w.site_id FROM assignments w WHERE w.team_id = $1)
                 ORDER BY site.domain, site.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(SiteRow::site).collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// Keeps assignments about a site, in place of those with the same subjects; returns those whose place they take.
pub(crate) async fn replace(
    db: &mut PgConnection,
    team: TeamId,
    site: SiteId,
    new: &[Assignment],
) -> Result<Vec<Assignment>, Failure<AssignError>> {
    let assignees: BTreeSet<PersonId> = new.iter().filter_map(|one| one.assignee).collect();
    for person in assignees {
        possible(&mut *db, team, Some(person)).await?;
    }
    let subjects: Vec<String> = new.iter().map(|one| one.subject().as_str().to_owned()).collect();
    let replaced: Vec<AssignmentRow> = sqlx::query_as(concat!(
        "DELETE FROM assignments w WHERE w.site_id = $1 AND w.subject = ANY ($2) RETURNING ",
        assignment_columns!(),
    ))
    .bind(Id(site))
    .bind(&subjects)
    .fetch_all(&mut *db)
    .await?;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM assignments WHERE site_id = $1")
        .bind(Id(site))
        .fetch_one(&mut *db)
        .await?;
    if kept.unsigned_abs() + new.len() as u64 > Assignment::MOST {
        return Err(Failure::Refused(AssignError::TooMany));
    }
    insert(db, new).await?;
    Ok(replaced.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?)
}

/// Removes assignments.
pub(crate) async fn remove(db: &mut PgConnection, assignments: &[AssignmentId]) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM assignments WHERE id = ANY ($1)")
        .bind(assignments.iter().copied().map(Id).collect::<Vec<_>>())
        .execute(db)
        .await?;
    Ok(())
}

/// Makes nobody's what those have who are no members of the team any more.
pub(crate) async fn take_from_others(db: &mut PgConnection, team: TeamId, site: SiteId) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE assignments w SET assignee_id = NULL WHERE w.site_id = $2 AND w.assignee_id IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM memberships m WHERE m.team_id = $1 AND m.person_id = w.assignee_id)",
    )
    .bind(Id(team))
    .bind(Id(site))
    .execute(db)
    .await?;
    Ok(())
}

/// Returns all assignments of a site.
pub(crate) async fn all<E>(db: &mut PgConnection, team: TeamId, site: SiteId) -> Result<Vec<Assignment>, Failure<E>> {
    let rows: Vec<AssignmentRow> = sqlx::query_as(concat!(
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w WHERE w.site_id = $1 AND w.team_id = $2 ORDER BY w.id",
    ))
    .bind(Id(site))
    .bind(Id(team))
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?)
}

/// Locks the team first, as all steps do: the entry of the audit log refers to it.
async fn lock_team(db: &mut PgConnection, team: TeamId) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT FROM teams WHERE id = $1 FOR KEY SHARE").bind(Id(team)).fetch_optional(db).await?;
    Ok(())
}

/// Returns an assignment that nobody else changes meanwhile.
async fn locked<E>(db: &mut PgConnection, team: TeamId, id: AssignmentId) -> Result<Option<Assignment>, Failure<E>> {
    let row: Option<AssignmentRow> = sqlx::query_as(concat!(
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w WHERE w.id = $1 AND w.team_id = $2 FOR NO KEY UPDATE",
    ))
    .bind(Id(id))
    .bind(Id(team))
    .fetch_optional(db)
    .await?;
    Ok(row.map(AssignmentRow::assignment).transpose()?)
}

/// Makes sure that somebody is a member of a team, and stays one until the step ends.
async fn possible(db: &mut PgConnection, team: TeamId, assignee: Option<PersonId>) -> Result<(), Failure<AssignError>> {
    let Some(person) = assignee else { return Ok(()) };
    let membership = sqlx::query("SELECT FROM memberships WHERE team_id = $1 AND person_id = $2 FOR KEY SHARE")
        .bind(Id(team))
        .bind(Id(person))
        .fetch_optional(db)
        .await?;
    if membership.is_some() { Ok(()) } else { Err(Failure::Refused(AssignError::NotMember)) }
}

/// The rows of one statement: far fewer parameters than a statement may have.
const ROWS: usize = 500;

/// Stores assignments whose subjects no others of their site have.
pub(crate) async fn insert<E>(db: &mut PgConnection, assignments: &[Assignment]) -> Result<(), Failure<E>> {
    for rows in assignments.chunks(ROWS) {
        let mut statement = QueryBuilder::new(
            "INSERT INTO assignments
                 (id, team_id, site_id, subject, element, scope, assignee_id, state, since, due, reopened_by, author, at) ",
        );
        statement.push_values(rows, |mut row, assignment| {
            row.push_bind(Id(assignment.id))
                .push_bind(Id(assignment.team))
                .push_bind(Id(assignment.site))
                .push_bind(assignment.subject().as_str().to_owned())
                .push_bind(Json(&assignment.element))
                .push_bind(assignment.scope.to_string())
                .push_bind(assignment.assignee.map(Id))
                .push_bind(assignment.state.to_string())
                .push_bind(assignment.since)
                .push_bind(assignment.due)
                .push_bind(assignment.reopened_by.map(Id))
                .push_bind(&assignment.author)
                .push_bind(assignment.at);
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}

/// Stores what can change of an assignment.
async fn update<E>(db: &mut PgConnection, assignment: &Assignment) -> Result<(), Failure<E>> {
    sqlx::query(
        "UPDATE assignments SET assignee_id = $2, state = $3, since = $4, due = $5, reopened_by = $6 WHERE id = $1",
    )
    .bind(Id(assignment.id))
    .bind(assignment.assignee.map(Id))
    .bind(stored_word(assignment.state)?)
    .bind(assignment.since)
    .bind(assignment.due)
    .bind(assignment.reopened_by.map(Id))
    .execute(db)
    .await?;
    Ok(())
}
