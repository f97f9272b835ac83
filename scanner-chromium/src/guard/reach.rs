//! The decision which networks a check reaches: all that the operator opened, or none of them.
//!
//! An opened network is open to the checks of its own sites only. A page of the public internet, and everything that it
//! frames and loads, is untrusted and reaches public addresses only.
//!
//! A check is *inside* for as long as all documents that it shows come from opened networks. This is decided before
//! each connection, by the hosts from which its documents are requested, the start address first. If the first
//! connection to such a host leads into an opened network, the check is inside; if a connection to one leads elsewhere,
//! the check is outside for good, before a byte passes, and every connection into an opened network is closed. So a
//! name that first resolves into an opened network and later to a hostile server gains nothing: what that server sends
//! comes too late.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::net::{AddressPolicy, PolicyError, Resolver, Route, UpstreamProxy, route};
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

/// The number of hosts from which the documents of one check may come. A site with more names than that is nobody's
/// intranet.
const MAX_HOSTS: usize = 100;

/// The decision what a check may connect to. Clones share its state.
#[derive(Debug, Clone)]
pub(crate) struct Reach(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    policy: AddressPolicy,
    /// The same policy without the networks that it opens.
    outside: AddressPolicy,
    state: Mutex<State>,
    /// Fires when the check goes outside.
    left: CancellationToken,
}

#[derive(Debug)]
struct State {
    /// The hosts of documents, as [`spelled`] writes them.
    hosts: HashSet<String>,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No connection to a host of a document was made yet.
    Undecided,
    /// All documents so far come from opened networks.
    Inside,
    /// At least one document does not.
    Outside,
}

/// A route that may be taken.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) route: Route,
    /// The token that ends the connection when it fires.
    pub(super) until: CancellationToken,
}

impl Reach {
    /// Returns the reach of work that is no check of a site: all that the policy allows.
    pub(crate) fn of_policy(policy: AddressPolicy) -> Self {
        Self::new(policy, Place::Inside)
    }

    /// Returns the reach of a check that begins at `start`.
    pub(crate) fn of_check(policy: AddressPolicy, start: &Url) -> Self {
        let reach = Self::new(policy, Place::Undecided);
        reach.leads_to(start);
        reach
    }

    fn new(policy: AddressPolicy, place: Place) -> Self {
        let outside = policy.without_opened_networks();
        let state = Mutex::new(State { hosts: HashSet::new(), place });
        Self(Arc::new(Inner { policy, outside, state, left: CancellationToken::new() }))
    }

    /// Notes that a document of the check is about to be requested from `url`. After this, its host has to lead into
    /// opened networks for the check to be inside.
    pub(crate) fn leads_to(&self, url: &Url) {
        let Some(host) = url.host() else { return };
        let mut state = self.state();
        if state.hosts.len() < MAX_HOSTS {
            state.hosts.insert(spelled(&host));
        } else if !state.hosts.contains(&spelled(&host)) {
            self.leave(&mut state);
        }
    }

    /// Returns whether all documents of the check so far came from opened networks.
    pub(crate) fn is_inside(&self) -> bool {
        self.state().place == Place::Inside
    }

    /// Judges a host, and returns how to connect to it.
    pub(super) async fn route(
        &self,
        resolver: &dyn Resolver,
        proxy: Option<&UpstreamProxy>,
        host: &Host<&str>,
        port: u16,
    ) -> Result<Passage, PolicyError> {
        loop {
            let policy = self.policy_for(host);
            let route = route(policy, resolver, proxy, host, port).await?;
            if let Some(passage) = self.admit(host, route) {
                return Ok(passage);
            }
        }
    }

    /// Returns the part of an error that users may see.
    pub(super) fn disclosed(&self, host: &Host<&str>, error: PolicyError) -> PolicyError {
        self.0.policy.disclosed(host, error)
    }

    fn policy_for(&self, host: &Host<&str>) -> &AddressPolicy {
        let state = self.state();
        match state.place {
            Place::Inside => &self.0.policy,
            Place::Undecided if state.hosts.contains(&spelled(host)) => &self.0.policy,
            Place::Undecided | Place::Outside => &self.0.outside,
        }
    }

