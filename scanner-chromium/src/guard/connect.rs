//! Connections to hosts by name, made only to addresses that were judged.

use std::{io, net::SocketAddr, sync::Arc};

use a11ycheck_core::net::{PolicyError, ProxyError, Refusal, Resolver, Route, UpstreamProxy};
use tokio::{
    net::TcpStream,
    time::{Duration, Instant, timeout_at},
};
use url::{Host, Url};

use super::{
    GuardLog, Obstacle, Reach,
    metered::{Meter, Metered},
    reach::Passage,
};

/// The time limit of connecting to a host, over all of its addresses.
const CONNECT_TIME: Duration = Duration::from_secs(15);
/// The time limit of connecting to one of several addresses.
const ONE_ADDRESS_TIME: Duration = Duration::from_secs(5);
/// The time limit of looking up a name.
const RESOLVE_TIME: Duration = Duration::from_secs(10);

/// The rules about where a guard may connect to.
#[derive(Clone)]
pub(crate) enum Egress {
    /// No connection is allowed.
    RefuseAll,
    /// Connections are allowed as far as the operator's policy permits them.
    Judged {
        /// The policy, and the part of it that applies to this scan.
        reach: Reach,
        /// The resolver of names.
        resolver: Arc<dyn Resolver>,
        /// The operator's proxy, if connections go through one.
        proxy: Option<UpstreamProxy>,
    },
}

impl Egress {
    /// Connects to a judged address of the host, and notes the result in the log.
    pub(super) async fn connect(
        &self,
        host: &str,
        port: u16,
        log: &GuardLog,
        meter: &Arc<Meter>,
    ) -> Result<Metered, Obstacle> {
        let connected = self.try_connect(host, port, meter).await;
        log.note(host, port, connected.as_ref().err().cloned());
        if let Err(obstacle) = &connected {
            tracing::debug!(host, port, ?obstacle, "the egress guard made no connection");
        }
        connected
    }

    /// Returns the reason why the policy refuses an address, or `None` if it does not. Looks its name up, but makes no
    /// connection.
    pub(crate) async fn refusal(&self, url: &Url) -> Option<Refusal> {
        let port = url.port_or_known_default()?;
        match self.judge(url.host_str()?, port).await {
            Err(Obstacle::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }

    async fn try_connect(&self, host: &str, port: u16, meter: &Arc<Meter>) -> Result<Metered, Obstacle> {
        if meter.is_used_up() {
            return Err(Obstacle::TooMuch);
        }
        let Passage { route, until } = self.judge(host, port).await?;
        let stream = match (&route, self) {
            (Route::Direct(judged), _) => reach(judged.addresses()).await.map_err(|_| Obstacle::Unreachable)?,
            (Route::Proxied(_) | Route::Named { .. }, Self::Judged { proxy: Some(proxy), .. }) => {
                let connected = proxy.connect(&route, Instant::now() + CONNECT_TIME).await;
                connected.map_err(|error| not_passed(host, port, &error))?
            }
            // A route through a proxy needs one.
            (Route::Proxied(_) | Route::Named { .. }, _) => return Err(nowhere()),
        };
        // Requests are small, and something waits for each of them.
        let _ = stream.set_nodelay(true);
        Ok(Metered::new(stream, Arc::clone(meter), until))
    }

    async fn judge(&self, host: &str, port: u16) -> Result<Passage, Obstacle> {
        let Self::Judged { reach, resolver, proxy } = self else { return Err(nowhere()) };
        // Hosts are read as in an address bar: `0x7f.1` is an IP address here too.
        let host = Host::parse(host).map_err(|_| nowhere())?;
        let host = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        let judged = tokio::time::timeout(RESOLVE_TIME, reach.route(&**resolver, proxy.as_ref(), &host, port)).await;
        let Ok(judged) = judged else { return Err(Obstacle::Dns) };
        judged.map_err(|error| {
            tracing::debug!(%host, port, error = &error as &dyn std::error::Error, "an address may not be visited");
            match reach.disclosed(&host, error) {
                PolicyError::Refused(refusal) => Obstacle::Refused(refusal),
                // Neither the report nor the page may reveal which of the two it was.
                PolicyError::RefusedAnswer(_) | PolicyError::Resolve(_) => Obstacle::Dns,
            }
        })
    }
}

/// Returns the obstacle of an error of the upstream proxy. The proxy's own failures are logged as warnings for the
/// operator; what it refuses, such as hosts of advertisers, is its own business.
fn not_passed(host: &str, port: u16, error: &ProxyError) -> Obstacle {
    let Some(cause) = error.cause() else { return Obstacle::Unreachable };
    let source: &dyn std::error::Error = error;
    match error {
        ProxyError::Unreachable(_) | ProxyError::Login => {
            tracing::warn!(host, port, error = source, "the proxy of --proxy makes no connections");
        }
        _ => tracing::debug!(host, port, error = source, "the proxy of --proxy made no connection"),
    }
    Obstacle::Proxy(cause)
}

/// Returns the obstacle of a request whose host can't be one.
pub(super) const fn nowhere() -> Obstacle {
    Obstacle::Refused(Refusal::InvalidName)
}

/// Connects to the first address that accepts a connection, in the order given.
async fn reach(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let last_moment = Instant::now() + CONNECT_TIME;
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        let share = if addresses.len() == 1 { CONNECT_TIME } else { ONE_ADDRESS_TIME };
        let deadline = last_moment.min(Instant::now() + share);
        match timeout_at(deadline, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failure = error,
            Err(_) => failure = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(failure)
}
