//! Requests for the parts of pages without the browser: each part once in a scan (decision 0062).

use std::{
    collections::HashMap,
    io::Read as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use flate2::read::MultiGzDecoder;
use reqwest::{
    Client, Proxy, RequestBuilder, Response, StatusCode,
    header::{self, HeaderMap, HeaderValue},
    redirect,
};
use rustls::ClientConfig;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::{OnceCell, Semaphore},
    time::{Duration, timeout},
};
use url::Url;

use crate::{
    crawl::fetch::FetchError,
    guard::{Guard, REFUSAL_MARK},
    visit::{Pace, PartKind, hash_of_headers, parse_retry_after},
};

/// The number of parts that are asked for at a time: fewer than a browser does.
const AT_ONCE: usize = 4;
/// The time limit of one answer.
const TIME: Duration = Duration::from_secs(10);
/// The number of bytes of one answer, as it is sent and as it is meant.
const MAX_LENGTH: usize = 8 * 1024 * 1024;
/// The number of bytes of all answers of a scan, and of answers.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_ANSWERS: usize = 5_000;

/// A question: a part, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) url: Url,
    pub(super) kind: PartKind,
    /// The `Origin` with which the browser requested it, if any.
    pub(super) origin: Option<String>,
    pub(super) known: Known,
}

/// The validator of a part from an earlier response, with which the site can say that the part has not changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Known {
    /// There is none, so the site sends the whole part.
    Nothing,
    /// Its `ETag`.
    Tag(String),
    /// Its `Last-Modified`.
    Modified(String),
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The part is the one that is known.
    Unchanged,
    /// The part as it is now.
    Now(Box<Now>),
    /// No server could be reached for it.
    Unreachable,
    /// It could not be had, or not within the bounds: nothing is known of it.
    Unknown,
}

/// A part as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Now {
    pub(super) status: u16,
    /// The target of a redirect, as it was sent.
    pub(super) leads_to: Option<String>,
    /// The number of bytes of its body, decoded, and their hash; `None` if the body was not read.
    pub(super) body: Option<(u64, [u8; 32])>,
    /// The hash of the headers that a browser acts on.
    pub(super) headers: [u8; 32],
    /// True if the response is one for its visitor: it sets a cookie, and depends on cookies.
    pub(super) is_personal: bool,
}

/// The asking of one scan.
#[derive(Debug)]
pub(super) struct Asking {
    client: Client,
    /// The guard of its requests, which ends with it.
    _guard: Guard,
    permits: Semaphore,
    answers: Mutex<HashMap<Question, Arc<OnceCell<Answer>>>>,
    bytes: AtomicU64,
    asked: AtomicUsize,
    /// The pace of the requests to the site.
    pace: Arc<Pace>,
}

impl Asking {
    /// Creates an asker whose requests go through `guard`, under the browser's own user agent. A site that is too busy for it
    /// slows `pace` down.
    pub(super) fn new(guard: Guard, tls: ClientConfig, user_agent: &str, pace: Arc<Pace>) -> Result<Self, FetchError> {
        let client = Client::builder()
            .proxy(Proxy::all(format!("http://{}", guard.address()))?)
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .referer(false)
            .http1_only()
            .retry(reqwest::retry::never())
            .user_agent(user_agent)
            .build()?;
        let permits = Semaphore::new(AT_ONCE);
        let (answers, bytes, asked) = (Mutex::default(), AtomicU64::new(0), AtomicUsize::new(0));
        Ok(Self { client, _guard: guard, permits, answers, bytes, asked, pace })
    }

