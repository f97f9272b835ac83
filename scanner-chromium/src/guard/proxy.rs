//! The proxy itself: `CONNECT`, and plain HTTP requests in absolute form.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use http_body_util::{BodyExt as _, Empty, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode, Uri,
    body::{Bytes, Incoming},
    header::{self, HeaderMap, HeaderName, HeaderValue},
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::Duration,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Egress, GuardLog, Obstacle,
    connect::nowhere,
    metered::{Meter, Metered},
};

/// The number of connections that the browser may have at a time. Chromium itself opens at most 32 to one proxy,
/// WebSocket connections not counted.
const MAX_CONNECTIONS: usize = 256;
/// The greatest size of the head of a request or a response, in bytes.
const MAX_HEAD: usize = 256 * 1024;
/// The time limit for the browser to send the head of a request, including the wait for the next one on a connection.
const HEAD_TIME: Duration = Duration::from_secs(120);
/// The time limit for a site to send the head of its response to a plain HTTP request.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// The header that distinguishes our refusals from the error pages of sites.
pub(crate) const REFUSAL_MARK: &str = "a11ycheck-guard-refusal";

type Body = BoxBody<Bytes, hyper::Error>;

/// The error of a guard that could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("no port on the loopback interface could be opened")]
pub struct GuardError(#[from] std::io::Error);

/// A proxy on a loopback port. Dropping it closes the port and every connection through it.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    log: Arc<GuardLog>,
    _stop: DropGuard,
}

impl Guard {
    /// Opens a guard that refuses every connection.
    pub(crate) async fn refuse_all() -> Result<Self, GuardError> {
        Self::open(Egress::RefuseAll, 0).await
    }

    /// Opens a guard that allows the connections that `egress` allows, up to about `max_bytes` in both directions
    /// together.
    pub(crate) async fn open(egress: Egress, max_bytes: u64) -> Result<Self, GuardError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let log = Arc::new(GuardLog::default());
        let stop = CancellationToken::new();
        let meter = Arc::new(Meter::new(max_bytes));
        let proxy = Arc::new(Proxy { egress, log: Arc::clone(&log), meter, stop: stop.clone() });
        tokio::spawn(accept(listener, proxy));
        Ok(Self { address, log, _stop: stop.drop_guard() })
    }

    /// Returns the address of its port, for the browser.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns its record of the hosts that were asked for.
    pub(crate) fn log(&self) -> &GuardLog {
        &self.log
    }
}

struct Proxy {
    egress: Egress,
    log: Arc<GuardLog>,
    meter: Arc<Meter>,
    stop: CancellationToken,
}

