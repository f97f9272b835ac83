//! The TLS settings with which receivers are recognised.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::CryptoProvider, pki_types::CertificateDer};
use tokio::sync::OnceCell;

/// The TLS settings that all connections share, and with them the tickets of earlier sessions.
#[derive(Debug, Default)]
pub(super) struct Tls {
    extra_roots: Vec<CertificateDer<'static>>,
    /// Read on first use: a service without webhooks needs no certificates.
    verified: OnceCell<ClientConfig>,
}

impl Tls {
    /// Returns settings that trust these authorities besides the system's.
    pub(super) fn new(extra_roots: Vec<CertificateDer<'static>>) -> Self {
        Self { extra_roots, verified: OnceCell::new() }
    }

    /// Returns settings that trust the system's authorities and the extra ones. A failure is not remembered: the
    /// certificates may be installed later.
    pub(super) async fn verified(&self) -> Result<ClientConfig, rustls::Error> {
        let roots = self.extra_roots.clone();
        let read = || async {
            // This reads files.
            let reading = tokio::task::spawn_blocking(move || read(roots)).await;
            reading.unwrap_or_else(|panic| Err(rustls::Error::General(panic.to_string())))
        };
        self.verified.get_or_try_init(read).await.cloned()
    }

    /// Returns settings for connections without TLS, which trust nobody.
    pub(super) fn unused() -> Result<ClientConfig, rustls::Error> {
        let config = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
    }
}

fn read(extra_roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, rustls::Error> {
    let provider = provider();
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra_roots, Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
