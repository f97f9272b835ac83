//! The user as whom `cargo xtask serve` runs the server where root calls it: Chromium's sandbox does not work for root, and a
//! server has no use for root's rights.
//!
//! Root's checkout may lie where nobody else can look (`/root`), so that user gets copies of the program and of axe-core, beside a
//! folder of its own for what the server keeps.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::shown;
use crate::error::Error;
use crate::machine::Machine;
use crate::sandbox::{self, Sandbox};
use crate::setup::Tools;

/// The user, and the folder of its data. Not `a11ycheck`, which is what an installed server is called: the two share nothing.
const NAME: &str = "a11ycheck-dev";
/// Where the server keeps the key that secrets are sealed with.
const KEY: &str = "sealing.key";
/// Variables of root's own, which say nothing of another user.
const OF_ROOT: [&str; 6] =
    ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "MAIL"];

/// The user, ready to run the server.
#[derive(Debug)]
pub(crate) struct ServiceUser {
    setpriv: PathBuf,
    /// Owned by the user.
    state: PathBuf,
    /// A copy that the user can read.
    program: PathBuf,
    tools: Tools,
    /// What the browser gets when this user runs it.
    sandbox: Sandbox,
}

/// Why there is no such user, in words for people.
pub(crate) type Obstacle = String;

/// The folder in which a server that root has run so keeps its state, if there is one. A server of root itself uses it, too: else
/// the two would seal with different keys.
pub(crate) fn state(machine: &Machine) -> Option<PathBuf> {
    let folder = machine.service_data.join(NAME).join("state");
    folder.is_dir().then_some(folder)
}

impl ServiceUser {
    /// Makes the user and its folders unless they are there, copies the program and axe-core, and tries the browser as that user.
    /// A system that forbids the sandbox is no obstacle: the user then runs the browser without. The inner error says why there is
    /// no such user, or why its browser does not run at all; then the server has to be root's.
    ///
    /// # Errors
    ///
    /// [`Error::Start`], and those of [`Sandbox::probed`].
    pub(crate) fn prepare(machine: &Machine, program: &Path, tools: &Tools) -> Result<Result<Self, Obstacle>, Error> {
        let Some(setpriv) = machine.program("setpriv") else {
            return Ok(Err("setpriv, which runs it as another user, is not installed (package util-linux)".to_owned()));
        };
        let folder = machine.service_data.join(NAME);
        let (copies, state) = (folder.join("bin"), folder.join("state"));
        if !exists(machine)? {
            eprintln!("==> Making the user {NAME}, as whom the server runs: Chromium's sandbox does not work for root");
            let mut useradd = system(machine, "useradd");
            useradd.args([
                "--system",
                "--user-group",
                "--no-create-home",
                "--shell",
                "/usr/sbin/nologin",
                "--home-dir",
            ]);
            if let Err(obstacle) = done(useradd.arg(&state).arg(NAME)) {
                return Ok(Err(obstacle));
            }
        }
        let sandbox = Sandbox::On;
        let (tools_of_user, server) = (user_tools(tools, &copies), copies.join("a11ycheck-server"));
        let mut user = Self { setpriv, program: server, tools: tools_of_user, state, sandbox };
        if let Err(obstacle) = user.furnish(machine, program, tools, &copies) {
            return Ok(Err(obstacle));
        }
        let browser = || user.run(&user.tools.chromium);
        let found = Sandbox::probed(machine, browser)?;
        if matches!(found, Sandbox::Off(_))
            && let Err(obstacle) = sandbox::starts_without(machine, browser())
        {
            return Ok(Err(format!("the browser does not run as the user {NAME} ({obstacle})")));
        }
        user.sandbox = found;
        Ok(Ok(user))
    }

    /// Makes the folders and the copies.
    fn furnish(&self, machine: &Machine, program: &Path, tools: &Tools, copies: &Path) -> Result<(), Obstacle> {
        let folder = |mode: &str, owner: &str, folder: &Path| {
            let mut install = system(machine, "install");
            install.args(["-d", "-m", mode, "-o", owner, "-g", owner]).arg(folder);
            done(&mut install)
        };
        let file = |mode: &str, owner: &str, from: &Path, to: &Path| {
            let mut install = system(machine, "install");
            install.args(["-m", mode, "-o", owner, "-g", owner]).arg(from).arg(to);
            done(&mut install)
        };
        if let Some(parent) = copies.parent() {
            folder("755", "root", parent)?;
        }
        folder("755", "root", copies)?;
        folder("700", NAME, &self.state)?;
        // It replaces the file, and does not write into it: a server that runs keeps its own.
        file("755", "root", program, &self.program)?;
        file("644", "root", &tools.axe, &self.tools.axe)?;
        let key = self.state.join(KEY);
        match fs::symlink_metadata(&key) {
            // Root may have made it, in a run without the sandbox. Nothing is given away but a file that has no second name, so
            // that the user can't get hold of another one by a link.
            Ok(found) if found.is_file() && found.nlink() == 1 => {
                let mut chown = system(machine, "chown");
                done(chown.arg("--no-dereference").arg(format!("{NAME}:{NAME}")).arg(&key))
            }
            Ok(_) => Err(format!("{} is not a file of its own", key.display())),
            Err(_) => match machine.own_state.as_ref().map(|state| state.join(KEY)).filter(|key| key.is_file()) {
                Some(of_root) => {
                    eprintln!("    copying {}, which opens what was sealed before", of_root.display());
                    file("600", NAME, &of_root, &key)
                }
                None => Ok(()),
            },
        }
    }

