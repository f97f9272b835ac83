//! The time that a connection may wait for the head of a request.
//!
//! Hyper has one limit, which counts from the instant at which it begins to wait for a head: idling and reading are
//! one. We have two. Hyper asks its timer for a deadline when it begins to wait and drops it when the head has arrived;
//! so a timer of our own knows when a connection waits, and learns from the [wire](super::wire) when bytes arrive and
//! when the previous response is sent.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::rt::{Sleep, Timer};
use tokio::time::{self, Instant};

use super::wire::Progress;

/// The timer of one connection.
#[derive(Debug)]
pub(super) struct HeadTimer {
    progress: Arc<Progress>,
    head: Duration,
    idle: Duration,
    has_waited: AtomicBool,
}

impl HeadTimer {
    pub(super) const fn new(progress: Arc<Progress>, head: Duration, idle: Duration) -> Self {
        Self { progress, head, idle, has_waited: AtomicBool::new(false) }
    }
}

impl Timer for HeadTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now())
    }

    /// Ignores the deadline that hyper names, which is that for the head alone.
    fn sleep_until(&self, _: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        let is_first = !self.has_waited.swap(true, Ordering::Relaxed);
        // A new connection that sends nothing is not one that a client keeps for reuse.
        let (waits_for, limit) = if is_first { (WaitsFor::Rest, self.head) } else { (WaitsFor::FirstByte, self.idle) };
        Box::pin(HeadDeadline {
            progress: Arc::clone(&self.progress),
            head: self.head,
            idle: self.idle,
            waits_for,
            read_before: self.progress.read(),
            sleep: Box::pin(time::sleep(limit)),
        })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

/// The deadline for the head of a request.
struct HeadDeadline {
    progress: Arc<Progress>,
    head: Duration,
    idle: Duration,
    waits_for: WaitsFor,
    /// The number of bytes that had been read when the waiting began.
    read_before: u64,
    sleep: Pin<Box<time::Sleep>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitsFor {
    /// The connection idles.
    FirstByte,
    /// A head is arriving.
    Rest,
}

impl Sleep for HeadDeadline {}

impl Future for HeadDeadline {
    type Output = ();

    /// Hyper polls this each time after it has read the available bytes.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.waits_for == WaitsFor::FirstByte && self.progress.read() != self.read_before {
            self.waits_for = WaitsFor::Rest;
            let deadline = Instant::now() + self.head;
            self.sleep.as_mut().reset(deadline);
        }
        loop {
            ready!(self.sleep.as_mut().poll(context));
            if self.waits_for == WaitsFor::Rest {
                return Poll::Ready(());
            }
            // Idling begins when the previous response is sent, which may be later than hyper begins to wait.
            let idle_since = self.progress.answered_at().unwrap_or_else(Instant::now);
            let deadline = idle_since + self.idle;
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            self.sleep.as_mut().reset(deadline);
        }
    }
}
