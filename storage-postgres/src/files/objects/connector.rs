//! The connection to an object store.

use std::{
    error::Error as StdError,
    fmt::{self, Debug, Formatter},
    net::SocketAddr,
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use object_store::{
    ClientConfigKey as Key, ClientOptions, Error,
    client::{HttpClient, HttpConnector},
};
use rand::seq::SliceRandom as _;
use reqwest::{
    Client, NoProxy, Proxy,
    dns::{Addrs, Name, Resolve, Resolving},
};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use rustls_platform_verifier::Verifier;

/// Connects as `object_store` does by default, with the same settings, but with TLS settings that name their provider:
/// its own connector takes the process's, and installing that one is the host's decision.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let settings = Settings(options);
        let client = settings.client().map_err(|source| Error::Generic { store: "HTTP client", source })?;
        Ok(HttpClient::new(client))
    }
}

type Trouble = Box<dyn StdError + Send + Sync>;

struct Settings<'a>(&'a ClientOptions);

impl Settings<'_> {
    fn client(&self) -> Result<Client, Trouble> {
        let agent = self.text(Key::UserAgent);
        let mut builder = Client::builder()
            .user_agent(agent.as_deref().unwrap_or(concat!("a11ycheck/", env!("CARGO_PKG_VERSION"))))
            .tls_backend_preconfigured(self.tls()?)
            .https_only(!self.flag(Key::AllowHttp)?)
            // If another part of the program turns on such a feature of reqwest, the lengths of objects would be wrong.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate();
        if let Some(proxy) = self.text(Key::ProxyUrl) {
            let excluded = self.text(Key::ProxyExcludes);
            let excluded = excluded.and_then(|excluded| NoProxy::from_string(&excluded));
            builder = builder.proxy(Proxy::all(proxy)?.no_proxy(excluded));
        }
        if let Some(limit) = self.duration(Key::Timeout)? {
            builder = builder.timeout(limit);
        }
        if let Some(limit) = self.duration(Key::ConnectTimeout)? {
            builder = builder.connect_timeout(limit);
        }
        if let Some(limit) = self.duration(Key::ReadTimeout)? {
            builder = builder.read_timeout(limit);
        }
        if let Some(limit) = self.duration(Key::PoolIdleTimeout)? {
            builder = builder.pool_idle_timeout(limit);
        }
        if let Some(most) = self.number(Key::PoolMaxIdlePerHost)? {
            builder = builder.pool_max_idle_per_host(most);
        }
        if let Some(interval) = self.duration(Key::Http2KeepAliveInterval)? {
            builder = builder.http2_keep_alive_interval(interval);
        }
        if let Some(limit) = self.duration(Key::Http2KeepAliveTimeout)? {
            builder = builder.http2_keep_alive_timeout(limit);
        }
        if self.flag(Key::Http2KeepAliveWhileIdle)? {
            builder = builder.http2_keep_alive_while_idle(true);
        }
        if let Some(size) = self.number::<u32>(Key::Http2MaxFrameSize)? {
            builder = builder.http2_max_frame_size(size);
        }
        if self.flag(Key::Http1Only)? {
            builder = builder.http1_only();
        }
        if self.flag(Key::Http2Only)? {
            builder = builder.http2_prior_knowledge();
        }
        if self.flag(Key::RandomizeAddresses)? {
            builder = builder.dns_resolver(Arc::new(Shuffled));
        }
        Ok(builder.build()?)
    }

    fn tls(&self) -> Result<ClientConfig, Trouble> {
        let provider = Arc::new(ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        // As in `object_store`, the authority of a proxy is trusted if there is a proxy.
        let extra = self.text(Key::ProxyCaCertificate).filter(|_| self.text(Key::ProxyUrl).is_some());
        let extra = extra.map(|pem| CertificateDer::from_pem_slice(pem.as_bytes())).transpose()?;
        let config = if self.flag(Key::AllowInvalidCertificates)? {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        } else if self.flag(Key::NoSystemCertificates)? {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(extra);
            config.with_root_certificates(roots)
        } else {
            let verifier = Verifier::new_with_extra_roots(extra, provider)?;
            config.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
        };
        let mut config = config.with_no_client_auth();
        let (http1, http2) = (b"http/1.1".to_vec(), b"h2".to_vec());
        config.alpn_protocols = match (self.flag(Key::Http1Only)?, self.flag(Key::Http2Only)?) {
            (_, true) => vec![http2],
            (true, false) => vec![http1],
            (false, false) => vec![http2, http1],
        };
        Ok(config)
    }

    fn text(&self, key: Key) -> Option<String> {
        self.0.get_config_value(&key)
    }

    fn flag(&self, key: Key) -> Result<bool, Trouble> {
        let Some(text) = self.text(key) else { return Ok(false) };
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "on" | "yes" | "y" => Ok(true),
            "0" | "false" | "off" | "no" | "n" => Ok(false),
            _ => Err(format!("`{text}` is neither true nor false").into()),
        }
    }

    fn number<T: FromStr<Err: StdError + Send + Sync + 'static>>(&self, key: Key) -> Result<Option<T>, Trouble> {
        Ok(self.text(key).map(|text| text.parse()).transpose()?)
    }

    fn duration(&self, key: Key) -> Result<Option<Duration>, Trouble> {
        Ok(self.text(key).map(|text| humantime::parse_duration(&text)).transpose()?)
    }
}

/// The machine's resolver, with its addresses in random order: an object store is many servers.
struct Shuffled;

impl Resolve for Shuffled {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is added from the address.
            let mut found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            found.shuffle(&mut rand::rng());
            Ok::<Addrs, _>(Box::new(found.into_iter()))
        })
    }
}

/// Accepts every certificate, since the operator asked for that.
struct AnyCertificate(Arc<CryptoProvider>);

impl Debug for AnyCertificate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("AnyCertificate")
    }
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
