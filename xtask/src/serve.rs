//! `cargo xtask serve`: sets up, builds the server and becomes it.

use std::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command::shown;
use crate::error::Error;
use crate::machine::Machine;
use crate::setup::{self, Tools};

const PROGRAM: &str = "a11ycheck-server";
/// A program that is built along, because it needs what tests need: see [`build`].
const EXAMPLE: &str = "embed";

/// Replaces this process by the server, so that Ctrl-C and `SIGTERM` reach it and its exit code is ours.
///
/// The server starts in the caller's folder: relative paths among its arguments mean what the caller sees.
///
/// # Errors
///
/// Those of [`setup::run`], [`Error::ServerBuild`], [`Error::ServerUnnamed`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine, arguments: &[OsString]) -> Result<Infallible, Error> {
    let tools = setup::run(machine)?;
    let program = build(machine)?;
    let mut server = server(&program, &tools, arguments);
    eprintln!("==> Starting {}", shown(&server));
    let source = server.exec();
    Err(Error::Start { program, source })
}

/// Builds the server and gives its path, which only cargo knows (target folder, profile and triple can be configured).
///
/// Dependencies get the features of all that is selected. The whole workspace is, and an example for the sake of what tests
/// depend on, so that the features are those of `cargo test --workspace`: whoever has run the tests waits for nothing here, where
/// the server's package alone would compile some 70 units of dependencies once more.
pub(crate) fn build(machine: &Machine) -> Result<PathBuf, Error> {
    let mut cargo = Command::new(&machine.cargo);
    cargo.args(["build", "--workspace", "--bin", PROGRAM, "--example", EXAMPLE]);
    cargo.arg("--message-format=json-render-diagnostics");
    cargo.current_dir(&machine.root).stderr(Stdio::inherit());
    eprintln!("==> Building the server: {}", shown(&cargo));
    let built = cargo.output().map_err(|source| Error::Start { program: machine.cargo.clone(), source })?;
    if !built.status.success() {
        return Err(Error::ServerBuild { status: built.status });
    }
    executable(&String::from_utf8_lossy(&built.stdout)).ok_or(Error::ServerUnnamed)
}

fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok()).find_map(|message: Value| {
        let path = message["executable"].as_str()?;
        (message["target"]["name"] == PROGRAM).then(|| path.into())
    })
}

fn server(program: &Path, tools: &Tools, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    tools.pass_to(&mut command).args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_server_is_the_one_cargo_reports() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"a11ycheck_core"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"a11ycheck-server"},"executable":"/b/debug/a11ycheck-server"}"#,
            "\nnot json\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages), Some("/b/debug/a11ycheck-server".into()));
        assert_eq!(executable(""), None);
    }

    #[test]
    fn the_server_gets_every_argument_and_the_tools() {
        let tools = Tools { chromium: "/b/chromium".into(), axe: "/b/axe.min.js".into() };
        let command = server(Path::new("/b/server"), &tools, &["--listen".into(), "127.0.0.1:0".into()]);
        assert_eq!(shown(&command), "server --listen 127.0.0.1:0");
        let environment: Vec<_> = command.get_envs().collect();
        assert_eq!(
            environment,
            [
                ("A11YCHECK_AXE".as_ref(), Some("/b/axe.min.js".as_ref())),
                ("A11YCHECK_CHROMIUM".as_ref(), Some("/b/chromium".as_ref())),
            ]
        );
    }
}
