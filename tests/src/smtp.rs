//! A mail server on loopback, with a memory, and with the habits of bad ones.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    task::AbortHandle,
};
use tokio_rustls::TlsAcceptor;

/// A mail that the server received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    /// The addresses of the envelope.
    pub to: Vec<String>,
    /// The head, each line unfolded.
    pub head: Vec<String>,
    /// The text, decoded.
    pub text: String,
    /// The same as a web page, decoded; empty if there is none.
    pub html: String,
}

impl ReceivedMail {
    /// Returns the value of a line of the head; an empty text if there is none.
    pub fn header(&self, name: &str) -> &str {
        let line = self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default()
    }

    /// Returns the first address in the text that contains a word.
    pub fn link(&self, word: &str) -> &str {
        self.text.split_whitespace().find(|part| part.contains("://") && part.contains(word)).expect("a link")
    }
}

/// What the server does with mail to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// Answers with this code and this sentence in place of accepting the address.
    Answer(u16, &'static str),
    /// Takes the mail, and cuts the connection off before it says so, once.
    CutOff,
    /// Takes the mail, and says nothing.
    Silent,
}

#[derive(Debug, Default)]
struct Inner {
    received: Mutex<Vec<ReceivedMail>>,
    habits: Mutex<BTreeMap<String, Habit>>,
}

/// A mail server. It ends when it is dropped.
#[derive(Debug)]
pub struct TestMailServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    accepting: AbortHandle,
}

impl TestMailServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap()).await
    }

    /// Starts a server at an address, where another one may have been.
    pub async fn start_at(address: SocketAddr) -> Self {
        Self::start_with(address, None).await
    }

    /// Starts a server on a free port that speaks TLS from the beginning, with a certificate for `localhost` that no authority of the
    /// system vouches for. Returns it with the certificate that has to be trusted, in DER.
    pub async fn start_with_tls() -> (Self, Vec<u8>) {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = signed.cert.der().clone();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        (Self::start_with("127.0.0.1:0".parse().unwrap(), Some(acceptor)).await, certificate.to_vec())
    }

    async fn start_with(address: SocketAddr, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let (address, inner) = (listener.local_addr().unwrap(), Arc::new(Inner::default()));
        let of_connections = Arc::clone(&inner);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (inner, tls) = (Arc::clone(&of_connections), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        Some(tls) => converse(tls.accept(stream).await.ok()?, &inner).await,
                        None => converse(stream, &inner).await,
                    }
                });
            }
        });
        Self { address, inner, accepting: accepting.abort_handle() }
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address for settings.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Gives the server a habit with mail to an address.
    pub fn treat(&self, to: &str, habit: Habit) {
        self.inner.habits.lock().unwrap().insert(to.to_owned(), habit);
    }

    /// Lets the server treat mail to an address as any other.
    pub fn accept(&self, to: &str) {
        self.inner.habits.lock().unwrap().remove(to);
    }

    /// Returns what was received since the last call.
    pub fn received(&self) -> Vec<ReceivedMail> {
        std::mem::take(&mut *self.inner.received.lock().unwrap())
    }
}

impl Drop for TestMailServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What a conversation is held on.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Speaks SMTP with a client until it goes (RFC 5321), and no extension of it.
async fn converse(stream: impl Stream, inner: &Inner) -> Option<()> {
    let mut stream = BufReader::new(stream);
    say(&mut stream, "220 mail.example.org").await?;
    let mut to: Vec<String> = Vec::new();
    loop {
        let line = line(&mut stream).await?;
        let answer = match line.get(..4)?.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" => "250 mail.example.org".to_owned(),
            "RCPT" => {
                let address = line.split_once('<')?.1.split_once('>')?.0.to_owned();
                let habit = inner.habits.lock().unwrap().get(&address).copied();
                match habit {
                    Some(Habit::Answer(code, sentence)) => format!("{code} {sentence}"),
                    _ => {
                        to.push(address);
                        "250 OK".to_owned()
                    }
                }
            }
            "DATA" => {
                say(&mut stream, "354 Go on").await?;
                let mail = mail(&mut stream, std::mem::take(&mut to)).await?;
                let address = mail.to.first()?.clone();
                inner.received.lock().unwrap().push(mail);
                let habit = inner.habits.lock().unwrap().get(&address).copied();
                match habit {
                    Some(Habit::CutOff) => {
                        inner.habits.lock().unwrap().remove(&address);
                        return None;
                    }
                    Some(Habit::Silent) => std::future::pending().await,
                    _ => "250 Taken".to_owned(),
                }
            }
            "QUIT" => {
                say(&mut stream, "221 Bye").await?;
                return None;
            }
            _ => "250 OK".to_owned(),
        };
        say(&mut stream, &answer).await?;
    }
}

async fn say(stream: &mut BufReader<impl Stream>, line: &str) -> Option<()> {
    stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await.ok()
}

async fn line(stream: &mut BufReader<impl Stream>) -> Option<String> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await.ok()?;
    (length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a mail to the line with a dot.
async fn mail(stream: &mut BufReader<impl Stream>, to: Vec<String>) -> Option<ReceivedMail> {
    let (mut head, mut body, mut is_head) = (Vec::<String>::new(), Vec::new(), true);
    loop {
        let line = line(stream).await?;
        if line == "." {
            break;
        }
        let line = line.strip_prefix('.').unwrap_or(&line).to_owned();
        match (is_head, line.is_empty(), line.starts_with([' ', '\t'])) {
            (true, true, _) => is_head = false,
            (true, false, true) => head.last_mut()?.push_str(&line),
            (true, false, false) => head.push(line),
            (false, ..) => body.push(line),
        }
    }
    let value = |head: &[String], name: &str| head.iter().find_map(|line| Some(line.strip_prefix(name)?.to_owned()));
    let boundary = value(&head, "Content-Type: multipart/alternative;");
    let boundary = boundary.and_then(|line| Some(line.split_once("boundary=\"")?.1.trim_end_matches('"').to_owned()));
    let Some(boundary) = boundary else {
        let text = decoded(value(&head, "Content-Transfer-Encoding: ").as_deref(), &body)?;
        return Some(ReceivedMail { to, head, text, html: String::new() });
    };
    let parts = body.split(|line| line.strip_prefix("--").is_some_and(|line| line.trim_end_matches('-') == boundary));
    let mut texts = BTreeMap::new();
    for part in parts {
        let Some(end) = part.iter().position(String::is_empty) else { continue };
        let (of_part, lines) = part.split_at(end);
        let Some(kind) = value(of_part, "Content-Type: ") else { continue };
        let text = decoded(value(of_part, "Content-Transfer-Encoding: ").as_deref(), &lines[1..])?;
        texts.insert(kind, text);
    }
    let text = texts.remove("text/plain; charset=utf-8")?;
    Some(ReceivedMail { to, head, text, html: texts.remove("text/html; charset=utf-8")? })
}

fn decoded(encoding: Option<&str>, lines: &[String]) -> Option<String> {
    let text = match encoding {
        Some("quoted-printable") => quoted_printable(&lines.join("\n")),
        Some("base64") => base64(&lines.concat()),
        _ => lines.join("\n").into_bytes(),
    };
    Some(String::from_utf8(text).ok()?.replace("\r\n", "\n"))
}

fn quoted_printable(text: &str) -> Vec<u8> {
    let (mut decoded, text) = (Vec::new(), text.replace("=\n", ""));
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'=').then(|| after.get(..2)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut decoded, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte)) {
        bits = (bits << 6 | u32::try_from(digit).unwrap()) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    decoded
}
