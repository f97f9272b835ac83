//! The ways in which a connection's certificate is verified, and what they do to the process.

use std::{
    error::Error,
    fs, iter,
    net::TcpListener,
    path::{Path, PathBuf},
};

use a11ycheck_storage_postgres::PostgresStore;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::CryptoProvider;
use tempfile::TempDir;
use url::Url;

use crate::support::{self, pgbouncer::PgBouncer};

/// An authority, and a certificate that it signed.
struct Signed {
    authority: String,
    certificate: String,
    key: String,
}

fn signed(name: &str) -> Signed {
    let mut params = CertificateParams::default();
    // Authorities of one name would be taken for each other.
    params.distinguished_name.push(DnType::CommonName, format!("Authority of {name}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap().pem();
    Signed { authority, certificate, key: key.serialize_pem() }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Connects through TLS; the text of a refusal has its causes.
async fn connect(port: u16, mode: &str, authority: &Path) -> Result<PostgresStore, String> {
    let mut url = Url::parse(&support::url()).unwrap();
    url.set_host(Some("localhost")).unwrap();
    url.set_port(Some(port)).unwrap();
    let authority = authority.to_str().unwrap();
    url.query_pairs_mut().clear().append_pair("sslmode", mode).append_pair("sslrootcert", authority);
    let (config, _) = support::config_at(url.as_str()).await;
    PostgresStore::connect(config).await.map_err(|error| {
        let causes = iter::successors(Some(&error as &dyn Error), |&error| error.source());
        causes.map(|cause| format!("{cause}: ")).collect()
    })
}

fn written(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

#[tokio::test]
async fn certificates_are_verified_as_the_mode_says_and_only_verify_ca_affects_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let (of_localhost, of_another) = (signed("localhost"), signed("db.internal"));
    let (its_authority, anothers) = (
        written(&folder, "authority.pem", &of_localhost.authority),
        written(&folder, "another.pem", &of_another.authority),
    );
    let (port, other_port) = (free_port(), free_port());
    let _right = PgBouncer::start_with_tls(port, &of_localhost.certificate, &of_localhost.key).await;
    let _misnamed = PgBouncer::start_with_tls(other_port, &of_another.certificate, &of_another.key).await;

    connect(port, "verify-full", &its_authority).await.unwrap();
    let unknown = connect(port, "verify-full", &anothers).await.unwrap_err();
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    let misnamed = connect(other_port, "verify-full", &anothers).await.unwrap_err();
    assert!(misnamed.contains("not valid for name"), "{misnamed}");
    assert!(CryptoProvider::get_default().is_none(), "a host that uses another provider is not disturbed");

    connect(other_port, "verify-ca", &anothers).await.unwrap();
    let unknown = connect(other_port, "verify-ca", &its_authority).await.unwrap_err();
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    assert!(CryptoProvider::get_default().is_some(), "the documentation of the crate names this exception");
}
