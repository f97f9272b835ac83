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
use sqlx::SqliteConnection;

use super::rows::{AssignmentRow, assignment_columns, insert};
use crate::{
    SqliteStore,
    db::{
        columns::{json, paged, stored_word},
        error::Failure,
        ids::{At, Id},
    },
    people::audit::append,
    reviews::store::is_site,
    sites::rows::{SiteRow, site_columns},
};

/// The condition on an assignment `w` of the team `?1` must be: of the site `?2`, and the member's `?3`, where they are given; nobody's, where `?4`
/// says so; and unfinished, where `?5` says so.
macro_rules! is_meant {
    () => {
        "w.team_id = ?1 AND (?2 IS NULL OR w.site_id = ?2) AND (?3 IS NULL OR w.assignee_id = ?3)
         AND (NOT ?4 OR w.assignee_id IS NULL) AND (NOT ?5 OR w.state <> 'done')"
    };
}

#[async_trait]
impl AssignmentStore for SqliteStore {
    async fn put_assignments(
        &self,
        team: TeamId,
        site: SiteId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Assignment>, AssignError> {
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(AssignError::NotFound));
            }
            let new =
                without_repeated_assignments(assignments.into_iter().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(tx.db(), team, site, &new).await?;
            append(tx.db(), audit, now).await?;
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
        self.write(async |mut tx| {
            let now = tx.now();
            let before = found(tx.db(), team, assignment).await?.ok_or(Failure::Refused(AssignError::NotFound))?;
            possible(tx.db(), team, change.assignee).await?;
            let changed = before.changed(change, now);
            update(tx.db(), &changed).await?;
            append(tx.db(), audit, now).await?;
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
        self.write(async |mut tx| {
            let now = tx.now();
            let removed = sqlx::query("DELETE FROM assignments WHERE id = ?1 AND team_id = ?2")
                .bind(Id(assignment))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            if removed.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn reopen_assignments(
        &self,
        team: TeamId,
        scan: ScanId,
        began: DateTime<Utc>,
        again: Vec<(AssignmentId, NewAuditRecord)>,
    ) -> Result<Vec<Assignment>, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let mut reopened = Vec::new();
            for (id, audit) in again {
                let before = found(tx.db(), team, id).await?;
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
        self.read(async |mut db| found(&mut db, team, assignment).await).await
    }

    async fn assignments(
        &self,
        team: TeamId,
        filter: AssignmentFilter,
        page: PageRequest,
    ) -> Result<Page<Assignment>, StoreError> {
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let (site, person, nobody, unfinished) = parameters(filter);
            let rows: Vec<AssignmentRow> = sqlx::query_as(concat!(
                "SELECT ",
                assignment_columns!(),
                " FROM assignments w WHERE ",
                is_meant!(),
                " ORDER BY w.due IS NULL, w.due, w.at, w.id LIMIT ?6 OFFSET ?7",
            ))
            .bind(Id(team))
            .bind(site.map(Id))
            .bind(person.map(Id))
            .bind(nobody)
            .bind(unfinished)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let items = rows.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: counted(&mut db, team, filter).await? })
        })
        .await
    }

    async fn all_assignments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assignment>, StoreError> {
        self.read(async |mut db| all(&mut db, team, site).await).await
    }

    async fn unfinished_assignments(&self, team: TeamId, person: PersonId) -> Result<u64, StoreError> {
        self.read(async |mut db| {
            let number: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM assignments WHERE team_id = ?1 AND assignee_id = ?2 AND state <> 'done'",
            )
            .bind(Id(team))
            .bind(Id(person))
            .fetch_one(&mut *db)
            .await?;
            Ok(number.unsigned_abs())
        })
        .await
    }

    async fn assigned_sites(&self, team: TeamId) -> Result<Vec<Site>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                " FROM sites site
                 WHERE site.id IN (SELECT w.site_id FROM assignments w WHERE w.team_id = ?1)
                 ORDER BY site.domain, site.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(SiteRow::site).collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// Keeps assignments about a site, in place of those with the same subjects; returns those whose place they take.
pub(crate) async fn replace(
    db: &mut SqliteConnection,
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
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w WHERE w.site_id = ?1 AND w.subject IN (SELECT value FROM json_each(?2))",
    ))
    .bind(Id(site))
    .bind(json(&subjects)?)
    .fetch_all(&mut *db)
    .await?;
    let replaced: Vec<Assignment> = replaced.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?;
    let gone: Vec<AssignmentId> = replaced.iter().map(|assignment| assignment.id).collect();
    remove(db, &gone).await?;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM assignments WHERE site_id = ?1")
        .bind(Id(site))
        .fetch_one(&mut *db)
        .await?;
    if kept.unsigned_abs() + new.len() as u64 > Assignment::MOST {
        return Err(Failure::Refused(AssignError::TooMany));
    }
    for assignment in new {
        insert(db, assignment).await?;
    }
    Ok(replaced)
}

