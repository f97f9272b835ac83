use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use warp::{Filter as _, Reply as _, filters::BoxedFilter, reply::Response};

use super::{ServeLimits, connection::connection, serve};
use crate::request::{ClientAddress, RefusedUnknown};

/// A time longer than anything here takes on a machine that is busy with other work.
const PATIENCE: Duration = Duration::from_secs(60);
/// The bytes that the two ends of a connection in memory buffer.
const PIPE: usize = 64 * 1024;
const WELL: &[u8] = b"GET /well HTTP/1.1\r\nhost: a\r\n\r\n";

fn routes() -> BoxedFilter<(Response,)> {
    warp::path("well").map(|| "well".into_response()).boxed()
}

/// Returns a path whose response has this many bytes, and a counter of its requests.
fn large(bytes: usize) -> (BoxedFilter<(Response,)>, Arc<AtomicUsize>) {
    let (body, asked) = (Bytes::from(vec![b'a'; bytes]), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&asked);
    let routes = warp::path("large").map(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Response::new(body.clone().into())
    });
    (routes.or(self::routes()).unify().boxed(), asked)
}

/// Opens a connection in memory, with a paused clock that the test advances.
fn connected(routes: BoxedFilter<(Response,)>) -> (DuplexStream, JoinHandle<()>) {
    connected_under(&ServeLimits::default(), routes)
}

fn connected_under(limits: &ServeLimits, routes: BoxedFilter<(Response,)>) -> (DuplexStream, JoinHandle<()>) {
    let (client, server) = duplex(PIPE);
    let address = ClientAddress("203.0.113.9:1".parse().unwrap());
    let open = GracefulShutdown::new();
    let connection = connection(server, address, routes, limits, &open, &CancellationToken::new());
    let served = async move {
        connection.await;
        // If it were dropped before, it would ask the connection to end.
        drop(open);
    };
    (client, tokio::spawn(served))
}

/// Starts a server on loopback.
async fn started(routes: BoxedFilter<(Response,)>, limits: ServeLimits) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(serve(listener, routes, limits, std::future::pending()));
    address
}

/// Requests `/well` and reads the response, and no more.
async fn asks_well(client: &mut DuplexStream) {
    client.write_all(WELL).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"well") {
        assert_ne!(client.read_buf(&mut answer).await.unwrap(), 0, "closed after {answer:?}");
    }
}

