//! Hints from node to node that it is worth looking for work: `LISTEN` and `NOTIFY`.
//!
//! They save waiting, and nothing relies on them: a loop that receives no hint finds its work when it looks the next
//! time. So they cost as little as possible. PostgreSQL puts transactions that notify in a row when they commit, all of
//! the server behind one lock; none of our steps does that. Work that a step made due is announced afterwards, by a
//! statement of its own, at most ten times a second for each node, however much work it was.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use a11ycheck_core::{
    id::WorkerId,
    store::{HintStore, Hints, Work},
};
use async_trait::async_trait;
use sqlx::{PgPool, postgres::PgListener};
use tokio::task::AbortHandle;

use crate::{ConnectError, PostgresConfig, PostgresStore, db::session::Sessions};

/// The time for which a node that has notified, or was notified, waits before it does so again; meanwhile hints are
/// gathered.
const GATHER: Duration = Duration::from_millis(100);
/// The longest time that a statement that notifies may take, including the wait for a connection. Hints that could not
/// be sent by then are dropped.
const PATIENCE: Duration = Duration::from_secs(5);

#[async_trait]
impl HintStore for PostgresStore {
    async fn hint(&self, work: Work) {
        self.node().wait(work).await;
    }
}

/// The kinds of work of which other nodes are notified. Readers of the log of occurrences look once a second while they
/// read; a statement for every few checks would not be worth it for nodes that do not read.
const NOTIFIED: [Work; 2] = [Work::Scans, Work::Deliveries];

/// The hints that a node receives from others, and those that it sends to them.
pub(crate) struct Node {
    /// The name of this node, with which it recognises its own notifications.
    name: WorkerId,
    /// The schema: installations that share a database do not wake each other.
    channel: String,
    here: Arc<Hints>,
    /// The connections for notifying.
    sessions: Sessions,
    pending: Mutex<Pending>,
    /// Makes a pool of a single connection, for listening, which takes one beside those of the pool.
    listener_pools: ListenerPools,
    /// The time of silence after which the connection that listens is tried, and the time that the response may take: a
    /// connection that the network has dropped stays silent without end.
    silence: Duration,
    /// The task that listens, which begins with the first wait; `None` within if the node was closed before.
    listening: OnceLock<Option<AbortHandle>>,
}

type ListenerPools = Arc<dyn Fn() -> PgPool + Send + Sync>;

/// The hints that are still to be sent to others.
#[derive(Default)]
struct Pending {
    scans: bool,
    deliveries: bool,
    /// True while a task sends them.
    is_being_sent: bool,
}

impl Node {
    pub(crate) fn new(config: &PostgresConfig, sessions: Sessions) -> Result<Self, ConnectError> {
        Ok(Self {
            name: WorkerId::generate(),
            channel: config.schema().to_owned(),
            here: Arc::default(),
            sessions,
            pending: Mutex::default(),
            listener_pools: Arc::new(config.listening_pools()?),
            silence: config.step_timeout(),
            listening: OnceLock::new(),
        })
    }

    /// Hints at work that a step has made due, here and on other nodes. Must be called after the step is committed.
    pub(crate) fn hint(self: &Arc<Self>, work: Work) {
        self.here.give(work);
        let mut pending = self.pending();
        match work {
            Work::Scans => pending.scans = true,
            Work::Deliveries => pending.deliveries = true,
            Work::Events => return,
        }
        if !pending.is_being_sent {
            pending.is_being_sent = true;
            tokio::spawn(Arc::clone(self).notify_others());
        }
    }

    /// Hints at more work, to this process alone.
    pub(crate) fn pass_on(&self, work: Work) {
        self.here.give(work);
    }

    async fn wait(&self, work: Work) {
        if !NOTIFIED.contains(&work) {
            return self.here.wait(work).await;
        }
        self.listening.get_or_init(|| {
            let (listener_pools, here) = (Arc::clone(&self.listener_pools), Arc::clone(&self.here));
            let listening = listen(listener_pools, self.channel.clone(), self.name.clone(), self.silence, here);
            Some(tokio::spawn(listening).abort_handle())
        });
        self.here.wait(work).await;
    }

    /// Stops listening, and never begins to do so again.
    pub(crate) fn close(&self) {
        if let Some(listening) = self.listening.get_or_init(|| None) {
            listening.abort();
        }
    }

    /// Notifies other nodes until no hint is left to be sent.
    async fn notify_others(self: Arc<Self>) {
        loop {
            let payloads = self.take_pending();
            if payloads.is_empty() {
                return;
            }
            match tokio::time::timeout(PATIENCE, self.notify(&payloads)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, "Other nodes were not notified of work");
                }
                Err(_) => tracing::debug!("Other nodes were not notified of work within {PATIENCE:?}"),
            }
            tokio::time::sleep(GATHER).await;
        }
    }

    /// Takes the hints that are to be sent now; if there are none, the task ends.
    fn take_pending(&self) -> Vec<String> {
        let mut pending = self.pending();
        let Pending { scans, deliveries, .. } = std::mem::take(&mut *pending);
        let payloads = [(Work::Scans, scans), (Work::Deliveries, deliveries)];
        let payloads: Vec<String> =
            payloads.into_iter().filter(|(_, is_due)| *is_due).map(|(work, _)| payload(work, &self.name)).collect();
        pending.is_being_sent = !payloads.is_empty();
        payloads
    }

    async fn notify(&self, payloads: &[String]) -> Result<(), sqlx::Error> {
        sqlx::query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload")
            .bind(&self.channel)
            .bind(payloads)
            .execute(&mut *self.sessions.begin().await?)
            .await?;
        Ok(())
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, Pending> {
        // The lock may be poisoned: these are mere flags, which no panic leaves half-written.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.close();
    }
}

