//! The process and its surroundings: when to stop, how many files may be open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Ends at the first SIGTERM or SIGINT.
pub(crate) async fn asked_to_stop() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// Asks for as many open files as the system grants: each connection is one, and the usual soft limit of 1024 is less than
/// the connections that are allowed. A system that refuses leaves things as they were.
pub(crate) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "Could not raise the number of open files");
    }
}
