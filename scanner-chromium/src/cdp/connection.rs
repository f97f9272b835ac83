//! The pipe to one browser: commands out, answers and events in.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{mpsc, oneshot},
    time::{Instant, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{CdpError, SessionEnd, framing::Messages};

/// Commands that wait to be written. Beyond it a caller waits, within its deadline.
const OUTGOING: usize = 256;

/// Hears the events of one session, in the order in which they arrive.
///
/// Called from the task that reads the pipe: it must return soon and never wait.
pub(crate) trait EventSink: Send + Sync {
    /// `method` happened. What is returned is sent at once, to the session that the event came from.
    fn event(&self, method: &str, params: &Value) -> Option<Reaction>;

    /// No event will follow.
    fn ended(&self, end: SessionEnd);
}

/// A command in answer to an event; nobody waits for its result.
#[derive(Debug, PartialEq)]
pub(crate) struct Reaction {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

/// A pipe to a browser. Clones share it; it closes when the last one is dropped or the browser exits.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    outgoing: mpsc::Sender<Vec<u8>>,
    _close_on_drop: Arc<DropGuard>,
}

struct Shared {
    state: Mutex<State>,
    closed: CancellationToken,
    /// For reactions; weak, so that the connection ends with its last user.
    outgoing: mpsc::WeakSender<Vec<u8>>,
}

#[derive(Default)]
struct State {
    closed: bool,
    last_id: u64,
    pending: HashMap<u64, Pending>,
    sessions: HashMap<String, Arc<dyn EventSink>>,
    root: Option<Arc<dyn EventSink>>,
}

struct Pending {
    session: Option<String>,
    answer: oneshot::Sender<Result<Value, Refusal>>,
}

enum Refusal {
    Ended(SessionEnd),
    Error(ErrorBody),
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<ErrorBody>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

impl Connection {
    /// Starts to read and write. Both tasks end when the connection closes.
    pub(crate) fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let closed = CancellationToken::new();
        let shared =
            Arc::new(Shared { state: Mutex::default(), closed: closed.clone(), outgoing: outgoing.downgrade() });
        tokio::spawn(read(Arc::clone(&shared), reader));
        tokio::spawn(write(Arc::clone(&shared), writer, queue));
        Self { shared, outgoing, _close_on_drop: Arc::new(closed.drop_guard()) }
    }

    /// Who hears the events that belong to no session.
    pub(crate) fn on_browser_events(&self, sink: Arc<dyn EventSink>) {
        self.shared.lock().root = Some(sink);
    }

    /// Lets `sink` hear a session that the browser just opened, and admits commands to it.
    pub(super) fn add_session(&self, id: String, sink: Arc<dyn EventSink>) {
        let mut state = self.shared.lock();
        if state.closed {
            drop(state);
            sink.ended(SessionEnd::BrowserGone);
        } else {
            state.sessions.insert(id, sink);
        }
    }

    /// Forgets a session; what waits for an answer in it fails at once.
    pub(super) fn end_session(&self, id: &str) {
        self.shared.end_session(id, SessionEnd::Detached);
    }

    /// Whether the browser can still be spoken to.
    pub(crate) fn is_open(&self) -> bool {
        !self.shared.closed.is_cancelled()
    }

    /// Resolves when the browser can't be spoken to any more.
    pub(crate) async fn closed(&self) {
        self.shared.closed.cancelled().await;
    }

    /// Fails everything that waits, and closes the pipe.
    pub(crate) fn close(&self) {
        self.shared.close();
    }

    /// Sends a command to the browser itself and waits for its result.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize,
        deadline: Instant,
    ) -> Result<R, CdpError> {
        self.call_in(None, method, params, deadline).await
    }

    /// Sends a command and waits for its result; `session` is `None` for the browser itself.
    pub(super) async fn call_in<R: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: impl Serialize,
        deadline: Instant,
    ) -> Result<R, CdpError> {
        let (id, answer) =
            self.shared.register(session.map(str::to_owned)).map_err(|end| CdpError::Ended { method, end })?;
        // Forgets the command whatever happens, so that an answer which never comes costs no memory.
        let _registered = Registered { shared: &self.shared, id };
        let message = encode(id, session, method, params)?;
        let exchange = async {
            // When the queue is closed the connection is too, and `answer` says so.
            let _ = self.outgoing.send(message).await;
            answer.await
        };
        let gone = CdpError::Ended { method, end: SessionEnd::BrowserGone };
        match timeout_at(deadline, exchange).await {
            Err(_) => Err(CdpError::TimedOut { method }),
            Ok(Err(_)) => Err(gone),
            Ok(Ok(Err(Refusal::Ended(end)))) => Err(CdpError::Ended { method, end }),
            Ok(Ok(Err(Refusal::Error(body)))) => {
                Err(CdpError::Refused { method, code: body.code, message: body.message })
            }
            Ok(Ok(Ok(result))) => R::deserialize(result).map_err(|source| CdpError::Shape { method, source }),
        }
    }

    /// Sends the browser a command whose result nobody needs.
    pub(crate) fn send(&self, method: &'static str, params: Value) {
        self.shared.send(None, Reaction { method, params });
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("open", &self.is_open()).finish_non_exhaustive()
    }
}

