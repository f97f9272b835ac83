//! Hints that it is worth looking for work, from node to node: `LISTEN` and `NOTIFY`.
//!
//! They spare waiting, and nothing rests on them: a loop that is told nothing finds its work when it looks the next time. So
//! they cost as little as they may. PostgreSQL puts transactions that notify in a row when they commit, all of the server
//! behind one lock; none of our steps does. What a step made due is told afterwards, by a statement of its own, at most ten
//! times a second for each node, however much it was.

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

use crate::{ConnectError, PostgresConfig, PostgresStore, db::session::Session};

/// How long a node that has told, or was told, waits before it does so again; meanwhile hints are gathered.
const GATHER: Duration = Duration::from_millis(100);
/// How long a statement that tells may take, with the wait for a connection. What could not be told by then is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

#[async_trait]
impl HintStore for PostgresStore {
    async fn hint(&self, work: Work) {
        self.node().wait(work).await;
    }
}

/// What a node is told by others, and what it tells them.
pub(crate) struct Node {
    /// Tells apart what comes back to the one who sent it.
    name: WorkerId,
    /// The schema: installations that share a database do not wake each other.
    channel: String,
    here: Arc<Hints>,
    /// For telling.
    pool: PgPool,
    untold: Mutex<Untold>,
    /// For listening, which takes a connection beside those of the pool: makes a pool of a single one.
    ears: Ears,
    /// After how long a silence the connection that listens is tried, and how long the answer may take: one that the network
    /// has dropped says nothing for ever.
    silence: Duration,
    listening: OnceLock<AbortHandle>,
}

type Ears = Arc<dyn Fn() -> PgPool + Send + Sync>;

/// What others are to be told.
#[derive(Default)]
struct Untold {
    scans: bool,
    deliveries: bool,
    /// Whether a task is at it.
    is_being_told: bool,
}

impl Node {
    pub(crate) fn new(config: &PostgresConfig, pool: PgPool) -> Result<Self, ConnectError> {
        Ok(Self {
            name: WorkerId::generate(),
            channel: config.schema().to_owned(),
            here: Arc::default(),
            pool,
            untold: Mutex::default(),
            ears: Arc::new(config.listening_pools()?),
            silence: config.step_timeout(),
            listening: OnceLock::new(),
        })
    }

    /// Hints at work that a step has made due, here and elsewhere. To be called after the step is committed.
    pub(crate) fn tell(self: &Arc<Self>, work: Work) {
        self.here.give(work);
        let mut untold = self.untold();
        match work {
            Work::Scans => untold.scans = true,
            Work::Deliveries => untold.deliveries = true,
        }
        if !untold.is_being_told {
            untold.is_being_told = true;
            tokio::spawn(Arc::clone(self).tell_others());
        }
    }

    /// Hints at more work, to this process alone.
    pub(crate) fn pass_on(&self, work: Work) {
        self.here.give(work);
    }

    async fn wait(&self, work: Work) {
        self.listening.get_or_init(|| {
            let (ears, here) = (Arc::clone(&self.ears), Arc::clone(&self.here));
            let listening = listen(ears, self.channel.clone(), self.name.clone(), self.silence, here);
            tokio::spawn(listening).abort_handle()
        });
        self.here.wait(work).await;
    }

    /// Stops listening.
    pub(crate) fn close(&self) {
        if let Some(listening) = self.listening.get() {
            listening.abort();
        }
    }

    /// Tells others until there is nothing left to tell.
    async fn tell_others(self: Arc<Self>) {
        loop {
            let told = self.take_untold();
            if told.is_empty() {
                return;
            }
            match tokio::time::timeout(PATIENCE, self.notify(&told)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, "Other nodes were not told of work");
                }
                Err(_) => tracing::debug!("Other nodes were not told of work within {PATIENCE:?}"),
            }
            tokio::time::sleep(GATHER).await;
        }
    }

    /// What is to be told now; when that is nothing, the task ends.
    fn take_untold(&self) -> Vec<String> {
        let mut untold = self.untold();
        let Untold { scans, deliveries, .. } = std::mem::take(&mut *untold);
        let told = [(Work::Scans, scans), (Work::Deliveries, deliveries)];
        let told: Vec<String> =
            told.into_iter().filter(|(_, is_due)| *is_due).map(|(work, _)| payload(work, &self.name)).collect();
        untold.is_being_told = !told.is_empty();
        told
    }

    async fn notify(&self, told: &[String]) -> Result<(), sqlx::Error> {
        sqlx::query("SELECT pg_notify($1, told) FROM unnest($2::text[]) AS told")
            .bind(&self.channel)
            .bind(told)
            .execute(&mut *Session::begin(&self.pool).await?)
            .await?;
        Ok(())
    }

    fn untold(&self) -> std::sync::MutexGuard<'_, Untold> {
        // Whatever panicked, these are but flags.
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.close();
    }
}

/// Passes on what other nodes tell, until it is aborted. A connection that is lost is made anew.
async fn listen(ears: Ears, channel: String, name: WorkerId, silence: Duration, here: Arc<Hints>) {
    const FIRST_PAUSE: Duration = Duration::from_secs(1);
    const LONGEST_PAUSE: Duration = Duration::from_secs(30);
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match connect(&ears(), &channel).await {
            Ok(mut listener) => {
                pause = FIRST_PAUSE;
                // What was told before was not heard.
                Work::ALL.into_iter().for_each(|work| here.give(work));
                hear(&mut listener, &name, silence, &here).await
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

async fn connect(ears: &PgPool, channel: &str) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(ears).await?;
    listener.eager_reconnect(false);
    listener.listen(channel).await?;
    Ok(listener)
}

/// Passes on what is heard, of each kind at most one hint in [`GATHER`], until the connection is lost.
async fn hear(listener: &mut PgListener, name: &WorkerId, silence: Duration, here: &Hints) -> sqlx::Error {
    loop {
        let mut heard = Vec::new();
        // The first is waited for; those that came with it are only taken. A wait that ends early loses nothing.
        let mut patience = silence;
        while heard.len() < Work::ALL.len() {
            match tokio::time::timeout(patience, listener.try_recv()).await {
                Ok(Ok(Some(told))) => {
                    if let Some(work) = work_of(told.payload(), name).filter(|work| !heard.contains(work)) {
                        heard.push(work);
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
        heard.into_iter().for_each(|work| here.give(work));
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
    }
}

fn payload(work: Work, from: &WorkerId) -> String {
    format!("{} {from}", word(work))
}

/// What a payload hints at; nothing where it is this node's own, or nobody's of ours: anyone may notify.
fn work_of(payload: &str, name: &WorkerId) -> Option<Work> {
    let (told, from) = payload.split_once(' ')?;
    let work = Work::ALL.into_iter().find(|work| word(*work) == told)?;
    (from != name.to_string()).then_some(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_hears_others_and_not_itself() {
        let (one, other) = (WorkerId::generate(), WorkerId::generate());
        for work in Work::ALL {
            assert_eq!(work_of(&payload(work, &one), &other), Some(work));
            assert_eq!(work_of(&payload(work, &one), &one), None);
        }
        for strange in ["", "scans", "Scans x", "checks x", " ", " x"] {
            assert_eq!(work_of(strange, &one), None, "{strange}");
        }
    }
}