    /// Returns the passage for a judged route, after noting what the route means for the check. `None` if the route has
    /// to be judged again, by the present state; that happens a finite number of times, since nothing changes once a
    /// check is outside.
    fn admit(&self, host: &Host<&str>, route: Route) -> Option<Passage> {
        let mut state = self.state();
        let is_of_documents = state.hosts.contains(&spelled(host));
        match state.place {
            Place::Undecided if is_of_documents && route.is_opened() => state.place = Place::Inside,
            Place::Undecided | Place::Inside if is_of_documents && !route.is_opened() => self.leave(&mut state),
            Place::Undecided | Place::Inside | Place::Outside => {}
        }
        let may_pass = state.place == Place::Inside || self.is_outside(&route);
        may_pass.then(|| Passage { until: self.until(&route), route })
    }

    /// Returns whether no address of the route lies in an opened network, unless it is public.
    fn is_outside(&self, route: &Route) -> bool {
        addresses(route).all(|(ip, port)| self.0.outside.judge_ip(ip, port).is_ok())
    }

    fn until(&self, route: &Route) -> CancellationToken {
        if self.is_outside(route) { CancellationToken::new() } else { self.0.left.clone() }
    }

    fn leave(&self, state: &mut State) {
        state.place = Place::Outside;
        self.0.left.cancel();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the addresses of a route. It has none if a proxy resolves the name, since they are not known here.
fn addresses(route: &Route) -> impl Iterator<Item = (std::net::IpAddr, u16)> {
    let addresses = match route {
        Route::Direct(judged) | Route::Proxied(judged) => judged.addresses(),
        Route::Named { .. } => &[],
    };
    addresses.iter().map(|address| (address.ip(), address.port()))
}

/// Returns one spelling for a host with and without `www.`, which is the same site.
fn spelled<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.').to_ascii_lowercase();
            name.strip_prefix("www.").map_or_else(|| name.clone(), str::to_owned)
        }
        Host::Ipv4(ip) => ip.to_string(),
        Host::Ipv6(ip) => ip.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::{Refusal, StaticResolver};

    use super::*;

    const OPENED: &str = "10.1.0.5";
    const OTHER_OPENED: &str = "10.1.0.6";
    const PUBLIC: &str = "93.184.216.34";

    fn resolver() -> StaticResolver {
        let ip = |text: &str| text.parse().unwrap();
        StaticResolver::new()
            .with("wiki.example.com", [ip(OPENED)])
            .with("tools.example.com", [ip(OTHER_OPENED)])
            .with("cdn.example.com", [ip(PUBLIC)])
            .with("shop.example.com", [ip(PUBLIC)])
            .with("both.example.com", [ip(OPENED), ip(PUBLIC)])
            .with("evil.example.com", [ip(PUBLIC)])
            .with("www.wiki.example.com", [ip(PUBLIC)])
            .with_sequence("flips.example.com", [vec![ip(OPENED)], vec![ip(PUBLIC)], vec![ip(OPENED)]])
            .with_sequence("turns.example.com", [vec![ip(PUBLIC)], vec![ip(OPENED)]])
    }

    fn check(start: &str) -> Reach {
        let policy = AddressPolicy::builder().allow_network("10.1.0.0/16".parse().unwrap()).build();
        Reach::of_check(policy, &Url::parse(start).unwrap())
    }

