//! A request and its admission: who sends it, whether it is admitted, and what it carries.

use std::{
    future::Future,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::{Arc, Once},
    time::Duration,
};

use a11ycheck_api_v1::{DraftQuery, FileQuery, Links, PageQuery, SiteFilter};
use a11ycheck_core::{
    Service,
    domain::{EmailAddress, PlainToken, RequestClass},
    service::{Admission, Caller, CountedAgainst, TeamHandle},
};
use bytes::{Buf, Bytes, BytesMut};
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use ipnet::IpNet;
use serde_json::Value;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderMap, HeaderName, Method, header},
    reply::Response,
};

use crate::{
    error::{Refusal, show_rate},
    observe::AnsweredFor,
};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address that a connection comes from; the accept loop puts it into each request.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub SocketAddr);

type Body = Pin<Box<dyn Stream<Item = Result<Bytes, warp::Error>> + Send + Sync>>;

/// The settings of the API's routes.
#[derive(Debug, Clone, Default)]
pub struct RoutesConfig {
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The header in which these proxies name, by an e-mail address, the person whom they have signed in to the account web interface.
    pub auth_header: Option<HeaderName>,
}

/// A request that has found its path.
pub(crate) struct ApiRequest {
    service: Service,
    links: Arc<Links>,
    pub(crate) method: Method,
    pub(crate) query: Query,
    headers: HeaderMap,
    address: IpAddr,
    body: Body,
}

/// A request that was admitted.
pub(crate) struct Admitted {
    pub(crate) service: Service,
    pub(crate) team: TeamHandle,
    pub(crate) links: Arc<Links>,
    pub(crate) query: Query,
    /// The store's time at admission.
    pub(crate) at: DateTime<Utc>,
    headers: HeaderMap,
    body: Body,
}

/// Returns the filter that extracts requests, to be joined to a path.
pub(crate) fn requests(service: &Service, links: Arc<Links>, config: RoutesConfig) -> BoxedFilter<(ApiRequest,)> {
    let (service, config) = (service.clone(), Arc::new(config));
    let warned = Arc::new(Once::new());
    let query = warp::query::raw().or_else(|_| async { Ok::<_, std::convert::Infallible>((String::new(),)) });
    warp::any()
        .map(move || (service.clone(), Arc::clone(&links), Arc::clone(&config), Arc::clone(&warned)))
        .and(warp::method())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::optional::<ClientAddress>())
        .and(warp::body::stream())
        .map(
            |(service, links, config, warned): (Service, Arc<Links>, Arc<RoutesConfig>, Arc<Once>),
             method,
             query,
             headers,
             address: Option<ClientAddress>,
             body| {
                // Without our accept loop (as in a host application's own, or a test) all callers count as one.
                let peer = address.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.0.ip());
                if is_ignored(peer, &headers, &config.trusted_proxies) {
                    warned.call_once(|| warn_of_ignored(peer));
                }
                let address = sender(peer, &headers, &config.trusted_proxies);
                ApiRequest {
                    service,
                    links,
                    method,
                    query: Query(query),
                    headers,
                    address,
                    body: Box::pin(body_bytes(body)),
                }
            },
        )
        .boxed()
}

pub(crate) fn body_bytes(
    body: impl Stream<Item = Result<impl Buf, warp::Error>> + Send + Sync,
) -> impl Stream<Item = Result<Bytes, warp::Error>> + Send + Sync {
    body.map_ok(|mut chunk| chunk.copy_to_bytes(chunk.remaining()))
}

impl ApiRequest {
    /// Admits the request and handles it, or says why not; in both cases with the counters of its class.
    pub(crate) async fn answer<F>(self, class: RequestClass, handler: impl FnOnce(Admitted) -> F) -> Response
    where
        F: Future<Output = Result<Response, Refusal>>,
    {
        let admission = match self.admit(class).await {
            Ok(admission) => admission,
            Err(refusal) => return refusal.into_response(),
        };
        let Admission { mut rate, at, against, team, .. } = admission;
        let id = team.as_ref().ok().map(TeamHandle::id);
        let Self { service, links, query, headers, body, .. } = self;
        let answered = match team {
            Ok(team) => handler(Admitted { service: service.clone(), team, links, query, at, headers, body }).await,
            Err(error) => Err(error.into()),
        };
        if let Err(Refusal::Core(error)) = &answered
            && let Some(left) = service.give_back(against, class, at, error).await
        {
            rate = left;
        }
        let mut response = answered.unwrap_or_else(Refusal::into_response);
        mark_unknown(&mut response, against);
        if let Some(id) = id {
            response.extensions_mut().insert(AnsweredFor(id));
        }
        show_rate(&mut response, &rate, at);
        response
    }