    /// Asks for a part of a page, unless that was done before in the scan.
    pub(super) async fn ask(&self, question: &Question, page: &Url) -> Answer {
        let cell = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(answers.entry(question.clone()).or_default())
        };
        cell.get_or_init(|| self.ask_now(question, page)).await.clone()
    }

    /// Returns whether a part without validators was asked for in the scan.
    pub(super) fn has_asked(&self, url: &Url, kind: PartKind) -> bool {
        let question = Question { url: url.clone(), kind, origin: None, known: Known::Nothing };
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&question)
    }

    async fn ask_now(&self, question: &Question, page: &Url) -> Answer {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MAX_ANSWERS || self.bytes.load(Ordering::Relaxed) >= MAX_BYTES
        {
            return Answer::Unknown;
        }
        // It is never closed.
        let _permit = self.permits.acquire().await;
        match timeout(TIME, self.answer(question, page)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                let is_unreachable = match &error {
                    FetchError::Refused => true,
                    FetchError::Network(error) => error.is_connect(),
                    _ => false,
                };
                let error: &dyn std::error::Error = &error;
                tracing::debug!(url = question.url.as_str(), error, "a part of a page was not answered");
                if is_unreachable { Answer::Unreachable } else { Answer::Unknown }
            }
            Err(_) => Answer::Unknown,
        }
    }

    async fn answer(&self, question: &Question, page: &Url) -> Result<Answer, FetchError> {
        let response = self.request(question, page).send().await?;
        // The guard removes the mark from what sites send over plain HTTP; over TLS the guard can't respond.
        if question.url.scheme() == "http" && response.headers().contains_key(REFUSAL_MARK) {
            return Err(FetchError::Refused);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if is_busy && question.url == *page {
            self.pace.back_off(text(&headers, header::RETRY_AFTER.as_str()).and_then(parse_retry_after));
        }
        let is_unchanged = match &question.known {
            Known::Nothing => false,
            Known::Tag(tag) => {
                // A server that does not compare tags sends them all the same.
                status == StatusCode::NOT_MODIFIED
                    || status == StatusCode::OK && text(&headers, header::ETAG.as_str()) == Some(tag)
            }
            Known::Modified(_) => status == StatusCode::NOT_MODIFIED,
        };
        if is_unchanged {
            return Ok(Answer::Unchanged);
        }
        // What has a validator and is another one has changed, whatever it is.
        let is_read = status == StatusCode::OK && question.known == Known::Nothing;
        let body = if is_read { self.body(response, &headers).await? } else { None };
        if is_read && body.is_none() {
            return Ok(Answer::Unknown);
        }
        let texts = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let varies = text(&headers, header::VARY.as_str()).unwrap_or_default().to_ascii_lowercase();
        Ok(Answer::Now(Box::new(Now {
            status: status.as_u16(),
            leads_to: text(&headers, header::LOCATION.as_str()).map(str::to_owned),
            body,
            headers: hash_of_headers(texts),
            is_personal: headers.contains_key(header::SET_COOKIE)
                && (varies.contains("cookie") || varies.contains('*')),
        })))
    }

    /// Returns the request that the browser would send, as far as sites tell them apart.
    fn request(&self, question: &Question, page: &Url) -> RequestBuilder {
        let accept = match question.kind {
            PartKind::Document => {
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
            }
            PartKind::Style => "text/css,*/*;q=0.1",
            PartKind::Image => "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
            PartKind::Script | PartKind::Font | PartKind::Data | PartKind::Other => "*/*",
        };
        let request = self.client.get(question.url.clone());
        let request = request.header(header::ACCEPT, accept).header(header::ACCEPT_LANGUAGE, "en-US,en;q=0.9");
        // A body that is read must be one that can be decoded here; of a validator, the encoding may be part.
        let encodings = if question.known == Known::Nothing { "gzip" } else { "gzip, deflate, br, zstd" };
        let request = request.header(header::ACCEPT_ENCODING, encodings);
        let request = match (&question.origin, question.kind) {
            (Some(origin), _) => request.header(header::ORIGIN, origin),
            (None, _) => request,
        };
        let request = match question.kind {
            // The browser is sent to it by nobody.
            PartKind::Document if question.url == *page => request,
            _ => request.header(header::REFERER, format!("{}/", page.origin().ascii_serialization())),
        };
        match &question.known {
            Known::Nothing => request,
            Known::Tag(tag) => request.header(header::IF_NONE_MATCH, tag),
            Known::Modified(modified) => request.header(header::IF_MODIFIED_SINCE, modified),
        }
    }

    /// Returns the length and the hash of a body, decoded; `None` if it is beyond the bounds, or can't be decoded.
    async fn body(&self, mut response: Response, headers: &HeaderMap) -> Result<Option<(u64, [u8; 32])>, FetchError> {
        let mut sent = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            let all = self.bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            if sent.len() + chunk.len() > MAX_LENGTH || all > MAX_BYTES {
                return Ok(None);
            }
            sent.extend_from_slice(&chunk);
        }
        let encoding = headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes);
        Ok(match encoding {
            None | Some(b"" | b"identity") => Some((sent.len() as u64, Sha256::digest(&sent).into())),
            Some(b"gzip" | b"x-gzip") => decoded(&sent),
            Some(_) => None,
        })
    }
}

