//! Clients that are slow, rude or broken: raw sockets on loopback.

use std::time::Duration;

use crate::TestApp;
use a11ycheck_core::domain::Ability;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn address(app: &TestApp) -> String {
    let url = app.client().await.get("/sites").await.body["meta"]["path"].as_str().unwrap().to_owned();
    url.trim_start_matches("http://").split('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn bytes_that_are_no_http_are_cut_off_and_others_are_still_served() {
    let app = TestApp::start([]).await;
    let address = address(&app).await;
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET / HTTP/9.9\r\n\r\n", b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n"]
    {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "{bytes:?} holds a connection open without end");
    }
    assert_eq!(app.client().await.get("/account").await.status, 200);
}

#[tokio::test]
async fn five_hundred_clients_that_send_nothing_do_not_keep_others_out() {
    let app = TestApp::start([]).await;
    let address = address(&app).await;
    let mut idle = Vec::new();
    for _ in 0..500 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(b"GET /v1/account HTTP/1.1\r\nHo").await.unwrap();
        idle.push(stream);
    }
    assert_eq!(app.client().await.get("/account").await.status, 200);
}

/// Returns whether the server closes the connection after its response to this request, and the response's status line.
async fn is_closed_after(address: &str, path: &str, token: Option<&str>) -> (bool, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let authorization = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    // A connection that is kept serves the second request, too, and then ends since that one asks for it.
    let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\n{authorization}\r\n");
    let last = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{authorization}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    while !answers.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut answers).await.unwrap(), 0);
    }
    let head = String::from_utf8_lossy(&answers).into_owned();
    // A connection that was closed may refuse to take it.
    let _ = stream.write_all(last.as_bytes()).await;
    let _ = tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut answers)).await.expect("it ends");
    let answered = String::from_utf8_lossy(&answers).matches("HTTP/1.1 ").count();
    (answered == 1, head.lines().next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn callers_without_a_valid_token_are_disconnected_when_they_are_refused_and_others_are_not() {
    let app = TestApp::start([]).await;
    let address = address(&app).await;
    let (_, secret) = app.team.token(&[Ability::Read]).await;
    for (path, token, is_closed, status) in [
        ("/v1/account", None, true, "401"),
        ("/v1/account", Some("a11y_guessed"), true, "401"),
        ("/v1/nothing", None, true, "404"),
        ("/v1/openapi.json", None, false, "200"),
        ("/v1/account", Some(secret.reveal()), false, "200"),
        ("/v1/scans/x", Some(secret.reveal()), false, "404"),
    ] {
        let (closed, line) = is_closed_after(&address, path, token).await;
        assert!(line.contains(status) && closed == is_closed, "{path} {token:?}: {line}, closed: {closed}");
    }
    while is_closed_after(&address, "/v1/account", None).await.1.contains("401") {}
    let (closed, line) = is_closed_after(&address, "/v1/account", None).await;
    assert!(closed && line.contains("429"), "{line}");
}
