//! Conversion of rows to assessments, and back.

use a11ycheck_core::domain::Assessment;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, QueryBuilder};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named, word},
    error::{Corrupt, Failure},
    ids::Id,
};

/// The columns of [`AssessmentRow`], of an assessment `c`.
macro_rules! assessment_columns {
    () => {
        "c.site_id, c.criterion, c.team_id, c.outcome, c.note, c.person_id, c.author, c.at"
    };
}

pub(crate) use assessment_columns;

#[derive(FromRow)]
pub(crate) struct AssessmentRow {
    site_id: String,
    criterion: String,
    team_id: String,
    outcome: String,
    note: String,
    person_id: Option<String>,
    author: String,
    at: DateTime<Utc>,
}

impl AssessmentRow {
    pub(crate) fn assessment(self) -> Result<Assessment, Corrupt> {
        named("assessments", format!("{} {}", self.site_id, self.criterion), self.read())
    }

    fn read(self) -> Result<Assessment, BoxedError> {
        Ok(Assessment {
            team: self.team_id.parse()?,
            site: self.site_id.parse()?,
            criterion: self.criterion.parse()?,
            outcome: word(&self.outcome)?,
            note: self.note,
            person: self.person_id.map(|id| id.parse()).transpose()?,
            author: self.author,
            at: self.at,
        })
    }
}

/// The rows of one statement: far fewer parameters than a statement may have.
const ROWS: usize = 500;

/// Adds assessments, of which there are none yet.
pub(crate) async fn insert<E>(db: &mut PgConnection, assessments: &[Assessment]) -> Result<(), Failure<E>> {
    for rows in assessments.chunks(ROWS) {
        let mut statement = QueryBuilder::new(
            "INSERT INTO assessments (site_id, criterion, team_id, outcome, note, person_id, author, at) ",
        );
        statement.push_values(rows, |mut row, assessment| {
            row.push_bind(Id(assessment.site))
                .push_bind(assessment.criterion.as_str())
                .push_bind(Id(assessment.team))
                .push_bind(assessment.outcome.to_string())
                .push_bind(&assessment.note)
                .push_bind(assessment.person.map(Id))
                .push_bind(&assessment.author)
                .push_bind(assessment.at);
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}