/// Returns the length and the hash of what these bytes decode to; `None` if that is longer than a part may be.
fn decoded(sent: &[u8]) -> Option<(u64, [u8; 32])> {
    let mut hasher = Sha256::new();
    let mut length = 0;
    let mut reader = MultiGzDecoder::new(sent).take(MAX_LENGTH as u64 + 1);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut chunk).ok()? {
            0 if length > MAX_LENGTH as u64 => return None,
            0 => return Some((length, hasher.finalize().into())),
            read => {
                length += read as u64;
                hasher.update(&chunk[..read]);
            }
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, net::IpAddr};

    use a11ycheck_core::net::{AddressPolicy, StaticResolver};
    use flate2::{Compression, write::GzEncoder};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
        time::Instant,
    };

    use super::*;
    use crate::{
        guard::{Egress, Reach},
        tls,
    };

    /// Returns an asker that may reach 127.0.0.1, which is `a.test` too, and nothing else.
    async fn asking() -> Asking {
        let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
        let address = |text: &str| -> IpAddr { text.parse().unwrap() };
        let resolver =
            StaticResolver::new().with("a.test", [address("127.0.0.1")]).with("private.test", [address("127.0.0.2")]);
        let reach = Reach::of_policy(policy);
        let egress = Egress::Judged { reach, resolver: Arc::new(resolver), proxy: None };
        let guard = Guard::open(egress, 200 * 1024 * 1024).await.unwrap();
        Asking::new(guard, tls::config(&[]).unwrap(), "Agent", Arc::new(Pace::new())).unwrap()
    }

    /// A server that sends every connection the same head and then its body as often as it is read.
    struct Server {
        port: u16,
        heads: Arc<Mutex<Vec<String>>>,
        sent: Arc<AtomicU64>,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Times {
        Once,
        WithoutEnd,
    }

    impl Server {
        async fn start(ip: &str, head: &str, body: Vec<u8>, times: Times) -> Self {
            let listener = TcpListener::bind((ip, 0)).await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let (heads, sent) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(AtomicU64::new(0)));
            let (seen, counted, head) = (Arc::clone(&heads), Arc::clone(&sent), format!("HTTP/1.1 {head}\r\n\r\n"));
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    let mut asked = Vec::new();
                    while !asked.ends_with(b"\r\n\r\n") && stream.read_buf(&mut asked).await.unwrap() > 0 {}
                    seen.lock().unwrap().push(String::from_utf8(asked).unwrap().to_lowercase());
                    // Whoever has enough closes the connection.
                    let _ = stream.write_all(head.as_bytes()).await;
                    while stream.write_all(&body).await.is_ok() {
                        counted.fetch_add(body.len() as u64, Ordering::Relaxed);
                        if times == Times::Once {
                            let _ = stream.shutdown().await;
                            break;
                        }
                    }
                }
            });
            Self { port, heads, sent }
        }

        async fn once(head: &str, body: &[u8]) -> Self {
            Self::start("127.0.0.1", head, body.to_vec(), Times::Once).await
        }

        fn url(&self) -> Url {
            Url::parse(&format!("http://a.test:{}/x", self.port)).unwrap()
        }

        fn heads(&self) -> Vec<String> {
            self.heads.lock().unwrap().clone()
        }

        async fn asked(&self, asking: &Asking, known: Known) -> Answer {
            let url = self.url();
            asking.ask(&Question { url: url.clone(), kind: PartKind::Image, origin: None, known }, &url).await
        }
    }

    fn body_of(answer: &Answer) -> Option<(u64, [u8; 32])> {
        if let Answer::Now(now) = answer { now.body } else { None }
    }

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(plain).unwrap();
        gzip.finish().unwrap()
    }

    #[tokio::test]
    async fn a_part_is_known_by_its_decoded_body_however_it_was_sent() {
        let asking = asking().await;
        let plain = Server::once("200 OK", b"hello").await;
        let gzip = Server::once("200 OK\r\nContent-Encoding: gzip", &packed(b"hello")).await;
        let (plain, gzip) = (plain.asked(&asking, Known::Nothing).await, gzip.asked(&asking, Known::Nothing).await);
        assert_eq!(body_of(&plain), Some((5, Sha256::digest(b"hello").into())));
        assert_eq!(body_of(&plain), body_of(&gzip));
        let unknown = Server::once("200 OK\r\nContent-Encoding: br", b"hello").await;
        assert_eq!(unknown.asked(&asking, Known::Nothing).await, Answer::Unknown);
    }

    #[tokio::test]
    async fn a_validator_saves_the_body_and_another_one_is_a_change() {
        let asking = asking().await;
        let tag = || Known::Tag("\"1\"".to_owned());
        let same = Server::once("304 Not Modified", b"").await;
        assert_eq!(same.asked(&asking, tag()).await, Answer::Unchanged);
        assert!(same.heads()[0].contains("if-none-match: \"1\""), "{:?}", same.heads());
        let modified = Known::Modified("Sun, 06 Nov 1994 08:49:37 GMT".to_owned());
        assert_eq!(same.asked(&asking, modified).await, Answer::Unchanged);
        let never_compares = Server::once("200 OK\r\nETag: \"1\"", b"hello").await;
        assert_eq!(never_compares.asked(&asking, tag()).await, Answer::Unchanged);
        let other = Server::once("200 OK\r\nETag: \"2\"", b"hello").await;
        assert!(matches!(other.asked(&asking, tag()).await, Answer::Now(_)));
    }

    #[tokio::test]
    async fn a_part_is_asked_for_once_in_a_scan_by_however_many_pages() {
        let asking = asking().await;
        let server = Server::once("200 OK", b"hello").await;
        let asks = futures_util::future::join_all((0..20).map(|_| server.asked(&asking, Known::Nothing))).await;
        assert!(asks.iter().all(|answer| body_of(answer).is_some()));
        assert_eq!(server.heads().len(), 1);
    }

    #[tokio::test]
    async fn what_has_no_end_is_left_within_the_bound_of_a_part() {
        let asking = asking().await;
        let endless = Server::start("127.0.0.1", "200 OK", vec![b'x'; 64 * 1024], Times::WithoutEnd).await;
        assert_eq!(endless.asked(&asking, Known::Nothing).await, Answer::Unknown);
        let sent = endless.sent.load(Ordering::Relaxed);
        assert!(sent >= MAX_LENGTH as u64, "{sent}");
        // What lies in the buffers of the three connections in between.
        assert!(sent < 4 * MAX_LENGTH as u64, "{sent}");
    }

    #[tokio::test]
    async fn what_unpacks_to_more_than_a_part_may_be_is_not_known() {
        let asking = asking().await;
        let bomb = packed(&vec![0; 10 * MAX_LENGTH]);
        assert!(bomb.len() < MAX_LENGTH / 10);
        let server = Server::once("200 OK\r\nContent-Encoding: gzip", &bomb).await;
        assert_eq!(server.asked(&asking, Known::Nothing).await, Answer::Unknown);
    }

    #[tokio::test(start_paused = true)]
    async fn who_never_ends_an_answer_is_waited_for_no_longer_than_one_may_take() {
        let asking = asking().await;
        let server = Server::once("200 OK\r\nContent-Length: 100", b"").await;
        let started = Instant::now();
        assert_eq!(server.asked(&asking, Known::Nothing).await, Answer::Unknown);
        assert!(started.elapsed() <= TIME + Duration::from_secs(1), "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_scan_asks_for_no_more_than_its_bounds() {
        let server = Server::once("200 OK", b"hello").await;
        let many = asking().await;
        many.asked.store(MAX_ANSWERS, Ordering::Relaxed);
        assert_eq!(server.asked(&many, Known::Nothing).await, Answer::Unknown);
        let large = asking().await;
        large.bytes.store(MAX_BYTES, Ordering::Relaxed);
        assert_eq!(server.asked(&large, Known::Nothing).await, Answer::Unknown);
        assert_eq!(server.heads().len(), 0);
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_and_what_a_visit_would_not_reach_is_not_asked() {
        let asking = asking().await;
        let private = Server::start("127.0.0.2", "200 OK", b"secret".to_vec(), Times::Once).await;
        let target = format!("http://private.test:{}/", private.port);
        let server = Server::once(&format!("302 Found\r\nLocation: {target}"), b"").await;
        let Answer::Now(now) = server.asked(&asking, Known::Nothing).await else { panic!("it was answered") };
        assert_eq!((now.status, now.leads_to.as_deref(), now.body), (302, Some(target.as_str()), None));
        let address = format!("http://127.0.0.2:{}/", private.port);
        for url in [target, address] {
            let url = Url::parse(&url).unwrap();
            let question = Question { url: url.clone(), kind: PartKind::Data, origin: None, known: Known::Nothing };
            assert_eq!(asking.ask(&question, &url).await, Answer::Unreachable, "{url}");
        }
        assert_eq!(private.heads().len(), 0);
    }

    #[tokio::test]
    async fn a_site_that_is_too_busy_to_be_asked_is_asked_more_slowly() {
        for head in ["429 Slow Down\r\nRetry-After: 2", "503 Busy"] {
            let asking = asking().await;
            let server = Server::once(head, b"").await;
            assert!(asking.pace.is_unhindered());
            server.asked(&asking, Known::Nothing).await;
            assert!(!asking.pace.is_unhindered(), "{head}");
        }
    }
}
