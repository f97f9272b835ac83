//! Whether browsers run in their sandbox: what this user and this system permit.

use std::ffi::OsString;
use std::path::Path;
use std::process::{self, Command};
use std::time::Duration;

use crate::error::Error;
use crate::machine::Machine;
use crate::probe::{self, ProbeError};

/// How many times as long a browser may take that did not answer at first: on a cold disk, or beside a build, one start can be slow.
const SECOND_PATIENCE: u32 = 5;

/// The variable by which servers, scanners and tests are told that the browser may do without.
const VARIABLE: &str = "A11YCHECK_NO_SANDBOX";

/// What browsers get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Their sandbox.
    On,
    /// None, for this reason.
    Off(String),
}

impl Sandbox {
    /// Finds out for this user, by a start of the browser where only that can tell.
    ///
    /// # Errors
    ///
    /// [`Error::Start`], and those of [`probed`](Self::probed).
    pub(crate) fn of_caller(machine: &Machine, chromium: &Path) -> Result<Self, Error> {
        if machine.no_sandbox {
            return Ok(Self::Off(format!("{VARIABLE} asks for it")));
        }
        if machine.is_root()? {
            return Ok(Self::Off("this is root, whose browser can't have one".to_owned()));
        }
        Self::probed(machine, || Command::new(chromium))
    }

    /// Finds out by a start of the browser. What `browser` makes begins with its program, or with one that runs it as another user.
    ///
    /// A browser that does not answer says nothing about its sandbox. It is started once more, with more time.
    ///
    /// # Errors
    ///
    /// [`Error::SandboxUnknown`] when it does not answer the second time either.
    pub(crate) fn probed(machine: &Machine, browser: impl Fn() -> Command) -> Result<Self, Error> {
        let mut started = start(machine, browser(), machine.patience);
        if let Err(ProbeError::Silent { patience }) = started {
            eprintln!("    the browser did not answer within {} seconds: trying once more", patience.as_secs());
            started = start(machine, browser(), machine.patience * SECOND_PATIENCE);
        }
        match started {
            Ok(()) => Ok(Self::On),
            Err(source @ ProbeError::Silent { .. }) => Err(Error::SandboxUnknown { source }),
            Err(error) => Ok(Self::Off(format!("the browser does not start in it ({})", in_full(&error)))),
        }
    }

    /// Says so where there is none.
    pub(crate) fn announce(&self) {
        if let Self::Off(reason) = self {
            eprintln!("    the browser runs without its sandbox (--no-sandbox): {reason}");
        }
    }

    /// What a server is started with, beside arguments that may say it already.
    pub(crate) fn flags(&self, arguments: &[OsString]) -> Option<&'static str> {
        const FLAG: &str = "--no-sandbox";
        let is_missing = matches!(self, Self::Off(_)) && !arguments.iter().any(|argument| argument == FLAG);
        is_missing.then_some(FLAG)
    }

    /// Tells a program.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        match self {
            Self::On => command.env_remove(VARIABLE),
            Self::Off(_) => command.env(VARIABLE, "true"),
        }
    }
}

/// Starts the browser without its sandbox: where that fails too, it is not the sandbox that is missing. The inner error says what is.
pub(crate) fn starts_without(machine: &Machine, mut browser: Command) -> Result<(), String> {
    browser.arg("--no-sandbox");
    start(machine, browser, machine.patience * SECOND_PATIENCE).map_err(|error| in_full(&error))
}

fn start(machine: &Machine, browser: Command, patience: Duration) -> Result<(), ProbeError> {
    let profile = machine.temporary.join(format!("a11ycheck-probe-{}-{}", process::id(), patience.as_millis()));
    let started = probe::start(browser, &profile, patience);
    // There is none where the browser did not get that far, and one that stays is a temporary file.
    let _ = std::fs::remove_dir_all(&profile);
    started
}

fn in_full(error: &ProbeError) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;
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
        bench.add("id", "id-user");
        assert_eq!(of(&bench), Sandbox::On);
        assert!(bench.log("chromium")[0].starts_with("--headless"), "it was tried");
    }

    #[test]
    fn where_the_system_forbids_it_the_browsers_own_words_say_why() {
        let bench = Bench::new();
        bench.add("id", "id-user");
        fs::write(bench.programs().join("chromium.unlocked"), "").unwrap();
        let Sandbox::Off(reason) = of(&bench) else { panic!("it has none") };
        assert!(reason.contains("No usable sandbox!") && !reason.contains("bus"), "{reason}");
    }

    /// A slow start says nothing about the sandbox.
    #[test]
    fn a_browser_that_does_not_answer_is_started_once_more_and_is_never_taken_for_one_without_a_sandbox() {
        for (marker, outcome) in [("slow-once", Ok(Sandbox::On)), ("hangs", Err(()))] {
            let bench = Bench::new();
            bench.add("id", "id-user");
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

    /// What lost its parent may stay a zombie for a moment, or for good where nobody collects it.
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
        let bench = Bench::new();
        let machine = Machine { no_sandbox: true, ..bench.machine() };
        assert!(matches!(Sandbox::of_caller(&machine, &program("chromium")).unwrap(), Sandbox::Off(_)));
    }

    #[test]
    fn a_program_is_told_either_way() {
        let mut command = Command::new("x");
        let told =
            |command: &Command| command.get_envs().find(|(name, _)| *name == VARIABLE).unwrap().1.map(Into::into);
        Sandbox::Off(String::new()).pass_to(&mut command);
        assert_eq!(told(&command), Some(OsString::from("true")));
        Sandbox::On.pass_to(&mut command);
        assert_eq!(told(&command), None);
    }
}
