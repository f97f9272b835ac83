//! Conversion of rows to assignments.

use a11ycheck_core::domain::{Assignment, JudgedElement};
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named, word},
    error::Corrupt,
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
    element: Json<JudgedElement>,
    scope: String,
    assignee_id: Option<String>,
    state: String,
    since: DateTime<Utc>,
    due: Option<NaiveDate>,
    reopened_by: Option<String>,
    author: String,
    at: DateTime<Utc>,
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
            element: self.element.0,
            scope: word(&self.scope)?,
            assignee: self.assignee_id.map(|id| id.parse()).transpose()?,
            state: word(&self.state)?,
            since: self.since,
            due: self.due,
            reopened_by: self.reopened_by.map(|id| id.parse()).transpose()?,
            author: self.author,
            at: self.at,
        })
    }
}
