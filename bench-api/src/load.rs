//! The client: connections that are kept, each with one request at a time.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The bounds of a measure.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// The most requests.
    pub(crate) most: usize,
    /// The longest time.
    pub(crate) longest: Duration,
}

/// The requests of a measure that were answered.
pub(crate) struct Measured {
    /// The time that each took, in ascending order.
    pub(crate) times: Vec<Duration>,
    /// The time that all took together.
    pub(crate) took: Duration,
}

/// Sends the requests in turns, until one of the bounds is reached. Each must be answered with status 200.
pub(crate) fn offer(address: SocketAddr, requests: &[Vec<u8>], load: Load) -> Measured {
    let (begun, barrier) = (AtomicUsize::new(0), Barrier::new(load.connections + 1));
    thread::scope(|scope| {
        let connections: Vec<_> = (0..load.connections)
            .map(|_| {
                scope.spawn(|| {
                    let mut connection = Connection::open(address);
                    barrier.wait();
                    let (first, mut times) = (Instant::now(), Vec::new());
                    while first.elapsed() < load.longest {
                        let number = begun.fetch_add(1, Ordering::Relaxed);
                        if number >= load.most {
                            break;
                        }
                        let sent = Instant::now();
                        connection.ask(&requests[number % requests.len()]);
                        times.push(sent.elapsed());
                    }
                    times
                })
            })
            .collect();
        barrier.wait();
        let first = Instant::now();
        let mut times: Vec<_> = connections.into_iter().flat_map(|connection| connection.join().unwrap()).collect();
        let took = first.elapsed();
        times.sort_unstable();
        Measured { times, took }
    })
}

/// Sends one request, and returns what is answered.
pub(crate) fn fetch(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    Connection::open(address).ask(request)
}

/// Returns a request for a path with a token.
pub(crate) fn request(path: &str, token: &str) -> Vec<u8> {
    request_with(path, &format!("Authorization: Bearer {token}"))
}

/// Returns a request for a path with a header.
pub(crate) fn request_with(path: &str, header: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{header}\r\n\r\n").into_bytes()
}

/// A connection, and what was read from it and not used yet.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { stream, buffer: Vec::new() }
    }

    /// Sends a request, and returns the body of its response.
    fn ask(&mut self, request: &[u8]) -> Vec<u8> {
        self.stream.write_all(request).unwrap();
        let head = loop {
            match self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => self.read_more(),
            }
        };
        let text = str::from_utf8(&self.buffer[..head]).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        let end = head + length.expect("a response of known length");
        while self.buffer.len() < end {
            self.read_more();
        }
        self.buffer.drain(..end).skip(head).collect()
    }

    fn read_more(&mut self) {
        let mut chunk = [0; 16 * 1024];
        let read = self.stream.read(&mut chunk).unwrap();
        assert_ne!(read, 0, "the server closed the connection");
        self.buffer.extend_from_slice(&chunk[..read]);
    }
}