/// Returns the number of seconds until the server closes a connection on which it sends nothing.
async fn closed_after(client: &mut DuplexStream) -> u64 {
    let start = Instant::now();
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    start.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_a_proxy_keeps_for_a_minute_is_still_there_and_is_closed_in_the_end() {
    let (mut client, _) = connected(routes());
    for _ in 0..3 {
        asks_well(&mut client).await;
        sleep(Duration::from_secs(70)).await;
    }
    asks_well(&mut client).await;
    assert_eq!(closed_after(&mut client).await, 75);
}

#[tokio::test(start_paused = true)]
async fn a_proxy_keeps_its_connection_when_one_of_its_clients_is_refused() {
    let refused = warp::path("refused").map(|| {
        let mut response = warp::http::StatusCode::UNAUTHORIZED.into_response();
        response.extensions_mut().insert(RefusedUnknown);
        response
    });
    let routes = refused.or(routes()).unify().boxed();
    let request = b"GET /refused HTTP/1.1\r\nhost: a\r\n\r\n";
    let (mut client, _) = connected(routes.clone());
    client.write_all(request).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("connection: close\r\n"), "{answer}");

    let limits = ServeLimits { trusted_proxies: vec!["203.0.113.0/24".parse().unwrap()], ..ServeLimits::default() };
    let (mut proxy, _) = connected_under(&limits, routes);
    proxy.write_all(request).await.unwrap();
    asks_well(&mut proxy).await;
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_end_is_cut_off_on_a_new_connection_and_on_one_that_has_idled() {
    let (mut silent, _) = connected(routes());
    assert_eq!(closed_after(&mut silent).await, 15);

    let (mut client, _) = connected(routes());
    sleep(Duration::from_secs(10)).await;
    client.write_all(b"GET /we").await.unwrap();
    assert_eq!(closed_after(&mut client).await, 5, "the first one counts from the beginning");

    let (mut client, _) = connected(routes());
    asks_well(&mut client).await;
    sleep(Duration::from_secs(70)).await;
    for byte in b"GET" {
        client.write_all(&[*byte]).await.unwrap();
        sleep(Duration::from_secs(4)).await;
    }
    assert_eq!(closed_after(&mut client).await, 3, "a later one from its first byte");
}

#[tokio::test(start_paused = true)]
async fn a_reader_who_takes_nothing_for_thirty_seconds_is_cut_off_and_a_slow_one_is_not() {
    let (mut client, served) = connected(large(1024 * 1024).0);
    client.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    for _ in 0..10 {
        sleep(Duration::from_secs(29)).await;
        client.read_exact(&mut [0; 10]).await.unwrap();
    }
    assert!(!served.is_finished());
    let start = Instant::now();
    served.await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_read_slowly_is_not_taken_for_an_idle_connection() {
    // Hyper holds the whole response, and waits for the next head already.
    let size = 5 * PIPE;
    let (mut client, _) = connected(large(size).0);
    client.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    for _ in 0..8 {
        sleep(Duration::from_secs(25)).await;
        answer.push(client.read_u8().await.unwrap());
    }
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(client.read_u8().await.unwrap());
    }
    client.read_exact(&mut vec![0; size]).await.unwrap();
    sleep(Duration::from_secs(70)).await;
    asks_well(&mut client).await;
}

#[tokio::test]
async fn twenty_readers_who_never_read_do_not_hold_up_a_server_of_twenty_connections() {
    // More than the system buffers on both sides.
    let (routes, asked) = large(32 * 1024 * 1024);
    let write = Duration::from_millis(300);
    let address =
        started(routes, ServeLimits { connections: 20, connections_per_peer: 20, write, ..ServeLimits::default() });
    let address = address.await;
    let mut readers = Vec::new();
    for _ in 0..20 {
        let mut reader = TcpStream::connect(&address).await.unwrap();
        reader.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        readers.push(reader);
    }
    let mut client = TcpStream::connect(&address).await.unwrap();
    client.write_all(b"GET /well HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, client.read_to_string(&mut answer)).await.expect("there is room again").unwrap();
    assert!(answer.ends_with("\r\n\r\nwell"), "{answer}");
    assert_eq!(asked.load(Ordering::SeqCst), 20, "each of them had its place");
}

/// Returns everything that a connection sends until it ends.
async fn answer_to(address: &str, requests: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(requests).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("the connection ends").unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn one_peer_can_not_take_all_connections_but_a_trusted_proxy_can() {
    let limits = ServeLimits { connections_per_peer: 2, ..ServeLimits::default() };
    let address = started(routes(), limits.clone()).await;
    let open = async |address: &str| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(WELL).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"well") {
            assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "{answer:?}");
        }
        stream
    };
    let first = open(&address).await;
    let _second = open(&address).await;
    let refused = answer_to(&address, b"").await;
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.ends_with(r#"from this address."}"#), "{refused}");
    drop(first);
    let again = async {
        // The server learns with a delay that a connection is closed. One that is refused may end before its request is
        // read.
        loop {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            let mut answer = Vec::new();
            if stream.write_all(b"GET /well HTTP/1.0\r\n\r\n").await.is_ok()
                && stream.read_to_end(&mut answer).await.is_ok()
                && answer.ends_with(b"well")
            {
                break;
            }
        }
    };
    timeout(PATIENCE, again).await.expect("there is room again");

    let proxy = ServeLimits { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..limits };
    let address = started(routes(), proxy).await;
    for _ in 0..5 {
        std::mem::forget(open(&address).await);
    }
}

/// Splits a response with a JSON body into its status and its message.
fn refusal(answer: &str) -> (String, String) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let head = head.to_ascii_lowercase();
    for line in [&format!("content-length: {}", body.len()), "content-type: application/json", "connection: close"] {
        assert!(head.lines().any(|other| other == line), "{line} is missing in {head}");
    }
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let (_, status) = head.lines().next().unwrap().split_once(' ').unwrap();
    (status.to_owned(), body["message"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_head_that_can_not_be_answered_is_refused_in_json() {
    let address = started(routes(), ServeLimits::default()).await;
    let path = |length| format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(length)).into_bytes();
    let header = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "a".repeat(40_000)).into_bytes();
    let headers = format!("GET / HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(150)).into_bytes();
    let (bad, long, large) = ("400 bad request", "414 uri too long", "431 request header fields too large");
    for (request, status, word) in [
        (b"GET /well HTTP/1.1\r\n\r\n".to_vec(), bad, "Host"),
        (b"GET /well HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n".to_vec(), bad, "Host"),
        (b"GET /well HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n".to_vec(), bad, "Host"),
        (b"no HTTP at all\r\n\r\n".to_vec(), bad, "valid HTTP"),
        (b"GET /well HTTP/9.9\r\n\r\n".to_vec(), bad, "valid HTTP"),
        (b"GET /well HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n".to_vec(), bad, "valid HTTP"),
        (path(10_000), long, "address"),
        (path(70_000), long, "address"),
        (header, large, "headers"),
        (headers, large, "headers"),
    ] {
        let (first, message) = refusal(&answer_to(&address, &request).await);
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        assert!(first == status && message.contains(word), "{shown}: {first} {message}");
    }
    assert!(answer_to(&address, b"GET /well HTTP/1.0\r\n\r\n").await.ends_with("well"), "no Host before there was one");
}

#[tokio::test]
async fn nonsense_after_an_answer_is_refused_in_json_too_and_the_answer_stays_whole() {
    let address = started(routes(), ServeLimits::default()).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.write_all(WELL).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"well") {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
    }
    stream.write_all(b"nonsense\r\n\r\n").await.unwrap();
    let mut rest = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut rest)).await.expect("the connection ends").unwrap();
    assert_eq!(refusal(&rest).1, "The request is not valid HTTP.");

    let at_once = answer_to(&address, &[WELL, b"nonsense\r\n\r\n"].concat()).await;
    let (first, second) = at_once.split_once("well").unwrap();
    assert!(first.starts_with("HTTP/1.1 200 OK\r\n") && second.starts_with("HTTP/1.1 400 "), "{at_once}");
}

