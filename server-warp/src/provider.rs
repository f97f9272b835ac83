//! The HTTP client for an OpenID provider.

use std::{sync::Arc, time::Duration};

use a11ycheck_account_web::{ProviderClient, ProviderError};
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use reqwest::{Client, redirect};
use rustls::{ClientConfig, pki_types::CertificateDer};
use warp::http::{Request, Response};

/// An HTTP client that reaches a provider directly, without a proxy: the operator has named it, wherever it is.
#[derive(Debug, Clone)]
pub struct HttpProvider {
    client: Client,
}

/// The time that a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

impl HttpProvider {
    /// Returns a client that trusts the system's authorities and these, each a certificate in DER.
    ///
    /// # Errors
    /// Returns the error of TLS if a certificate can't be understood.
    pub fn new(extra_roots: Vec<Vec<u8>>) -> Result<Self, ProviderError> {
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        let roots = extra_roots.into_iter().map(CertificateDer::from).collect::<Vec<_>>();
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(roots, Arc::clone(&crypto))?;
        let config = ClientConfig::builder_with_provider(crypto).with_safe_default_protocol_versions()?;
        let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
        let client = Client::builder()
            .tls_backend_preconfigured(config)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .timeout(TIMEOUT)
            .build()?;
        Ok(Self { client })
    }
}

#[async_trait]
impl ProviderClient for HttpProvider {
    async fn send(&self, request: Request<Bytes>, most: usize) -> Result<Response<Bytes>, ProviderError> {
        let (head, body) = request.into_parts();
        let request = self.client.request(head.method, head.uri.to_string()).headers(head.headers).body(body);
        let mut answer = request.send().await?;
        let mut read = BytesMut::new();
        while let Some(chunk) = answer.chunk().await? {
            if read.len() + chunk.len() > most {
                return Err(format!("its answer has more than {most} bytes").into());
            }
            read.extend_from_slice(&chunk);
        }
        Ok(Response::builder().status(answer.status()).body(read.freeze())?)
    }
}
