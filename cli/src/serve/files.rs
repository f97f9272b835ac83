//! A server for the files of one folder, on the loopback interface alone.

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use tokio::{net::TcpListener, task::JoinHandle};
use url::Url;

/// The characters that are encoded in the path of a file.
const PATH: AsciiSet =
    CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');
/// The number of files that are looked at in a folder, and the depth to which it is searched.
const MAX_ENTRIES: usize = 200_000;
const MAX_DEPTH: usize = 32;

/// The reason why a folder is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The folder can't be read.
    #[error("{} can't be served: build the site first, or name another folder", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// No port of the loopback interface is free.
    #[error("no port on 127.0.0.1 could be opened to serve files")]
    Port(#[source] io::Error),
    /// The folder holds no page.
    #[error("{} holds no .html file: build the site first, or name another folder", .0.display())]
    NoPages(PathBuf),
    /// The folder holds more than can be listed.
    #[error("{} holds too many files to look for pages: name its pages or a sitemap", .0.display())]
    TooMany(PathBuf),
}

/// A folder with what requests for missing files get.
#[derive(Debug, Clone)]
pub struct ServedFolder {
    /// Without links.
    root: PathBuf,
    is_spa: bool,
}

/// A running server. Its task ends when this is dropped.
#[derive(Debug)]
pub struct FolderServer {
    folder: Arc<ServedFolder>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl ServedFolder {
    /// Returns a folder that responds with its own `404.html`, or with nothing, for files that it does not have.
    ///
    /// # Errors
    /// [`ServeError::Folder`].
    pub fn new(folder: &Path) -> Result<Self, ServeError> {
        let unreadable = |source| ServeError::Folder { folder: folder.to_owned(), source };
        let root = folder.canonicalize().map_err(unreadable)?;
        if !root.is_dir() {
            return Err(unreadable(io::ErrorKind::NotADirectory.into()));
        }
        Ok(Self { root, is_spa: false })
    }

    /// Responds with `index.html` where there is no file, as applications need it that have routes of their own.
    #[must_use]
    pub fn with_spa(self, is_spa: bool) -> Self {
        Self { is_spa, ..self }
    }

    /// Returns the paths of the addresses of all pages, in order: `/` for `index.html`, `/docs/` for `docs/index.html`,
    /// `/about.html`. Hidden folders and `node_modules` hold no pages of the site.
    ///
    /// # Errors
    /// [`ServeError::Folder`], [`ServeError::NoPages`] and [`ServeError::TooMany`].
    pub fn pages(&self) -> Result<Vec<String>, ServeError> {
        let mut pages = Vec::new();
        let mut left = MAX_ENTRIES;
        self.collect(&self.root, 0, &mut left, &mut pages)?;
        pages.sort();
        if pages.is_empty() { Err(ServeError::NoPages(self.root.clone())) } else { Ok(pages) }
    }

    fn collect(
        &self,
        folder: &Path,
        depth: usize,
        left: &mut usize,
        pages: &mut Vec<String>,
    ) -> Result<(), ServeError> {
        let unreadable = |source| ServeError::Folder { folder: folder.to_owned(), source };
        for entry in folder.read_dir().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            *left = left.checked_sub(1).ok_or_else(|| ServeError::TooMany(self.root.clone()))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type().map_err(unreadable)?;
            if name.starts_with('.') || name == "node_modules" {
                continue;
            }
            if kind.is_dir() && depth < MAX_DEPTH {
                self.collect(&entry.path(), depth + 1, left, pages)?;
            } else if is_page(&name) {
                pages.extend(self.address_of(&entry.path()));
            }
        }
        Ok(())
    }

    /// Returns the path of the address of a file in the folder; `None` for a file outside.
    pub fn address_of(&self, file: &Path) -> Option<String> {
        let inside = file.strip_prefix(&self.root).ok()?;
        let parts: Vec<String> = inside
            .components()
            .map(|part| utf8_percent_encode(&part.as_os_str().to_string_lossy(), &PATH).to_string())
            .collect();
        let path = format!("/{}", parts.join("/"));
        Some(match path.strip_suffix("index.html") {
            Some(folder) if folder.ends_with('/') => folder.to_owned(),
            _ => path,
        })
    }

