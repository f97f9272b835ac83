//! The pages: documentation and themes as their makers published them, from packages that npm installs.

use std::{
    convert::Infallible,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Component, Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use http_body_util::Full;
use hyper::{Request, Response, StatusCode, Uri, body::Bytes, header::CONTENT_TYPE, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

const PAGES: &str = include_str!("corpus.txt");

/// A site on loopback that serves the pages, and a start page that leads to all of them, from a process of its own.
#[derive(Debug)]
pub(crate) struct Corpus {
    server: Child,
    root: String,
}

impl Corpus {
    pub(crate) fn open(folder: &Path) -> Self {
        let missing: Vec<&str> = PAGES.lines().filter(|page| !folder.join(&page[1..]).is_file()).collect();
        assert!(missing.is_empty(), "pages of the corpus are not in {}: {missing:?}", folder.display());
        let mut server = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut root = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut root).unwrap();
        Self { server, root: root.trim_end().to_owned() }
    }

    /// The address of the start page, without a path.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// The pages, the start page first.
    pub(crate) fn urls(&self) -> Vec<String> {
        std::iter::once("/").chain(PAGES.lines()).map(|path| format!("{}{path}", self.root)).collect()
    }
}

impl Drop for Corpus {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}

/// Serves until standard input ends.
#[tokio::main]
pub(crate) async fn serve(folder: PathBuf) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    std::io::stdout().flush().unwrap();
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        std::process::exit(0);
    });
    let folder = Arc::new(folder);
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let folder = Arc::clone(&folder);
        tokio::spawn(async move {
            let service = service_fn(|request: Request<_>| {
                let answer = answer(&folder, request.uri());
                async { Ok::<_, Infallible>(answer) }
            });
            // A visitor that goes away is none of our business.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn answer(folder: &Path, uri: &Uri) -> Response<Full<Bytes>> {
    let path = uri.path();
    match path {
        "/" => return found("text/html", index(PAGES.lines().map(str::to_owned)).into()),
        "/robots.txt" => return found("text/plain", robots().into()),
        "/many" => return found("text/html", many(uri.query().unwrap_or_default()).into()),
        _ => {}
    }
    let path = path.strip_prefix("/again/").and_then(|rest| rest.split_once('/')).map_or(&path[1..], |(_, rest)| rest);
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
    let inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    match inside.then(|| fs::read(folder.join(&path))) {
        Some(Ok(bytes)) => found(media_type(&path), bytes.into()),
        _ => {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    }
}

fn found(media_type: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    Response::builder().header(CONTENT_TYPE, media_type).body(Full::new(body)).unwrap()
}

/// Closes whatever else the pages lead to.
fn robots() -> String {
    let pages: String = PAGES.lines().map(|page| format!("Allow: {page}$\nAllow: /again/*{page}$\n")).collect();
    format!("User-agent: *\nDisallow: /\nAllow: /$\nAllow: /many\n{pages}")
}

/// A start page that leads to as many pages as the query says: those of the corpus again and again, under other names.
fn many(query: &str) -> String {
    let count = query.strip_prefix("pages=").and_then(|count| count.parse().ok()).unwrap_or(0);
    index(PAGES.lines().cycle().take(count).enumerate().map(|(number, page)| format!("/again/{number}{page}")))
}

fn index(pages: impl Iterator<Item = String>) -> String {
    let items: String = pages.map(|page| format!("<li><a href='{page}'>{page}</a></li>")).collect();
    format!("<!doctype html><html lang=en><title>Pages</title><main><h1>Pages</h1><ul>{items}</ul></main></html>")
}

fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("woff2") => "font/woff2",
        Some("woff") => "font/woff",
        _ => "application/octet-stream",
    }
}
