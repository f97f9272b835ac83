//! Calls of steps that arrive while a statement runs, and share the next one.
//!
//! A statement costs PostgreSQL much more than a row of it: it is parsed, bound, begun and ended. The busier a node, the more calls share one.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{domain::TokenHash, id::TeamId, paging::PageRequest};
use sqlx::postgres::PgRow;
use tokio::sync::oneshot;

use crate::PostgresStore;

/// The calls of a store that share statements, by step. Clones have the same.
#[derive(Clone, Default)]
pub(crate) struct Statements {
    /// Requests of tokens that are counted in the general counter. The answer is the token's row after all of its requests, and the number of
    /// those that came later.
    pub(crate) general: Together<TokenHash, (Arc<PgRow>, i64)>,
    /// The same, of those that are counted as files, too.
    pub(crate) files: Together<TokenHash, (Arc<PgRow>, i64)>,
    pub(crate) usage: Together<TeamId, PgRow>,
    /// Pages of sites, of a tag or all, as rows; at least one each.
    pub(crate) sites: Together<(TeamId, Option<String>, PageRequest), Vec<PgRow>>,
}

/// The calls of a step that wait for a statement.
pub(crate) struct Together<K, V>(Arc<Mutex<Waiting<K, V>>>);

struct Waiting<K, V> {
    calls: Vec<Call<K, V>>,
    /// The number of tasks that serve them.
    servers: usize,
}

/// A call, and where its answer goes.
pub(crate) struct Call<K, V> {
    pub(crate) key: K,
    answer: oneshot::Sender<V>,
}

impl<K, V> Call<K, V> {
    /// Answers the call. Who does not wait any more has changed its mind after the step had begun.
    pub(crate) fn answer(self, value: V) {
        drop(self.answer.send(value));
    }
}

impl<K, V> Clone for Together<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Default for Together<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Waiting { calls: Vec::new(), servers: 0 })))
    }
}

impl<K: Send + 'static, V: Send + 'static> Together<K, V> {
    /// The number of waiting calls at which another statement begins beside those that run, and the most statements at a time: a database with
    /// many processors has something to do for them.
    const SHARED: usize = 16;
    const AT_ONCE: usize = 4;

    /// Serves a call together with those that come at the same time. `serve` runs one statement for calls, in the order in which they came, in
    /// the time that a step has.
    ///
    /// `None` where the statement failed or has no answer to this call: the caller runs a statement for it alone then, and hears what is wrong.
    /// Without others, a call is served at once.
    pub(crate) async fn call<S, F>(&self, store: &PostgresStore, key: K, serve: S) -> Option<V>
    where
        S: Fn(PostgresStore, Vec<Call<K, V>>) -> F + Send + 'static,
        F: Future<Output = Result<(), sqlx::Error>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        if let Some(server) = self.add(Call { key, answer }) {
            // A task of its own: the caller may be cancelled, and others wait for the same statement.
            tokio::spawn(server.run(store.clone(), serve));
        }
        answered.await.ok()
    }

    /// Adds a call, and returns a server if one more is needed.
    fn add(&self, call: Call<K, V>) -> Option<Server<K, V>> {
        let mut waiting = self.lock();
        waiting.calls.push(call);
        let is_needed = match waiting.servers {
            0 => true,
            servers => servers < Self::AT_ONCE && waiting.calls.len() >= Self::SHARED,
        };
        is_needed.then(|| {
            waiting.servers += 1;
            Server { of: self.clone(), is_done: false }
        })
    }
}

impl<K, V> Together<K, V> {
    fn lock(&self) -> MutexGuard<'_, Waiting<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves calls until none waits.
struct Server<K, V> {
    of: Together<K, V>,
    /// Whether none waited in the end.
    is_done: bool,
}

impl<K, V> Server<K, V> {
    async fn run<S, F>(mut self, store: PostgresStore, serve: S)
    where
        S: Fn(PostgresStore, Vec<Call<K, V>>) -> F,
        F: Future<Output = Result<(), sqlx::Error>>,
    {
        while let Some(calls) = self.next() {
            // Without an answer, each call runs a statement of its own, where the cause shows again.
            match tokio::time::timeout(store.step_timeout(), serve(store.clone(), calls)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a statement for several calls failed"),
                Err(_) => tracing::debug!("a statement for several calls took too long"),
            }
        }
    }

    /// Takes what waits; `None` in the end: what comes later has another server.
    fn next(&mut self) -> Option<Vec<Call<K, V>>> {
        let mut waiting = self.of.lock();
        if waiting.calls.is_empty() {
            waiting.servers -= 1;
            self.is_done = true;
            return None;
        }
        Some(mem::take(&mut waiting.calls))
    }
}

impl<K, V> Drop for Server<K, V> {
    /// If it did not come to its end, and nobody else serves, the calls that wait are without an answer.
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let mut waiting = self.of.lock();
        waiting.servers -= 1;
        let left = if waiting.servers == 0 { mem::take(&mut waiting.calls) } else { Vec::new() };
        drop(waiting);
        drop(left);
    }
}
