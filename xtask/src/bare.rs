//! `cargo xtask test --bare`: the README's two commands in a new Debian, where nothing else of this machine can help them.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::apt::Apt;
use crate::command::run as run_command;
use crate::error::Error;
use crate::machine::Machine;
use crate::{program, tools};

/// Makes a folder and namespaces, and removes them.
const OUTSIDE: &str = include_str!("../bare/bare.sh");
/// Makes the Debian and runs the commands.
const INSIDE: &str = include_str!("../bare/debian.sh");

/// Programs of this machine that are needed, with Debian's packages of them.
const PROGRAMS: [(&str, &str); 4] =
    [("debootstrap", "debootstrap"), ("git", "git"), ("curl", "curl"), ("unshare", "util-linux")];

/// Clones the last commit into a new Debian that has git and a C compiler, and runs `cargo xtask test` and
/// `cargo xtask serve` there, with this machine's toolchain and downloads of cargo.
///
/// Whatever happens to this process, nothing is left running, mounted or on the disk.
///
/// # Errors
///
/// [`Error::BareNotRoot`], [`Error::BareToolchain`], [`Error::Failed`], [`Error::Bare`], [`Error::Start`], and those of
/// [`program::ensure`] and [`tools::ensure`].
pub(crate) fn run(machine: &Machine) -> Result<(), Error> {
    let begun = Instant::now();
    if !machine.is_root()? {
        return Err(Error::BareNotRoot);
    }
    let mut apt = Apt::find(machine);
    for (program, package) in PROGRAMS {
        program::ensure(machine, apt.as_mut(), program, package)?;
    }
    let toolchain = toolchain(machine)?;
    warn_of_changes(machine)?;
    // The Debian downloads no crate: whatever is missing is fetched here, for all platforms, because licences are those of all.
    let mut fetch = Command::new(&machine.cargo);
    fetch.args(["fetch", "--locked"]).current_dir(&machine.root);
    let status = run_command(&mut fetch)?;
    if !status.success() {
        return Err(Error::Failed { command: crate::command::shown(&fetch), status });
    }

    // It gets a copy: to compile one takes crates that are not among the workspace's.
    tools::ensure(machine, &["deny"])?;

    let mut command = outside(machine, &toolchain);
    let started = |source| Error::Start { program: "sh".into(), source };
    let mut child = command.spawn().map_err(started)?;
    // Waiting would close it, and the script ends when it is closed.
    let pipe = child.stdin.take();
    let status = child.wait().map_err(started)?;
    drop(pipe);
    if !status.success() {
        return Err(Error::Bare { status });
    }
    eprintln!("==> Both commands work in a bare Debian; {} s in all", begun.elapsed().as_secs());
    Ok(())
}

fn outside(machine: &Machine, toolchain: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", OUTSIDE, "bare.sh", INSIDE]).arg(program::found(machine, "unshare"));
    command.arg(&machine.root).arg(toolchain).arg(&machine.cargo_home).stdin(Stdio::piped());
    // Ctrl-C is for us: the rest goes when we have gone, by the end of its input.
    command.process_group(0);
    command
}

/// The folder that holds the toolchain and nothing else.
fn toolchain(machine: &Machine) -> Result<PathBuf, Error> {
    let folder = PathBuf::from(rustc(machine, "sysroot")?);
    let is_shared = ["/", "/usr", "/usr/local"].iter().any(|shared| folder == Path::new(shared));
    if is_shared || !folder.join("bin/cargo").is_file() { Err(Error::BareToolchain { folder }) } else { Ok(folder) }
}

/// What the compiler says of itself.
fn rustc(machine: &Machine, what: &str) -> Result<String, Error> {
    let rustc = machine.cargo.with_file_name("rustc");
    let shown = answer(Command::new(rustc).args(["--print", what]).current_dir(&machine.root))?;
    Ok(shown.trim_end().to_owned())
}

