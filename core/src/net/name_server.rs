//! A name server whose answers a test sets.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{net::UdpSocket, task::AbortHandle};

/// The answer of a [`NameServer`] about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Says {
    /// The name has these addresses.
    Addresses(Vec<IpAddr>),
    /// The name has these IPv4 addresses; queries for IPv6 get no answer.
    OnlyIpv4(Vec<IpAddr>),
    /// The server reports a failure.
    Failure,
    /// Queries for the name, and for any name below it, never get an answer.
    Nothing,
}

/// A name server on a port of its own on 127.0.0.1, over UDP, until it is dropped. Names that were not set do not
/// exist.
#[derive(Debug)]
pub struct NameServer {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    task: AbortHandle,
}

#[derive(Debug, Default)]
struct Shared {
    names: HashMap<String, Says>,
    asked: Vec<String>,
}

/// Types of records and their numbers (RFC 1035 §3.2.2, RFC 3596 §2.1).
const A: u16 = 1;
const AAAA: u16 = 28;

impl NameServer {
    /// Starts a server that knows these names (lower case, no dot at the end).
    ///
    /// # Errors
    /// Those of opening a port.
    pub async fn start<'a>(names: impl IntoIterator<Item = (&'a str, Says)>) -> std::io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let address = socket.local_addr()?;
        let names = names.into_iter().map(|(name, says)| (name.to_owned(), says)).collect();
        let shared = Arc::new(Mutex::new(Shared { names, asked: Vec::new() }));
        let known = Arc::clone(&shared);
        let serve = async move {
            let mut query = [0; 1500];
            // An error here comes from a client that has already closed its socket.
            loop {
                if let Ok((length, client)) = socket.recv_from(&mut query).await
                    && let Some(answer) = answer(&query[..length], &known)
                {
                    let _ = socket.send_to(&answer, client).await;
                }
            }
        };
        Ok(Self { address, shared, task: tokio::spawn(serve).abort_handle() })
    }

    /// Returns the address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the answer about a name.
    pub fn set(&self, name: &str, says: Says) {
        lock(&self.shared).names.insert(name.to_owned(), says);
    }

    /// Returns the names of the queries in order, with repetitions: one for each type of record.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.shared).asked.clone()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the answer to a query with one question (RFC 1035 §4), if there is to be one.
fn answer(query: &[u8], shared: &Mutex<Shared>) -> Option<Vec<u8>> {
    let (name, end) = question(query)?;
    let kind = u16::from_be_bytes([*query.get(end)?, *query.get(end + 1)?]);
    let says = {
        let mut shared = lock(shared);
        shared.asked.push(name.clone());
        let mut above = std::iter::successors(Some(name.as_str()), |name| Some(name.split_once('.')?.1));
        let is_silent = above.any(|name| shared.names.get(name) == Some(&Says::Nothing));
        if is_silent { Some(Says::Nothing) } else { shared.names.get(&name).cloned() }
    };
    // "No such name" and "server failure" (§4.1.1).
    let (code, ips) = match says {
        None => (3, Vec::new()),
        Some(Says::Failure) => (2, Vec::new()),
        Some(Says::Addresses(ips)) => (0, ips),
        Some(Says::OnlyIpv4(ips)) if kind == A => (0, ips),
        Some(Says::OnlyIpv4(_) | Says::Nothing) => return None,
    };
    let records: Vec<Vec<u8>> = ips.into_iter().filter_map(|ip| record(ip, kind)).collect();
    let mut answer = query[..2].to_vec();
    // The flags of a response; recursion was desired and is available.
    answer.extend([0x81, 0x80 | code, 0, 1]);
    answer.extend(u16::try_from(records.len()).ok()?.to_be_bytes());
    answer.extend([0, 0, 0, 0]);
    answer.extend(query.get(12..end + 4)?);
    records.iter().for_each(|record| answer.extend(record));
    Some(answer)
}

/// Returns the name of the question and the position of its type.
fn question(query: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        labels.push(String::from_utf8_lossy(query.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
}

/// Makes a record with a time to live of one minute, for the name of the question, which is at byte 12.
fn record(ip: IpAddr, kind: u16) -> Option<Vec<u8>> {
    let bytes = match ip {
        IpAddr::V4(ip) if kind == A => ip.octets().to_vec(),
        IpAddr::V6(ip) if kind == AAAA => ip.octets().to_vec(),
        IpAddr::V4(_) | IpAddr::V6(_) => return None,
    };
    let mut record = vec![0xC0, 12];
    record.extend(kind.to_be_bytes());
    record.extend([0, 1, 0, 0, 0, 60]);
    record.extend(u16::try_from(bytes.len()).ok()?.to_be_bytes());
    record.extend(bytes);
    Some(record)
}
