//! Whether browsers run in their sandbox: what this user and this system permit.

use std::path::Path;
use std::process::{self, Command};

use crate::error::Error;
use crate::machine::Machine;
use crate::probe::sandboxed_start;

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
    /// [`Error::Start`].
    pub(crate) fn of_caller(machine: &Machine, chromium: &Path) -> Result<Self, Error> {
        if machine.no_sandbox {
            return Ok(Self::Off(format!("{VARIABLE} asks for it")));
        }
        if machine.is_root()? {
            return Ok(Self::Off("this is root, whose browser can't have one".to_owned()));
        }
        Ok(Self::probed(machine, Command::new(chromium)))
    }

    /// Finds out by a start of the browser. `browser` begins with its program, or with one that runs it as another user.
    pub(crate) fn probed(machine: &Machine, browser: Command) -> Self {
        let profile = machine.temporary.join(format!("a11ycheck-probe-{}", process::id()));
        let started = sandboxed_start(browser, &profile);
        // There is none where the browser came to nothing, and one that stays is a temporary file.
        let _ = std::fs::remove_dir_all(&profile);
        match started {
            Ok(()) => Self::On,
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Self::Off(format!("the browser does not start in it ({error}{cause})"))
            }
        }
    }

    /// Says so where there is none.
    pub(crate) fn announce(&self) {
        if let Self::Off(reason) = self {
            eprintln!("    the browser runs without its sandbox (--no-sandbox): {reason}");
        }
    }

    /// Tells a program.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        match self {
            Self::On => command.env_remove(VARIABLE),
            Self::Off(_) => command.env(VARIABLE, "true"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert_eq!(told(&command), Some(std::ffi::OsString::from("true")));
        Sandbox::On.pass_to(&mut command);
        assert_eq!(told(&command), None);
    }
}