    /// Returns the file that is served for the path of an address; `None` if there is none, or it lies outside of the folder,
    /// be it by a link.
    pub fn file_of(&self, path: &str) -> Option<PathBuf> {
        let decoded = percent_decode_str(path).decode_utf8().ok()?;
        let mut wanted = self.root.clone();
        for part in decoded.split('/').filter(|part| !part.is_empty() && *part != ".") {
            let is_plain = part != ".." && !part.contains(['\\', '\0']) && !Path::new(part).is_absolute();
            if !is_plain {
                return None;
            }
            wanted.push(part);
        }
        let is_folder = decoded.ends_with('/');
        let with_ending = |ending: &str| {
            let mut name = wanted.clone().into_os_string();
            name.push(ending);
            PathBuf::from(name)
        };
        let candidates = if is_folder {
            vec![wanted.join("index.html")]
        } else {
            vec![wanted.clone(), with_ending(".html"), wanted.join("index.html")]
        };
        let inside =
            |file: PathBuf| file.canonicalize().ok().filter(|file| file.starts_with(&self.root) && file.is_file());
        candidates.into_iter().find_map(inside)
    }

    fn answer(&self, method: &Method, path: &str) -> Response<Full<Bytes>> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return with(StatusCode::METHOD_NOT_ALLOWED, ALLOW, HeaderValue::from_static("GET, HEAD"), Bytes::new());
        }
        // Relative addresses within a folder's page need the slash.
        if !path.ends_with('/')
            && let Some(folder) = self.redirected(path)
        {
            return with(StatusCode::MOVED_PERMANENTLY, LOCATION, folder, Bytes::new());
        }
        let (status, file) = match self.file_of(path) {
            Some(file) => (StatusCode::OK, Some(file)),
            None if self.is_spa && !has_ending(path) => (StatusCode::OK, self.file_of("/index.html")),
            None => (StatusCode::NOT_FOUND, self.file_of("/404.html")),
        };
        let Some(file) = file else {
            let plain = HeaderValue::from_static("text/plain; charset=utf-8");
            return with(StatusCode::NOT_FOUND, CONTENT_TYPE, plain, Bytes::from_static(b"There is no such file.\n"));
        };
        match std::fs::read(&file) {
            Ok(content) => {
                let kind = mime_guess::from_path(&file).first_or_octet_stream();
                let kind = if kind.type_() == mime_guess::mime::TEXT {
                    format!("{kind}; charset=utf-8")
                } else {
                    kind.to_string()
                };
                let kind = HeaderValue::from_str(&kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
                with(status, CONTENT_TYPE, kind, content.into())
            }
            Err(error) => {
                let plain = HeaderValue::from_static("text/plain; charset=utf-8");
                let text = format!("The file could not be read: {error}\n");
                with(StatusCode::INTERNAL_SERVER_ERROR, CONTENT_TYPE, plain, text.into())
            }
        }
    }

    /// Returns where a folder's address without its slash leads.
    fn redirected(&self, path: &str) -> Option<HeaderValue> {
        let file = self.file_of(path)?;
        let own = self.address_of(&file)?;
        let is_folders = own.ends_with('/') && own.trim_end_matches('/') == path;
        is_folders.then(|| HeaderValue::from_str(&own).ok()).flatten()
    }
}