impl Shared {
    /// The lock is held for a few map operations, never over a wait or a call to a sink.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(
        &self,
        session: Option<String>,
    ) -> Result<(u64, oneshot::Receiver<Result<Value, Refusal>>), SessionEnd> {
        let mut state = self.lock();
        if state.closed {
            return Err(SessionEnd::BrowserGone);
        }
        if session.as_ref().is_some_and(|id| !state.sessions.contains_key(id)) {
            return Err(SessionEnd::Detached);
        }
        let (answer, receiver) = oneshot::channel();
        state.last_id += 1;
        let id = state.last_id;
        state.pending.insert(id, Pending { session, answer });
        Ok((id, receiver))
    }

    fn dispatch(&self, message: Incoming) {
        if let Some(id) = message.id {
            if let Some(pending) = self.lock().pending.remove(&id) {
                let answer = message.error.map_or(Ok(message.result), |body| Err(Refusal::Error(body)));
                // The caller may have stopped waiting.
                let _ = pending.answer.send(answer);
            }
            return;
        }
        let Some(method) = message.method else { return };
        let sink = match &message.session {
            Some(id) => self.lock().sessions.get(id).cloned(),
            None => self.lock().root.clone(),
        };
        if let Some(reaction) = sink.and_then(|sink| sink.event(&method, &message.params)) {
            self.send(message.session.as_deref(), reaction);
        }
        match (method.as_str(), &message.session) {
            ("Target.detachedFromTarget", _) => {
                if let Some(id) = message.params["sessionId"].as_str() {
                    self.end_session(id, SessionEnd::Detached);
                }
            }
            ("Inspector.targetCrashed", Some(id)) => self.end_session(id, SessionEnd::Crashed),
            _ => {}
        }
    }

    fn send(&self, session: Option<&str>, Reaction { method, params }: Reaction) {
        let id = {
            let mut state = self.lock();
            state.last_id += 1;
            state.last_id
        };
        let Some(outgoing) = self.outgoing.upgrade() else { return };
        let sent = encode(id, session, method, params).is_ok_and(|message| outgoing.try_send(message).is_ok());
        if !sent {
            // The queue is full: the browser does not read. Whoever waits for it finds out by deadline.
            tracing::warn!(method, "a command to the browser was dropped");
        }
    }

    fn end_session(&self, id: &str, end: SessionEnd) {
        let (sink, waiting) = {
            let mut state = self.lock();
            let waiting: Vec<_> =
                state.pending.extract_if(|_, pending| pending.session.as_deref() == Some(id)).collect();
            (state.sessions.remove(id), waiting)
        };
        for (_, pending) in waiting {
            let _ = pending.answer.send(Err(Refusal::Ended(end)));
        }
        if let Some(sink) = sink {
            sink.ended(end);
        }
    }

    fn close(&self) {
        self.closed.cancel();
        let (sessions, root, waiting) = {
            let mut state = self.lock();
            state.closed = true;
            let state = &mut *state;
            (std::mem::take(&mut state.sessions), state.root.take(), std::mem::take(&mut state.pending))
        };
        for pending in waiting.into_values() {
            let _ = pending.answer.send(Err(Refusal::Ended(SessionEnd::BrowserGone)));
        }
        for sink in sessions.into_values().chain(root) {
            sink.ended(SessionEnd::BrowserGone);
        }
    }
}

struct Registered<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.shared.lock().pending.remove(&self.id);
    }
}

fn encode(id: u64, session: Option<&str>, method: &'static str, params: impl Serialize) -> Result<Vec<u8>, CdpError> {
    let mut message = serde_json::to_vec(&Outgoing { id, method, params, session })
        .map_err(|source| CdpError::Arguments { method, source })?;
    message.push(0);
    Ok(message)
}

async fn read(shared: Arc<Shared>, reader: impl AsyncRead + Unpin) {
    let mut messages = Messages::new(reader);
    loop {
        let next = tokio::select! {
            () = shared.closed.cancelled() => break,
            next = messages.next() => next,
        };
        match next {
            Ok(Some(message)) => match serde_json::from_slice(&message) {
                Ok(message) => shared.dispatch(message),
                Err(error) => tracing::warn!(%error, "a message of the browser could not be read"),
            },
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "the pipe from the browser broke");
                break;
            }
        }
    }
    shared.close();
}

async fn write(shared: Arc<Shared>, mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    loop {
        let next = tokio::select! {
            () = shared.closed.cancelled() => break,
            next = queue.recv() => next,
        };
        let Some(message) = next else { break };
        let written = tokio::select! {
            () = shared.closed.cancelled() => break,
            written = writer.write_all(&message) => written,
        };
        if let Err(error) = written {
            tracing::debug!(%error, "the pipe to the browser broke");
            break;
        }
    }
    shared.close();
}
