//! The operator's own proxy, through which the service reaches hosts outside of its network.

use std::{fmt, io, net::IpAddr, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ipnet::IpNet;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, timeout_at},
};
use url::{Host, Url};

use super::{AddressPolicy, JudgedHost, PolicyError, Resolver, names, special_ranges::unmapped};
use crate::domain::FailureCause;

/// An HTTP proxy through which connections are made by `CONNECT`. Clones are cheap and share the settings.
///
/// It changes how connections are made, and not where to: a host is resolved and judged here as without it ([`route`]),
/// and the proxy is asked for an address that was judged. Only hosts that the operator names
/// ([`resolving`](Self::resolving)) are passed on by name, which the proxy then resolves; the addresses of those are
/// not judged.
#[derive(Clone)]
pub struct UpstreamProxy(Arc<Settings>);

#[derive(Clone)]
struct Settings {
    host: String,
    port: u16,
    /// The value of `Proxy-Authorization`.
    authorization: Option<String>,
    exceptions: Hosts,
    named: Hosts,
}

/// The reason why the settings of a proxy are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidProxy {
    /// The text is not the address of a proxy.
    #[error("`{0}` is not the address of a proxy: write http://HOST:PORT, without anything after it")]
    Address(String),
    /// The address contains a user name or a password, which other users of the machine can read.
    #[error("credentials do not belong into the address of the proxy: write them into a file, as USER:PASSWORD")]
    CredentialsInAddress,
    /// The text is not credentials.
    #[error("the credentials are not USER:PASSWORD in one line")]
    Credentials,
    /// The text is neither a name, nor an IP address, nor a network.
    #[error("`{0}` is neither the name of a host, nor an IP address, nor a network such as 10.0.0.0/8")]
    Host(String),
    /// The text is an IP address or a network where names are required.
    #[error("`{0}` is not the name of a host: addresses are judged here, whoever connects to them")]
    NotAName(String),
}

impl UpstreamProxy {
    /// The time for the TCP connection to the proxy itself.
    const CONNECT_TIME: Duration = Duration::from_secs(5);
    /// The greatest number of bytes of its response to `CONNECT`.
    const MAX_HEAD: usize = 16 * 1024;

