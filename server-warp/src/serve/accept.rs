//! Accepts connections, up to the limit.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use hyper_util::server::graceful::GracefulShutdown;
use ipnet::IpNet;
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;
use warp::{filters::BoxedFilter, reply::Response};

use super::{connection::connection, peers::Peers};
use crate::request::ClientAddress;

/// The limits of the accept loop.
#[derive(Debug, Clone)]
pub struct ServeLimits {
    /// The number of connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// The number of connections at a time from one IPv4 address, or from one IPv6 network of 64 bits; further ones are
    /// refused.
    pub connections_per_peer: usize,
    /// Proxies, which speak for many clients: their connections are bounded by [`connections`](Self::connections) only.
    pub trusted_proxies: Vec<IpNet>,
    /// The time in which the head of a request must arrive: for the first request counted from the beginning of the
    /// connection, for a later one from its first byte.
    pub head: Duration,
    /// The longest time that a connection may stay without a request after a response.
    pub idle: Duration,
    /// The longest time that a response may wait for the client to read any of it.
    pub write: Duration,
    /// The time that requests in progress have when the server stops.
    pub drain: Duration,
}

impl ServeLimits {
    /// Returns a quarter of all connections: no single peer keeps the others out.
    pub const fn share_of(connections: usize) -> usize {
        connections.div_ceil(4)
    }
}

impl Default for ServeLimits {
    fn default() -> Self {
        let connections = 4_096;
        Self {
            connections,
            connections_per_peer: Self::share_of(connections),
            trusted_proxies: Vec::new(),
            head: Duration::from_secs(15),
            // Longer than proxies keep a connection for later use, 60 s by default: the proxy must be the one that
            // closes first, or now and then it sends a request into a connection that is just being closed.
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            drain: Duration::from_secs(10),
        }
    }
}

/// The bytes of a response that the system takes ahead of its reader. With its own default it takes several megabytes
/// and asks for more only when a third of them has been read: a slow reader would seem to stand still.
const SEND_BUFFER: usize = 256 * 1024;

/// Serves `routes` on `listener` until `stop` ends; then accepts no more connections except those that the system has
/// accepted already, and gives requests in progress their time.
pub async fn serve(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: ServeLimits,
    stop: impl Future<Output = ()>,
) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let peers = Peers::new(limits.connections_per_peer, limits.trusted_proxies.clone());
    let limits = Arc::new(limits);
    let open = GracefulShutdown::new();
    let stopped = CancellationToken::new();
    let take_in = |stream: TcpStream, address: SocketAddr, permit: OwnedSemaphorePermit| {
        let Some(share) = peers.admit(address.ip()) else { return Peers::refuse(stream) };
        if let Err(error) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
            tracing::debug!(%error, "The system's own send buffer stays");
        }
        let connection = connection(stream, ClientAddress(address), routes.clone(), &limits, &open, &stopped);
        tokio::spawn(async move {
            connection.await;
            drop((permit, share));
        });
    };
    let mut stop = std::pin::pin!(stop);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit,
            () = &mut stop => break,
        };
        // The semaphore is never closed, so a permit is always given in the end.
        let Ok(permit) = permit else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, address)) => take_in(stream, address, permit),
            Err(error) => {
                // Out of descriptors, or a client that closed its connection at once: neither ends the server.
                tracing::warn!(error = &error as &dyn std::error::Error, "Could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    // To their clients these connections are open, and may carry requests: closing the listener would reset them.
    let waiting = listener.into_std().map(Waiting);
    let waiting = waiting.inspect_err(|error| {
        let error = error as &dyn std::error::Error;
        tracing::warn!(error, "Connections that were not taken in yet are lost");
    });
    for (stream, address) in waiting.into_iter().flatten() {
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { break };
        take_in(stream, address, permit);
    }
    stopped.cancel();
    if tokio::time::timeout(limits.drain, open.shutdown()).await.is_err() {
        tracing::warn!("Cut off requests that did not end in time");
    }
}

/// The connections that wait to be accepted at this moment, and the listener, which is closed after them. The system
/// itself is asked: tokio's knowledge of the listener is as old as its last poll of all sockets.
struct Waiting(std::net::TcpListener);

impl Iterator for Waiting {
    type Item = (TcpStream, SocketAddr);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let accepted = self.0.accept().and_then(|(stream, address)| {
                stream.set_nonblocking(true)?;
                Ok((TcpStream::from_std(stream)?, address))
            });
            match accepted {
                Ok(accepted) => return Some(accepted),
                // A client that closed its connection before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "Could not accept a connection");
                    return None;
                }
            }
        }
    }
}