    async fn asked(reach: &Reach, resolver: &StaticResolver, host: &str) -> Result<Passage, PolicyError> {
        let host = Host::parse(host).unwrap();
        let host = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(ip) => Host::Ipv4(*ip),
            Host::Ipv6(ip) => Host::Ipv6(*ip),
        };
        reach.route(resolver, None, &host, 443).await
    }

    async fn passes(reach: &Reach, host: &str) -> bool {
        asked(reach, &resolver(), host).await.is_ok()
    }

    #[tokio::test]
    async fn a_public_page_reaches_nothing_that_was_opened() {
        let reach = check("https://shop.example.com/");
        assert!(!passes(&reach, "wiki.example.com").await, "nor does it before its first connection");
        assert!(passes(&reach, "shop.example.com").await);
        for host in ["wiki.example.com", "both.example.com", OPENED, "[::ffff:10.1.0.5]"] {
            assert!(!passes(&reach, host).await, "{host}");
        }
        assert!(passes(&reach, "cdn.example.com").await);
    }

    #[tokio::test]
    async fn a_page_of_an_opened_network_reaches_all_that_were_opened_and_the_public() {
        for start in ["https://wiki.example.com/", "https://10.1.0.5/", "https://www.tools.example.com/"] {
            let reach = check(start);
            let own = Url::parse(start).unwrap().host_str().unwrap().trim_start_matches("www.").to_owned();
            assert!(passes(&reach, &own).await, "{start}");
            for host in ["wiki.example.com", "tools.example.com", "cdn.example.com", OTHER_OPENED] {
                assert!(passes(&reach, host).await, "{start}: {host}");
            }
        }
    }

    #[tokio::test]
    async fn a_start_name_that_leads_to_a_stranger_after_all_takes_the_check_outside_for_good() {
        let (reach, resolver) = (check("https://flips.example.com/"), resolver());
        let inside = asked(&reach, &resolver, "flips.example.com").await.unwrap();
        assert!(asked(&reach, &resolver, "tools.example.com").await.is_ok());
        assert!(!inside.until.is_cancelled());
        let outside = asked(&reach, &resolver, "flips.example.com").await.unwrap();
        assert!(inside.until.is_cancelled(), "connections into the opened network have ended");
        assert!(!outside.until.is_cancelled());
        for host in ["flips.example.com", "tools.example.com"] {
            assert!(asked(&reach, &resolver, host).await.is_err(), "{host}");
        }
    }

    #[tokio::test]
    async fn a_public_start_name_that_turns_inwards_is_refused_there() {
        let (reach, resolver) = (check("https://turns.example.com/"), resolver());
        assert!(asked(&reach, &resolver, "turns.example.com").await.is_ok());
        let turned = asked(&reach, &resolver, "turns.example.com").await;
        assert!(matches!(turned, Err(PolicyError::RefusedAnswer(Refusal::NotPublic { .. }))), "{turned:?}");
    }

    #[tokio::test]
    async fn a_start_name_with_inner_and_public_addresses_is_refused() {
        let reach = check("https://both.example.com/");
        assert!(!passes(&reach, "both.example.com").await);
        assert!(!passes(&reach, "tools.example.com").await);
    }

    #[tokio::test]
    async fn a_document_that_comes_from_outside_takes_the_check_outside() {
        for (start, led_to) in [
            ("https://wiki.example.com/", "https://evil.example.com/"),
            ("https://wiki.example.com/", "https://www.wiki.example.com/"),
        ] {
            let reach = check(start);
            assert!(passes(&reach, "wiki.example.com").await);
            assert!(passes(&reach, "tools.example.com").await);
            let led_to = Url::parse(led_to).unwrap();
            reach.leads_to(&led_to);
            assert!(passes(&reach, led_to.host_str().unwrap()).await, "{led_to} itself is public");
            assert!(!passes(&reach, "tools.example.com").await, "{led_to}");
        }
    }

    #[tokio::test]
    async fn a_document_that_is_led_from_outside_inwards_is_refused() {
        let reach = check("https://shop.example.com/");
        assert!(passes(&reach, "shop.example.com").await);
        reach.leads_to(&Url::parse("https://wiki.example.com/").unwrap());
        assert!(!passes(&reach, "wiki.example.com").await);
    }

    #[tokio::test]
    async fn documents_of_ever_new_names_end_the_stay_inside() {
        let reach = check("https://wiki.example.com/");
        assert!(passes(&reach, "wiki.example.com").await);
        for number in 0..MAX_HOSTS {
            reach.leads_to(&Url::parse(&format!("https://n{number}.example.com/")).unwrap());
        }
        assert!(!passes(&reach, "tools.example.com").await);
    }
}
