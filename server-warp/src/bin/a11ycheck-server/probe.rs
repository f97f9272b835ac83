//! `a11ycheck-server probe`: asks the server on this machine how it is, for health checks of containers, which hold no curl.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use clap::ValueEnum;
use http_body_util::{BodyExt as _, Limited};
use hyper::{Request, StatusCode, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::AnyError;

/// The time in which the server has to answer; `/readyz` takes two seconds at most.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of an answer that are read; the answers have about fifty.
const LONGEST_ANSWER: usize = 4096;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Question {
    /// Whether it can do its work (`/readyz`).
    Ready,
    /// Whether it runs (`/healthz`).
    Alive,
}

impl Question {
    const fn path(self) -> &'static str {
        match self {
            Self::Ready => "/readyz",
            Self::Alive => "/healthz",
        }
    }
}

/// Asks the server that listens on `listen`.
///
/// # Errors
/// The server can't be reached, does not answer within five seconds, or answers no: the error says which.
pub(crate) async fn ask(question: Question, listen: SocketAddr) -> Result<(), AnyError> {
    let address = reachable(listen);
    match tokio::time::timeout(PATIENCE, get(address, question.path())).await {
        Ok(Ok((StatusCode::OK, _))) => Ok(()),
        Ok(Ok((status, body))) => Err(format!("{address}{} answered {status}: {body}", question.path()).into()),
        Ok(Err(error)) => {
            Err(format!("no server answers on {address}: {error}; --listen says where it listens").into())
        }
        Err(_) => Err(format!("the server on {address} did not answer within {} seconds", PATIENCE.as_secs()).into()),
    }
}

async fn get(address: SocketAddr, path: &str) -> Result<(StatusCode, String), AnyError> {
    let stream = TcpStream::connect(address).await?;
    let (mut requests, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Ends when the answer was read and `requests` is dropped.
    tokio::spawn(connection);
    let request = Request::get(path).header(header::HOST, address.to_string()).body(String::new())?;
    let response = requests.send_request(request).await?;
    let status = response.status();
    let body = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await?.to_bytes();
    Ok((status, String::from_utf8_lossy(&body).trim().to_owned()))
}

/// Returns the address by which a program of this machine reaches a server that listens on `listen`.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let address = match listen.ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    };
    SocketAddr::new(address, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_on_the_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.7:8080", "192.0.2.7:8080"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()), asked.parse().unwrap(), "{listen}");
        }
    }
}
