//! The way from this server to sites and receivers: the operator's own proxy and certificate authorities.

use std::{fs, io, path::PathBuf};

use a11ycheck_core::net::{InvalidProxy, UpstreamProxy};
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem, pem::PemObject as _},
};

use crate::{
    secret_file::{self, SecretFileError},
    settings::Settings,
};

/// An error in these settings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EgressError {
    #[error("--{flag} is of no use without --proxy: name the proxy, or leave --{flag} out")]
    NoProxy { flag: &'static str },
    #[error("--proxy")]
    Proxy(#[source] InvalidProxy),
    #[error("--no-proxy")]
    Exceptions(#[source] InvalidProxy),
    #[error("--proxy-resolves")]
    Resolves(#[source] InvalidProxy),
    #[error("--proxy-credentials {}", file.display())]
    Credentials {
        file: PathBuf,
        #[source]
        source: InvalidProxy,
    },
    #[error("--proxy-credentials")]
    CredentialsFile(#[source] SecretFileError),
    #[error("--ca-certificates {}: the file can't be read", file.display())]
    Authorities {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("--ca-certificates {}: not a file in the PEM format", file.display())]
    Pem {
        file: PathBuf,
        #[source]
        source: pem::Error,
    },
    #[error("--ca-certificates {}: there is no certificate in it (-----BEGIN CERTIFICATE-----)", file.display())]
    NoCertificate { file: PathBuf },
    #[error("--ca-certificates {}: certificate {number} can't be understood", file.display())]
    Certificate {
        file: PathBuf,
        /// The number of the certificate in the file, counted from 1.
        number: usize,
        #[source]
        source: rustls::Error,
    },
}

impl Settings {
    /// Returns the proxy through which connections to sites and receivers go, if any.
    pub(crate) fn upstream_proxy(&self) -> Result<Option<UpstreamProxy>, EgressError> {
        let Some(address) = &self.proxy else {
            let flags = [
                ("proxy-credentials", self.proxy_credentials.is_some()),
                ("no-proxy", !self.no_proxy.is_empty()),
                ("proxy-resolves", !self.proxy_resolves.is_empty()),
            ];
            return match flags.into_iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => Err(EgressError::NoProxy { flag }),
                None => Ok(None),
            };
        };
        let proxy = UpstreamProxy::new(address).map_err(EgressError::Proxy)?;
        let proxy = proxy.except(&self.no_proxy).map_err(EgressError::Exceptions)?;
        let proxy = proxy.resolving(&self.proxy_resolves).map_err(EgressError::Resolves)?;
        let Some(file) = &self.proxy_credentials else { return Ok(Some(proxy)) };
        let credentials = secret_file::read(file).map_err(EgressError::CredentialsFile)?;
        let proxy = proxy.with_credentials(credentials.trim_end_matches(['\r', '\n']));
        proxy.map(Some).map_err(|source| EgressError::Credentials { file: file.clone(), source })
    }

    /// Returns the authorities that are trusted besides the system's: certificates in DER, each once.
    pub(crate) fn own_authorities(&self) -> Result<Vec<Vec<u8>>, EgressError> {
        let mut authorities: Vec<Vec<u8>> = Vec::new();
        for file in &self.ca_certificates {
            let bytes = fs::read(file).map_err(|source| EgressError::Authorities { file: file.clone(), source })?;
            let certificates = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
            let certificates = certificates.map_err(|source| EgressError::Pem { file: file.clone(), source })?;
            if certificates.is_empty() {
                return Err(EgressError::NoCertificate { file: file.clone() });
            }
            for (certificate, number) in certificates.into_iter().zip(1..) {
                let understood = RootCertStore::empty().add(certificate.clone());
                understood.map_err(|source| EgressError::Certificate { file: file.clone(), number, source })?;
                if !authorities.iter().any(|known| **known == *certificate) {
                    authorities.push(certificate.to_vec());
                }
            }
        }
        Ok(authorities)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn settings_of_a_proxy_without_a_proxy_are_refused_rather_than_ignored() {
        let lists = [
            Settings { no_proxy: vec!["a.example".to_owned()], ..Settings::default() },
            Settings { proxy_resolves: vec!["corp".to_owned()], ..Settings::default() },
            Settings { proxy_credentials: Some("/x".into()), ..Settings::default() },
        ];
        for settings in lists {
            assert!(matches!(settings.upstream_proxy(), Err(EgressError::NoProxy { .. })), "{settings:?}");
        }
        assert!(Settings::default().upstream_proxy().unwrap().is_none());
    }

    #[test]
    fn bad_settings_of_a_proxy_are_refused_with_their_flag() {
        let proxy = |address: &str| Settings { proxy: Some(address.to_owned()), ..Settings::default() };
        let good = || proxy("http://proxy.lan:3128");
        assert!(matches!(proxy("proxy.lan:3128").upstream_proxy(), Err(EgressError::Proxy(_))));
        let exceptions = Settings { no_proxy: vec!["a b".to_owned()], ..good() };
        assert!(matches!(exceptions.upstream_proxy(), Err(EgressError::Exceptions(_))));
        let resolves = Settings { proxy_resolves: vec!["10.0.0.0/8".to_owned()], ..good() };
        assert!(matches!(resolves.upstream_proxy(), Err(EgressError::Resolves(_))));
        let missing = Settings { proxy_credentials: Some("/no/such/file".into()), ..good() };
        assert!(matches!(
            missing.upstream_proxy(),
            Err(EgressError::CredentialsFile(SecretFileError::Unreadable { .. }))
        ));
        let (bad, fine) = (file("secret\n"), file("ann:secret\n"));
        let bad = Settings { proxy_credentials: Some(bad.path().into()), ..good() };
        assert!(matches!(bad.upstream_proxy(), Err(EgressError::Credentials { .. })));
        let fine = Settings { proxy_credentials: Some(fine.path().into()), ..good() };
        assert!(fine.upstream_proxy().unwrap().is_some());
        fs::set_permissions(fine.proxy_credentials.as_ref().unwrap(), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(
            fine.upstream_proxy(),
            Err(EgressError::CredentialsFile(SecretFileError::Permissions { .. }))
        ));
    }

    #[test]
    fn a_file_without_a_usable_certificate_is_refused() {
        let read = |text: &str| {
            let file = file(text);
            Settings { ca_certificates: vec![file.path().into()], ..Settings::default() }.own_authorities()
        };
        assert!(matches!(read("hello"), Err(EgressError::NoCertificate { .. })));
        let pem = |content: &str| format!("-----BEGIN CERTIFICATE-----\n{content}\n-----END CERTIFICATE-----\n");
        assert!(matches!(read(&pem("!!!")), Err(EgressError::Pem { .. })));
        assert!(matches!(read(&pem("AAAA")), Err(EgressError::Certificate { number: 1, .. })));
        let own = Settings { ca_certificates: vec!["/no/such/file".into()], ..Settings::default() };
        assert!(matches!(own.own_authorities(), Err(EgressError::Authorities { .. })));
    }
}
