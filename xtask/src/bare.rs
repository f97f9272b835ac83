//! `cargo xtask test --bare`: the README's two commands in a new Debian, where nothing else of this machine can help them.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::command::started;
use crate::error::Error;
use crate::machine::Machine;

/// Makes a folder and namespaces, and removes them.
const OUTSIDE: &str = include_str!("../bare/bare.sh");
/// Makes the Debian and runs the commands.
const INSIDE: &str = include_str!("../bare/debian.sh");

/// What is run in the Debian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Story {
    /// `cargo xtask test`, then `cargo xtask serve`
    Commands,
    /// The two commands with which somebody checks a site from a terminal for the first time
    FirstRun,
}

impl Story {
    /// Returns the word of the scripts.
    const fn word(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::FirstRun => "first-run",
        }
    }
}

/// Clones the last commit into a new Debian that has git and a C compiler, and runs `cargo xtask test` and
/// `cargo xtask serve` there, or installs the command line there from our packages as they would be published, and checks a page with it;
/// with this machine's toolchain and downloads of cargo.
///
/// Whatever happens to this process, nothing is left running, mounted or on the disk.
///
/// # Errors
///
/// [`Error::Failed`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine, story: Story) -> Result<(), Error> {
    let mut script = outside(machine, story);
    let child = script.spawn();
    let mut child = started(&script, child)?;
    // Waiting would close it, and the script ends when it is closed.
    let pipe = child.stdin.take();
    let status = started(&script, child.wait())?;
    drop(pipe);
    if status.success() { Ok(()) } else { Err(Error::Failed { command: "bare.sh".to_owned(), status }) }
}

fn outside(machine: &Machine, story: Story) -> Command {
    let mut command = machine.command("sh");
    command
        .args(["-c", OUTSIDE, "bare.sh", INSIDE])
        .arg(&machine.root)
        .arg(machine.cargo().get_program())
        .arg(story.word());
    // Ctrl-C is for us: the rest goes when we have gone, by the end of its input.
    command.stdin(Stdio::piped()).process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use crate::fixture::Bench;

    use super::*;

    /// A machine of root with everything but debootstrap, whose `unshare` makes a file and keeps a log.
    fn bench() -> Bench {
        let bench = Bench::debian();
        for (name, fixture) in
            [("git", "git"), ("curl", "says-nothing"), ("unshare", "unshare"), ("cargo", "cargo"), ("rustc", "rustc")]
        {
            bench.add(name, fixture);
        }
        fs::create_dir(bench.programs().join("bin")).unwrap();
        fs::write(bench.programs().join("bin/cargo"), "").unwrap();
        bench
    }

    /// Counts the Debians in the target folder.
    fn left(bench: &Bench) -> usize {
        let is_debian = |entry: &std::io::Result<fs::DirEntry>| {
            entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("bare-"))
        };
        fs::read_dir(bench.root().join("target")).map_or(0, |entries| entries.filter(is_debian).count())
    }

    #[test]
    fn the_debian_is_made_in_namespaces_of_its_own_and_its_folder_is_removed() {
        let bench = bench();
        run(&bench.machine(), Story::Commands).unwrap();
        let log = bench.log("unshare");
        let [namespaces, folder, workspace, toolchain, cargo_home, story, ..] = &log[..] else { panic!("{log:?}") };
        assert_eq!(namespaces, "--mount --pid --fork --kill-child=KILL sh -c");
        assert!(folder.starts_with(&format!("{}/target/bare-", bench.root().display())), "{folder}");
        assert_eq!(*workspace, bench.root().to_string_lossy());
        assert_eq!(*toolchain, bench.programs().to_string_lossy());
        assert_eq!(*cargo_home, bench.home().join(".cargo").to_string_lossy());
        assert_eq!(story, "commands");
        assert_eq!(left(&bench), 0);
    }

    #[test]
    fn debootstrap_is_installed_by_name() {
        let bench = bench();
        run(&bench.machine(), Story::Commands).unwrap();
        assert!(bench.log("apt-get").last().unwrap().ends_with("install -y --no-install-recommends debootstrap"));
    }

    #[test]
    fn a_command_that_fails_there_fails_here_and_leaves_nothing() {
        let bench = bench();
        bench.withhold("unshare");
        let error = run(&bench.machine(), Story::Commands).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert_eq!(left(&bench), 0);
    }

    #[test]
    fn whoever_is_killed_while_it_runs_leaves_no_process_and_no_folder() {
        let bench = bench();
        fs::write(bench.programs().join("unshare.hangs"), "").unwrap();
        let machine = bench.machine();
        let mut child = outside(&machine, Story::Commands).spawn().unwrap();
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
        bench.become_user("id-user");
        assert!(matches!(run(&bench.machine(), Story::Commands).unwrap_err(), Error::Failed { .. }));
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn a_toolchain_among_the_systems_programs_is_refused() {
        let bench = bench();
        fs::remove_file(bench.programs().join("bin/cargo")).unwrap();
        assert!(matches!(run(&bench.machine(), Story::Commands).unwrap_err(), Error::Failed { .. }));
        assert_eq!(bench.log("unshare"), [] as [&str; 0], "no Debian was made");
    }
}