fn warn_of_changes(machine: &Machine) -> Result<(), Error> {
    let mut git = Command::new(program::found(machine, "git"));
    let changed = answer(git.args(["status", "--porcelain"]).current_dir(&machine.root))?;
    let count = changed.lines().count();
    if count > 0 {
        eprintln!(
            "    {count} files have changes that are not committed: what is run is the last commit, without them"
        );
    }
    Ok(())
}

/// What a program says on standard output.
fn answer(command: &mut Command) -> Result<String, Error> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|source| Error::Start { program: command.get_program().into(), source })?;
    if !output.status.success() {
        // Its own words say more than the status; there is nothing to be done if they can't be passed on.
        let _ = std::io::stderr().write_all(&output.stderr);
        return Err(Error::Failed { command: crate::command::shown(command), status: output.status });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::fixture::Bench;

    use super::*;

    /// A machine of root with everything but debootstrap, whose `unshare` makes a file and keeps a log.
    fn bench() -> Bench {
        let bench = Bench::debian();
        bench.add_tools();
        for (name, fixture) in
            [("git", "git"), ("curl", "says-nothing"), ("unshare", "unshare"), ("cargo", "cargo"), ("rustc", "rustc")]
        {
            bench.add(name, fixture);
        }
        fs::create_dir(bench.programs().join("bin")).unwrap();
        fs::write(bench.programs().join("bin/cargo"), "").unwrap();
        bench
    }

    /// How many Debians lie in the folder for what is built.
    fn left(bench: &Bench) -> usize {
        let is_debian = |entry: &std::io::Result<fs::DirEntry>| {
            entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("bare-"))
        };
        fs::read_dir(bench.root().join("target")).map_or(0, |entries| entries.filter(is_debian).count())
    }

    #[test]
    fn the_debian_is_made_in_namespaces_of_its_own_and_its_folder_is_removed() {
        let bench = bench();
        run(&bench.machine()).unwrap();
        let log = bench.log("unshare");
        let [namespaces, folder, workspace, toolchain, cargo_home] = &log[..] else { panic!("{log:?}") };
        assert_eq!(namespaces, "--mount --pid --fork --kill-child=KILL sh -c");
        assert!(folder.starts_with(&format!("{}/target/bare-", bench.root().display())), "{folder}");
        assert_eq!(*workspace, bench.root().to_string_lossy());
        assert_eq!(*toolchain, bench.programs().to_string_lossy());
        assert_eq!(*cargo_home, bench.machine().cargo_home.to_string_lossy());
        assert_eq!(left(&bench), 0);
    }

    #[test]
    fn debootstrap_is_installed_by_name() {
        let bench = bench();
        run(&bench.machine()).unwrap();
        assert!(bench.log("apt-get").last().unwrap().ends_with("install -y --no-install-recommends debootstrap"));
    }

    #[test]
    fn a_command_that_fails_there_fails_here_and_leaves_nothing() {
        let bench = bench();
        bench.withhold("unshare");
        let error = run(&bench.machine()).unwrap_err();
        assert!(matches!(error, Error::Bare { .. }), "{error}");
        assert_eq!(left(&bench), 0);
    }

    #[test]
    fn whoever_is_killed_while_it_runs_leaves_no_process_and_no_folder() {
        let bench = bench();
        fs::write(bench.programs().join("unshare.hangs"), "").unwrap();
        let machine = bench.machine();
        let mut child = outside(&machine, Path::new("/toolchain")).spawn().unwrap();
        let is_there = bench.programs().join("unshare.pid");
        while !is_there.is_file() {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(left(&bench), 1);
        // As it happens when we are killed: our end of the pipe is closed.
        drop(child.stdin.take());
        assert!(!child.wait().unwrap().success());
        assert_eq!(left(&bench), 0);
        let pid = fs::read_to_string(is_there).unwrap();
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid} still runs");
    }

    #[test]
    fn an_ordinary_user_is_told_before_anything_is_installed() {
        let bench = bench();
        bench.remove("id");
        bench.add("id", "id-user");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::BareNotRoot));
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn a_toolchain_among_the_systems_programs_is_refused() {
        let bench = bench();
        fs::remove_file(bench.programs().join("bin/cargo")).unwrap();
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::BareToolchain { .. }));
    }
}
