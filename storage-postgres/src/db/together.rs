//! Request coalescing: calls of a step that arrive while a statement runs are served together by the next statement.
//!
//! A statement costs PostgreSQL much more than one of its rows, since it is parsed, bound, begun and ended. The busier
//! a node is, the more calls share a statement.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{domain::TokenHash, id::TeamId, paging::PageRequest};
use sqlx::postgres::PgRow;
use tokio::sync::oneshot;

use crate::PostgresStore;

/// The calls of a store that share statements, by step. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Statements {
    /// Requests that count in the general counter of their token alone. The answer to each is the token's row after all
    /// of the token's requests in the statement, and the number of those that came after it.
    pub(crate) general: Together<TokenHash, (Arc<PgRow>, i64)>,
    /// Requests that count in the general counter and in that of files, answered likewise.
    pub(crate) files: Together<TokenHash, (Arc<PgRow>, i64)>,
    pub(crate) usage: Together<TeamId, PgRow>,
    /// Pages of a team's sites, of one tag or of all. The answer has at least one row, and the number of sites on all pages: an empty page has no
    /// answer.
    pub(crate) sites: Together<AskedSites, CountedRows>,
}

/// A page of the sites of a team, all or those of one tag.
pub(crate) type AskedSites = (TeamId, Option<String>, PageRequest);

/// The rows of a page, and the number of those on all pages.
pub(crate) type CountedRows = (Vec<PgRow>, i64);

/// The calls of a step that wait for a statement.
pub(crate) struct Together<K, V>(Arc<Mutex<Waiting<K, V>>>);

struct Waiting<K, V> {
    calls: Vec<Call<K, V>>,
    /// The number of tasks that serve them.
    servers: usize,
}

/// A call, with the channel for its answer.
pub(crate) struct Call<K, V> {
    pub(crate) key: K,
    answer: oneshot::Sender<V>,
}

impl<K, V> Call<K, V> {
    /// Answers the call. Does nothing if its caller was cancelled and no longer waits.
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
    /// The greatest number of statements that run at a time: a database with several processors can work on that many.
    const AT_ONCE: usize = 4;

    /// Serves a call together with those that arrive at the same time. `serve` runs one statement for several calls,
    /// which it gets in the order of their arrival, within the time limit of a step. If no statement runs, a call is
    /// served at once.
    ///
    /// Returns `None` if the statement failed or had no answer to this call. The caller then runs a statement for it
    /// alone, which returns the error, if there is one.
    pub(crate) async fn call<S, F>(&self, store: &PostgresStore, key: K, serve: S) -> Option<V>
    where
        S: Fn(PostgresStore, Vec<Call<K, V>>) -> F + Send + 'static,
        F: Future<Output = Result<(), sqlx::Error>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        if let Some(server) = self.add(Call { key, answer }) {
            // The statement runs in a task of its own: others wait for it, too, if the caller is cancelled.
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
            servers => servers < Self::AT_ONCE && waiting.calls.len() >= Self::ENOUGH,
        };
        is_needed.then(|| {
            waiting.servers += 1;
            Server { of: self.clone(), is_done: false }
        })
    }
}

impl<K, V> Together<K, V> {
    /// The number of waiting calls that are enough for a statement: it waits for no others, and is begun even while one runs.
    const ENOUGH: usize = 16;

    fn lock(&self) -> MutexGuard<'_, Waiting<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves calls until none waits.
struct Server<K, V> {
    of: Together<K, V>,
    /// True once it has ended because no call waited any more.
    is_done: bool,
}

impl<K, V> Server<K, V> {
    async fn run<S, F>(mut self, store: PostgresStore, serve: S)
    where
        S: Fn(PostgresStore, Vec<Call<K, V>>) -> F,
        F: Future<Output = Result<(), sqlx::Error>>,
    {
        loop {
            self.gather().await;
            let Some(calls) = self.next() else { return };
            // A call without an answer runs a statement of its own, which reports the error if it fails as well.
            match tokio::time::timeout(store.step_timeout(), serve(store.clone(), calls)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a statement for several calls failed"),
                Err(_) => tracing::debug!("a statement for several calls took too long"),
            }
        }
    }

    /// Lets the runtime take in what has arrived meanwhile, or is about to be asked, so that it shares the statement; and again for as long as
    /// that brings more calls.
    async fn gather(&self) {
        let mut gathered = 1;
        loop {
            tokio::task::yield_now().await;
            let waiting = self.of.lock().calls.len();
            if waiting <= gathered || waiting >= Together::<K, V>::ENOUGH {
                return;
            }
            gathered = waiting;
        }
    }

    /// Takes all calls that wait. If there are none, returns `None` and counts this server as ended: a later call
    /// starts another one.
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
    /// Drops the calls that wait if this server was cancelled or panicked and no other is left, so that none of them
    /// waits indefinitely.
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
