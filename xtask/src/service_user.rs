//! The user as whom `cargo xtask serve` runs the server where root calls it: Chromium's sandbox does not work for root, and a
//! server has no use for root's rights.
//!
//! `xtask/tools/service-user.sh` makes that user, with copies of the program and of axe-core.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::started;
use crate::error::Error;
use crate::machine::Machine;
use crate::sandbox::{self, Sandbox};
use crate::tools::Tools;

/// The user, and the folder of its data. Not `a11ycheck`, which is what an installed server is called: the two share nothing.
const NAME: &str = "a11ycheck-dev";
/// Variables of root's own, which say nothing of another user.
const OF_ROOT: [&str; 6] =
    ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "MAIL"];

/// The user, ready to run the server.
#[derive(Debug)]
pub(crate) struct ServiceUser<'machine> {
    machine: &'machine Machine,
    /// Holds the copies, which the user can read.
    programs: PathBuf,
    /// Belongs to the user.
    state: PathBuf,
    chromium: PathBuf,
    sandbox: Sandbox,
}

/// The reason why there is no such user, in words for people.
pub(crate) type Obstacle = String;

/// The folder in which a server that root has run so keeps its state, if there is one. A server of root itself uses it, too: else
/// the two would seal with different keys.
pub(crate) fn state(machine: &Machine) -> Option<PathBuf> {
    let folder = machine.service_data().join(NAME).join("state");
    folder.is_dir().then_some(folder)
}

impl<'machine> ServiceUser<'machine> {
    /// Makes the user and its folders unless they are there, copies the program and axe-core, and tries the browser as that user.
    /// A system that forbids the sandbox is no obstacle: the user then runs the browser without. The inner error says why there is
    /// no such user, or why its browser does not run at all; then the server has to be root's.
    ///
    /// # Errors
    ///
    /// Those of [`Sandbox::probed`].
    pub(crate) fn prepare(
        machine: &'machine Machine,
        program: &Path,
        tools: &Tools,
    ) -> Result<Result<Self, Obstacle>, Error> {
        let folder = machine.service_data().join(NAME);
        let mut script = machine.script("xtask/tools/service-user.sh");
        script.arg(NAME).args([&folder, program, &tools.path("A11YCHECK_AXE")]).stderr(Stdio::inherit());
        let made = script.output();
        let made = started(&script, made)?;
        if !made.status.success() {
            return Ok(Err(String::from_utf8_lossy(&made.stdout).trim_end().to_owned()));
        }
        let (programs, state, chromium) = (folder.join("bin"), folder.join("state"), tools.chromium());
        let mut user = Self { machine, programs, state, chromium, sandbox: Sandbox::On };
        let browser = || user.command(&user.chromium);
        let sandbox = Sandbox::probed(machine, browser)?;
        if matches!(sandbox, Sandbox::Off(_))
            && let Some(reason) = sandbox::reason_not_to_start(machine, browser())?
        {
            return Ok(Err(format!("the browser does not run as the user {NAME} ({reason})")));
        }
        user.sandbox = sandbox;
        Ok(Ok(user))
    }

    /// Returns the server as this user, in the caller's folder, and says as whom it runs. `defaults` go before the caller's
    /// arguments.
    pub(crate) fn server(&self, defaults: &[&str], arguments: &[OsString]) -> Command {
        self.sandbox.announce();
        eprintln!(
            "    the server runs as the user {NAME}, and keeps its data in {}. Files and ports that you name must be open to that \
             user; --no-sandbox runs all of it as root",
            self.state.display()
        );
        let mut command = self.command(&self.programs.join("a11ycheck-server"));
        command.env("A11YCHECK_CHROMIUM", &self.chromium).env("A11YCHECK_AXE", self.programs.join("axe.min.js"));
        command.args(self.sandbox.flags(arguments)).args(defaults).args(arguments);
        command
    }

    /// Returns a program as this user.
    fn command(&self, program: &Path) -> Command {
        let mut command = self.machine.command_as(NAME, program);
        for name in OF_ROOT {
            command.env_remove(name);
        }
        command.env("HOME", &self.state).env("USER", NAME).env("LOGNAME", NAME).env("STATE_DIRECTORY", &self.state);
        command
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::command::shown;
    use crate::fixture::Bench;
    use crate::tools;

    use super::*;

    const KEY: &str = "sealing.key";

    /// A Debian of root with a server that was built, and what set-up installs.
    fn bench() -> (Bench, Tools, PathBuf) {
        let bench = Bench::debian();
        let tools = tools::ensure(&bench.machine(), &tools::OF_SERVER).unwrap();
        let program = bench.root().join("built-server");
        fs::write(&program, "server").unwrap();
        (bench, tools, program)
    }

    fn prepare(bench: &Bench, tools: &Tools, program: &Path) -> Result<ServiceUser<'static>, Obstacle> {
        let machine = Box::leak(Box::new(bench.machine_with("XDG_CACHE_HOME", "/root/cache")));
        ServiceUser::prepare(machine, program, tools).unwrap()
    }

