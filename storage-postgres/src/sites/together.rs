//! Reads of sites that are made together.

use a11ycheck_core::{id::TeamId, paging::PageRequest};
use sqlx::{Row as _, postgres::PgRow};

use crate::{
    PostgresStore,
    db::{columns::paged, together::Call},
    sites::rows::site_columns,
};

/// A call for a page of sites, and where its rows go.
type PageCall = Call<(TeamId, Option<String>, PageRequest), Vec<PgRow>>;

impl PostgresStore {
    /// Reads the usage of teams, by the columns of [`UsageRow`](super::store). A team that is not there has no answer.
    pub(super) async fn usage_together(self, calls: Vec<Call<TeamId, PgRow>>) -> Result<(), sqlx::Error> {
        let mut session = self.session().await?;
        let rows: Vec<PgRow> = sqlx::query(
            "SELECT
                 p.document #>> '{limits,manual_check_interval}',
                 coalesce($2, clock_timestamp()),
                 count(site.id),
                 array_agg(site.last_manual_at) FILTER (WHERE site.id IS NOT NULL AND a.site_id IS NULL),
                 asked.position
             FROM unnest($1::text[]) WITH ORDINALITY AS asked (team_id, position)
             JOIN teams t ON t.id = asked.team_id
             JOIN plans p ON p.code = t.plan_code
             LEFT JOIN sites site ON site.team_id = t.id
             LEFT JOIN active_scans a ON a.site_id = site.id
             GROUP BY asked.position, p.code",
        )
        .bind(calls.iter().map(|call| call.key.to_string()).collect::<Vec<_>>())
        .bind(self.instant())
        .fetch_all(&mut *session)
        .await?;
        session.leave_ready();
        let mut calls: Vec<_> = calls.into_iter().map(Some).collect();
        for row in rows {
            if let Some(call) = place(&row)?.and_then(|place| calls.get_mut(place)?.take()) {
                call.answer(row);
            }
        }
        Ok(())
    }

    /// Reads pages of sites, in the order of their addresses. A page without sites has no answer.
    pub(super) async fn pages_together(self, calls: Vec<PageCall>) -> Result<(), sqlx::Error> {
        let mut session = self.session().await?;
        let pages = || calls.iter().map(|call| &call.key);
        // The lists are selected, so that their lengths are no constants to the planner: with a short list it expects so much less
        // work than in general that it makes a plan for each call, which takes longer than the reading.
        let rows: Vec<PgRow> = sqlx::query(concat!(
            "SELECT asked.position, counted.total, ",
            site_columns!(),
            " FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::bigint[]))
                  WITH ORDINALITY AS asked (team_id, tag, most, skipped, position)
              CROSS JOIN LATERAL (
                  SELECT count(*) AS total FROM sites
                  WHERE team_id = asked.team_id AND (asked.tag IS NULL OR asked.tag = ANY (tags))
              ) AS counted
              CROSS JOIN LATERAL (
                  SELECT * FROM sites
                  WHERE team_id = asked.team_id AND (asked.tag IS NULL OR asked.tag = ANY (tags))
                  ORDER BY domain, id LIMIT asked.most OFFSET asked.skipped
              ) AS site
              ORDER BY asked.position, site.domain, site.id",
        ))
        .bind(pages().map(|(team, ..)| team.to_string()).collect::<Vec<_>>())
        .bind(pages().map(|(_, tag, _)| tag.clone()).collect::<Vec<_>>())
        .bind(pages().map(|(.., page)| paged(*page).0).collect::<Vec<_>>())
        .bind(pages().map(|(.., page)| paged(*page).1).collect::<Vec<_>>())
        .fetch_all(&mut *session)
        .await?;
        session.leave_ready();
        let mut of_call: Vec<Vec<PgRow>> = calls.iter().map(|_| Vec::new()).collect();
        for row in rows {
            if let Some(rows) = place(&row)?.and_then(|place| of_call.get_mut(place)) {
                rows.push(row);
            }
        }
        let answered = calls.into_iter().zip(of_call).filter(|(_, rows)| !rows.is_empty());
        answered.for_each(|(call, rows)| call.answer(rows));
        Ok(())
    }
}

/// Returns the place of the call to which a row belongs.
fn place(row: &PgRow) -> Result<Option<usize>, sqlx::Error> {
    let position: i64 = row.try_get("position")?;
    Ok(usize::try_from(position - 1).ok())
}