impl FolderServer {
    /// Begins to serve a folder on 127.0.0.1: on the same port for the same folder if that is free, so that the addresses in
    /// results stay the same, and else on any.
    ///
    /// # Errors
    /// [`ServeError::Port`].
    pub async fn start(folder: ServedFolder) -> Result<Self, ServeError> {
        let preferred = preferred_port(&folder.root);
        let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, preferred)).await {
            Ok(listener) => listener,
            Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(ServeError::Port)?,
        };
        let address = listener.local_addr().map_err(ServeError::Port)?;
        let folder = Arc::new(folder);
        let serving = Arc::clone(&folder);
        let task = tokio::spawn(async move {
            // Connections end with this task.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // Out of files, or the peer has gone: the next moment is another.
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                    continue;
                };
                while connections.try_join_next().is_some() {}
                let folder = Arc::clone(&serving);
                connections.spawn(async move {
                    let service = service_fn(move |request: Request<Incoming>| {
                        let folder = Arc::clone(&folder);
                        async move {
                            let path = request.uri().path().to_owned();
                            let method = request.method().clone();
                            let answer = tokio::task::spawn_blocking(move || folder.answer(&method, &path)).await;
                            let broken = || {
                                let mut response = Response::new(Full::default());
                                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                                response
                            };
                            Ok::<_, Infallible>(answer.unwrap_or_else(|_| broken()))
                        }
                    });
                    // A browser may close a connection at any time.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Ok(Self { folder, address, task })
    }

    /// Returns the address of the folder.
    pub fn url(&self) -> Url {
        let url = Url::parse(&format!("http://{}/", self.address));
        url.unwrap_or_else(|_| unreachable!("an address with a port is an authority"))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &ServedFolder {
        &self.folder
    }
}

impl Drop for FolderServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns whether the name of a file is that of a page.
fn is_page(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".html") || name.ends_with(".htm")
}

fn has_ending(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// Returns a port below those that systems give away by themselves.
fn preferred_port(root: &Path) -> u16 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hash = DefaultHasher::new();
    root.hash(&mut hash);
    20_000 + u16::try_from(hash.finish() % 10_000).unwrap_or_default()
}

fn with(
    status: StatusCode,
    name: hyper::header::HeaderName,
    value: HeaderValue,
    content: Bytes,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(content));
    *response.status_mut() = status;
    response.headers_mut().insert(name, value);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn site() -> (tempfile::TempDir, ServedFolder) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("dist");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(outer.path().join("secret.html"), "secret").unwrap();
        for file in ["index.html", "about.html", "docs/index.html", "docs/a b.html", ".git/x.html", "style.css"] {
            fs::write(root.join(file), file).unwrap();
        }
        let folder = ServedFolder::new(&root).unwrap();
        (outer, folder)
    }

    #[test]
    fn pages_are_found_with_the_addresses_that_serve_them() {
        let (_outer, folder) = site();
        assert_eq!(folder.pages().unwrap(), ["/", "/about.html", "/docs/", "/docs/a%20b.html"]);
        for page in folder.pages().unwrap() {
            assert_eq!(folder.address_of(&folder.file_of(&page).unwrap()), Some(page));
        }
    }

    #[test]
    fn addresses_without_an_ending_lead_to_their_files() {
        let (_outer, folder) = site();
        let status = |folder: &ServedFolder, path: &str| folder.answer(&Method::GET, path).status().as_u16();
        for (path, expected) in [("/about", 200), ("/docs", 301), ("/docs/", 200), ("/none", 404), ("/style.css", 200)]
        {
            assert_eq!(status(&folder, path), expected, "{path}");
        }
        let spa = folder.with_spa(true);
        assert_eq!((status(&spa, "/any/route"), status(&spa, "/none.js")), (200, 404));
        assert_eq!(spa.answer(&Method::POST, "/").status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[cfg(unix)]
    #[test]
    fn no_address_leads_out_of_the_folder() {
        let (outer, folder) = site();
        std::os::unix::fs::symlink(outer.path().join("secret.html"), folder.root.join("link.html")).unwrap();
        for path in [
            "/../secret.html",
            "/%2e%2e/secret.html",
            "/docs/..%2f..%2fsecret.html",
            "/link.html",
            "//etc/passwd",
            "/..\\secret.html",
            "/%00",
        ] {
            assert_eq!(folder.file_of(path), None, "{path}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_asked_for_lies_in_the_folder(path in "[/.%a-z2eEfF5c\\\\]{0,40}") {
            let (_outer, folder) = site();
            if let Some(file) = folder.file_of(&format!("/{path}")) {
                prop_assert!(file.starts_with(&folder.root));
            }
        }
    }
}
