//! An authority of our own, and certificates of all kinds.

use std::process::Command;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, DnType, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::PrivateKeyDer;

/// An authority that is trusted only where a test says so.
pub(crate) struct Authority {
    der: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key, both in DER.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// The time at which a certificate is valid.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Valid {
    Now,
    Past,
    Future,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let (params, key) = (Self::params(name), KeyPair::generate().unwrap());
        let der = params.self_signed(&key).unwrap().der().to_vec();
        Self { der, issuer: Issuer::new(params, key) }
    }

    /// Returns an authority with a certificate of this one.
    pub(crate) fn intermediate(&self, name: &str) -> Self {
        let (params, key) = (Self::params(name), KeyPair::generate().unwrap());
        let der = params.signed_by(&key, &self.issuer).unwrap().der().to_vec();
        Self { der, issuer: Issuer::new(params, key) }
    }

    fn params(name: &str) -> CertificateParams {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name = named(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params
    }

    pub(crate) fn der(&self) -> Vec<u8> {
        self.der.clone()
    }

    /// Returns a certificate for `name`.
    pub(crate) fn identity(&self, name: &str, valid: Valid) -> Identity {
        self.issue(params(name, valid))
    }

    /// Returns the same with the address at which the authority's own certificate can be fetched.
    pub(crate) fn identity_with_address(&self, name: &str, address: &str) -> Identity {
        let mut params = params(name, Valid::Now);
        params.custom_extensions.push(authority_address(address));
        self.issue(params)
    }

    /// Issues a certificate. The key is RSA: the old suites support no other.
    fn issue(&self, params: CertificateParams) -> Identity {
        let key = rsa_key();
        let certificate = params.signed_by(&pair(&key), &self.issuer).unwrap();
        Identity { certificate: certificate.der().to_vec(), key }
    }
}

/// Returns a self-signed certificate.
pub(crate) fn self_signed(name: &str) -> Identity {
    let key = rsa_key();
    let certificate = params(name, Valid::Now).self_signed(&pair(&key)).unwrap();
    Identity { certificate: certificate.der().to_vec(), key }
}

fn params(name: &str, valid: Valid) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name = named(name);
    // The dates are far from the present in either direction, however long this test exists.
    (params.not_before, params.not_after) = match valid {
        Valid::Now => (date_time_ymd(2020, 1, 1), date_time_ymd(2090, 1, 1)),
        Valid::Past => (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1)),
        Valid::Future => (date_time_ymd(2089, 1, 1), date_time_ymd(2090, 1, 1)),
    };
    params
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

/// Returns `caIssuers` of the extension authorityInfoAccess (RFC 5280 §4.2.2.1), made by hand: it has two levels and
/// short lengths.
fn authority_address(address: &str) -> CustomExtension {
    let sequence = |content: &[u8]| [&[0x30, u8::try_from(content.len()).unwrap()], content].concat();
    let method = [0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02];
    let location = [&[0x86, u8::try_from(address.len()).unwrap()], address.as_bytes()].concat();
    let content = sequence(&sequence(&[&method[..], &location].concat()));
    CustomExtension::from_oid_content(&[1, 3, 6, 1, 5, 5, 7, 1, 1], content)
}

/// Returns a key from OpenSSL, which comes with ca-certificates: the library for certificates makes no RSA keys.
fn rsa_key() -> Vec<u8> {
    let made =
        Command::new("openssl").args(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]).output();
    let made = made.expect("openssl, which the package ca-certificates brings along");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let pem = String::from_utf8(made.stdout).unwrap();
    STANDARD.decode(pem.lines().filter(|line| !line.starts_with('-')).collect::<String>()).unwrap()
}

fn pair(key: &[u8]) -> KeyPair {
    KeyPair::try_from(&PrivateKeyDer::try_from(key).unwrap()).unwrap()
}
