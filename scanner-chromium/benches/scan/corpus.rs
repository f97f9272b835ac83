//! The pages: documentation and themes as their makers published them, from npm packages.

use std::{
    convert::Infallible,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Component, Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use clap::ValueEnum as _;
use http_body_util::Full;
use hyper::{
    Request, Response, StatusCode, Uri,
    body::Bytes,
    header::{CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::net::TcpListener;

const PAGES: &str = include_str!("corpus.txt");
/// The addresses of the two sites, both on this machine.
const SITES: [&str; 2] = ["127.0.0.1", "127.0.0.2"];
/// The characters that stay unencoded in addresses (RFC 3986, section 2.3), and the slash between folders.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A server on loopback, in a process of its own, with two sites of half of the pages each: two is the number of checks
/// that a server does at once by default.
#[derive(Debug)]
pub(crate) struct Corpus {
    server: Child,
    port: String,
    start: &'static str,
    pages: Vec<String>,
}

/// The choice of the files of a folder that are its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Selection {
    /// Those of `corpus.txt`.
    Listed,
    /// All files that end in `.html` or `.htm`, in the order of their paths.
    All,
}

/// The validators of responses, with which a client can ask whether they have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validators {
    /// Each response has an `ETag`.
    Tags,
    /// Responses have no validator.
    None,
}

impl Selection {
    /// Returns the page that leads to all others. A folder may have an `index.html` of its own, which is the same page
    /// as `/`.
    const fn start(self) -> &'static str {
        match self {
            Self::Listed => "/",
            Self::All => "/all-pages",
        }
    }

    /// Returns paths with a leading slash, encoded for an address.
    fn pages(self, folder: &Path) -> Vec<String> {
        match self {
            Self::Listed => PAGES.lines().map(str::to_owned).collect(),
            Self::All => {
                let mut pages = Vec::new();
                add_pages(folder, "", &mut pages);
                pages.sort_unstable();
                pages
            }
        }
    }
}

/// Adds the pages of a folder and of those inside; `path` is that of the folder, from the root.
fn add_pages(folder: &Path, path: &str, pages: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{path}/{name}");
        // This follows links, of which Debian's documentation has many.
        if entry.path().is_dir() {
            add_pages(&entry.path(), &path, pages);
        } else if matches!(Path::new(&name).extension().and_then(|ending| ending.to_str()), Some("html" | "htm")) {
            pages.push(utf8_percent_encode(&path, ENCODED).to_string());
        }
    }
}