/// Removes assignments.
pub(crate) async fn remove<E>(db: &mut SqliteConnection, assignments: &[AssignmentId]) -> Result<(), Failure<E>> {
    let ids: Vec<String> = assignments.iter().map(ToString::to_string).collect();
    sqlx::query("DELETE FROM assignments WHERE id IN (SELECT value FROM json_each(?1))")
        .bind(json(&ids)?)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes nobody's what those have who are no members of the team any more.
pub(crate) async fn take_from_others(db: &mut SqliteConnection, team: TeamId, site: SiteId) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE assignments SET assignee_id = NULL WHERE site_id = ?2 AND assignee_id IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM memberships m WHERE m.team_id = ?1 AND m.person_id = assignee_id)",
    )
    .bind(Id(team))
    .bind(Id(site))
    .execute(db)
    .await?;
    Ok(())
}

/// Returns all assignments of a site.
pub(crate) async fn all<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    site: SiteId,
) -> Result<Vec<Assignment>, Failure<E>> {
    let rows: Vec<AssignmentRow> = sqlx::query_as(concat!(
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w WHERE w.site_id = ?1 AND w.team_id = ?2 ORDER BY w.id",
    ))
    .bind(Id(site))
    .bind(Id(team))
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(AssignmentRow::assignment).collect::<Result<_, _>>()?)
}

/// Returns the parameters of a filter from `?2` on.
fn parameters(filter: AssignmentFilter) -> (Option<SiteId>, Option<PersonId>, bool, bool) {
    let (person, nobody) = match filter.whose {
        Whose::Anybody => (None, false),
        Whose::Nobody => (None, true),
        Whose::Person(person) => (Some(person), false),
    };
    (filter.site, person, nobody, filter.progress == Progress::Unfinished)
}

async fn counted(
    db: &mut SqliteConnection,
    team: TeamId,
    filter: AssignmentFilter,
) -> Result<u64, Failure<StoreError>> {
    let (site, person, nobody, unfinished) = parameters(filter);
    let number: i64 = sqlx::query_scalar(concat!("SELECT count(*) FROM assignments w WHERE ", is_meant!()))
        .bind(Id(team))
        .bind(site.map(Id))
        .bind(person.map(Id))
        .bind(nobody)
        .bind(unfinished)
        .fetch_one(db)
        .await?;
    Ok(number.unsigned_abs())
}

async fn found<E>(db: &mut SqliteConnection, team: TeamId, id: AssignmentId) -> Result<Option<Assignment>, Failure<E>> {
    let row: Option<AssignmentRow> = sqlx::query_as(concat!(
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w WHERE w.id = ?1 AND w.team_id = ?2",
    ))
    .bind(Id(id))
    .bind(Id(team))
    .fetch_optional(db)
    .await?;
    Ok(row.map(AssignmentRow::assignment).transpose()?)
}

/// Makes sure that somebody is a member of a team.
async fn possible(
    db: &mut SqliteConnection,
    team: TeamId,
    assignee: Option<PersonId>,
) -> Result<(), Failure<AssignError>> {
    let Some(person) = assignee else { return Ok(()) };
    let is_member: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM memberships WHERE team_id = ?1 AND person_id = ?2)")
            .bind(Id(team))
            .bind(Id(person))
            .fetch_one(db)
            .await?;
    if is_member { Ok(()) } else { Err(Failure::Refused(AssignError::NotMember)) }
}

/// Stores what can change of an assignment.
async fn update<E>(db: &mut SqliteConnection, assignment: &Assignment) -> Result<(), Failure<E>> {
    sqlx::query(
        "UPDATE assignments SET assignee_id = ?2, state = ?3, since = ?4, due = ?5, reopened_by = ?6 WHERE id = ?1",
    )
    .bind(Id(assignment.id))
    .bind(assignment.assignee.map(Id))
    .bind(stored_word(assignment.state)?)
    .bind(At(assignment.since))
    .bind(assignment.due.map(|day| day.to_string()))
    .bind(assignment.reopened_by.map(Id))
    .execute(db)
    .await?;
    Ok(())
}
