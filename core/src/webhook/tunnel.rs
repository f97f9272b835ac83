//! One request over a connection that a proxy has made.
//!
//! A client of `reqwest` gives a proxy the name of the host, and leaves it to the proxy where that leads. Here the proxy
//! was given the address that was judged, so the request is made on the connection itself. The connection is used once.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, Response, Uri, body::Incoming, header};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use super::WebhookRequest;
use crate::domain::AttemptFailure;

/// A response through a proxy.
pub(super) struct Tunnelled(Response<Incoming>);

/// Sends the request over the connection, with TLS if there are settings for it, and waits for the head of the response.
pub(super) async fn send(
    stream: TcpStream,
    tls: Option<ClientConfig>,
    request: WebhookRequest,
) -> Result<Tunnelled, AttemptFailure> {
    let host = request.url.host_str().unwrap_or_default().to_owned();
    let log = |error: &(dyn std::error::Error + 'static)| {
        tracing::debug!(host, error, "An endpoint did not answer through the proxy");
    };
    let Some(tls) = tls else { return exchange(stream, request).await };
    // Brackets around an IPv6 address belong to the URL.
    let name = host.trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(name).map_err(|_| AttemptFailure::Tls)?;
    let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await.map_err(|error| {
        log(&error);
        AttemptFailure::Tls
    })?;
    exchange(stream, request).await
}

async fn exchange<S>(stream: S, request: WebhookRequest) -> Result<Tunnelled, AttemptFailure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: &(dyn std::error::Error + 'static)| {
        tracing::debug!(error, "An endpoint broke off");
        AttemptFailure::BrokenOff
    };
    let request = http_request(request).map_err(|error| broken(&error))?;
    let handshake = hyper::client::conn::http1::Builder::new().title_case_headers(true).handshake(TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.map_err(|error| broken(&error))?;
    // Ends with the body of the response, or with the last handle to it.
    tokio::spawn(connection);
    sender.send_request(request).await.map(Tunnelled).map_err(|error| broken(&error))
}

fn http_request(request: WebhookRequest) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    let WebhookRequest { url, headers, body } = request;
    let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let path: Uri = url[url::Position::BeforePath..url::Position::AfterQuery].parse()?;
    let builder = Request::builder().method(Method::POST).uri(path).header(header::HOST, authority);
    let builder = builder.header(header::ACCEPT, "*/*").header(header::CONNECTION, "close");
    headers.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value)).body(Full::new(body))
}

impl Tunnelled {
    pub(super) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// Returns the next piece of the body; `None` at its end, or if it broke off.
    pub(super) async fn chunk(&mut self) -> Option<Bytes> {
        loop {
            let frame = self.0.body_mut().frame().await?.ok()?;
            if let Ok(data) = frame.into_data() {
                return Some(data);
            }
        }
    }
}
