//! Small sites for scanners to check.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A page of a [`TestSite`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestPage {
    /// The path, beginning with a slash.
    pub path: &'static str,
    /// The title.
    pub title: String,
    /// The status of the response; `None` for a page that never responds.
    pub status: Option<u16>,
    /// The HTML in `<main>`.
    pub body: String,
    /// The attribute `id` of the elements that fail: pictures without a text alternative.
    pub failing: Vec<&'static str>,
}

impl TestPage {
    /// Makes a page without problems that responds with status 200.
    pub fn good(path: &'static str) -> Self {
        let title = format!("Page {path}");
        Self { path, title, status: Some(200), body: "<p>There is nothing wrong here.</p>".to_owned(), failing: vec![] }
    }

    /// Makes a page that responds with status 404.
    pub fn missing(path: &'static str) -> Self {
        Self { status: Some(404), ..Self::good(path) }
    }

    /// Makes a page that never responds.
    pub fn hanging(path: &'static str) -> Self {
        Self { status: None, ..Self::good(path) }
    }

    /// Adds a picture without a text alternative.
    #[must_use]
    pub fn with_picture(mut self, id: &'static str) -> Self {
        self.body.push_str(&format!(r#"<p><img id="{id}" src="data:," width="20" height="20"></p>"#));
        self.failing.push(id);
        self
    }

    /// Adds a link to another page.
    #[must_use]
    pub fn with_link(mut self, path: &str) -> Self {
        self.body.push_str(&format!(r#"<p><a href="{path}">Read about {path}</a></p>"#));
        self
    }

    fn html(&self) -> String {
        let Self { title, body, .. } = self;
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
             <body><main><h1>A page</h1>{body}</main></body></html>"
        )
    }
}

/// A site on its own port of 127.0.0.1. Its server stops when this is dropped.
#[derive(Debug)]
pub struct TestSite {
    address: SocketAddr,
    pages: Vec<TestPage>,
    task: JoinHandle<()>,
}

impl TestSite {
    /// Serves these pages, the first of which has the path `/`. Any other address responds with status 404.
    pub(super) async fn serve(pages: impl IntoIterator<Item = TestPage>) -> Self {
        let pages: Vec<TestPage> = pages.into_iter().collect();
        let answers: BTreeMap<&str, (Option<u16>, String)> =
            pages.iter().map(|page| (page.path, (page.status, page.html()))).collect();
        let answers = Arc::new(answers);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A scanner may close its connection at any time.
                let answers = Arc::clone(&answers);
                tokio::spawn(async move { answer(stream, &answers).await.ok() });
            }
        });
        Self { address, pages, task }
    }

    /// Returns the address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the pages, the start page first.
    pub fn pages(&self) -> &[TestPage] {
        &self.pages
    }
}

impl Drop for TestSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Responds to the one request of a connection.
async fn answer(mut stream: TcpStream, answers: &BTreeMap<&str, (Option<u16>, String)>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, html) = match answers.get(path) {
        Some((Some(status), html)) => (*status, html.as_str()),
        Some((None, _)) => return std::future::pending().await,
        None => (404, "<!doctype html><title>Nothing</title>"),
    };
    let reply = format!(
        "HTTP/1.1 {status} Status\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{html}",
        html.len()
    );
    stream.write_all(reply.as_bytes()).await?;
    stream.shutdown().await
}
