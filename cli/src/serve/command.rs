//! A server that a command starts for the time of a check.

use std::{
    collections::VecDeque,
    io,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper_util::rt::TokioIo;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};
use url::Url;

/// The number of lines of the command's output that are kept for errors, and of bytes of each.
const LINES: usize = 20;
const LINE: usize = 500;
/// The time between two requests to a server that is not ready.
const PAUSE: Duration = Duration::from_millis(200);
/// The time limit of one such request.
const REQUEST: Duration = Duration::from_secs(5);
/// The time that the processes get to end by themselves.
const GRACE: Duration = Duration::from_secs(3);

/// The reason why a command's server is not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The shell could not be run.
    #[error("`{command}` could not be started")]
    Spawn {
        /// The command.
        command: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The command ended before the server was ready.
    #[error("`{command}` ended before {url} answered{output}")]
    Ended {
        /// The command.
        command: String,
        /// The address that should have answered.
        url: String,
        /// Its last lines, each after a line break.
        output: String,
    },
    /// The server did not answer in time.
    #[error(
        "{url} did not answer within {seconds} s of `{command}`: raise ready-seconds, or correct ready-url{output}"
    )]
    NotReady {
        /// The command.
        command: String,
        /// The address.
        url: String,
        /// The time limit.
        seconds: u64,
        /// The last lines of the command, each after a line break.
        output: String,
    },
    /// Something else answers at the address already.
    #[error("{url} answers before `{command}` was started: end that server, or leave `start` out")]
    Occupied {
        /// The command.
        command: String,
        /// The address.
        url: String,
    },
}

/// A server that a command started, with all processes of its group. [`stop`](Self::stop) ends them; dropping it kills them.
#[derive(Debug)]
pub struct StartedServer {
    child: Child,
    group: Option<Pid>,
}

impl StartedServer {
    /// Runs `command` in a shell, in a process group of its own, and waits until `ready` answers a request.
    ///
    /// # Errors
    /// [`StartError`]. The processes are ended then.
    pub async fn start(command: &str, ready: &Url, limit: Duration) -> Result<Self, StartError> {
        let (named, url) = (command.to_owned(), ready.to_string());
        if answers(ready).await {
            return Err(StartError::Occupied { command: named, url });
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = shell.process_group(0).kill_on_drop(true).spawn();
        let mut child = child.map_err(|source| StartError::Spawn { command: named.clone(), source })?;
        let output = LastLines::default();
        for pipe in [
            child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn AsyncRead + Send + Unpin>),
            child.stderr.take().map(|pipe| Box::new(pipe) as _),
        ] {
            output.follow(pipe);
        }
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let mut server = Self { child, group };
        let until = Instant::now() + limit;
        loop {
            if answers(ready).await {
                return Ok(server);
            }
            if let Ok(Some(_)) = server.child.try_wait() {
                // The last lines may still be in the pipe.
                sleep(PAUSE).await;
                let output = output.text();
                server.stop().await;
                return Err(StartError::Ended { command: named, url, output });
            }
            if Instant::now() >= until {
                let output = output.text();
                server.stop().await;
                return Err(StartError::NotReady { command: named, url, seconds: limit.as_secs(), output });
            }
            sleep(PAUSE).await;
        }
    }

    /// Ends the processes of the group: asks them to, and kills those that are left after three seconds.
    pub async fn stop(mut self) {
        let Some(group) = self.group else { return };
        let _ = kill_process_group(group, Signal::TERM);
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            // Reaps the shell, which is in the group until then.
            let _ = self.child.try_wait();
            if test_kill_process_group(group).is_err() {
                self.group = None;
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for StartedServer {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The last lines of a command.
#[derive(Debug, Clone, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    /// Reads a pipe to its end, so that the command never waits for a reader.
    fn follow(&self, pipe: Option<Box<dyn AsyncRead + Send + Unpin>>) {
        let Some(pipe) = pipe else { return };
        let lines = Arc::clone(&self.0);
        tokio::spawn(async move {
            let mut reader = BufReader::new(pipe);
            let mut line = Vec::new();
            loop {
                line.clear();
                // A line without an end is read in pieces of the buffer's size.
                let Ok(piece) = reader.fill_buf().await else { return };
                if piece.is_empty() {
                    return;
                }
                let end = piece.iter().position(|byte| *byte == b'\n').map_or(piece.len(), |end| end + 1);
                line.extend_from_slice(&piece[..end.min(LINE)]);
                reader.consume(end);
                let text = printable(&String::from_utf8_lossy(&line));
                if !text.is_empty() {
                    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                    lines.push_back(text);
                    if lines.len() > LINES {
                        lines.pop_front();
                    }
                }
            }
        });
    }

    /// Returns the lines, each after a line break and four blanks.
    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| format!("\n    {line}")).collect()
    }
}

/// Returns a text without control characters and sequences for terminals.
fn printable(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        if next == '\u{1b}' {
            // A control sequence ends with a letter.
            if chars.next_if_eq(&'[').is_some() {
                while chars.next_if(|next| !next.is_ascii_alphabetic()).is_some() {}
                chars.next();
            }
        } else if !next.is_control() {
            out.push(next);
        }
    }
    out.trim_end().to_owned()
}

/// Returns whether a server answers: with any HTTP response below 500; over TLS, where its certificate may be its own, by
/// accepting a connection.
async fn answers(url: &Url) -> bool {
    timeout(REQUEST, async {
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        let stream = TcpStream::connect((host, url.port_or_known_default()?)).await.ok()?;
        if url.scheme() == "https" {
            return Some(());
        }
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake::<_, Empty<Bytes>>(TokioIo::new(stream)).await.ok()?;
        let connection = tokio::spawn(connection);
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let request =
            Request::get(path).header("host", authority).header("user-agent", "a11ycheck").body(Empty::new()).ok()?;
        let response = sender.send_request(request).await;
        connection.abort();
        (response.ok()?.status().as_u16() < 500).then_some(())
    })
    .await
    .is_ok_and(|answered| answered.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_command_send_nothing_to_a_terminal() {
        assert_eq!(printable("\u{1b}[31mred\u{1b}[0m \u{7}bell\r\n"), "red bell");
        assert_eq!(printable("\u{1b}]8;;https://x\u{7}link"), "]8;;https://xlink");
    }

    fn free_address() -> Url {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap()
    }

    #[tokio::test]
    async fn a_server_that_never_answers_is_ended_and_its_last_lines_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let command = format!("echo building; sleep 1000 & echo $! > {}; wait", mark.display());
        let error = StartedServer::start(&command, &free_address(), Duration::from_secs(2)).await.unwrap_err();
        assert!(matches!(error, StartError::NotReady { .. }), "{error}");
        assert!(error.to_string().contains("\n    building"), "{error}");
        let pid: i32 = std::fs::read_to_string(&mark).unwrap().trim().parse().unwrap();
        let is_gone = rustix::process::test_kill_process(Pid::from_raw(pid).unwrap()).is_err();
        // A container without an init keeps the dead until somebody reaps them.
        let is_dead = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
        assert!(is_gone || is_dead, "the command's own processes are ended too");
    }

    #[tokio::test]
    async fn a_command_that_ends_is_not_waited_for() {
        let error = StartedServer::start("echo no such script; exit 3", &free_address(), Duration::from_secs(60)).await;
        let error = error.unwrap_err();
        assert!(matches!(error, StartError::Ended { .. }) && error.to_string().contains("no such script"), "{error}");
    }
}
