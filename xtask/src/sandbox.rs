//! Finds out if browsers run in their sandbox: what this user and this system permit.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, thread};

use wait_timeout::ChildExt;

use crate::command::{leashed, started};
use crate::error::Error;
use crate::machine::Machine;

/// A browser that did not answer at first has this many times as long: on a cold disk, or beside a build, one start can be slow.
const SECOND_PATIENCE: u32 = 5;

/// Enough of what a browser says before it gives up.
const MAX_ANSWER_BYTES: u64 = 4096;

/// The variable by which servers, scanners and tests learn that the browser may do without.
const VARIABLE: &str = "A11YCHECK_NO_SANDBOX";

/// The sandbox of browsers, or its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// They have it.
    On,
    /// They have none, for this reason.
    Off(String),
}

impl Sandbox {
    /// Finds out for this user, by a start of the browser where only that can show it.
    ///
    /// # Errors
    ///
    /// Those of [`probed`](Self::probed).
    pub(crate) fn of_caller(machine: &Machine, chromium: &Path) -> Result<Self, Error> {
        if asks_for_none(machine) {
            return Ok(Self::Off(format!("{VARIABLE} asks for it")));
        }
        if machine.is_root() {
            return Ok(Self::Off("this is root, whose browser can't have one".to_owned()));
        }
        Self::probed(machine, || machine.command(chromium))
    }

    /// Finds out by a start of the browser. What `browser` makes begins with its program, or with one that runs it as another user.
    ///
    /// A browser that does not answer says nothing about its sandbox. It is started once more, with more time.
    ///
    /// # Errors
    ///
    /// [`Error::SandboxUnknown`] when it does not answer the second time either, and [`Error::Start`].
    pub(crate) fn probed(machine: &Machine, browser: impl Fn() -> Command) -> Result<Self, Error> {
        let mut start = start(machine, browser(), machine.patience)?;
        if start == Start::Silent {
            eprintln!("    the browser did not answer within {} seconds: trying once more", machine.patience.as_secs());
            start = self::start(machine, browser(), machine.patience * SECOND_PATIENCE)?;
        }
        match start {
            Start::Opened => Ok(Self::On),
            Start::Refused(reason) => Ok(Self::Off(format!("the browser does not start in it ({reason})"))),
            Start::Silent => Err(Error::SandboxUnknown { patience: machine.patience * SECOND_PATIENCE }),
        }
    }

    /// Says so where there is none.
    pub(crate) fn announce(&self) {
        if let Self::Off(reason) = self {
            eprintln!("    the browser runs without its sandbox (--no-sandbox): {reason}");
        }
    }

    /// The flag that a server is started with, beside arguments that may hold it already.
    pub(crate) fn flags(&self, arguments: &[OsString]) -> Option<&'static str> {
        const FLAG: &str = "--no-sandbox";
        let is_missing = matches!(self, Self::Off(_)) && !arguments.iter().any(|argument| argument == FLAG);
        is_missing.then_some(FLAG)
    }

    /// Sets or removes the variable for a program.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        match self {
            Self::On => command.env_remove(VARIABLE),
            Self::Off(_) => command.env(VARIABLE, "true"),
        }
    }
}

/// Says if the caller wants browsers to do without.
pub(crate) fn asks_for_none(machine: &Machine) -> bool {
    machine.variable(VARIABLE).is_some_and(|value| value == "true")
}

/// Starts the browser without its sandbox, and returns the reason if that fails, too: then it is not the sandbox that is missing.
///
/// # Errors
///
/// [`Error::Start`].
pub(crate) fn reason_not_to_start(machine: &Machine, mut browser: Command) -> Result<Option<String>, Error> {
    browser.arg("--no-sandbox");
    match start(machine, browser, machine.patience * SECOND_PATIENCE)? {
        Start::Opened => Ok(None),
        Start::Refused(reason) => Ok(Some(reason)),
        Start::Silent => Ok(Some("it opened no page within the time allowed".to_owned())),
    }
}

/// The outcome of a browser's start.
#[derive(Debug, PartialEq, Eq)]
enum Start {
    /// It opened a page.
    Opened,
    /// It ended, and this is what it said of it.
    Refused(String),
    /// It was still busy after the time allowed, and was stopped.
    Silent,
}