#[tokio::test]
async fn a_request_that_makes_the_server_panic_is_answered_500_and_costs_nobody_else() {
    let panics = warp::path("panic").map(|| -> Response { panic!("a fault of ours") });
    let address = started(panics.or(routes()).unify().boxed(), ServeLimits::default()).await;
    let requests = b"GET /panic HTTP/1.1\r\nhost: a\r\n\r\nGET /well HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let answer = answer_to(&address, requests).await;
    assert!(answer.starts_with("HTTP/1.1 500 ") && answer.contains(r#"{"message":"Server Error"}"#), "{answer}");
    assert!(answer.ends_with("well") && !answer.contains("a fault of ours"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_was_just_taken_in_may_still_ask_when_the_server_stops() {
    let begin = |open: &GracefulShutdown, stop: &CancellationToken| {
        let (client, server) = duplex(PIPE);
        let address = ClientAddress("203.0.113.9:1".parse().unwrap());
        (client, tokio::spawn(connection(server, address, routes(), &ServeLimits::default(), open, stop)))
    };
    let (open, stop) = (GracefulShutdown::new(), CancellationToken::new());
    let (mut asking, asked) = begin(&open, &stop);
    let (mut silent, ended) = begin(&open, &stop);
    sleep(Duration::from_secs(1)).await;
    stop.cancel();
    let closing = tokio::spawn(open.shutdown());
    sleep(Duration::from_millis(100)).await;
    asks_well(&mut asking).await;
    assert_eq!(asking.read(&mut [0]).await.unwrap(), 0, "and no second time");
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0, "who says nothing is not waited for");
    asked.await.unwrap();
    ended.await.unwrap();
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_a_proxy_keeps_may_still_ask_when_the_server_stops() {
    let (client, server) = duplex(PIPE);
    let (open, stop) = (GracefulShutdown::new(), CancellationToken::new());
    let address = ClientAddress("203.0.113.9:1".parse().unwrap());
    let kept = connection(server, address, routes(), &ServeLimits::default(), &open, &stop);
    let served = tokio::spawn(kept);
    let mut client = client;
    asks_well(&mut client).await;
    sleep(Duration::from_secs(60)).await;
    stop.cancel();
    let closed = tokio::spawn(open.shutdown());
    // The proxy has not noticed it yet.
    sleep(Duration::from_millis(100)).await;
    client.write_all(WELL).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("connection: close\r\n") && answer.ends_with("well"), "{answer}");
    timeout(PATIENCE, closed).await.unwrap().unwrap();
    timeout(PATIENCE, served).await.unwrap().unwrap();
}