    /// Responds to a method that the path does not support.
    pub(crate) async fn wrong_method(self, allowed: String) -> Response {
        let used = self.method.to_string();
        self.refuse(Refusal::Method { used, allowed }).await
    }

    /// Responds to a path that does not exist.
    pub(crate) async fn no_path(self) -> Response {
        self.refuse(Refusal::NoPath).await
    }

    /// Responds to any client, with or without a token; counted like any other request.
    pub(crate) async fn answer_anyone(self, response: Response) -> Response {
        match self.admit(RequestClass::General).await {
            Ok(Admission { rate, at, against, team, .. }) => {
                let mut response = match team {
                    Err(error @ a11ycheck_core::Error::TooManyRequests(_)) => Refusal::from(error).into_response(),
                    _ => response,
                };
                mark_unknown(&mut response, against);
                show_rate(&mut response, &rate, at);
                response
            }
            Err(refusal) => refusal.into_response(),
        }
    }

    /// Refuses a request that no route handles: it is counted too, but needs no token.
    async fn refuse(self, refusal: Refusal) -> Response {
        self.answer_anyone(refusal.into_response()).await
    }

    async fn admit(&self, class: RequestClass) -> Result<Admission, Refusal> {
        let caller = Caller::new(self.address).with_token(bearer(&self.headers));
        Ok(self.service.admit(&caller, class).await?)
    }
}

/// A mark on the response to a request without a valid token that was refused: the accept loop closes its connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusedUnknown;

fn mark_unknown(response: &mut Response, against: CountedAgainst) {
    if against == CountedAgainst::Address && response.status().is_client_error() {
        response.extensions_mut().insert(RefusedUnknown);
    }
}

/// Returns whether a request names its sender, and does not come from a trusted proxy.
fn is_ignored(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> bool {
    let peer = peer.to_canonical();
    headers.contains_key(FORWARDED_FOR) && !trusted.iter().any(|network| network.contains(&peer))
}

/// Logs that the header is ignored: behind a proxy that is not named, all clients without a token share one limit,
/// which is hard to find out.
fn warn_of_ignored(peer: IpAddr) {
    tracing::warn!(
        %peer,
        "X-Forwarded-For is ignored, since it comes from an address that is no trusted proxy; behind a proxy, all clients \
         without a valid token share one limit then: name the proxy with --trust-proxy (A11YCHECK_TRUST_PROXY). Said once"
    );
}

/// Returns the address that a request comes from: the last address of `X-Forwarded-For` that is no trusted proxy,
/// provided that the connection itself comes from one. The addresses before it were written by the client and prove
/// nothing.
pub(crate) fn sender(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let peer = peer.to_canonical();
    if !is_trusted(&peer) {
        return peer;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok());
    let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).collect();
    let mut sender = peer;
    for hop in hops.into_iter().rev() {
        let Ok(address) = hop.trim().parse::<IpAddr>() else { break };
        sender = address.to_canonical();
        if !is_trusted(&sender) {
            break;
        }
    }
    sender
}

/// Returns the person whom a trusted proxy has signed in. What anybody else says is ignored, and logged once: a proxy may be missing in the
/// settings, or somebody tries it.
pub(crate) fn proven(peer: IpAddr, headers: &HeaderMap, config: &RoutesConfig) -> Option<EmailAddress> {
    static WARNED: Once = Once::new();
    let name = config.auth_header.as_ref()?;
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    let peer = peer.to_canonical();
    if !config.trusted_proxies.iter().any(|network| network.contains(&peer)) {
        WARNED.call_once(|| {
            tracing::warn!(%peer, header = %name, "Ignored a header that names who is signed in: the sender is no trusted proxy");
        });
        return None;
    }
    // Two say nothing: one may be the client's own, which the proxy has passed on.
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()?.parse().ok()
}

/// Returns the token of `Authorization: Bearer …`. Two such headers, another scheme or odd bytes count as no token.
fn bearer(headers: &HeaderMap) -> Option<PlainToken> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    // The scheme's letter case does not matter (RFC 9110, 11.1).
    scheme.eq_ignore_ascii_case("bearer").then(|| PlainToken::presented(token.trim()))
}

impl Admitted {
    /// The most bytes of a request's body (contract §14).
    const MAX_BODY: usize = 64 * 1024;
    /// The time in which a body must arrive.
    const BODY_TIMEOUT: Duration = Duration::from_secs(10);