    /// Makes a proxy of its `http://` address.
    ///
    /// # Errors
    /// [`InvalidProxy::Address`], [`InvalidProxy::CredentialsInAddress`].
    pub fn new(address: &str) -> Result<Self, InvalidProxy> {
        let invalid = || InvalidProxy::Address(address.to_owned());
        let url = Url::parse(address).map_err(|_| invalid())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidProxy::CredentialsInAddress);
        }
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        let host = match url.host() {
            Some(Host::Ipv6(ip)) => ip.to_string(),
            Some(host) => host.to_string(),
            None => return Err(invalid()),
        };
        // Without a port, that of plain HTTP is used, as is usual.
        let port = url.port_or_known_default().ok_or_else(invalid)?;
        if url.scheme() != "http" || !is_bare {
            return Err(invalid());
        }
        let (exceptions, named) = (Hosts::default(), Hosts::default());
        Ok(Self(Arc::new(Settings { host, port, authorization: None, exceptions, named })))
    }

    /// Sets a user and a password in the form `USER:PASSWORD`, which are sent with each connection.
    ///
    /// # Errors
    /// [`InvalidProxy::Credentials`].
    pub fn with_credentials(self, credentials: &str) -> Result<Self, InvalidProxy> {
        let is_valid = credentials.split_once(':').is_some_and(|(user, _)| !user.is_empty());
        if !is_valid || credentials.contains(char::is_control) {
            return Err(InvalidProxy::Credentials);
        }
        let authorization = Some(format!("Basic {}", STANDARD.encode(credentials)));
        Ok(self.changed(|settings| Settings { authorization, ..settings }))
    }

    /// Sets the hosts to which connections are made without the proxy: names with all names below them, IP addresses,
    /// networks. A name is also excepted if all addresses that it leads to are.
    ///
    /// # Errors
    /// [`InvalidProxy::Host`].
    pub fn except<T: AsRef<str>>(self, hosts: impl IntoIterator<Item = T>) -> Result<Self, InvalidProxy> {
        let exceptions = Hosts::parse(hosts)?;
        Ok(self.changed(|settings| Settings { exceptions, ..settings }))
    }

    /// Sets the names that, with all names below them, are resolved by the proxy and nowhere else. The proxy alone
    /// decides where they lead: that may be any address that it reaches, and any port.
    ///
    /// # Errors
    /// [`InvalidProxy::Host`], [`InvalidProxy::NotAName`].
    pub fn resolving<T: AsRef<str>>(self, hosts: impl IntoIterator<Item = T>) -> Result<Self, InvalidProxy> {
        let named = Hosts::parse(hosts)?;
        if let Some(network) = named.networks.first() {
            return Err(InvalidProxy::NotAName(network.to_string()));
        }
        Ok(self.changed(|settings| Settings { named, ..settings }))
    }

    fn changed(self, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self(Arc::new(change(Arc::unwrap_or_clone(self.0))))
    }

    /// Returns whether the proxy, and nobody else, resolves this name.
    fn resolves(&self, name: &str) -> bool {
        self.0.named.has_name(name) && !self.0.exceptions.has_name(name)
    }

    /// Returns whether connections to a host are made without the proxy.
    fn is_passed_by(&self, host: &Host<&str>, judged: &JudgedHost) -> bool {
        let exceptions = &self.0.exceptions;
        matches!(host, Host::Domain(name) if exceptions.has_name(name))
            || judged.addresses().iter().all(|address| exceptions.has_address(address.ip()))
    }

    /// Connects through the proxy along a route: to the first address of the route that the proxy reaches.
    ///
    /// # Errors
    /// That of the last address if the proxy reaches none or refuses all. Any other error, such as a login that the
    /// proxy demands, is returned at once.
    pub async fn connect(&self, route: &Route, deadline: Instant) -> Result<TcpStream, ProxyError> {
        let targets = match route {
            Route::Direct(judged) | Route::Proxied(judged) => {
                judged.addresses().iter().map(ToString::to_string).collect()
            }
            Route::Named { name, port } => vec![format!("{name}:{port}")],
        };
        let mut failure = ProxyError::TimedOut;
        for target in targets {
            match self.tunnel(&target, deadline).await {
                Err(error @ (ProxyError::HostUnreachable { .. } | ProxyError::Refused { .. })) => failure = error,
                ended => return ended,
            }
        }
        Err(failure)
    }

    async fn tunnel(&self, target: &str, deadline: Instant) -> Result<TcpStream, ProxyError> {
        let connect = TcpStream::connect((self.0.host.as_str(), self.0.port));
        let connected = timeout_at(deadline.min(Instant::now() + Self::CONNECT_TIME), connect).await;
        let mut stream =
            connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(ProxyError::Unreachable)?;
        let ask = async {
            let authorization = self.0.authorization.as_ref();
            let authorization =
                authorization.map(|value| format!("Proxy-Authorization: {value}\r\n")).unwrap_or_default();
            let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n");
            stream.write_all(request.as_bytes()).await?;
            let head = Self::head(&mut stream).await?;
            status(&head).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the proxy does not speak HTTP"))
        };
        // The proxy has accepted the connection, so a timeout is the fault of the host.
        let asked = timeout_at(deadline, ask).await.map_err(|_| ProxyError::TimedOut)?;
        match asked.map_err(ProxyError::Unreachable)? {
            200..=299 => Ok(stream),
            // tinyproxy demands credentials with 407, and responds to wrong ones with 401.
            401 | 407 => Err(ProxyError::Login),
            status @ 500.. => Err(ProxyError::HostUnreachable { status }),
            status => Err(ProxyError::Refused { status }),
        }
    }

    /// Reads the head of the response, and not a byte of what follows.
    async fn head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut seen = [0; 1024];
        while head.len() < Self::MAX_HEAD {
            let peeked = stream.peek(&mut seen).await?;
            if peeked == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let before = head.len();
            head.extend_from_slice(&seen[..peeked]);
            // The end may have begun in the part that was read before.
            let from = before.saturating_sub(3);
            let end = head[from..].windows(4).position(|window| window == b"\r\n\r\n").map(|at| from + at + 4);
            let taken = end.map_or(peeked, |end| end - before);
            stream.read_exact(&mut seen[..taken]).await?;
            if let Some(end) = end {
                head.truncate(end);
                return Ok(head);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the proxy's answer is too long"))
    }
}

