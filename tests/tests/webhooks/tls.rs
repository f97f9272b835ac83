//! Webhooks over TLS.

use std::{net::IpAddr, sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{AttemptFailure, AttemptResult},
    net::StaticResolver,
};
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::mpsc,
};
use tokio_rustls::TlsAcceptor;

use crate::hooks::{Hooks, loopback};

/// A receiver with a certificate for `hooks.example.com`. Returns the names that senders asked for and the heads of
/// their requests.
struct Secure {
    port: u16,
    certificate: Vec<u8>,
    heads: mpsc::UnboundedReceiver<(Option<String>, String)>,
}

impl Secure {
    async fn start() -> Self {
        let signed = rcgen::generate_simple_self_signed(["hooks.example.com".to_owned()]).unwrap();
        let certificate = signed.cert.der().to_vec();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, heads) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A sender that does not trust the certificate closes the connection.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let name = stream.get_ref().1.server_name().map(str::to_owned);
                let mut head = vec![0; 4096];
                let length = stream.read(&mut head).await.unwrap();
                seen.send((name, String::from_utf8_lossy(&head[..length]).into_owned())).unwrap();
                stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").await.unwrap();
                stream.shutdown().await.unwrap();
            }
        });
        Self { port, certificate, heads }
    }
}

async fn hooks(roots: Vec<Vec<u8>>) -> Hooks {
    let loopback_ip: IpAddr = "127.0.0.1".parse().unwrap();
    let resolver =
        StaticResolver::new().with("hooks.example.com", [loopback_ip]).with("other.example.com", [loopback_ip]);
    let change = |sender: a11ycheck_core::webhook::HttpSender| {
        sender.with_timeout(Duration::from_secs(5)).with_root_certificates(roots)
    };
    Hooks::with(loopback(), resolver, change).await
}

#[tokio::test]
async fn a_receiver_is_recognised_by_its_name_although_its_judged_address_is_connected_to() {
    let mut secure = Secure::start().await;
    let hooks = hooks(vec![secure.certificate.clone()]).await;
    let (endpoint, _) = hooks.endpoint(&format!("https://hooks.example.com:{}/hook", secure.port)).await;
    assert!(hooks.attempt(endpoint).await.report.is_success());
    let (name, head) = secure.heads.recv().await.unwrap();
    assert_eq!(name.as_deref(), Some("hooks.example.com"));
    assert!(head.starts_with("POST /hook HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nHost: hooks.example.com:{}\r\n", secure.port)), "{head}");
}

#[tokio::test]
async fn a_receiver_that_can_not_prove_who_it_is_gets_nothing() {
    let mut secure = Secure::start().await;
    let trusting = hooks(vec![secure.certificate.clone()]).await;
    let strange = hooks(vec![]).await;
    for (hooks, host) in [(&strange, "hooks.example.com"), (&trusting, "other.example.com"), (&trusting, "127.0.0.1")] {
        let (endpoint, _) = hooks.endpoint(&format!("https://{host}:{}/", secure.port)).await;
        let attempt = hooks.attempt(endpoint).await;
        assert_eq!(attempt.report.result, AttemptResult::Failed(AttemptFailure::Tls), "{host}");
    }
    assert!(secure.heads.try_recv().is_err(), "no byte of a delivery was sent");
}
