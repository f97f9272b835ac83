//! Reads of sites that are made together.

use a11ycheck_core::id::TeamId;
use sqlx::{Row as _, postgres::PgRow};

use crate::{
    PostgresStore,
    db::{
        columns::paged,
        session::Session,
        together::{AskedSites, Call, CountedRows},
    },
    sites::rows::site_columns,
};

/// A statement that reads pages of sites, in the order of their addresses: with these columns before those of the sites, from what is joined before them.
macro_rules! pages_of_sites {
    ($columns:literal, $joined:literal) => {
        concat!(
            "SELECT asked.position, ",
            $columns,
            site_columns!(),
            // The lists are selected, so that their lengths are no constants to the planner: with a short list it expects so much less
            // work than in general that it makes a plan for each call, which takes longer than the reading.
            " FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::bigint[]))
                  WITH ORDINALITY AS asked (team_id, tag, most, skipped, position) ",
            $joined,
            " CROSS JOIN LATERAL (
                  SELECT * FROM sites
                  WHERE team_id = asked.team_id AND (asked.tag IS NULL OR asked.tag = ANY (tags))
                  ORDER BY domain, id LIMIT asked.most OFFSET asked.skipped
              ) AS site
              ORDER BY asked.position, site.domain, site.id",
        )
    };
}

/// Without the numbers of sites of all pages.
const PAGES: &str = pages_of_sites!("", "");
/// With the number of sites of all pages as `total`, in the same snapshot as the page.
const COUNTED_PAGES: &str = pages_of_sites!(
    "counted.total, ",
    "CROSS JOIN LATERAL (
         SELECT count(*) AS total FROM sites
         WHERE team_id = asked.team_id AND (asked.tag IS NULL OR asked.tag = ANY (tags))
     ) AS counted"
);

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

    /// Reads pages of sites, in the order of their addresses, each with the number of sites on all pages. A page without sites has no answer.
    pub(super) async fn pages_together(self, calls: Vec<Call<AskedSites, CountedRows>>) -> Result<(), sqlx::Error> {
        let mut session = self.session().await?;
        let pages = read_pages(&mut session, PAGES, &calls).await?;
        let mut full = Vec::new();
        for (call, rows) in calls.into_iter().zip(pages) {
            let (.., page) = &call.key;
            let (most, skipped) = paged(*page);
            match i64::try_from(rows.len()).unwrap_or(i64::MAX) {
                0 => {}
                // The list ends here, so nothing has to be counted: that took a quarter of the time.
                count if count < most => call.answer((rows, skipped.saturating_add(count))),
                _ => full.push(call),
            }
        }
        if !full.is_empty() {
            // They are read once more: a number of another moment could be smaller than that of the sites before it.
            let pages = read_pages(&mut session, COUNTED_PAGES, &full).await?;
            for (call, rows) in full.into_iter().zip(pages) {
                if let Some(row) = rows.first() {
                    let total = row.try_get("total")?;
                    call.answer((rows, total));
                }
            }
        }
        session.leave_ready();
        Ok(())
    }
}

/// Reads the rows of each of these pages by one of the two statements.
async fn read_pages<V>(
    session: &mut Session,
    statement: &'static str,
    calls: &[Call<AskedSites, V>],
) -> Result<Vec<Vec<PgRow>>, sqlx::Error> {
    let asked = || calls.iter().map(|call| &call.key);
    let rows: Vec<PgRow> = sqlx::query(statement)
        .bind(asked().map(|(team, ..)| team.to_string()).collect::<Vec<_>>())
        .bind(asked().map(|(_, tag, _)| tag.clone()).collect::<Vec<_>>())
        .bind(asked().map(|(.., page)| paged(*page).0).collect::<Vec<_>>())
        .bind(asked().map(|(.., page)| paged(*page).1).collect::<Vec<_>>())
        .fetch_all(&mut **session)
        .await?;
    let mut pages: Vec<Vec<PgRow>> = calls.iter().map(|_| Vec::new()).collect();
    for row in rows {
        if let Some(rows) = place(&row)?.and_then(|place| pages.get_mut(place)) {
            rows.push(row);
        }
    }
    Ok(pages)
}

/// Returns the place of the call to which a row belongs.
fn place(row: &PgRow) -> Result<Option<usize>, sqlx::Error> {
    let position: i64 = row.try_get("position")?;
    Ok(usize::try_from(position - 1).ok())
}
