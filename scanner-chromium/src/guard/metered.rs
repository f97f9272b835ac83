//! A connection that counts its bytes and ends when it is idle for too long.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Duration, Instant, Sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The time without a byte after which a connection ends.
const IDLE: Duration = Duration::from_secs(60);
/// The number of bytes that one connection may move, in both directions together.
const MAX_PER_CONNECTION: u64 = 200 * 1024 * 1024;

/// The bytes that all connections of a scan have moved, and their bound.
#[derive(Debug)]
pub(super) struct Meter {
    moved: AtomicU64,
    limit: u64,
}

impl Meter {
    pub(super) const fn new(limit: u64) -> Self {
        Self { moved: AtomicU64::new(0), limit }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.moved.load(Ordering::Relaxed) > self.limit
    }

    fn count(&self, bytes: u64) {
        self.moved.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A TCP connection to a checked site, within its bounds.
#[derive(Debug)]
pub(super) struct Metered {
    stream: TcpStream,
    moved: u64,
    meter: Arc<Meter>,
    idle: Pin<Box<Sleep>>,
    until: CancellationToken,
    revoked: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Metered {
    /// Wraps a connection that ends when `until` fires.
    pub(super) fn new(stream: TcpStream, meter: Arc<Meter>, until: CancellationToken) -> Self {
        let revoked = Box::pin(until.clone().cancelled_owned());
        Self { stream, moved: 0, meter, idle: Box::pin(tokio::time::sleep(IDLE)), until, revoked }
    }

    fn count(&mut self, bytes: usize) -> io::Result<()> {
        let bytes = bytes as u64;
        self.moved += bytes;
        self.meter.count(bytes);
        self.idle.as_mut().reset(Instant::now() + IDLE);
        if self.moved > MAX_PER_CONNECTION || self.meter.is_used_up() {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, "the check has moved too many bytes"));
        }
        Ok(())
    }
}

impl AsyncRead for Metered {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.revoked.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(revoked()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) => Poll::Ready(self.count(buffer.filled().len() - before)),
            Poll::Ready(error) => Poll::Ready(error),
            Poll::Pending => {
                ready!(self.idle.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.until.is_cancelled() {
            return Poll::Ready(Err(revoked()));
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.count(written)?;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

fn revoked() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the check may no longer reach this network")
}
