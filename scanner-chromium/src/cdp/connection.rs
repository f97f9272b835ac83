//! The pipe to one browser: commands out, responses and events in.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Deserialize as _;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{mpsc, oneshot},
    time::{Instant, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    CdpError, Command, Event, EventSink, Reaction, SessionEnd,
    events::{DetachedFromTarget, EventKind as _, InspectorTargetCrashed},
    framing::Messages,
    message::{ErrorBody, Incoming, encode},
};

/// The number of commands that may wait to be written. Beyond it a caller waits, within its deadline.
const OUTGOING: usize = 256;

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
    /// The queue for reactions. It is weak, so that the connection ends with its last user.
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

impl Connection {
    /// Starts to read and to write. Both tasks end when the connection closes.
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

    /// Sets the receiver of the events that belong to no session.
    pub(crate) fn on_browser_events(&self, sink: Arc<dyn EventSink>) {
        self.shared.lock().root = Some(sink);
    }

    /// Sets the receiver of the events of a session that the browser has just opened, and admits commands to the
    /// session.
    pub(super) fn add_session(&self, id: String, sink: Arc<dyn EventSink>) {
        let mut state = self.shared.lock();
        if state.closed {
            drop(state);
            sink.ended(SessionEnd::BrowserGone);
        } else {
            state.sessions.insert(id, sink);
        }
    }

    /// Removes a session; every call that waits for a response in it fails at once.
    pub(super) fn end_session(&self, id: &str) {
        self.shared.end_session(id, SessionEnd::Detached);
    }

    /// Returns whether the connection to the browser is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.shared.closed.is_cancelled()
    }

    /// Waits until the connection to the browser is closed.
    pub(crate) async fn closed(&self) {
        self.shared.closed.cancelled().await;
    }

    /// Fails everything that waits, and closes the pipe.
    pub(crate) fn close(&self) {
        self.shared.close();
    }

    /// Sends a command to the browser itself and waits for its result.
    pub(crate) async fn call<C: Command>(&self, command: C, deadline: Instant) -> Result<C::Result, CdpError> {
        self.call_in(None, command, deadline).await
    }

    /// Sends a command and waits for its result; `session` is `None` for the browser itself.
    pub(super) async fn call_in<C: Command>(
        &self,
        session: Option<&str>,
        command: C,
        deadline: Instant,
    ) -> Result<C::Result, CdpError> {
        let method = C::METHOD;
        let (id, answer) =
            self.shared.register(session.map(str::to_owned)).map_err(|end| CdpError::Ended { method, end })?;
        // Removes the command however this ends, so that a response which never comes costs no memory.
        let _registered = Registered { shared: &self.shared, id };
        let message = encode(id, session, method, command)?;
        let exchange = async {
            // If the queue is closed the connection is too, and `answer` says so.
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
            Ok(Ok(Ok(result))) => C::Result::deserialize(result).map_err(|source| CdpError::Shape { method, source }),
        }
    }

    /// Sends the browser a command whose result is not needed.
    pub(crate) fn send(&self, command: impl Command) {
        self.shared.send(None, Reaction::with(command));
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("open", &self.is_open()).finish_non_exhaustive()
    }
}

