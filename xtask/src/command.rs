//! Runs other programs, and says so first.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::Error;

/// Announces the command, and runs it to its end with our own input and output.
///
/// # Errors
///
/// [`Error::Start`], and [`Error::Failed`] when it ends otherwise than well.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    eprintln!("    running {}", shown(command));
    let status = command.status();
    let status = started(command, status)?;
    if status.success() { Ok(()) } else { Err(Error::Failed { command: shown(command), status }) }
}

/// Runs the command to its end and returns what it says on standard output.
///
/// # Errors
///
/// Those of [`run`].
pub(crate) fn answer(command: &mut Command) -> Result<String, Error> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = started(command, output)?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::Failed { command: shown(command), status: output.status })
    }
}

/// Names the program in the error of its start.
///
/// # Errors
///
/// [`Error::Start`].
pub(crate) fn started<T>(command: &Command, outcome: io::Result<T>) -> Result<T, Error> {
    outcome.map_err(|source| Error::Start { program: command.get_program().into(), source })
}

/// Becomes the program that its arguments name, whose process group is ended when standard input is.
///
/// The pipe's other end is ours. It is closed when we close it and when we end, for whatever reason. The group is then ended with
/// everything that the program has started; the program itself reads nothing.
const LEASH: &str = r#"exec 3<&0 </dev/null; { cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&-"#;

/// Returns the command in a process group of its own. It ends, with all that it has started, when its standard input is dropped or
/// this process ends. A program that does not exist ends with status 127, as in any shell. Of a command of the
/// [`Machine`](crate::machine::Machine) the program, the arguments and the environment are carried over.
pub(crate) fn leashed(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args([OsString::from("-c"), LEASH.into(), "leash".into(), command.get_program().into()]);
    shell.args(command.get_args()).stdin(Stdio::piped()).process_group(0);
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    shell.env_clear().envs(variables);
    shell
}

/// The command as one would type it: the program without its folder, and nothing quoted.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = [name].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;
    use std::time::{Duration, Instant};

    use crate::machine::Machine;

    use super::*;

    #[test]
    fn a_command_on_a_leash_ends_with_its_children_when_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Machine::here().command("sh");
        command
            .args(["-c", "cd \"$FOLDER\"; sleep 600 & echo $! > pid.new; mv pid.new pid; wait"])
            .env("FOLDER", folder.path());
        let mut child = leashed(&command).spawn().unwrap();
        let pid = folder.path().join("pid");
        let deadline = Instant::now() + Duration::from_secs(30);
        let in_time = |what: &dyn Fn() -> bool| {
            while !what() {
                assert!(Instant::now() < deadline);
                thread::sleep(Duration::from_millis(10));
            }
        };
        in_time(&|| pid.is_file());
        let child_of_child = fs::read_to_string(&pid).unwrap().trim().to_owned();
        drop(child.stdin.take());
        assert!(!child.wait().unwrap().success());
        // It may be left as a zombie where nobody collects what lost its parent.
        let stat = format!("/proc/{child_of_child}/stat");
        in_time(&|| fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")));
    }

    #[test]
    fn a_command_on_a_leash_gives_its_own_status_and_reads_nothing() {
        let mut command = Machine::here().command("sh");
        command.args(["-c", "read line && exit 1; exit $CODE"]).env("CODE", "7");
        let mut child = leashed(&command).spawn().unwrap();
        let pipe = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(7));
        drop(pipe);
    }
}