async fn accept(listener: TcpListener, proxy: Arc<Proxy>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let serve = async {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let proxy = Arc::clone(&proxy);
                    tokio::spawn(async move {
                        let stop = proxy.stop.clone();
                        tokio::select! {
                            () = stop.cancelled() => {}
                            () = serve_browser(stream, proxy) => {}
                        }
                        drop(place);
                    });
                }
                Err(error) => {
                    // Most likely the process is out of descriptors: that passes, and a busy loop would not help.
                    tracing::warn!(%error, "the egress guard could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    };
    tokio::select! {
        () = proxy.stop.cancelled() => {}
        () = serve => {}
    }
}

async fn serve_browser(stream: TcpStream, proxy: Arc<Proxy>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let proxy = Arc::clone(&proxy);
        async move { Ok::<_, Infallible>(proxy.answer(request).await) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of the browser broke");
    }
}

impl Proxy {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let answer =
            if *request.method() == Method::CONNECT { self.tunnel(request).await } else { self.forward(request).await };
        answer.unwrap_or_else(|obstacle| refusal(&obstacle))
    }

    /// Handles `CONNECT host:port`: bytes pass unread.
    async fn tunnel(&self, request: Request<Incoming>) -> Result<Response<Body>, Obstacle> {
        let authority = request.uri().authority().ok_or(nowhere())?;
        let port = authority.port_u16().ok_or(nowhere())?;
        let mut site = self.egress.connect(authority.host(), port, &self.log, &self.meter).await?;
        let stop = self.stop.clone();
        tokio::spawn(async move {
            let copy = async {
                let browser = hyper::upgrade::on(request).await?;
                // Either side may close the connection; nobody needs to know of an error here.
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(browser), &mut site).await;
                Ok::<_, hyper::Error>(())
            };
            tokio::select! {
                () = stop.cancelled() => {}
                _ = copy => {}
            }
        });
        Ok(Response::new(empty()))
    }

    /// Handles `GET http://host/path`, with one connection to the site per request.
    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Body>, Obstacle> {
        let uri = request.uri();
        if uri.scheme_str() != Some("http") {
            return Err(nowhere());
        }
        let authority = uri.authority().cloned().ok_or(nowhere())?;
        let port = authority.port_u16().unwrap_or(80);
        let site = self.egress.connect(authority.host(), port, &self.log, &self.meter).await?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse::<Uri>().map_err(|_| nowhere())?;
        remove_hop_by_hop(request.headers_mut());
        // The host is the one that was judged, whatever the header says.
        let host_and_port = authority.as_str().rsplit('@').next().unwrap_or_default();
        let host = HeaderValue::from_str(host_and_port).map_err(|_| nowhere())?;
        request.headers_mut().insert(header::HOST, host);
        let answer = tokio::time::timeout(ANSWER_TIME, self.exchange(site, request)).await;
        let mut answer = answer.unwrap_or(Err(Obstacle::Unreachable)).inspect_err(|obstacle| {
            self.log.note(authority.host(), port, Some(obstacle.clone()));
        })?;
        remove_hop_by_hop(answer.headers_mut());
        answer.headers_mut().remove(REFUSAL_MARK);
        Ok(answer.map(|body| body.boxed()))
    }

    async fn exchange(&self, site: Metered, request: Request<Incoming>) -> Result<Response<Incoming>, Obstacle> {
        // It is as lenient as browsers are: what they show is checked.
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .preserve_header_case(true)
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(site))
            .await
            .map_err(|_| Obstacle::Unreachable)?;
        let stop = self.stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                // This ends with the response's body, or with the last handle to it.
                _ = connection => {}
            }
        });
        sender.send_request(request).await.map_err(|_| Obstacle::Unreachable)
    }
}