/// Passes on the notifications of other nodes, until it is aborted. A connection that is lost is made again.
async fn listen(listener_pools: ListenerPools, channel: String, name: WorkerId, silence: Duration, here: Arc<Hints>) {
    const FIRST_PAUSE: Duration = Duration::from_secs(1);
    const LONGEST_PAUSE: Duration = Duration::from_secs(30);
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match connect(&listener_pools(), &channel).await {
            Ok(mut listener) => {
                pause = FIRST_PAUSE;
                // Notifications sent before this connection listened were missed.
                NOTIFIED.into_iter().for_each(|work| here.give(work));
                receive(&mut listener, &name, silence, &here).await
            }
            Err(error) => error,
        };
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            ?pause,
            "No hints at work come from other nodes: loops find it when they look again"
        );
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn connect(pool: &PgPool, channel: &str) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(channel).await?;
    Ok(listener)
}

/// Passes on the notifications that arrive, of each kind at most one hint in [`GATHER`], until the connection is lost.
async fn receive(listener: &mut PgListener, name: &WorkerId, silence: Duration, here: &Hints) -> sqlx::Error {
    loop {
        let mut received = Vec::new();
        // Waits for the first notification; those that came with it are only taken. A wait that ends early loses
        // nothing.
        let mut patience = silence;
        while received.len() < NOTIFIED.len() {
            match tokio::time::timeout(patience, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => {
                    if let Some(work) = work_of(notification.payload(), name).filter(|work| !received.contains(work)) {
                        received.push(work);
                    }
                }
                Ok(Ok(None)) => return sqlx::Error::Io(std::io::ErrorKind::UnexpectedEof.into()),
                Ok(Err(error)) => return error,
                Err(_) if !patience.is_zero() => match still_there(listener, silence).await {
                    Ok(()) => continue,
                    Err(error) => return error,
                },
                Err(_) => break,
            }
            patience = Duration::ZERO;
        }
        received.into_iter().for_each(|work| here.give(work));
        tokio::time::sleep(GATHER).await;
    }
}

async fn still_there(listener: &mut PgListener, patience: Duration) -> Result<(), sqlx::Error> {
    let answer = tokio::time::timeout(patience, sqlx::query("SELECT").execute(listener)).await;
    answer.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))?.map(drop)
}

const fn word(work: Work) -> &'static str {
    match work {
        Work::Scans => "scans",
        Work::Deliveries => "deliveries",
        Work::Events => "events",
    }
}

fn payload(work: Work, from: &WorkerId) -> String {
    format!("{} {from}", word(work))
}

/// Returns the work that a payload hints at; `None` if it is this node's own, or in no format of ours: anyone may
/// notify.
fn work_of(payload: &str, name: &WorkerId) -> Option<Work> {
    let (named, from) = payload.split_once(' ')?;
    let work = NOTIFIED.into_iter().find(|work| word(*work) == named)?;
    (from != name.to_string()).then_some(work)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_node_takes_the_notifications_of_others_and_not_its_own() {
        let (one, other) = (WorkerId::generate(), WorkerId::generate());
        for work in NOTIFIED {
            assert_eq!(work_of(&payload(work, &one), &other), Some(work));
            assert_eq!(work_of(&payload(work, &one), &one), None);
        }
        for strange in ["", "scans", "Scans x", "checks x", " ", " x"] {
            assert_eq!(work_of(strange, &one), None, "{strange}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_closed_before_anything_waited_makes_no_connection_afterwards() {
        let config = PostgresConfig::new("postgres://127.0.0.1:1/none");
        for (is_closed, listens) in [(false, true), (true, false)] {
            let asked = Arc::new(AtomicBool::new(false));
            let mut node = Node::new(&config, config.sessions().unwrap()).unwrap();
            let (listener_pools, is_asked) = (config.listening_pools().unwrap(), Arc::clone(&asked));
            node.listener_pools = Arc::new(move || {
                is_asked.store(true, Ordering::SeqCst);
                listener_pools()
            });
            if is_closed {
                node.close();
            }
            // Nothing else runs: the time passes once every task has come to rest.
            let waited = tokio::time::timeout(Duration::from_millis(1), node.wait(Work::Scans)).await;
            assert!(waited.is_err(), "no hint comes");
            assert_eq!(asked.load(Ordering::SeqCst), listens);
        }
    }
}