impl Corpus {
    pub(crate) fn open(folder: &Path, selection: Selection) -> Self {
        let pages = selection.pages(folder);
        if selection == Selection::Listed {
            let missing: Vec<&String> = pages.iter().filter(|page| !folder.join(&page[1..]).is_file()).collect();
            assert!(missing.is_empty(), "pages of the corpus are not in {}: {missing:?}", folder.display());
        }
        let mut server = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .arg(folder)
            .arg(selection.to_possible_value().unwrap().get_name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { server, port: port.trim_end().to_owned(), start: selection.start(), pages }
    }

    /// Returns a page of the first site that leads to `pages` pages: those of the corpus, repeated under other names.
    pub(crate) fn many(&self, pages: u32) -> String {
        format!("http://{}:{}/many?pages={pages}", SITES[0], self.port)
    }

    /// Returns the same for a server whose responses have these validators.
    pub(crate) fn unchanged(&self, pages: u32, validators: Validators) -> String {
        let folder = match validators {
            Validators::Tags => "&tagged",
            Validators::None => "",
        };
        format!("{}{folder}", self.many(pages))
    }

    /// Returns a page of the first site that leads to `pages` pages, each with `frames` pages of the corpus in frames.
    pub(crate) fn framed(&self, pages: u32, frames: u32) -> String {
        format!("http://{}:{}/framed?pages={pages}&frames={frames}", SITES[0], self.port)
    }

    /// Returns a page of the first site that leads to `pages` pages, each of which requests `steps` responses after its
    /// load, one after the other, and may then show a fault.
    pub(crate) fn building(&self, pages: u32, steps: u32, millis: u32, builds: bool) -> String {
        let query = format!("pages={pages}&steps={steps}&millis={millis}&builds={}", u32::from(builds));
        format!("http://{}:{}/building?{query}", SITES[0], self.port)
    }

    /// Returns the start pages of the two sites.
    pub(crate) fn starts(&self) -> Vec<String> {
        SITES.map(|address| format!("http://{address}:{}{}", self.port, self.start)).into()
    }

    /// Returns all pages, including the start pages.
    pub(crate) fn urls(&self) -> Vec<String> {
        let pages = SITES.iter().enumerate().flat_map(|(site, address)| {
            half(&self.pages, site).map(move |page| format!("http://{address}:{}{page}", self.port))
        });
        self.starts().into_iter().chain(pages).collect()
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
pub(crate) async fn serve(folder: PathBuf, selection: Selection) {
    let first = TcpListener::bind((SITES[0], 0)).await.unwrap();
    let port = first.local_addr().unwrap().port();
    let second = TcpListener::bind((SITES[1], port)).await.unwrap();
    println!("{port}");
    std::io::stdout().flush().unwrap();
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        std::process::exit(0);
    });
    let served = Arc::new(Served { pages: selection.pages(&folder), start: selection.start(), folder });
    tokio::join!(serve_site(&first, 0, &served), serve_site(&second, 1, &served));
}

struct Served {
    folder: PathBuf,
    start: &'static str,
    pages: Vec<String>,
}

async fn serve_site(listener: &TcpListener, site: usize, served: &Arc<Served>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let served = Arc::clone(served);
        tokio::spawn(async move {
            let service = service_fn(|request: Request<_>| {
                let answer = tagged(&request, answer(&served, site, request.uri()));
                let wait = request.uri().path().strip_prefix("/after/").and_then(|millis| millis.parse().ok());
                async move {
                    tokio::time::sleep(Duration::from_millis(wait.unwrap_or(0))).await;
                    Ok::<_, Infallible>(answer)
                }
            });
            // A visitor that closes the connection does not matter here.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn answer(served: &Served, site: usize, uri: &Uri) -> Response<Full<Bytes>> {
    let path = uri.path();
    match path {
        path if path == served.start => return found("text/html", index(half(&served.pages, site)).into()),
        "/robots.txt" => return found("text/plain", robots(half(&served.pages, site)).into()),
        "/many" => return found("text/html", many(uri.query().unwrap_or_default()).into()),
        "/framed" => return found("text/html", framed(uri.query().unwrap_or_default()).into()),
        "/building" => return found("text/html", building(uri.query().unwrap_or_default()).into()),
        _ => {}
    }
    if path.starts_with("/after/") {
        return found("application/json", "{}".into());
    }
    if let Some(page) = path.strip_prefix("/built/") {
        return found("text/html", built(page).into());
    }
    if let Some(page) = path.strip_prefix("/frames/") {
        return found("text/html", with_frames(page).into());
    }
    let repeated = path.strip_prefix("/again/").or_else(|| path.strip_prefix("/tagged/"));
    let path = repeated.and_then(|rest| rest.split_once('/')).map_or(&path[1..], |(_, rest)| rest);
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
    let inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    match inside.then(|| fs::read(served.folder.join(&path))) {
        Some(Ok(bytes)) => found(media_type(&path), bytes.into()),
        _ => {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    }
}

/// Adds a tag to what is served below `/tagged`, and sends it without its body to those who know the tag.
fn tagged<B>(request: &Request<B>, response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    if !request.uri().path().starts_with("/tagged/") || response.status() != StatusCode::OK {
        return response;
    }
    // Nothing changes while it is served.
    let tag = HeaderValue::from_static("\"1\"");
    let mut response = response;
    if request.headers().get(IF_NONE_MATCH) == Some(&tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Full::default();
    }
    response.headers_mut().insert(ETAG, tag);
    response
}

fn found(media_type: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    Response::builder().header(CONTENT_TYPE, media_type).body(Full::new(body)).unwrap()
}

/// Returns a robots.txt that closes everything else to which the pages lead.
fn robots(pages: impl Iterator<Item = String>) -> String {
    let pages: String = pages.map(|page| format!("Allow: {page}$\n")).collect();
    format!(
        "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /all-pages$\nAllow: /many\nAllow: /framed\nAllow: /frames/\nAllow: /building\nAllow: /built/\nAllow: /again/*.html$\nAllow: /tagged/*.html$\n{pages}"
    )
}

/// Returns a start page that leads to as many pages as the query says: those of the corpus, repeated under other names.
fn many(query: &str) -> String {
    let count = number(query, "pages=");
    let folder = if query.ends_with("&tagged") { "tagged" } else { "again" };
    index(PAGES.lines().cycle().take(count).enumerate().map(|(number, page)| format!("/{folder}/{number}{page}")))
}

/// Returns a start page that leads to as many pages with frames as the query says.
fn framed(query: &str) -> String {
    let (pages, frames) = (number(query, "pages="), number(query, "frames="));
    index((0..pages).map(|page| format!("/frames/{frames}/{page}")))
}

/// Returns a page with pages of the corpus in frames: `frames/page` gives their number and the place of the first.
fn with_frames(path: &str) -> String {
    let (frames, first) = path.split_once('/').unwrap_or_default();
    let [frames, first] = [frames, first].map(|text| text.parse().unwrap_or(0));
    let shown = PAGES.lines().cycle().skip(first * frames).take(frames);
    let shown: String = shown.map(|page| format!("<iframe title='{page}' src='{page}'></iframe>")).collect();
    format!("<!doctype html><html lang=en><title>Frames {first}</title><main><h1>Frames</h1>{shown}</main></html>")
}

/// Returns a start page that leads to as many pages that fetch data as the query says.
fn building(query: &str) -> String {
    let [pages, steps, millis, builds] = ["pages=", "steps=", "millis=", "builds="].map(|name| number(query, name));
    index((0..pages).map(|page| format!("/built/{steps}/{millis}/{builds}/{page}")))
}

/// Returns a page of some size that fetches data after its load: `steps/millis/builds/page`.
fn built(path: &str) -> String {
    let mut parts = path.split('/').map(|part| part.parse().unwrap_or(0));
    let [steps, millis, builds, page] = [(); 4].map(|()| parts.next().unwrap_or(0));
    let items: String = (0..400).map(|item| format!("<li><a href='#{item}'>Item {item} of {page}</a></li>")).collect();
    let show = if builds == 1 { "document.querySelector('main').append(new Image())" } else { "" };
    let script = format!(
        "addEventListener('load', async () => {{
            for (let step = 0; step < {steps}; step++) await (await fetch(`/after/{millis}?${{step}}`)).text();
            {show}
        }})"
    );
    format!(
        "<!doctype html><html lang=en><title>Built {page}</title><main><h1>Built</h1><ul>{items}</ul></main>\
         <script>{script}</script></html>"
    )
}

/// Returns the number of this name in a query; 0 if there is none.
fn number(query: &str, name: &str) -> usize {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.parse().ok()).unwrap_or(0)
}

/// Returns the pages of a site: every second, beginning with the first or with the second.
fn half(pages: &[String], first: usize) -> impl Iterator<Item = String> {
    pages.iter().skip(first).step_by(2).cloned()
}

fn index(pages: impl Iterator<Item = String>) -> String {
    let items: String = pages.map(|page| format!("<li><a href='{page}'>{page}</a></li>")).collect();
    format!("<!doctype html><html lang=en><title>Pages</title><main><h1>Pages</h1><ul>{items}</ul></main></html>")
}

fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => "text/html",
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
