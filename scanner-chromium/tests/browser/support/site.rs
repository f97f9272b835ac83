//! A web server that behaves as the test says, well or badly.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// A request of the browser.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) head: String,
}

impl Reply {
    /// Returns data for a script, after this many milliseconds.
    pub(crate) fn data_after(millis: u64) -> Self {
        Self::Late(Duration::from_millis(millis), Box::new(Self::File("application/json", b"{}".to_vec())))
    }
}

impl Request {
    /// Returns the value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    }

    /// Returns whether the browser requests a document.
    pub(crate) fn is_document(&self) -> bool {
        self.header("upgrade-insecure-requests").is_some()
    }
}

/// A response of the site.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A page.
    Html(String),
    /// A status and a page.
    Status(u16, String),
    /// A media type and a body.
    File(&'static str, Vec<u8>),
    /// A redirect to this address.
    Redirect(String),
    /// A page, with further header lines.
    WithHeaders(&'static str, String),
    /// A status, header lines that each end with a line break, and a body.
    Whole(u16, String, Vec<u8>),
    /// The same after a while.
    Late(Duration, Box<Self>),
    /// The same once the browser has requested a document below this path, after so many requests of any kind.
    After(&'static str, usize, Box<Self>),
    /// No response, without end.
    Hang,
    /// The beginning of a page, and then nothing, without end.
    Stall(String),
    /// The beginning of a page, and then this text, repeated as fast as it is read.
    Endless(String, String),
    /// An event stream that never ends.
    Events,
    /// The connection is closed without a response.
    Close,
}

/// The source of robots.txt and the sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelfDescription {
    None,
    ByAnswer,
}

/// A site on a port of its own; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<Mutex<u32>>,
    task: AbortHandle,
}

impl Site {
    /// Starts a site on 127.0.0.1.
    pub(crate) async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", answer).await
    }

    /// Starts a site on another address of this machine.
    pub(crate) async fn start_at(ip: &str, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(ip, SelfDescription::None, answer).await
    }

    /// Starts a site whose function also responds to requests for robots.txt and its sitemap. Other sites have neither,
    /// and don't count these requests.
    pub(crate) async fn describing_itself(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve("127.0.0.1", SelfDescription::ByAnswer, answer).await
    }

    async fn serve(
        ip: &str,
        description: SelfDescription,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(Mutex::new(0));
        let (seen, counted) = (Arc::clone(&requests), Arc::clone(&connections));
        let answer = Arc::new(answer);
        let serve = async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                *counted.lock().unwrap() += 1;
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                // The browser may close the connection at any time.
                tokio::spawn(async move { converse(stream, &seen, description, &*answer).await.ok() });
            }
        };
        Self { address, requests, connections, task: tokio::spawn(serve).abort_handle() }
    }

    /// Returns an address on the site.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns an address on the site under another name.
    pub(crate) fn url_as(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    /// Returns the requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns how often this path was requested.
    pub(crate) fn hits(&self, path: &str) -> usize {
        self.requests().iter().filter(|request| request.path == path).count()
    }

    /// Returns the number of connections so far, whatever was sent over them.
    pub(crate) fn connections(&self) -> u32 {
        *self.connections.lock().unwrap()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Request>>,
    description: SelfDescription,
    answer: &(dyn Fn(&Request) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
        if bytes[0] == 0x16 {
            // A TLS handshake, which this server does not speak.
            return stream.write_all(b"HTTP/1.1 400 What?\r\n\r\n").await;
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            break (head.to_owned(), body.len());
        }
    };
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let is_description = matches!(path.as_str(), "/robots.txt" | "/sitemap.xml");
    // Chromium itself requests an icon beside each page; the headless shell does not.
    let is_icon = path == "/favicon.ico";
    if is_icon || is_description && description == SelfDescription::None {
        return whole(&mut stream, 404, "", b"").await;
    }
    let request = Request { path, head };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut rest = vec![0; usize::saturating_sub(length, body)];
    stream.read_exact(&mut rest).await?;
    seen.lock().unwrap().push(request.clone());
    let html = "Content-Type: text/html; charset=utf-8\r\n";
    let mut reply = answer(&request);
    loop {
        reply = match reply {
            Reply::Late(time, then) => {
                tokio::time::sleep(time).await;
                *then
            }
            Reply::After(path, before, then) => {
                let is_awaited = |request: &Request| request.is_document() && request.path.starts_with(path);
                while !seen.lock().unwrap()[before..].iter().any(is_awaited) {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                *then
            }
            other => {
                reply = other;
                break;
            }
        }
    }
    match reply {
        // They were unpacked above.
        Reply::Late(..) | Reply::After(..) => Ok(()),
        Reply::Html(body) => whole(&mut stream, 200, html, body.as_bytes()).await,
        Reply::Status(status, body) => whole(&mut stream, status, html, body.as_bytes()).await,
        Reply::File(mime, body) => whole(&mut stream, 200, &format!("Content-Type: {mime}\r\n"), &body).await,
        Reply::Redirect(to) => whole(&mut stream, 302, &format!("Location: {to}\r\n"), b"").await,
        Reply::WithHeaders(headers, body) => {
            whole(&mut stream, 200, &format!("{html}{headers}\r\n"), body.as_bytes()).await
        }
        Reply::Whole(status, headers, body) => whole(&mut stream, status, &headers, &body).await,
        Reply::Hang => stay_open().await,
        Reply::Stall(body) => {
            open(&mut stream, html, &body).await?;
            stay_open().await
        }
        Reply::Endless(body, more) => {
            open(&mut stream, html, &body).await?;
            loop {
                stream.write_all(more.as_bytes()).await?;
            }
        }
        Reply::Events => {
            open(&mut stream, "Content-Type: text/event-stream\r\n", "data: hello\n\n").await?;
            stay_open().await
        }
        Reply::Close => Ok(()),
    }
}

async fn whole(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said So\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

async fn open(stream: &mut TcpStream, headers: &str, body: &str) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.flush().await
}

async fn stay_open() -> std::io::Result<()> {
    std::future::pending().await
}
