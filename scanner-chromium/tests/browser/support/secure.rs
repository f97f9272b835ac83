//! Secure sites: one with any versions and suites, and one that speaks only HTTP/2.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    process::Stdio,
    sync::{Arc, Mutex},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_body_util::Full;
use hyper::{Request, Response, body::Bytes, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    process::{Child, Command},
    task::AbortHandle,
};
use tokio_rustls::TlsAcceptor;

use super::pki::Identity;

/// The versions and suites of TLS that a site offers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Suites {
    /// Those that servers offer today.
    Usual,
    /// TLS 1.2 with this suite only, by OpenSSL's name.
    Only(&'static str),
    /// TLS 1.1.
    Old,
}

/// The responses of a site by path; any other path is 404.
pub(crate) type Answers = BTreeMap<&'static str, (u16, BTreeMap<&'static str, String>, String)>;

/// Returns a response of this media type.
pub(crate) fn answer(mime: &str, body: impl Into<String>) -> (u16, BTreeMap<&'static str, String>, String) {
    (200, BTreeMap::from([("Content-Type", mime.to_owned())]), body.into())
}

/// A secure site on a port of its own, run by Python; it ends when dropped.
#[derive(Debug)]
pub(crate) struct SecureSite {
    port: u16,
    requests: Arc<Mutex<Vec<(String, String)>>>,
    _process: Child,
    _folder: TempDir,
}

impl SecureSite {
    pub(crate) async fn start(identity: &Identity, suites: Suites, answers: &Answers) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] =
            [("CERTIFICATE", &identity.certificate), ("PRIVATE KEY", &identity.key)].map(|(kind, der)| {
                let path = folder.path().join(kind);
                let text = STANDARD.encode(der);
                let lines: Vec<&str> =
                    text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
                let text = lines.join("\n");
                std::fs::write(&path, format!("-----BEGIN {kind}-----\n{text}\n-----END {kind}-----\n")).unwrap();
                path
            });
        let ciphers = if let Suites::Only(suite) = suites { suite } else { "" };
        let settings = json!({
            "certificate": certificate, "key": key, "ciphers": ciphers, "is_old": matches!(suites, Suites::Old), "answers": answers,
        });
        let mut process = Command::new("python3")
            .args(["-W", "ignore", "-c", include_str!("tls_site.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("python3, which `cargo xtask test` installs");
        let mut stdin = process.stdin.take().unwrap();
        stdin.write_all(format!("{settings}\n").as_bytes()).await.unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().expect("the site's port").parse().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let request: Value = serde_json::from_str(&line).unwrap();
                let text = |name: &str| request[name].as_str().unwrap().to_owned();
                seen.lock().unwrap().push((text("path"), text("agent")));
            }
        });
        Self { port, requests, _process: process, _folder: folder }
    }

    /// Returns an address on the site, under this name.
    pub(crate) fn url_as(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.port)
    }

    /// Returns the paths that were requested so far, with the user agents that did.
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        self.requests.lock().unwrap().clone()
    }
}

/// A secure site that speaks only HTTP/2; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Http2Site {
    port: u16,
    task: AbortHandle,
}

impl Http2Site {
    pub(crate) async fn start(identity: &Identity, answers: Answers) -> Self {
        let certificate = CertificateDer::from(identity.certificate.clone());
        let key = PrivateKeyDer::try_from(identity.key.clone()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(answers);
        let serve = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(stream) = acceptor.accept(stream).await else { continue };
                let answers = Arc::clone(&answers);
                let service = service_fn(move |request: Request<_>| {
                    let answers = Arc::clone(&answers);
                    async move { Ok::<_, Infallible>(http2_answer(&answers, request.uri().path())) }
                });
                // The browser may close the connection at any time.
                tokio::spawn(async move {
                    let http2 = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    http2.serve_connection(TokioIo::new(stream), service).await.ok()
                });
            }
        };
        Self { port, task: tokio::spawn(serve).abort_handle() }
    }

    pub(crate) fn url_as(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.port)
    }
}

impl Drop for Http2Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn http2_answer(answers: &Answers, path: &str) -> Response<Full<Bytes>> {
    let Some((status, headers, body)) = answers.get(path) else {
        return Response::builder().status(404).body(Full::default()).unwrap();
    };
    let response = headers
        .iter()
        .fold(Response::builder().status(*status), |response, (name, value)| response.header(*name, value));
    response.body(Full::new(body.clone().into())).unwrap()
}
