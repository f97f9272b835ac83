//! The number of connections of each peer.

use std::{
    collections::HashMap,
    io::Write as _,
    net::{IpAddr, Ipv6Addr, Shutdown},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ipnet::IpNet;
use tokio::{net::TcpStream, time::Instant};

/// Counts open connections by peer.
#[derive(Debug)]
pub(super) struct Peers {
    limit: usize,
    trusted: Vec<IpNet>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The open connections of each peer that has any.
    open: HashMap<IpAddr, usize>,
    warned_at: Option<Instant>,
}

/// A counted connection; dropping this removes it from the count.
#[derive(Debug)]
pub(super) struct Share {
    /// The peer; `None` for one that is not bounded.
    counted: Option<(Arc<Peers>, IpAddr)>,
}

impl Peers {
    /// The least time between two lines of the log about refused connections.
    const WARN_EVERY: Duration = Duration::from_secs(60);
    /// The response to a peer that has too many connections.
    const REFUSAL: &[u8] =
        b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-length: 61\r\n\
        retry-after: 1\r\nconnection: close\r\n\r\n{\"message\":\"Too many connections at once from this address.\"}";

    pub(super) fn new(limit: usize, trusted: Vec<IpNet>) -> Arc<Self> {
        Arc::new(Self { limit, trusted, state: Mutex::default() })
    }

    /// Counts a connection. Returns `None` if the peer has as many as it may.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Share> {
        let address = address.to_canonical();
        if is_trusted(&self.trusted, address) {
            return Some(Share { counted: None });
        }
        let peer = subnet(address);
        let mut state = self.state();
        let open = state.open.get(&peer).copied().unwrap_or_default();
        if open >= self.limit {
            if state.warned_at.is_none_or(|warned_at| warned_at.elapsed() >= Self::WARN_EVERY) {
                state.warned_at = Some(Instant::now());
                tracing::warn!(
                    %peer,
                    limit = self.limit,
                    "Refused a connection: this peer has as many as it may. If it is a proxy of yours, name it with \
                     --trust-proxy; else --max-connections-per-peer is the limit"
                );
            }
            return None;
        }
        state.open.insert(peer, open + 1);
        drop(state);
        Some(Share { counted: Some((Arc::clone(self), peer)) })
    }

    /// Sends the reason, as far as that is possible without waiting, and closes the connection.
    pub(super) fn refuse(stream: TcpStream) {
        // A client that did not get it, or had closed the connection already, sees a closed connection.
        if let Ok(mut stream) = stream.into_std()
            && stream.write(Self::REFUSAL).is_ok()
        {
            let _ = stream.shutdown(Shutdown::Write);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some((peers, peer)) = &self.counted else { return };
        let mut state = peers.state();
        if let Some(open) = state.open.get_mut(peer) {
            *open -= 1;
            if *open == 0 {
                state.open.remove(peer);
            }
        }
    }
}

/// Returns whether a peer is one of these proxies.
pub(super) fn is_trusted(proxies: &[IpNet], peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    proxies.iter().any(|network| network.contains(&peer))
}

/// Returns the subnet of an address. An IPv6 customer has at least 64 bits of addresses (RFC 6177), and counts as one
/// peer.
fn subnet(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_peer_has_its_share_a_trusted_proxy_any_number_and_what_is_closed_counts_no_more() {
        let peers = Peers::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let first = peers.admit(ip("203.0.113.9")).unwrap();
        let _second = peers.admit(ip("::ffff:203.0.113.9")).unwrap();
        assert!(peers.admit(ip("203.0.113.9")).is_none());
        let _other = peers.admit(ip("203.0.113.10")).expect("another peer");
        drop(first);
        let _third = peers.admit(ip("203.0.113.9")).expect("there is room again");
        assert!(peers.admit(ip("203.0.113.9")).is_none());
        let proxied: Vec<_> = (0..100).filter_map(|_| peers.admit(ip("10.1.2.3"))).collect();
        assert_eq!(proxied.len(), 100);
    }

    #[test]
    fn a_network_of_ipv6_addresses_is_one_peer_and_none_is_remembered_without_a_connection() {
        let peers = Peers::new(1, vec![]);
        let share = peers.admit(ip("2001:db8:1:2::1"));
        assert!(share.is_some() && peers.admit(ip("2001:db8:1:2:ffff::2")).is_none());
        assert!(peers.admit(ip("2001:db8:1:3::1")).is_some());
        drop(share);
        assert!(peers.state().open.is_empty());
    }

    #[test]
    fn the_refusal_is_a_whole_answer() {
        let text = std::str::from_utf8(Peers::REFUSAL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).unwrap()["message"].is_string());
    }
}
