//! A web site on loopback.

use std::{collections::HashMap, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A page of a site.
#[derive(Debug, Clone)]
pub struct Page {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl Page {
    /// Returns an HTML page.
    pub fn html(body: impl Into<String>) -> Self {
        Self { status: 200, content_type: "text/html; charset=utf-8", body: body.into() }
    }

    /// Returns a page with this status.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::html("<!doctype html><html lang=en><title>Trouble</title><h1>Trouble</h1>") }
    }

    /// Returns a script.
    pub fn script(body: impl Into<String>) -> Self {
        Self { content_type: "text/javascript", ..Self::html(body) }
    }
}

/// A web site on loopback, until it is dropped. Unknown paths respond with 404.
#[derive(Debug)]
pub struct TestSite {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl TestSite {
    /// Serves these pages by path, on a free port of 127.0.0.1.
    pub async fn start(pages: impl IntoIterator<Item = (&'static str, Page)>) -> Self {
        let pages: Arc<HashMap<&'static str, Page>> = Arc::new(pages.into_iter().collect());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let pages = Arc::clone(&pages);
                tokio::spawn(async move {
                    // A browser may close its connection early.
                    let _ = answer(stream, &pages).await;
                });
            }
        });
        Self { address, task }
    }

    /// Returns the address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the port, for pages that name the site by another host.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for TestSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, pages: &HashMap<&'static str, Page>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < 16 * 1024 {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split_whitespace().nth(1).unwrap_or("/").split('?').next().unwrap_or("/");
    let missing = Page::status(404);
    let Page { status, content_type, body } = pages.get(path).unwrap_or(&missing);
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status} Status\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
