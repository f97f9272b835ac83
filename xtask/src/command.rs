//! Runs other programs, and says so first.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::error::Error;

/// Announces the command, runs it to its end with our own input and output, and gives how it ended.
pub(crate) fn run(command: &mut Command) -> Result<ExitStatus, Error> {
    eprintln!("    running {}", shown(command));
    command.status().map_err(|source| Error::Start { program: command.get_program().into(), source })
}

/// Becomes the program that its arguments name, whose process group is ended when standard input is.
///
/// The pipe's other end is ours. It is closed when we close it and when we end, for whatever reason. The group is then ended with
/// everything that the program has started; the program itself reads nothing.
const LEASH: &str = r#"exec 3<&0 </dev/null; { cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&-"#;

/// The command in a process group of its own. It ends, with all that it has started, when its standard input is dropped or this
/// process ends. A program that does not exist ends with status 127, as in any shell. Where its output goes is not carried over.
pub(crate) fn leashed(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args([OsString::from("-c"), LEASH.into(), "leash".into(), command.get_program().into()]);
    shell.args(command.get_args()).stdin(Stdio::piped()).process_group(0);
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
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

    use super::*;

    #[test]
    fn a_command_on_a_leash_ends_with_its_children_when_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $! > pid.new; mv pid.new pid; wait"]).current_dir(folder.path());
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
        let mut command = Command::new("sh");
        command.args(["-c", "read line && exit 1; exit $CODE"]).env("CODE", "7");
        let mut child = leashed(&command).spawn().unwrap();
        let pipe = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(7));
        drop(pipe);
    }
}
