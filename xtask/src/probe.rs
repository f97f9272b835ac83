//! Asks programs for their versions, and a browser for a page: the proof that they are there and run.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::command::leashed;

/// More than any program says about its version, and enough of what a browser says before it gives up.
const MAX_ANSWER_BYTES: u64 = 4096;

/// Why a program did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProbeError {
    /// It is not there, or may not be executed.
    #[error("it could not be started")]
    Start(#[source] io::Error),
    /// It refused.
    #[error("it ended with {status}: {answer}")]
    Refused { status: ExitStatus, answer: String },
    /// It was still busy after the time allowed, and was stopped.
    #[error("it did not end within {} seconds", patience.as_secs())]
    Silent { patience: Duration },
    /// It ended well, but no version of a browser is in what it said.
    #[error("`--version` named no version of a browser: {answer}")]
    NoVersion { answer: String },
}

/// Runs `program --version` and gives the line that holds the version of a browser, such as `Chromium 156.0.8078.79`.
///
/// Takes at most about `patience` and reads at most [`MAX_ANSWER_BYTES`].
pub(crate) fn browser_version(program: &Path, patience: Duration) -> Result<String, ProbeError> {
    let (status, answer) = ask(Command::new(program).arg("--version").stdin(Stdio::null()), patience)?;
    if !status.success() {
        return Err(ProbeError::Refused { status, answer: first_line(&answer) });
    }
    let line = answer.lines().find(|line| line.split_whitespace().any(is_browser_version)).map(str::trim);
    line.map(str::to_owned).ok_or_else(|| ProbeError::NoVersion { answer: first_line(&answer) })
}

/// Has a browser open an empty page. It does not start without its sandbox unless `browser`, which begins with its program or with
/// one that runs it as another user, says `--no-sandbox`. `profile` is a folder that does not exist and that this user may create.
///
/// Takes at most about `patience`.
pub(crate) fn start(mut browser: Command, profile: &Path, patience: Duration) -> Result<(), ProbeError> {
    browser.args(["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
    browser.arg(format!("--user-data-dir={}", profile.display())).args(["--dump-dom", "about:blank"]);
    // Debian's browser is a script that waits for the program, which would outlive it.
    let (status, answer) = ask(&mut leashed(&browser), patience)?;
    if status.success() {
        return Ok(());
    }
    let is_cause = |line: &&str| ["sandbox", "namespace"].iter().any(|word| line.contains(word));
    let cause = answer.lines().find(is_cause).unwrap_or(&answer);
    Err(ProbeError::Refused { status, answer: first_line(cause) })
}

fn ask(command: &mut Command, patience: Duration) -> Result<(ExitStatus, String), ProbeError> {
    // One pipe for both streams: a missing library is reported on standard error, the version on standard output.
    let (reader, writer) = io::pipe().map_err(ProbeError::Start)?;
    let copy = writer.try_clone().map_err(ProbeError::Start)?;
    let mut child = command.stdout(writer).stderr(copy).spawn().map_err(ProbeError::Start)?;
    // Its copies of the pipe's end would keep the answer from ending.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    // Read aside, because a wrapper's left-over child could hold the pipe open after the program itself has ended.
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = reader.take(MAX_ANSWER_BYTES).read_to_end(&mut text);
        // Nobody listens any more when the time was up.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&text).into_owned()));
    });

    let deadline = Instant::now() + patience;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(ProbeError::Start)? {
            break status;
        }
        if Instant::now() >= deadline {
            drop(child.stdin.take());
            child.kill().map_err(ProbeError::Start)?;
            child.wait().map_err(ProbeError::Start)?;
            return Err(ProbeError::Silent { patience });
        }
        thread::sleep(Duration::from_millis(10));
    };
    let left = deadline.saturating_duration_since(Instant::now());
    let text = answer.recv_timeout(left).map_err(|_| ProbeError::Silent { patience })?.map_err(ProbeError::Start)?;
    Ok((status, text))
}

/// Chromium and its kin number their versions in four parts.
fn is_browser_version(word: &str) -> bool {
    let parts: Vec<_> = word.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn first_line(answer: &str) -> String {
    let line = answer.lines().find(|line| !line.trim().is_empty()).unwrap_or("(it said nothing)");
    line.trim().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::program;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn the_version_is_found_after_warnings() {
        assert_eq!(
            browser_version(&program("chromium"), PATIENCE).unwrap(),
            "Chromium 156.0.8078.79 built on Debian GNU/Linux 12"
        );
    }

    #[test]
    fn a_pointer_to_a_snap_is_not_a_browser() {
        let error = browser_version(&program("snap-pointer"), PATIENCE).unwrap_err();
        assert!(error.to_string().contains("snap install chromium"), "{error}");
    }

    #[test]
    fn a_program_of_another_kind_is_not_a_browser() {
        let error = browser_version(&program("not-a-browser"), PATIENCE).unwrap_err();
        assert!(matches!(error, ProbeError::NoVersion { .. }), "{error}");
    }

    #[test]
    fn an_endless_answer_is_cut_off() {
        let error = browser_version(&program("endless"), PATIENCE).unwrap_err();
        assert!(matches!(error, ProbeError::Refused { .. }), "{error}");
    }

    #[test]
    fn a_missing_program_is_told_apart() {
        let error = browser_version(Path::new("/nowhere/chromium"), PATIENCE).unwrap_err();
        assert!(matches!(error, ProbeError::Start(_)), "{error}");
    }
}
