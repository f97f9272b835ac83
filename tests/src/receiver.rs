//! A receiver of webhooks on loopback that behaves as the test demands, however rude.

use std::{
    collections::VecDeque,
    fmt,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore},
    task::JoinHandle,
};

/// The reaction of a receiver to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Responds with this status and a short body; the connection stays open.
    Status(u16),
    /// Responds with a 204, after so long.
    Late(Duration),
    /// Responds with a 204, once this has a permit, which is used up.
    HeldBy(Arc<Semaphore>),
    /// Responds with a 200 and this body.
    Body(Vec<u8>),
    /// Responds with a redirect to this address.
    Redirect(String),
    /// Does not respond at all; the connection stays open.
    Hang,
    /// Resets the connection.
    Reset,
    /// Closes the connection.
    Close,
    /// Responds with a head that comes byte by byte and never ends.
    SlowHead,
    /// Responds with a 200 whose body comes byte by byte and never ends.
    SlowBody,
    /// Responds with a 200 whose body is as long as the connection lasts.
    Huge,
    /// Responds with something that is not HTTP.
    Garbage,
}

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Received {
    /// Method and path.
    pub line: String,
    /// Names as they were spelt, and values, in order.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
    /// The connection on which it came, counted from 1.
    pub connection: usize,
}

impl Received {
    /// Returns a header's value, by its name as it was spelt; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }
}

/// A receiver, until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    replies: Mutex<Replies>,
    received: Mutex<Vec<Received>>,
    arrived: Notify,
    answered: AtomicUsize,
    connections: AtomicUsize,
}

/// The source of the next replies.
enum Replies {
    Script(VecDeque<Reply>),
    Rule(Box<dyn FnMut(&Received) -> Reply + Send>),
}

impl Replies {
    fn to(&mut self, received: &Received) -> Reply {
        match self {
            Self::Script(script) => {
                let next = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
                next.unwrap_or(Reply::Status(204))
            }
            Self::Rule(rule) => rule(received),
        }
    }
}

impl fmt::Debug for Replies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(script) => f.debug_tuple("Script").field(script).finish(),
            Self::Rule(_) => f.write_str("Rule"),
        }
    }
}

impl Receiver {
    /// Responds to one request after the other by the script; the last reply stays.
    pub async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), script)
    }

    /// Responds to each request as the rule says.
    pub async fn by(rule: impl FnMut(&Received) -> Reply + Send + 'static) -> Self {
        Self::with(TcpListener::bind("127.0.0.1:0").await.unwrap(), Replies::Rule(Box::new(rule)))
    }

    /// Starts as [`start`](Self::start) does, on a listener of the test's choice.
    pub fn on(listener: TcpListener, script: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(listener, Replies::Script(script.into_iter().collect()))
    }

    fn with(listener: TcpListener, replies: Replies) -> Self {
        let shared = Arc::new(Shared {
            replies: Mutex::new(replies),
            received: Mutex::default(),
            arrived: Notify::new(),
            answered: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
        });
        let address = listener.local_addr().unwrap();
        let accepting = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&accepting);
                let connection = shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
                tokio::spawn(async move {
                    // Some tests are about senders that close the connection.
                    let _ = converse(stream, connection, &shared).await;
                });
            }
        });
        Self { address, shared, task }
    }

    /// Returns the address of a path, with the loopback IP address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Replaces the replies by this script.
    pub fn answers(&self, script: impl IntoIterator<Item = Reply>) {
        *lock(&self.shared.replies) = Replies::Script(script.into_iter().collect());
    }

    /// Returns the requests that came in so far, in order.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.shared.received).clone()
    }

    /// Returns the number of requests that came in so far.
    pub fn count(&self) -> usize {
        lock(&self.shared.received).len()
    }

    /// Waits until as many requests have come in.
    pub async fn wait_for(&self, count: usize) {
        self.wait_until(|| self.count() >= count).await;
    }

    /// Waits until as many responses have been handed to the system as a whole: whether or not the sender reads them,
    /// they are on their way.
    pub async fn wait_for_answers(&self, count: usize) {
        self.wait_until(|| self.shared.answered.load(Ordering::SeqCst) >= count).await;
    }

    async fn wait_until(&self, is_so: impl Fn() -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.shared.arrived.notified());
            // From here a change is noticed, even one between the look and the wait.
            changed.as_mut().enable();
            if is_so() {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

async fn converse(stream: TcpStream, connection: usize, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        let received = read_request(&mut stream, connection).await?;
        let reply = lock(&shared.replies).to(&received);
        lock(&shared.received).push(received);
        shared.arrived.notify_waiters();
        answer(&mut stream, reply).await?;
        shared.answered.fetch_add(1, Ordering::SeqCst);
        shared.arrived.notify_waiters();
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>, connection: usize) -> std::io::Result<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    stream.read_exact(&mut body).await?;
    Ok(Received { line, headers, body, connection })
}

async fn answer(stream: &mut BufReader<TcpStream>, reply: Reply) -> std::io::Result<()> {
    const TICK: Duration = Duration::from_millis(20);
    const ENDLESS: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    const NO_CONTENT: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
    match reply {
        Reply::Status(204) => stream.write_all(NO_CONTENT).await,
        Reply::Late(wait) => {
            tokio::time::sleep(wait).await;
            stream.write_all(NO_CONTENT).await
        }
        Reply::HeldBy(gate) => {
            // The gate is never closed.
            gate.acquire().await.unwrap().forget();
            stream.write_all(NO_CONTENT).await
        }
        Reply::Status(status) => {
            let text = format!("Answered with {status}.");
            stream
                .write_all(
                    format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes(),
                )
                .await
        }
        Reply::Body(body) => {
            stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            stream.write_all(&body).await
        }
        Reply::Redirect(to) => {
            let head = format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).await
        }
        Reply::Hang => std::future::pending().await,
        Reply::Reset => {
            // Closing with data unread, or without lingering, makes the system send a reset.
            stream.get_ref().set_zero_linger()?;
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
        Reply::Close => Err(std::io::ErrorKind::ConnectionAborted.into()),
        Reply::SlowHead => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ").await?;
            loop {
                stream.write_all(b"x").await?;
                tokio::time::sleep(TICK).await;
            }
        }
        Reply::SlowBody => {
            stream.write_all(ENDLESS).await?;
            loop {
                stream.write_all(b"x").await?;
                tokio::time::sleep(TICK).await;
            }
        }
        Reply::Huge => {
            stream.write_all(ENDLESS).await?;
            loop {
                stream.write_all(&[b'x'; 65_536]).await?;
            }
        }
        Reply::Garbage => {
            stream.write_all(b"220 mail.example.com ESMTP\r\n").await?;
            Err(std::io::ErrorKind::ConnectionAborted.into())
        }
    }
}