impl fmt::Debug for UpstreamProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UpstreamProxy").field(&format_args!("{}:{}", self.0.host, self.0.port)).finish()
    }
}

/// Parses the status of a response's first line.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()
}

/// The reason why there is no connection through a proxy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The proxy could not be reached, or broke the connection off.
    #[error("the proxy could not be reached, or broke off")]
    Unreachable(#[source] io::Error),
    /// The proxy demands credentials, or other ones.
    #[error("the proxy wants other credentials")]
    Login,
    /// The proxy refuses the connection.
    #[error("the proxy refused the connection with status {status}")]
    Refused {
        /// The status of its response.
        status: u16,
    },
    /// The proxy could not reach the host.
    #[error("the proxy could not reach the host and answered with status {status}")]
    HostUnreachable {
        /// The status of its response.
        status: u16,
    },
    /// The proxy did not reach the host in time.
    #[error("the proxy did not reach the host in time")]
    TimedOut,
}

impl ProxyError {
    /// Returns the cause of the failure; `None` if the host is to blame and not the proxy.
    pub const fn cause(&self) -> Option<FailureCause> {
        match self {
            Self::Unreachable(_) => Some(FailureCause::ProxyUnreachable),
            Self::Login => Some(FailureCause::ProxyLogin),
            Self::Refused { .. } => Some(FailureCause::ProxyRefused),
            Self::HostUnreachable { .. } | Self::TimedOut => None,
        }
    }
}

/// The way in which connections to a host are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// Directly to its judged addresses.
    Direct(JudgedHost),
    /// To its judged addresses, through the proxy.
    Proxied(JudgedHost),
    /// Through the proxy, by a name that the operator lets the proxy resolve.
    Named {
        /// The name in its one spelling.
        name: String,
        /// The port.
        port: u16,
    },
}

impl Route {
    /// Returns whether the route leads only to networks that were opened; false if a proxy resolves the name, since its
    /// addresses are not known.
    pub const fn is_opened(&self) -> bool {
        match self {
            Self::Direct(judged) | Self::Proxied(judged) => judged.is_opened(),
            Self::Named { .. } => false,
        }
    }
}

/// Judges a host by `policy`, and returns the route of connections to it.
///
/// If the operator lets the proxy resolve a name, only the name itself is judged.
///
/// # Errors
/// Those of [`AddressPolicy::judge`].
pub async fn route(
    policy: &AddressPolicy,
    resolver: &dyn Resolver,
    proxy: Option<&UpstreamProxy>,
    host: &Host<&str>,
    port: u16,
) -> Result<Route, PolicyError> {
    let Some(proxy) = proxy else { return Ok(Route::Direct(policy.judge(resolver, host, port).await?)) };
    if let Host::Domain(name) = host
        && proxy.resolves(name)
    {
        return Ok(Route::Named { name: policy.judge_unresolved(name)?, port });
    }
    let judged = policy.judge(resolver, host, port).await?;
    Ok(if proxy.is_passed_by(host, &judged) { Route::Direct(judged) } else { Route::Proxied(judged) })
}

/// Names, each with all names below it, and networks.
#[derive(Debug, Clone, Default)]
struct Hosts {
    names: Vec<String>,
    networks: Vec<IpNet>,
}

impl Hosts {
    fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, InvalidProxy> {
        let mut hosts = Self::default();
        for text in texts {
            let text = text.as_ref().trim();
            if let Ok(network) = text.parse() {
                // Addresses are judged in their canonical form.
                hosts.networks.push(unmapped(network));
                continue;
            }
            let invalid = || InvalidProxy::Host(text.to_owned());
            let bare = text.trim_start_matches("*.").trim_matches('.');
            match Host::parse(bare).map_err(|_| invalid())? {
                Host::Domain(name) => hosts.names.push(names::normalize(&name).ok_or_else(invalid)?),
                Host::Ipv4(ip) => hosts.networks.push(IpAddr::from(ip).into()),
                Host::Ipv6(ip) => hosts.networks.push(IpAddr::from(ip).into()),
            }
        }
        Ok(hosts)
    }

    fn has_name(&self, name: &str) -> bool {
        names::normalize(name)
            .is_some_and(|name| names::parents(&name).any(|parent| self.names.iter().any(|own| own == parent)))
    }

    fn has_address(&self, ip: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&ip))
    }
}

#[cfg(test)]
mod tests;
