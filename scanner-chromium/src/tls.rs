//! The verification of certificates by the crawler's own client, and the cause where it rejects one.

use std::{error::Error as StdError, io, sync::Arc};

use a11ycheck_core::domain::FailureCause;
use rustls::{CertificateError, ClientConfig, Error, crypto::ring, pki_types::CertificateDer};
use rustls_platform_verifier::Verifier;

/// Returns settings that trust the system's authorities and `extra` ones.
///
/// # Errors
/// Fails if the system has no authorities and there are no others, or if one of `extra` is no certificate.
pub(crate) fn config(extra: &[CertificateDer<'static>]) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(extra.iter().cloned(), Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Returns what was wrong with a certificate, if that is among the causes of an error.
pub(crate) fn cause(error: &(dyn StdError + 'static)) -> Option<FailureCause> {
    if let Some(error) = error.downcast_ref::<Error>() {
        return match error {
            Error::InvalidCertificate(error) => of_certificate(error),
            _ => None,
        };
    }
    // An I/O error hides the error that it was made from in the chain of causes.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match inner {
        Some(inner) => cause(inner),
        None => cause(error.source()?),
    }
}

fn of_certificate(error: &CertificateError) -> Option<FailureCause> {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Some(FailureCause::CertificateExpired),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Some(FailureCause::CertificateNotYetValid)
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Some(FailureCause::CertificateOtherName)
        }
        CertificateError::UnknownIssuer => Some(FailureCause::CertificateUnknownAuthority),
        _ => None,
    }
}
