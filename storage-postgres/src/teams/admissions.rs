//! The counting of several requests of tokens with one statement.

use std::{collections::HashMap, sync::Arc};

use a11ycheck_core::domain::{RateWindow, RequestClass, TokenHash};
use sqlx::{FromRow as _, Row as _, postgres::PgRow};

use crate::{
    PostgresStore,
    db::together::Call,
    teams::{
        rate_limits::AdmittedRow,
        rows::{team_columns, token_columns},
    },
    twins,
};

/// A request. The answer is the row of its token, and the number of later requests that the row counts as well.
type Request = Call<TokenHash, (Arc<PgRow>, i64)>;

impl PostgresStore {
    /// Counts a request of a token together with those that arrive at the same time.
    ///
    /// Returns `None` if the limits do not admit all requests of the token in the statement, if one of them would begin
    /// a window, if there is no such token, or if the statement failed. The caller then counts the request alone.
    ///
    /// Requests of a token are counted in the order of their arrival, and before they are answered. Nothing is reserved
    /// in advance, and what other nodes have counted is taken into account.
    pub(super) async fn counted_together(
        &self,
        hash: TokenHash,
        class: RequestClass,
    ) -> Result<Option<AdmittedRow>, sqlx::Error> {
        let statements = self.statements();
        let requests = match class {
            RequestClass::General => &statements.general,
            RequestClass::File => &statements.files,
        };
        let counted = requests.call(self, hash, move |store, requests| store.count_together(requests, class)).await;
        let Some((row, later)) = counted else { return Ok(None) };
        Ok(Some(AdmittedRow::from_row(&*row)?.before_later(later, class)))
    }

    /// Counts the requests of each token whose limits admit all of them, if none of them begins a window.
    async fn count_together(self, requests: Vec<Request>, class: RequestClass) -> Result<(), sqlx::Error> {
        let mut tokens = by_token(requests);
        let mut session = self.session().await?;
        // Counters are locked in the order of their keys, so that statements of several nodes can't deadlock. The
        // limits are compared after that, when no other request can change the counters.
        let rows: Vec<PgRow> = sqlx::query(concat!(
            "WITH asked AS MATERIALIZED (
                 SELECT coalesce($3, clock_timestamp()) AS at
             ), wanted AS MATERIALIZED (
                 SELECT
                     w.position, w.number, k.id AS token_key,
                     (p.document #>> '{limits,requests_per_minute}')::bigint AS general_limit,
                     (p.document #>> '{limits,files_per_minute}')::bigint AS files_limit,
                     ",
            token_columns!(),
            ", ",
            team_columns!(),
            " FROM unnest($4::bytea[], $5::bigint[]) WITH ORDINALITY AS w (hash, number, position)
                 JOIN tokens k ON k.hash = w.hash
                 JOIN teams t ON t.id = k.team_id
                 JOIN plans p ON p.code = t.plan_code
             ), locked AS MATERIALIZED (
                 SELECT key FROM request_counters WHERE key = ANY (ARRAY(SELECT token_key FROM wanted))
                 ORDER BY key FOR NO KEY UPDATE
             )
             UPDATE request_counters AS c SET ",
            twins::counted_more!("$1", "wanted.number", "asked.at"),
            " FROM asked, locked, wanted WHERE c.key = locked.key AND wanted.token_key = locked.key AND ",
            twins::lasting_windows_admit!(
                "$1",
                "$2",
                "wanted.number",
                "asked.at",
                "wanted.general_limit",
                "wanted.files_limit"
            ),
            " RETURNING c.*, wanted.*",
        ))
        .bind(class == RequestClass::File)
        .bind(RateWindow::LENGTH)
        .bind(self.instant())
        .bind(tokens.iter().map(|requests| requests[0].key.as_bytes().to_vec()).collect::<Vec<_>>())
        .bind(tokens.iter().map(|requests| i64::try_from(requests.len()).unwrap_or(i64::MAX)).collect::<Vec<_>>())
        .fetch_all(&mut *session)
        .await?;
        session.leave_ready();
        for row in rows {
            let position: i64 = row.try_get("position")?;
            let requests = usize::try_from(position - 1).ok().and_then(|place| tokens.get_mut(place));
            let row = Arc::new(row);
            for (request, later) in requests.map(std::mem::take).into_iter().flatten().rev().zip(0..) {
                request.answer((Arc::clone(&row), later));
            }
        }
        Ok(())
    }
}

/// Groups requests by token. Each group has at least one request, and keeps the order of their arrival.
fn by_token(requests: Vec<Request>) -> Vec<Vec<Request>> {
    let mut tokens: Vec<Vec<Request>> = Vec::new();
    let mut places = HashMap::new();
    for request in requests {
        let place = *places.entry(request.key).or_insert(tokens.len());
        match tokens.get_mut(place) {
            Some(others) => others.push(request),
            None => tokens.push(vec![request]),
        }
    }
    tokens
}
