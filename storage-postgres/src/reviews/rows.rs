//! Conversion of rows to judgements.

use a11ycheck_core::domain::{JudgedElement, Judgement};
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named, word},
    error::Corrupt,
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
    element: Json<JudgedElement>,
    reach: String,
    verdict: String,
    note: String,
    until: Option<NaiveDate>,
    judgement_person_id: Option<String>,
    author: String,
    judged_at: DateTime<Utc>,
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
            element: self.element.0,
            reach: word(&self.reach)?,
            verdict: word(&self.verdict)?,
            note: self.note,
            until: self.until,
            person: self.judgement_person_id.map(|id| id.parse()).transpose()?,
            author: self.author,
            at: self.judged_at,
        })
    }
}
