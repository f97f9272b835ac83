//! Clients that are slow, rude or broken: raw sockets on loopback.

use std::time::Duration;

use crate::TestApp;
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
        assert!(read.is_ok(), "{bytes:?} holds a connection open for ever");
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
