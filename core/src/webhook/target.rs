//! Where events may be sent: judged when an endpoint is created, and again at every attempt.

use url::{Host, Url};

use crate::net::{AddressPolicy, PolicyError, Refusal, Resolver, Route, UpstreamProxy, route};

/// Why nothing is sent to an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    /// It does not begin with `https`, and does not lie in a network that was opened.
    #[error("the address does not begin with https")]
    NotHttps,
    /// It leads to where it must not, or nobody knows where.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// Judges an address, and tells how it is connected to.
///
/// Plain `http` is for networks that the operator opened: an intranet, a test. There nobody else reads along.
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
