//! HTTP clients of the tests' own.

use std::sync::Arc;

use reqwest::ClientBuilder;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Begins a client for servers without TLS. reqwest needs a TLS provider even there, and would take the process's: this
/// one brings its own, so that the tests do not affect their process either.
pub fn http() -> ClientBuilder {
    let provider = Arc::new(ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let tls = tls.with_root_certificates(RootCertStore::empty()).with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls)
}
