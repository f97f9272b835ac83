//! A secure site, or receiver, with an authority of its own.

use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::AbortHandle,
};
use tokio_rustls::TlsAcceptor;

const PAGE: &str = "<!doctype html><html lang=en><title>Own</title><main><h1>Own</h1></main>";

/// A site that responds to every request with a page, until it is dropped; but it has neither robots.txt nor a sitemap.
#[derive(Debug)]
pub(crate) struct OwnSite {
    port: u16,
    authority: Vec<u8>,
    requests: Arc<Mutex<Vec<String>>>,
    task: AbortHandle,
}

impl OwnSite {
    /// Starts a site whose certificate is for `name`.
    pub(crate) async fn start(name: &str) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.distinguished_name.push(DnType::CommonName, "Own");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let (authority_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let der = authority.self_signed(&authority_key).unwrap().der().to_vec();
        let issuer = Issuer::new(authority, authority_key);
        let mut certificate = CertificateParams::new(vec![name.to_owned()]).unwrap();
        certificate.distinguished_name.push(DnType::CommonName, name);
        let certificate = certificate.signed_by(&key, &issuer).unwrap().der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let serve = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                tokio::spawn(async move {
                    // A client that does not trust the certificate closes the connection.
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let Some(request) = read(&mut stream).await else { return };
                    let path = request.split(' ').nth(1).unwrap_or_default();
                    let status =
                        if matches!(path, "/robots.txt" | "/sitemap.xml" | "/favicon.ico") { 404 } else { 200 };
                    seen.lock().unwrap().push(request);
                    let length = PAGE.len();
                    let answer = format!(
                        "HTTP/1.1 {status} So\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{PAGE}"
                    );
                    let _ = stream.write_all(answer.as_bytes()).await;
                    let _ = stream.shutdown().await;
                });
            }
        };
        Self { port, authority: der, requests, task: tokio::spawn(serve).abort_handle() }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the authority's certificate.
    pub(crate) fn authority(&self) -> Vec<u8> {
        self.authority.clone()
    }

    /// Returns the requests so far, heads with bodies.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for OwnSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads a request with its body; returns `None` if it broke off.
async fn read(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