impl Shared {
    /// Locks the state. The lock is held for a few map operations, never across an await or a call to a sink.
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
        let event = Event { method: &method, params: &message.params };
        if let Some(reaction) = sink.and_then(|sink| sink.event(event)) {
            self.send(message.session.as_deref(), reaction);
        }
        if let Some(DetachedFromTarget { session_id }) = event.read() {
            self.end_session(&session_id, SessionEnd::Detached);
        } else if let Some(id) = &message.session
            && method == InspectorTargetCrashed::METHOD
        {
            self.end_session(id, SessionEnd::Crashed);
        }
    }

    fn send(&self, session: Option<&str>, Reaction { method, params }: Reaction) {
        let id = {
            let mut state = self.lock();
            state.last_id += 1;
            state.last_id
        };
        let Some(outgoing) = self.outgoing.upgrade() else { return };
        let message = params.ok().and_then(|params| encode(id, session, method, params).ok());
        let sent = message.is_some_and(|message| outgoing.try_send(message).is_ok());
        if !sent {
            // The queue is full: the browser does not read. Callers that wait for it find out by their deadline.
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

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicUsize, time::Duration};

    use serde::Serialize;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;
    use crate::cdp::{commands::HandleJavaScriptDialog, events::DialogOpening};

    /// Opens a connection, and returns with it the browser's ends of the pipes: the one that it reads, and the one that
    /// it writes.
    fn connect() -> (Connection, DuplexStream, DuplexStream) {
        let (ours_in, theirs_out) = duplex(1 << 16);
        let (ours_out, theirs_in) = duplex(1 << 16);
        (Connection::open(ours_in, ours_out), theirs_in, theirs_out)
    }

    /// A command for the tests.
    #[derive(Debug, Serialize)]
    struct First {}

    impl Command for First {
        const METHOD: &'static str = "A.first";
        type Result = Value;
    }

    /// Another command for the tests.
    #[derive(Debug, Serialize)]
    struct Second {}

    impl Command for Second {
        const METHOD: &'static str = "A.second";
        type Result = Value;
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    async fn say(browser: &mut DuplexStream, message: Value) {
        browser.write_all(format!("{message}\0").as_bytes()).await.unwrap();
    }

    #[derive(Default)]
    struct Asks(AtomicUsize);

    impl EventSink for Asks {
        fn event(&self, event: Event<'_>) -> Option<Reaction> {
            event.read().map(|DialogOpening { kind }| Reaction::with(HandleJavaScriptDialog { accept: kind == "yes" }))
        }

        fn ended(&self, _: SessionEnd) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn answers_find_their_commands_in_any_order() {
        let (connection, _commands, mut browser) = connect();
        let first = connection.call(First {}, soon());
        let second = connection.call(Second {}, soon());
        let browser = async {
            say(&mut browser, json!({ "id": 2, "result": { "of": 2 }, "newer": "field" })).await;
            say(&mut browser, json!("not even an object")).await;
            say(&mut browser, json!({ "id": 1, "error": { "code": -32000, "message": "no" } })).await;
        };
        let (first, second, ()) = tokio::join!(first, second, browser);
        assert!(matches!(first, Err(CdpError::Refused { method: "A.first", code: -32000, .. })));
        assert_eq!(second.unwrap(), json!({ "of": 2 }));
    }

    #[tokio::test]
    async fn the_end_of_the_browser_fails_what_waits_and_what_comes_after_at_once() {
        let (connection, commands, browser) = connect();
        let end = async { drop((commands, browser)) };
        let (waiting, ()) = tokio::join!(connection.call(First {}, soon()), end);
        let after = connection.call(First {}, soon()).await;
        for result in [waiting, after] {
            assert!(matches!(result, Err(CdpError::Ended { end: SessionEnd::BrowserGone, .. })), "{result:?}");
        }
        connection.closed().await;
    }

    #[tokio::test]
    async fn a_crash_of_one_tab_fails_its_commands_and_no_others() {
        let (connection, _commands, mut browser) = connect();
        let sink = Arc::new(Asks::default());
        for id in ["one", "two"] {
            connection.add_session(id.to_owned(), Arc::clone(&sink) as _);
        }
        let one = connection.call_in(Some("one"), First {}, soon());
        let two = connection.call_in(Some("two"), First {}, soon());
        let browser = async {
            say(&mut browser, json!({ "method": "Inspector.targetCrashed", "sessionId": "one", "params": {} })).await;
            say(&mut browser, json!({ "id": 2, "sessionId": "two", "result": {} })).await;
        };
        let (one, two, ()) = tokio::join!(one, two, browser);
        assert!(matches!(one, Err(CdpError::Ended { end: SessionEnd::Crashed, .. })), "{one:?}");
        assert!(two.is_ok());
        let after = connection.call_in(Some("one"), First {}, soon()).await;
        assert!(matches!(after, Err(CdpError::Ended { .. })), "{after:?}");
        assert_eq!(sink.0.load(std::sync::atomic::Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_question_of_a_page_is_answered_in_its_own_session() {
        let (connection, mut commands, mut browser) = connect();
        connection.add_session("one".to_owned(), Arc::new(Asks::default()));
        say(&mut browser, json!({ "method": "Page.javascriptDialogOpening", "sessionId": "one", "params": {} })).await;
        let mut command = vec![0; 200];
        let length = commands.read(&mut command).await.unwrap();
        let command: Value = serde_json::from_slice(&command[..length - 1]).unwrap();
        assert_eq!(command["method"], "Page.handleJavaScriptDialog");
        assert_eq!((&command["sessionId"], &command["params"]), (&json!("one"), &json!({ "accept": false })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_that_is_not_answered_ends_with_its_deadline_and_is_forgotten() {
        let (connection, _commands, _browser) = connect();
        let deadline = Instant::now() + Duration::from_secs(5);
        let result = connection.call(First {}, deadline).await;
        assert!(matches!(result, Err(CdpError::TimedOut { method: "A.first" })));
        assert!(connection.shared.lock().pending.is_empty());
    }
}
