//! Sites on their own ports of 127.0.0.1.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// What a site answers.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Html(String),
    Text(&'static str, String),
    Status(u16),
    Redirect(String),
    /// Nothing, for as long as the connection stays open.
    Hang,
}

/// A site. Its threads end with the test.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    asked: Asked,
}

/// The requests: paths, with the lines of their heads.
type Asked = Arc<Mutex<Vec<(String, Vec<String>)>>>;

impl Site {
    pub(crate) fn serve(answers: impl IntoIterator<Item = (&'static str, Answer)>) -> Self {
        Self::serve_later(|_| answers.into_iter().collect())
    }

    /// Serves a site whose answers contain its own address.
    pub(crate) fn serve_later(answers: impl FnOnce(&str) -> BTreeMap<&'static str, Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answers = Arc::new(answers(&format!("http://{address}")));
        let asked = Asked::default();
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, noted) = (Arc::clone(&answers), Arc::clone(&noted));
                thread::spawn(move || answer(stream, &answers, &noted));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the paths that were requested.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(path, _)| path.clone()).collect()
    }

    /// Returns the same, each with the value of a header, by its name in lower case.
    pub(crate) fn asked_with(&self, name: &str) -> Vec<(String, Option<String>)> {
        let value = |head: &[String]| {
            let mut headers = head.iter().filter_map(|line| line.split_once(": "));
            headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        self.asked.lock().unwrap().iter().map(|(path, head)| (path.clone(), value(head))).collect()
    }

    /// Returns an address at which nobody answers: it is none of those of the sites of tests, one of which may be given its port.
    pub(crate) fn nobody() -> String {
        let listener = TcpListener::bind("127.0.0.9:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    }
}

fn answer(stream: TcpStream, answers: &BTreeMap<&str, Answer>, noted: &Asked) {
    let mut lines = BufReader::new(&stream).lines();
    let Some(Ok(first)) = lines.next() else { return };
    let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    noted.lock().unwrap().push((path.clone(), head));
    let (status, head, body) = match answers.get(path.as_str()).cloned().unwrap_or(Answer::Status(404)) {
        Answer::Html(body) => (200, "content-type: text/html; charset=utf-8".to_owned(), body),
        Answer::Text(kind, body) => (200, format!("content-type: {kind}"), body),
        Answer::Status(status) => (status, "content-type: text/plain".to_owned(), "no".to_owned()),
        Answer::Redirect(to) => (302, format!("location: {to}"), String::new()),
        Answer::Hang => return thread::sleep(std::time::Duration::from_secs(3_600)),
    };
    let text =
        format!("HTTP/1.1 {status} X\r\n{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    // A browser may close a connection at any time.
    let _ = (&stream).write_all(text.as_bytes());
}

/// Returns a page without problems.
pub(crate) fn good(title: &str) -> Answer {
    Answer::Html(page(title, "<p>There is nothing wrong here.</p>"))
}

/// Returns a page with a picture without a text alternative for each of these ids.
pub(crate) fn bad(title: &str, ids: &[&str]) -> Answer {
    let pictures: String =
        ids.iter().map(|id| format!(r#"<p><img id="{id}" src="data:," width="20" height="20"></p>"#)).collect();
    Answer::Html(page(title, &pictures))
}

pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body><main><h1>{title}</h1>{body}\
         </main></body></html>"
    )
}
