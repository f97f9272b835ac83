//! The judgement of addresses of endpoints: when an endpoint is created, and again at every attempt.

use url::{Host, Url};

use crate::net::{AddressPolicy, PolicyError, Refusal, Resolver, Route, UpstreamProxy, route};

/// The reason why nothing is sent to an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    /// The address does not begin with `https`, and does not lie in a network that was opened.
    #[error("the address does not begin with https")]
    NotHttps,
    /// The address leads to where it must not, or it is not known where it leads.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// Judges an address, and returns the route to it.
///
/// Plain `http` is for networks that the operator opened: an intranet, a test. Nobody else can read along there.
pub(crate) async fn judge(
    policy: &AddressPolicy,
    resolver: &dyn Resolver,
    proxy: Option<&UpstreamProxy>,
    url: &Url,
) -> Result<Route, TargetError> {
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err(PolicyError::Refused(Refusal::InvalidName).into());
    };
    let host: Host<&str> = host;
    let judged = route(policy, resolver, proxy, &host, port).await;
    if url.scheme() != "https" && !judged.as_ref().is_ok_and(Route::is_opened) {
        return Err(TargetError::NotHttps);
    }
    Ok(judged?)
}