    /// Reads the body as JSON.
    pub(crate) async fn json(&mut self) -> Result<Value, Refusal> {
        if !self.says_json() {
            return Err(Refusal::MediaType);
        }
        let body = tokio::time::timeout(Self::BODY_TIMEOUT, self.bytes()).await.map_err(|_| Refusal::Incomplete)??;
        serde_json::from_slice(&body).map_err(Refusal::NotJson)
    }

    fn says_json(&self) -> bool {
        let Some(value) = self.headers.get(header::CONTENT_TYPE) else { return true };
        let essence =
            value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
    }

    async fn bytes(&mut self) -> Result<BytesMut, Refusal> {
        let mut body = BytesMut::new();
        while let Some(chunk) = self.body.next().await {
            let chunk = chunk.map_err(|_| Refusal::Incomplete)?;
            if body.len() + chunk.len() > Self::MAX_BODY {
                return Err(Refusal::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// The query of a request's address. A parameter that occurs twice has its last value.
#[derive(Debug, Clone)]
pub(crate) struct Query(String);

impl Query {
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.pairs().filter(|(key, _)| key == name).last().map(|(_, value)| value)
    }

    pub(crate) fn page(&self) -> PageQuery {
        PageQuery { page: self.get("page"), per_page: self.get("per_page") }
    }

    pub(crate) fn filter(&self) -> SiteFilter {
        SiteFilter { tag: self.get("tag") }
    }

    pub(crate) fn draft(&self) -> DraftQuery {
        DraftQuery {
            product_version: self.get("product_version"),
            contact: self.get("contact"),
            evaluator: self.get("evaluator"),
            aaa: self.get("aaa"),
        }
    }

    pub(crate) fn file(&self) -> FileQuery {
        FileQuery { format: self.get("format"), lang: self.get("lang"), detail: self.get("detail") }
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        url::form_urlencoded::parse(self.0.as_bytes()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_is_believed_and_only_what_it_wrote_itself() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let from = |peer: &str, forwarded: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            sender(peer.parse().unwrap(), &headers, &trusted).to_string()
        };
        assert_eq!(from("203.0.113.9", "198.51.100.1"), "203.0.113.9");
        assert_eq!(from("10.0.0.1", "198.51.100.1"), "198.51.100.1");
        assert_eq!(from("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2"), "198.51.100.1");
        assert_eq!(from("10.0.0.1", "nonsense"), "10.0.0.1");
        assert_eq!(from("::ffff:10.0.0.1", "198.51.100.1"), "198.51.100.1");
    }

    #[test]
    fn who_is_signed_in_is_said_by_a_trusted_proxy_alone_and_once() {
        let auth_header = Some(HeaderName::from_static("x-forwarded-email"));
        let config = RoutesConfig { trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()], auth_header };
        let from = |peer: &str, values: &[&str], config: &RoutesConfig| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("x-forwarded-email", value.parse().unwrap());
            }
            proven(peer.parse().unwrap(), &headers, config).map(|email| email.to_string())
        };
        let jo = Some("jo@example.org".to_owned());
        assert_eq!(from("10.0.0.1", &["Jo@example.org"], &config), jo);
        assert_eq!(from("::ffff:10.0.0.1", &["jo@example.org"], &config), jo);
        assert_eq!(from("203.0.113.9", &["jo@example.org"], &config), None);
        assert_eq!(from("10.0.0.1", &["jo@example.org", "eve@example.org"], &config), None);
        assert_eq!(from("10.0.0.1", &["jo"], &config), None);
        assert_eq!(from("10.0.0.1", &[], &config), None);
        let unset = RoutesConfig { auth_header: None, ..config };
        assert_eq!(from("10.0.0.1", &["jo@example.org"], &unset), None);
    }

    #[test]
    fn a_header_that_is_ignored_is_noticed_and_one_that_is_believed_is_not() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let mut headers = HeaderMap::new();
        let is_ignored = |peer: &str, headers: &HeaderMap| is_ignored(peer.parse().unwrap(), headers, &trusted);
        assert!(!is_ignored("203.0.113.9", &headers));
        headers.insert("x-forwarded-for", "198.51.100.1".parse().unwrap());
        assert!(is_ignored("203.0.113.9", &headers));
        assert!(!is_ignored("10.0.0.1", &headers) && !is_ignored("::ffff:10.0.0.1", &headers));
    }

    #[test]
    fn the_last_value_of_a_repeated_parameter_counts() {
        let query = Query("page=1&page=2&tag=%D0%B0+b&bad=%FF".to_owned());
        assert_eq!((query.get("page").as_deref(), query.get("tag").as_deref()), (Some("2"), Some("а b")));
        assert!(query.get("bad").is_some() && query.get("none").is_none());
    }
}
