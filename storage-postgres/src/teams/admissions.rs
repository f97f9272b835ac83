//! Requests of tokens that are counted together: one statement for all that came while the statement before it ran.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::domain::{RateWindow, RequestClass, TokenHash};
use sqlx_macros::FromRow;
use tokio::sync::oneshot;

use crate::{
    PostgresStore,
    teams::{
        rate_limits::AdmittedRow,
        rows::{team_columns, token_columns},
    },
    twins,
};

/// The requests of a store that wait to be counted. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Admissions {
    general: Queue,
    files: Queue,
}

impl Admissions {
    fn of(&self, class: RequestClass) -> &Queue {
        match class {
            RequestClass::General => &self.general,
            RequestClass::File => &self.files,
        }
    }
}

/// The requests of a class that wait.
#[derive(Clone, Default)]
struct Queue(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    requests: Vec<Request>,
    /// Whether a task counts them.
    is_served: bool,
}

struct Request {
    hash: TokenHash,
    answer: oneshot::Sender<AdmittedRow>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request, and returns whether nobody counts those that wait.
    fn add(&self, request: Request) -> bool {
        let mut waiting = self.lock();
        waiting.requests.push(request);
        !mem::replace(&mut waiting.is_served, true)
    }

    /// Takes what waits; with nothing, nobody counts any more.
    fn take(&self) -> Vec<Request> {
        let mut waiting = self.lock();
        waiting.is_served = !waiting.requests.is_empty();
        mem::take(&mut waiting.requests)
    }
}

/// Serves a queue until nothing waits.
struct Server {
    queue: Queue,
    /// Whether nothing waited in the end.
    is_done: bool,
}

impl Server {
    const fn of(queue: Queue) -> Self {
        Self { queue, is_done: false }
    }

    /// Returns what waits, and nothing in the end: what comes later has a server of its own.
    fn next(&mut self) -> Vec<Request> {
        let requests = self.queue.take();
        self.is_done = requests.is_empty();
        requests
    }
}

impl Drop for Server {
    /// A task that did not come to its end leaves the requests to those who sent them.
    fn drop(&mut self) {
        if !self.is_done {
            *self.queue.lock() = Waiting::default();
        }
    }
}

/// The requests of a token in a statement, in the order in which they came.
type OfToken = Vec<oneshot::Sender<AdmittedRow>>;

impl PostgresStore {
    /// Counts a request of a token together with those that come at the same time. `None` where the requests of its token in the statement
    /// are not all admitted or begin a window, where there is no such token, and where the statement failed: the caller counts it by itself
    /// then, and hears what is wrong.
    ///
    /// Each request is counted in the order in which it came, up to the response: nothing is reserved, and what other nodes count is seen.
    pub(super) async fn counted_together(&self, hash: TokenHash, class: RequestClass) -> Option<AdmittedRow> {
        let (answer, counted) = oneshot::channel();
        let queue = self.admissions().of(class);
        if queue.add(Request { hash, answer }) {
            // A task of its own: the caller may be cancelled.
            tokio::spawn(self.clone().count_waiting(Server::of(queue.clone()), class));
        }
        counted.await.ok()
    }

    async fn count_waiting(self, mut server: Server, class: RequestClass) {
        loop {
            let requests = server.next();
            if requests.is_empty() {
                return;
            }
            let mut tokens = by_token(requests);
            // Without an answer, each request is counted by itself, where the cause shows again.
            match tokio::time::timeout(self.step_timeout(), self.count_together(&tokens, class)).await {
                Ok(Ok(rows)) => rows.into_iter().for_each(|row| row.answer(&mut tokens, class)),
                Ok(Err(error)) => tracing::debug!(%error, "requests could not be counted together"),
                Err(_) => tracing::debug!("requests could not be counted together in time"),
            }
        }
    }

    /// Counts the requests of these tokens, those of each if all are admitted and begin no window.
    async fn count_together(
        &self,
        tokens: &[(TokenHash, OfToken)],
        class: RequestClass,
    ) -> Result<Vec<TogetherRow>, sqlx::Error> {
        let mut session = self.session().await?;
        // Counters are locked in the order of their keys, as the other nodes do, and what other requests can change is judged afterwards.
        let rows = sqlx::query_as(concat!(
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
        .bind(tokens.iter().map(|(hash, _)| hash.as_bytes().as_slice()).collect::<Vec<_>>())
        .bind(tokens.iter().map(|(_, requests)| requests.len() as i64).collect::<Vec<_>>())
        .fetch_all(&mut *session)
        .await?;
        session.leave_ready();
        Ok(rows)
    }
}

/// Returns the requests by their tokens, those of each in the order in which they came.
fn by_token(requests: Vec<Request>) -> Vec<(TokenHash, OfToken)> {
    let mut tokens: Vec<(TokenHash, OfToken)> = Vec::new();
    let mut places = HashMap::new();
    for Request { hash, answer } in requests {
        let place = *places.entry(hash).or_insert(tokens.len());
        match tokens.get_mut(place) {
            Some((_, answers)) => answers.push(answer),
            None => tokens.push((hash, vec![answer])),
        }
    }
    tokens
}

/// The counters of a token after all of its requests.
#[derive(FromRow)]
struct TogetherRow {
    /// The place of the token in the statement, from one.
    position: i64,
    #[sqlx(flatten)]
    admitted: AdmittedRow,
}

impl TogetherRow {
    /// Answers each request of its token with the counters as they are after it.
    fn answer(self, tokens: &mut [(TokenHash, OfToken)], class: RequestClass) {
        let place = usize::try_from(self.position - 1).ok();
        let Some((_, answers)) = place.and_then(|place| tokens.get_mut(place)) else { return };
        for (later, answer) in mem::take(answers).into_iter().rev().enumerate() {
            // Who does not wait any more is counted all the same, as by a statement of its own.
            drop(answer.send(self.admitted.before_later(later as i64, class)));
        }
    }
}
