//! Conversion of rows to assessments, and back.

use a11ycheck_core::domain::Assessment;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named, stored_word, word},
    error::{Corrupt, Failure},
    ids::{At, Id},
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
    at: At,
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
            at: self.at.0,
        })
    }
}

/// Adds an assessment, of whose criterion the site has none yet.
pub(crate) async fn insert<E>(db: &mut SqliteConnection, assessment: &Assessment) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO assessments (site_id, criterion, team_id, outcome, note, person_id, author, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )
    .bind(Id(assessment.site))
    .bind(assessment.criterion.to_string())
    .bind(Id(assessment.team))
    .bind(stored_word(assessment.outcome)?)
    .bind(assessment.note.clone())
    .bind(assessment.person.map(Id))
    .bind(assessment.author.clone())
    .bind(At(assessment.at))
    .execute(db)
    .await?;
    Ok(())
}