/// Returns the response for a host that was not reached. It says little, since the page may read it; the log has the
/// details.
fn refusal(obstacle: &Obstacle) -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = match obstacle {
        Obstacle::Refused(_) | Obstacle::TooMuch => StatusCode::FORBIDDEN,
        Obstacle::Dns | Obstacle::Unreachable | Obstacle::Proxy(_) => StatusCode::BAD_GATEWAY,
    };
    // In a frame, an empty document of ours would be checked as if it were the site's.
    response.headers_mut().insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response.headers_mut().insert(REFUSAL_MARK, HeaderValue::from_static("1"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Removes the headers that concern one connection only (RFC 9110 §7.6.1), and those that `Connection` names.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in [
        header::CONNECTION,
        header::PROXY_AUTHORIZATION,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    headers.remove("proxy-connection");
}

fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::{AddressPolicy, StaticResolver};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::guard::Reach;

    /// Opens a guard that may reach 127.0.0.1, by the name `open.test` too; `moving.test` resolves to it once, and to a
    /// closed address after that.
    async fn guard(max_bytes: u64) -> Guard {
        let (open, closed) = (Ipv4Addr::LOCALHOST.into(), Ipv4Addr::new(127, 0, 0, 2).into());
        let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
        let resolver =
            StaticResolver::new().with("open.test", [open]).with_sequence("moving.test", [vec![open], vec![closed]]);
        let reach = Reach::of_policy(policy);
        Guard::open(Egress::Judged { reach, resolver: Arc::new(resolver), proxy: None }, max_bytes).await.unwrap()
    }

    /// Starts a site that sends every connection this response; returns its port and the requests that it received.
    async fn site(answer: String) -> (u16, tokio::sync::mpsc::UnboundedReceiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, questions) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = vec![0; 4096];
                let length = stream.read(&mut head).await.unwrap();
                asked.send(String::from_utf8_lossy(&head[..length]).to_lowercase()).unwrap();
                // The guard may have closed the connection.
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        (port, questions)
    }

    /// Sends a request through the guard and returns all that comes back until the connection is closed.
    async fn ask(guard: &Guard, request: &str) -> String {
        let mut stream = TcpStream::connect(guard.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A broken connection ends the response, too.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).to_lowercase()
    }

    #[tokio::test]
    async fn what_concerns_one_connection_is_not_passed_on_and_the_mark_cannot_be_forged() {
        let answer =
            format!("HTTP/1.1 200 OK\r\n{REFUSAL_MARK}: 1\r\nX-Own: 1\r\nKeep-Alive: x\r\nContent-Length: 2\r\n\r\nhi");
        let (port, mut questions) = site(answer).await;
        let guard = guard(1 << 20).await;
        let request = format!(
            "GET http://user@open.test:{port}/x?y HTTP/1.1\r\nHost: other.test\r\nProxy-Authorization: a\r\nX-Own: 2\r\n\
             X-Hop: 3\r\nConnection: close, x-hop\r\n\r\n"
        );
        let answer = ask(&guard, &request).await;
        assert!(answer.starts_with("http/1.1 200") && answer.ends_with("hi"), "{answer}");
        assert!(
            answer.contains("x-own") && !answer.contains(REFUSAL_MARK) && !answer.contains("keep-alive"),
            "{answer}"
        );
        let question = questions.recv().await.unwrap();
        assert!(question.starts_with("get /x?y http/1.1\r\n"), "{question}");
        assert!(
            question.contains(&format!("host: open.test:{port}\r\n")) && question.contains("x-own: 2"),
            "{question}"
        );
        assert!(!question.contains("proxy-authorization") && !question.contains("x-hop"), "{question}");
    }

    #[tokio::test]
    async fn a_name_that_changes_its_address_is_judged_again() {
        let (port, _questions) = site("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned()).await;
        let guard = guard(1 << 20).await;
        let request = format!("GET http://moving.test:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(ask(&guard, &request).await.starts_with("http/1.1 200"));
        let answer = ask(&guard, &request).await;
        assert!(answer.starts_with("http/1.1 502") && answer.contains(REFUSAL_MARK), "{answer}");
        assert_eq!(guard.log().obstacle("moving.test", port), Some(Obstacle::Dns));
        let unknown = format!("GET http://unknown.test:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let without_date = |answer: &str| answer.lines().filter(|line| !line.starts_with("date:")).collect::<String>();
        let of_unknown = ask(&guard, &unknown).await;
        assert_eq!(without_date(&of_unknown), without_date(&answer), "a page can't tell which names exist");
    }

    #[tokio::test]
    async fn what_is_no_request_to_a_proxy_is_refused() {
        let guard = guard(1 << 20).await;
        for request in ["GET / HTTP/1.1\r\n", "CONNECT open.test HTTP/1.1\r\n", "GET ftp://open.test/ HTTP/1.1\r\n"] {
            let answer = ask(&guard, &format!("{request}Host: open.test\r\nConnection: close\r\n\r\n")).await;
            assert!(answer.starts_with("http/1.1 403"), "{request}: {answer}");
        }
        assert_eq!(ask(&guard, "\x16\x03\x01 not http\r\n\r\n").await.get(..12), Some("http/1.1 400"));
    }

    #[tokio::test]
    async fn a_scan_that_has_moved_its_bytes_gets_no_more() {
        let (port, _questions) = site(format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(1 << 20))).await;
        let guard = guard(100_000).await;
        let tunnel = format!("CONNECT open.test:{port} HTTP/1.1\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        let answer = ask(&guard, &tunnel).await;
        assert!(answer.starts_with("http/1.1 200") && answer.len() < 500_000, "{} bytes", answer.len());
        assert!(ask(&guard, &tunnel).await.starts_with("http/1.1 403"));
        assert_eq!(guard.log().obstacle("open.test", port), Some(Obstacle::TooMuch));
    }
}