    #[test]
    fn root_gets_a_user_of_its_own_with_copies_that_it_can_read_and_a_folder_that_it_owns() {
        let (bench, tools, program) = bench();
        let user = prepare(&bench, &tools, &program).unwrap();
        let data = bench.machine().service_data().join(NAME);
        assert_eq!(fs::read_to_string(data.join("bin/a11ycheck-server")).unwrap(), "server");
        assert!(data.join("bin/axe.min.js").is_file());
        let installed = bench.log("install");
        let state = data.join("state");
        assert!(installed.contains(&format!("-d -m 700 -o {NAME} -g {NAME} {}", state.display())), "{installed:?}");

        let command = user.server(&["--demo"], &["--listen".into(), "127.0.0.1:0".into()]);
        let shown = shown(&command);
        assert!(shown.starts_with(&format!("setpriv --reuid={NAME} --regid={NAME} --clear-groups -- ")), "{shown}");
        assert!(shown.ends_with("/bin/a11ycheck-server --demo --listen 127.0.0.1:0"), "{shown}");
        let variable = |name: &str| command.get_envs().find(|(known, _)| *known == name).map(|(_, value)| value);
        assert_eq!(variable("HOME"), Some(Some(state.as_os_str())));
        assert_eq!(variable("STATE_DIRECTORY"), Some(Some(state.as_os_str())));
        assert_eq!(variable("XDG_CACHE_HOME"), None, "root's own");
        assert_eq!(variable("A11YCHECK_AXE"), Some(Some(data.join("bin/axe.min.js").as_os_str())));

        prepare(&bench, &tools, &program).unwrap();
        assert_eq!(bench.log("useradd").len(), 1, "the user is made once");
    }

    #[test]
    fn where_the_system_forbids_the_sandbox_the_user_runs_the_server_all_the_same_and_does_without() {
        let (bench, tools, program) = bench();
        fs::write(bench.programs().join("chromium-headless-shell.unlocked"), "").unwrap();
        let user = prepare(&bench, &tools, &program).unwrap();
        assert!(bench.log("setpriv").iter().any(|line| line.contains("--dump-dom")), "{:?}", bench.log("setpriv"));
        let Sandbox::Off(reason) = &user.sandbox else { panic!("it has none") };
        assert!(reason.contains("No usable sandbox!"), "{reason}");
        let shown = shown(&user.server(&["--demo"], &[]));
        assert!(shown.starts_with("setpriv --reuid=a11ycheck-dev"), "{shown}");
        assert!(shown.ends_with("/bin/a11ycheck-server --no-sandbox --demo"), "{shown}");
    }

    #[test]
    fn a_browser_that_does_not_run_as_that_user_is_not_one_without_a_sandbox() {
        let (bench, tools, program) = bench();
        fs::write(bench.programs().join("chromium-headless-shell.broken"), "").unwrap();
        let obstacle = prepare(&bench, &tools, &program).unwrap_err();
        assert!(obstacle.contains("libnss3.so"), "{obstacle}");
    }

    #[test]
    fn a_machine_that_makes_no_user_is_told_of_and_no_reason_to_stop() {
        let (bench, tools, program) = bench();
        bench.withhold("useradd");
        let obstacle = prepare(&bench, &tools, &program).unwrap_err();
        assert!(obstacle.contains("useradd") && obstacle.contains("exit status: 1"), "{obstacle}");
        bench.remove("setpriv");
        assert!(prepare(&bench, &tools, &program).unwrap_err().contains("setpriv"));
    }

    #[test]
    fn secrets_that_were_sealed_by_servers_of_root_can_be_opened_still() {
        let (bench, tools, program) = bench();
        let of_root = bench.home().join(".local/state/a11ycheck");
        fs::create_dir_all(&of_root).unwrap();
        fs::write(of_root.join(KEY), "root's").unwrap();
        let user = prepare(&bench, &tools, &program).unwrap();
        assert_eq!(fs::read_to_string(user.state.join(KEY)).unwrap(), "root's");
        let copied = format!("-m 600 -o {NAME} -g {NAME} {}", of_root.join(KEY).display());
        assert!(bench.log("install").iter().any(|line| line.starts_with(&copied)), "{:?}", bench.log("install"));

        // One that is there stays, and belongs to the user even where root has made it.
        fs::write(user.state.join(KEY), "the user's").unwrap();
        prepare(&bench, &tools, &program).unwrap();
        assert_eq!(fs::read_to_string(user.state.join(KEY)).unwrap(), "the user's");
        let owned = format!("--no-dereference {NAME}:{NAME} {}", user.state.join(KEY).display());
        assert!(bench.log("chown").contains(&owned), "{:?}", bench.log("chown"));
    }

    #[test]
    fn no_file_is_given_away_through_a_link() {
        let (bench, tools, program) = bench();
        let user = prepare(&bench, &tools, &program).unwrap();
        let shadow = bench.root().join("shadow");
        fs::write(&shadow, "").unwrap();
        std::os::unix::fs::symlink(&shadow, user.state.join(KEY)).unwrap();
        assert!(prepare(&bench, &tools, &program).unwrap_err().contains(KEY));
        fs::remove_file(user.state.join(KEY)).unwrap();
        fs::hard_link(&shadow, user.state.join(KEY)).unwrap();
        assert!(prepare(&bench, &tools, &program).unwrap_err().contains(KEY));
        assert_eq!(bench.log("chown"), [] as [&str; 0]);
    }
}
