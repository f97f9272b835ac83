//! The stream below hyper: it notices a reader who takes nothing, and replaces hyper's own refusals.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::body::{Body, Frame, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{self, Instant},
};
use warp::http::StatusCode;

use super::head::Flaw;

/// The progress of the requests and responses of a connection.
#[derive(Debug)]
pub(super) struct Progress {
    read: AtomicU64,
    answer: Mutex<Answer>,
}

/// The state of the present response of a connection.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// All responses are written, at this instant or before. Whatever hyper writes now is its own refusal.
    Written(Instant),
    /// A request is being handled.
    Begun,
    /// Hyper has the whole response, and has not written it to its end.
    Made,
}

impl Progress {
    /// Returns the number of bytes that came from the client.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the instant at which the last response was written; `None` while one is not.
    pub(super) fn answered_at(&self) -> Option<Instant> {
        match *self.answer() {
            Answer::Written(at) => Some(at),
            Answer::Begun | Answer::Made => None,
        }
    }

    /// Records that a request has arrived and is being handled.
    pub(super) fn begin_answer(&self) {
        *self.answer() = Answer::Begun;
    }

    fn answer(&self) -> MutexGuard<'_, Answer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a response, which notices when hyper has all of it: hyper drops it then.
#[derive(Debug)]
pub(super) struct Tracked<B> {
    body: B,
    progress: Arc<Progress>,
}

impl<B> Tracked<B> {
    pub(super) const fn new(body: B, progress: Arc<Progress>) -> Self {
        Self { body, progress }
    }
}

impl<B> Drop for Tracked<B> {
    fn drop(&mut self) {
        *self.progress.answer() = Answer::Made;
    }
}

impl<B: Body + Unpin> Body for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream whose writes fail once none of them has made progress for a while.
pub(super) struct Wire<S> {
    stream: S,
    progress: Arc<Progress>,
    patience: Duration,
    /// The instant at which a waiting write fails; only while one waits.
    deadline: Option<Pin<Box<time::Sleep>>>,
    /// The response that is sent instead of hyper's own.
    instead: Option<Instead>,
}

struct Instead {
    bytes: Vec<u8>,
    written: usize,
}

impl<S> Wire<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        let progress = Progress { read: AtomicU64::new(0), answer: Mutex::new(Answer::Written(Instant::now())) };
        Self { stream, progress: Arc::new(progress), patience, deadline: None, instead: None }
    }

    pub(super) const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Bounds the time that a write may wait: a result is progress, waiting is not.
    fn bounded<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.deadline = None;
            return polled;
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(time::sleep(self.patience)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client reads nothing of the answer")))
    }
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    /// Sends our response instead of hyper's own, an empty one, which begins with `head` and is `length` bytes long.
    /// Returns `None` if it is not hyper's own response that is being written.
    ///
    /// Only a response of hyper's own is written while all others are finished: one of ours would be in progress. Those
    /// that follow a response which the client has not read yet pass unchanged.
    fn replaced(&mut self, context: &mut Context<'_>, head: &[u8], length: usize) -> Option<Poll<io::Result<usize>>> {
        if self.instead.is_none() {
            self.progress.answered_at()?;
            let flaw = head.strip_prefix(b"HTTP/1.1 ")?.get(..3).and_then(|code| StatusCode::from_bytes(code).ok());
            self.instead = Some(Instead { bytes: in_json(Flaw::of(flaw?)?), written: 0 });
        }
        let Self { stream, instead, .. } = self;
        let Instead { bytes, written } = instead.as_mut()?;
        while *written < bytes.len() {
            match Pin::new(&mut *stream).poll_write(context, &bytes[*written..]) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(more)) => *written += more,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => return Some(Poll::Pending),
            }
        }
        self.instead = None;
        Some(Poll::Ready(Ok(length)))
    }
}

/// Returns a whole response, after which the connection ends.
fn in_json(flaw: Flaw) -> Vec<u8> {
    let status = flaw.status();
    // A sentence of ours can't fail to be written as JSON.
    let body = serde_json::to_string(&flaw.body()).unwrap_or_default();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\
         date: {}\r\n\r\n{body}",
        body.len(),
        chrono::Utc::now().format("%a, %d %b %Y %H:%M:%S GMT"),
    )
    .into_bytes()
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let more = buffer.filled().len() - before;
        self.progress.read.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = match self.replaced(context, bytes, bytes.len()) {
            Some(polled) => polled,
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        };
        self.bounded(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        let head = slices.first().map_or(&[][..], |slice| slice);
        let polled = match self.replaced(context, head, length) {
            Some(polled) => polled,
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        };
        self.bounded(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        if let Poll::Ready(Ok(())) = polled {
            let mut answer = self.progress.answer();
            // Hyper flushes when it has written everything.
            if let Answer::Made = *answer {
                *answer = Answer::Written(Instant::now());
            }
        }
        self.bounded(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, polled)
    }
}
