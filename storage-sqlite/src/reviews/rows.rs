//! Conversion of rows to judgements, and back.

use a11ycheck_core::domain::Judgement;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, from_json, json, named, stored_word, word},
    error::{Corrupt, Failure},
    ids::{At, Id},
};

/// The columns of [`JudgementRow`], of a judgement `j`.
macro_rules! judgement_columns {
    () => {
        "j.id AS judgement_id, j.team_id AS judgement_team_id, j.site_id AS judgement_site_id, j.element, j.reach, j.verdict, \
         j.note, j.until, j.person_id AS judgement_person_id, j.author, j.at AS judged_at"
    };
}

pub(crate) use judgement_columns;

#[derive(FromRow)]
pub(crate) struct JudgementRow {
    judgement_id: String,
    judgement_team_id: String,
    judgement_site_id: String,
    element: String,
    reach: String,
    verdict: String,
    note: String,
    until: Option<String>,
    judgement_person_id: Option<String>,
    author: String,
    judged_at: At,
}

impl JudgementRow {
    pub(crate) fn judgement(self) -> Result<Judgement, Corrupt> {
        named("judgements", self.judgement_id.clone(), self.read())
    }

    fn read(self) -> Result<Judgement, BoxedError> {
        Ok(Judgement {
            id: self.judgement_id.parse()?,
            team: self.judgement_team_id.parse()?,
            site: self.judgement_site_id.parse()?,
            element: from_json(&self.element)?,
            reach: word(&self.reach)?,
            verdict: word(&self.verdict)?,
            note: self.note,
            until: self.until.map(|day| day.parse()).transpose()?,
            person: self.judgement_person_id.map(|id| id.parse()).transpose()?,
            author: self.author,
            at: self.judged_at.0,
        })
    }
}

/// Adds a row.
pub(crate) async fn insert<E>(db: &mut SqliteConnection, judgement: &Judgement) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO judgements
             (id, team_id, site_id, subject, element, reach, verdict, note, until, person_id, author, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )
    .bind(Id(judgement.id))
    .bind(Id(judgement.team))
    .bind(Id(judgement.site))
    .bind(judgement.subject().as_str().to_owned())
    .bind(json(&judgement.element)?)
    .bind(stored_word(judgement.reach)?)
    .bind(stored_word(judgement.verdict)?)
    .bind(judgement.note.clone())
    .bind(judgement.until.map(|day| day.to_string()))
    .bind(judgement.person.map(Id))
    .bind(judgement.author.clone())
    .bind(At(judgement.at))
    .execute(db)
    .await?;
    Ok(())
}