/// Has a browser open an empty page, in about `patience` at most. It does not start without its sandbox unless its arguments say so.
fn start(machine: &Machine, mut browser: Command, patience: Duration) -> Result<Start, Error> {
    let temporary = machine.variable("TMPDIR").map_or_else(env::temp_dir, PathBuf::from);
    let profile = temporary.join(format!("a11ycheck-probe-{}-{}", process::id(), patience.as_millis()));
    browser.args(["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
    browser.arg(format!("--user-data-dir={}", profile.display())).args(["--dump-dom", "about:blank"]);
    // Debian's browser is a script that waits for the program, which would outlive it.
    let asked = ask(leashed(&browser), patience);
    // There is none where the browser did not get that far, and one that stays is a temporary file.
    let _ = fs::remove_dir_all(&profile);
    started(&browser, asked)
}

fn ask(mut command: Command, patience: Duration) -> io::Result<Start> {
    let (reader, writer) = io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // Its copies of the pipe's end would keep the answer from ending.
    drop(command);
    // Read aside, because something that the browser has left behind could hold the pipe open.
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = reader.take(MAX_ANSWER_BYTES).read_to_end(&mut text);
        // Nobody waits for it any more when the time is up.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&text).into_owned()));
    });
    let leash = child.stdin.take();
    let ended = child.wait_timeout(patience)?;
    // Ends whatever still runs.
    drop(leash);
    let Some(status) = ended else {
        child.kill()?;
        child.wait()?;
        return Ok(Start::Silent);
    };
    let Ok(answer) = answer.recv_timeout(patience) else { return Ok(Start::Silent) };
    let answer = answer?;
    if status.success() {
        return Ok(Start::Opened);
    }
    let is_cause = |line: &&str| ["sandbox", "namespace"].iter().any(|word| line.contains(word));
    let line = answer.lines().find(is_cause).or_else(|| answer.lines().find(|line| !line.trim().is_empty()));
    let line: String = line.unwrap_or("it said nothing").trim().chars().take(300).collect();
    Ok(Start::Refused(format!("it ended with {status}: {line}")))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crate::fixture::{Bench, program};

    use super::*;

    fn of(bench: &Bench) -> Sandbox {
        bench.add("chromium", "chromium");
        Sandbox::of_caller(&bench.machine(), &bench.programs().join("chromium")).unwrap()
    }

    #[test]
    fn a_user_whose_browser_starts_in_its_sandbox_has_it() {
        let bench = Bench::new();
        assert_eq!(of(&bench), Sandbox::On);
        assert!(bench.log("chromium")[0].starts_with("--headless"), "it was tried");
    }

    #[test]
    fn where_the_system_forbids_it_the_browsers_own_words_say_why() {
        let bench = Bench::new();
        fs::write(bench.programs().join("chromium.unlocked"), "").unwrap();
        let Sandbox::Off(reason) = of(&bench) else { panic!("it has none") };
        assert!(reason.contains("No usable sandbox!") && !reason.contains("bus"), "{reason}");
    }

    /// A slow start says nothing about the sandbox.
    #[test]
    fn a_browser_that_does_not_answer_is_started_once_more_and_is_never_taken_for_one_without_a_sandbox() {
        for (marker, outcome) in [("slow-once", Ok(Sandbox::On)), ("hangs", Err(()))] {
            let bench = Bench::new();
            bench.add("chromium", "chromium");
            fs::write(bench.programs().join(format!("chromium.{marker}")), "").unwrap();
            let machine = Machine { patience: Duration::from_millis(400), ..bench.machine() };
            let found = Sandbox::of_caller(&machine, &bench.programs().join("chromium"));
            assert_eq!(bench.log("chromium").len(), 2, "{marker}");
            if let Err(error) = &found {
                assert!(error.to_string().contains("A11YCHECK_NO_SANDBOX"), "{error}");
            }
            assert_eq!(found.map_err(|_| ()), outcome, "{marker}");
            for pid in fs::read_to_string(bench.programs().join("chromium.pids")).unwrap_or_default().lines() {
                let deadline = Instant::now() + Duration::from_secs(30);
                while !is_ended(pid) {
                    assert!(Instant::now() < deadline, "{pid} was left behind");
                    thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }

    /// A process that lost its parent may stay a zombie for a moment, or for good where nobody collects it.
    fn is_ended(pid: &str) -> bool {
        fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
    }

    #[test]
    fn root_has_none_and_no_browser_is_started_to_find_out() {
        let bench = Bench::debian();
        assert!(matches!(of(&bench), Sandbox::Off(_)));
        assert_eq!(bench.log("chromium"), [] as [&str; 0]);
    }

    #[test]
    fn who_asks_to_do_without_is_not_contradicted() {
        let machine = Bench::new().machine_with(VARIABLE, "true");
        assert!(matches!(Sandbox::of_caller(&machine, &program("chromium")).unwrap(), Sandbox::Off(_)));
    }

    #[test]
    fn a_program_gets_the_choice_either_way() {
        let mut command = Command::new("x");
        let value =
            |command: &Command| command.get_envs().find(|(name, _)| *name == VARIABLE).unwrap().1.map(Into::into);
        Sandbox::Off(String::new()).pass_to(&mut command);
        assert_eq!(value(&command), Some(OsString::from("true")));
        Sandbox::On.pass_to(&mut command);
        assert_eq!(value(&command), None);
    }
}
