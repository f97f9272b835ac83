//! Conversion of rows to assignments, and back.

use a11ycheck_core::domain::Assignment;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, from_json, json, named, stored_word, word},
    error::{Corrupt, Failure},
    ids::{At, Id},
};

/// The columns of [`AssignmentRow`], of an assignment `w`.
macro_rules! assignment_columns {
    () => {
        "w.id, w.team_id, w.site_id, w.element, w.scope, w.assignee_id, w.state, w.since, w.due, w.reopened_by, w.author, w.at"
    };
}

pub(crate) use assignment_columns;

#[derive(FromRow)]
pub(crate) struct AssignmentRow {
    id: String,
    team_id: String,
    site_id: String,
    element: String,
    scope: String,
    assignee_id: Option<String>,
    state: String,
    since: At,
    due: Option<String>,
    reopened_by: Option<String>,
    author: String,
    at: At,
}

impl AssignmentRow {
    pub(crate) fn assignment(self) -> Result<Assignment, Corrupt> {
        named("assignments", self.id.clone(), self.read())
    }

    fn read(self) -> Result<Assignment, BoxedError> {
        Ok(Assignment {
            id: self.id.parse()?,
            team: self.team_id.parse()?,
            site: self.site_id.parse()?,
            element: from_json(&self.element)?,
            scope: word(&self.scope)?,
            assignee: self.assignee_id.map(|id| id.parse()).transpose()?,
            state: word(&self.state)?,
            since: self.since.0,
            due: self.due.map(|day| day.parse()).transpose()?,
            reopened_by: self.reopened_by.map(|id| id.parse()).transpose()?,
            author: self.author,
            at: self.at.0,
        })
    }
}

/// Adds a row.
pub(crate) async fn insert<E>(db: &mut SqliteConnection, assignment: &Assignment) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO assignments
             (id, team_id, site_id, subject, element, scope, assignee_id, state, since, due, reopened_by, author, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )
    .bind(Id(assignment.id))
    .bind(Id(assignment.team))
    .bind(Id(assignment.site))
    .bind(assignment.subject().as_str().to_owned())
    .bind(json(&assignment.element)?)
    .bind(stored_word(assignment.scope)?)
    .bind(assignment.assignee.map(Id))
    .bind(stored_word(assignment.state)?)
    .bind(At(assignment.since))
    .bind(assignment.due.map(|day| day.to_string()))
    .bind(assignment.reopened_by.map(Id))
    .bind(assignment.author.clone())
    .bind(At(assignment.at))
    .execute(db)
    .await?;
    Ok(())
}
