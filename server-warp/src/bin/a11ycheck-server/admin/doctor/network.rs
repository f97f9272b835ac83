//! The ways from and to this server: its own proxy to sites, and the addresses under which clients reach it.

use std::{net::SocketAddr, time::Duration};

use a11ycheck_core::domain::BaseUrl;
use tokio::net::TcpStream;
use url::{Host, Url};

use super::{State, Thing, in_words};
use crate::{
    AnyError,
    settings::{Role, Settings},
};

/// The time within which a proxy has to take a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the proxy, if there is one, and the addresses, if this server answers requests.
pub(super) async fn things(settings: &Settings) -> Result<Vec<Thing>, AnyError> {
    // What is wrong with these settings stops a server as well.
    settings.upstream_proxy()?;
    let mut things = Vec::new();
    if let Some(proxy) = &settings.proxy {
        things.push(upstream(proxy).await);
    }
    if settings.has_role(Role::Api) {
        things.push(addresses(settings.listen(), settings.base_url.as_deref(), !settings.trust_proxy.is_empty()));
    }
    Ok(things)
}

/// Connects to the proxy to sites and receivers.
async fn upstream(proxy: &str) -> Thing {
    let of = |state, details| Thing::new("proxy", state, details);
    let parsed = Url::parse(proxy).ok();
    let address = parsed.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    let Some((host, port)) = address else {
        return of(State::Failed, format!("--proxy {proxy}: not an address such as http://host:port"));
    };
    // An address of version 6 stands in brackets.
    let place = (host.trim_matches(['[', ']']), port);
    match tokio::time::timeout(PATIENCE, TcpStream::connect(place)).await {
        Ok(Ok(_)) => of(State::Ok, format!("{host}:{port} takes connections")),
        Ok(Err(error)) => of(
            State::Failed,
            format!("{host}:{port} takes no connection: {}; see to it, or correct --proxy", in_words(&error)),
        ),
        Err(_) => of(
            State::Failed,
            format!("{host}:{port} does not answer within {} s: see to it, or correct --proxy", PATIENCE.as_secs()),
        ),
    }
}

/// Judges where the server listens, beside the address that links begin with.
fn addresses(listen: SocketAddr, base_url: Option<&str>, trusts_a_proxy: bool) -> Thing {
    let of = |state, details| Thing::new("addresses", state, details);
    let is_local = listen.ip().is_loopback();
    let Some(text) = base_url else {
        let derived = Settings::derived_base_url(listen);
        return if is_local {
            of(State::Ok, format!("listens on {listen}, for this machine alone; links begin with {derived}"))
        } else {
            of(
                State::Warning,
                format!(
                    "listens on {listen}, and links begin with {derived}, which leads nowhere for others, unless one was stored: give \
                     --base-url"
                ),
            )
        };
    };
    let parsed = BaseUrl::parse(text).and_then(|base| Url::parse(base.as_str()).ok());
    let Some(url) = parsed else {
        return of(
            State::Failed,
            format!("--base-url {text}: it has to be an http or https address that ends with /v1"),
        );
    };
    let leads_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if leads_here && !is_local {
        let details = format!(
            "listens on {listen}, and links begin with {text}, which leads nowhere for others: correct --base-url"
        );
        return of(State::Warning, details);
    }
    if !leads_here && url.scheme() == "http" {
        let details = format!(
            "clients send their tokens to {text} for all to read: put a proxy with TLS in front, and give its address to --base-url"
        );
        return of(State::Warning, details);
    }
    // The server sees no TLS, so a proxy is in front.
    if url.scheme() == "https" && !trusts_a_proxy {
        let details = format!(
            "links begin with {text}, and no proxy is trusted to name clients, so that all clients without a token share one limit: name \
             the proxy in front with --trust-proxy"
        );
        return of(State::Warning, details);
    }
    of(State::Ok, format!("listens on {listen}; links begin with {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_do_not_go_together_are_named_with_the_flag_to_correct() {
        let (local, open) = ("127.0.0.1:8080".parse().unwrap(), "0.0.0.0:8080".parse().unwrap());
        let judged = |listen, base_url, trusts| {
            let thing = addresses(listen, base_url, trusts);
            (thing.state, thing.details)
        };
        assert_eq!(judged(local, None, false).0, State::Ok);
        let public = Some("https://a11y.example.com/v1");
        assert_eq!(judged(local, public, true).0, State::Ok);
        for (listen, base_url, trusts, flag) in [
            (open, None, false, "--base-url"),
            (open, Some("http://localhost:8080/v1"), false, "--base-url"),
            (open, Some("http://a11y.example.com/v1"), false, "TLS"),
            (local, public, false, "--trust-proxy"),
        ] {
            let (state, details) = judged(listen, base_url, trusts);
            assert!(state == State::Warning && details.contains(flag), "{base_url:?}: {details}");
        }
        assert_eq!(judged(local, Some("https://a11y.example.com"), true).0, State::Failed);
    }

    #[tokio::test]
    async fn a_proxy_that_takes_no_connection_is_named_with_the_cause() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(upstream(&format!("http://{address}")).await.state, State::Ok);
        drop(listener);
        let refused = upstream(&format!("http://{address}")).await;
        assert!(refused.state == State::Failed && refused.details.contains("refused"), "{refused:?}");
    }
}