    /// The server as this user, in the caller's folder.
    pub(crate) fn server(&self, arguments: &[OsString]) -> Command {
        let mut command = self.run(&self.program);
        self.tools.pass_to(&mut command).args(self.sandbox.flags(arguments)).args(arguments);
        command
    }

    /// Says as whom the server runs, and what to do where that is in the way.
    pub(crate) fn announce(&self) {
        self.sandbox.announce();
        eprintln!(
            "    the server runs as the user {NAME}, and keeps its data in {}. Files and ports that you name must be open to that \
             user; --no-sandbox runs all of it as root",
            self.state.display()
        );
    }

    /// A program as this user.
    fn run(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.setpriv);
        command.args([&format!("--reuid={NAME}"), &format!("--regid={NAME}"), "--clear-groups", "--"]).arg(program);
        for name in OF_ROOT {
            command.env_remove(name);
        }
        command.env("HOME", &self.state).env("USER", NAME).env("LOGNAME", NAME).env("STATE_DIRECTORY", &self.state);
        command
    }
}

/// The tools as the user finds them.
fn user_tools(tools: &Tools, copies: &Path) -> Tools {
    Tools { chromium: tools.chromium.clone(), axe: copies.join("axe.min.js") }
}

fn exists(machine: &Machine) -> Result<bool, Error> {
    let program = crate::program::found(machine, "id");
    let asked = Command::new(&program).args(["-u", NAME]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.map(|status| status.success()).map_err(|source| Error::Start { program, source })
}

fn system(machine: &Machine, program: &'static str) -> Command {
    Command::new(machine.system_program(program).unwrap_or_else(|| program.into()))
}

/// Runs it to its end; its own words are on standard error.
fn done(command: &mut Command) -> Result<(), Obstacle> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", shown(command))),
        Err(error) => Err(format!("`{}` could not be run: {error}", shown(command))),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;
    use crate::setup;

    use super::*;

    /// A Debian of root with a server that was built, and what set-up installs.
    fn bench() -> (Bench, Tools, PathBuf) {
        let bench = Bench::debian();
        let tools = setup::run(&bench.machine()).unwrap();
        let program = bench.root().join("built-server");
        fs::write(&program, "server").unwrap();
        (bench, tools, program)
    }

    fn prepare(bench: &Bench, tools: &Tools, program: &Path) -> Result<ServiceUser, Obstacle> {
        ServiceUser::prepare(&bench.machine(), program, tools).unwrap()
    }

    #[test]
    fn root_gets_a_user_of_its_own_with_copies_that_it_can_read_and_a_folder_that_it_owns() {
        let (bench, tools, program) = bench();
        let user = prepare(&bench, &tools, &program).unwrap();
        let data = bench.machine().service_data.join(NAME);
        assert_eq!(fs::read_to_string(data.join("bin/a11ycheck-server")).unwrap(), "server");
        assert!(data.join("bin/axe.min.js").is_file());
        let installed = bench.log("install");
        let state = data.join("state");
        assert!(installed.contains(&format!("-d -m 700 -o {NAME} -g {NAME} {}", state.display())), "{installed:?}");

        let command = user.server(&["--listen".into(), "127.0.0.1:0".into()]);
        let shown = shown(&command);
        assert!(shown.starts_with(&format!("setpriv --reuid={NAME} --regid={NAME} --clear-groups -- ")), "{shown}");
        assert!(shown.ends_with("/bin/a11ycheck-server --listen 127.0.0.1:0"), "{shown}");
        let variable = |name: &str| command.get_envs().find(|(known, _)| *known == name).map(|(_, value)| value);
        assert_eq!(variable("HOME"), Some(Some(state.as_os_str())));
        assert_eq!(variable("STATE_DIRECTORY"), Some(Some(state.as_os_str())));
        assert_eq!(variable("XDG_STATE_HOME"), Some(None), "root's own");
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
        let shown = shown(&user.server(&["--demo".into()]));
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
        let of_root = bench.machine().own_state.unwrap();
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
