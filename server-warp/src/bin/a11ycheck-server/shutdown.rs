//! The process and its environment: signals to stop, and the number of open files.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask a server to stop: SIGTERM, SIGINT and SIGHUP. The last is what `systemctl reload`, logrotate
/// and a closed terminal send; by default it would end the process with all requests in progress.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl StopSignals {
    /// Begins to listen. After this the signals do not end the process by themselves, so that a server that is asked to
    /// stop right after it has started still hands back what it has begun.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal, since [`listen`](Self::listen) or the previous one.
    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Asks for as many open files as the system grants: each connection is one, and the usual soft limit of 1024 is less
/// than the connections that are allowed. If the system refuses, the limit stays as it was.
pub(crate) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "Could not raise the number of open files");
    }
}
