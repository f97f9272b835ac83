//! `cargo xtask serve`: sets up, builds the server and becomes it.

use std::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{answer, shown};
use crate::error::Error;
use crate::machine::Machine;
use crate::sandbox::{self, Sandbox};
use crate::service_user::{self, ServiceUser};
use crate::tools::{self, Tools};

const PROGRAM: &str = "a11ycheck-server";
/// The folder of the server's data in the workspace, which git ignores and `cargo clean` leaves alone.
const DATA: &str = ".a11ycheck";
/// The settings that say where the server keeps its data, or that may say it. Each has a variable of its own.
const PLACES: [(&str, &str); 4] = [
    ("--data-dir", "A11YCHECK_DATA_DIR"),
    ("--database-url", "A11YCHECK_DATABASE_URL"),
    ("--memory", "A11YCHECK_MEMORY"),
    ("--config", "A11YCHECK_CONFIG"),
];
/// A program that is built along, because it needs what tests need: see [`build`].
const EXAMPLE: &str = "embed";

/// Replaces this process by the server, so that Ctrl-C and `SIGTERM` reach it and its exit code is ours.
///
/// The server starts in the caller's folder: relative paths among its arguments mean what the caller sees. Where root calls it, it
/// runs as [another user](ServiceUser), so that the browser has its sandbox. Where there can't be such a user it runs as root. Where the
/// system forbids the sandbox the server does without, as whomever it runs. Both are said.
///
/// Unless the caller says where the data are to lie, they lie in a folder of the workspace, or in that of the other user, and the
/// server begins with a demo team that has a history.
///
/// # Errors
///
/// Those of [`tools::ensure`] and [`build`], [`Error::SandboxUnknown`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine, arguments: &[OsString]) -> Result<Infallible, Error> {
    let tools = tools::ensure(machine, &tools::OF_SERVER)?;
    let program = build(machine)?;
    let mut server = server(machine, &program, &tools, arguments)?;
    eprintln!("==> Starting {}", shown(&server));
    let source = server.exec();
    Err(Error::Start { program, source })
}

/// The server as the user that suits it best.
fn server(machine: &Machine, program: &Path, tools: &Tools, arguments: &[OsString]) -> Result<Command, Error> {
    let has = |flags: &[&str]| arguments.iter().any(|argument| flags.iter().any(|flag| argument == flag));
    // These print something and end.
    let only_prints = has(&["--help", "-h", "--version", "-V"]);
    let is_placed = only_prints || names_place(machine, arguments);
    let as_caller = |sandbox: &Sandbox| {
        let mut command = machine.command(program);
        tools.pass_to(&mut command).args(sandbox.flags(arguments));
        if !is_placed {
            command.arg("--data-dir").arg(machine.root.join(DATA)).arg("--demo-history");
        }
        command.args(arguments);
        command
    };
    if only_prints {
        return Ok(as_caller(&Sandbox::On));
    }
    let is_root = machine.is_root();
    let sandbox = if sandbox::asks_for_none(machine) || has(&["--no-sandbox"]) {
        Sandbox::Off("it was asked for".to_owned())
    } else if is_root {
        match ServiceUser::prepare(machine, program, tools)? {
            Ok(user) => return Ok(user.server(if is_placed { &[] } else { &["--demo-history"] }, arguments)),
            Err(obstacle) => {
                Sandbox::Off(format!("this is root, and as another user it can't run, because {obstacle}"))
            }
        }
    } else {
        Sandbox::of_caller(machine, &tools.chromium())?
    };
    sandbox.announce();
    let mut server = as_caller(&sandbox);
    if is_root && let Some(state) = service_user::state(machine) {
        server.env("STATE_DIRECTORY", state);
    }
    Ok(server)
}

/// Says if the caller names the place of the data, or a file of settings that may name it.
fn names_place(machine: &Machine, arguments: &[OsString]) -> bool {
    let is = |argument: &OsString, flag: &str| {
        let rest = argument.as_encoded_bytes().strip_prefix(flag.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
    };
    PLACES.iter().any(|(flag, variable)| {
        machine.variable(variable).is_some() || arguments.iter().any(|argument| is(argument, flag))
    })
}

/// Builds the server and returns its path, which only cargo knows (target folder, profile and triple can be configured).
///
/// Dependencies get the features of all that is selected. The whole workspace is, and an example for the sake of what tests
/// depend on, so that the features are those of `cargo test --workspace`: whoever has run the tests waits for nothing here, where
/// the server's package alone would compile some 70 units of dependencies once more.
///
/// # Errors
///
/// [`Error::Failed`] when it does not compile, [`Error::ServerUnnamed`] and [`Error::Start`].
pub(crate) fn build(machine: &Machine) -> Result<PathBuf, Error> {
    built(machine, &["--workspace", "--bin", PROGRAM, "--example", EXAMPLE])
}

/// Builds the server, and another program of the workspace into the same folder; returns the server's path.
///
/// # Errors
///
/// Those of [`build`].
pub(crate) fn build_beside(machine: &Machine, other: &str) -> Result<PathBuf, Error> {
    built(machine, &["--workspace", "--bin", PROGRAM, "--bin", other, "--example", EXAMPLE])
}

/// Builds the server as it is given to others, and returns its program.
///
/// # Errors
///
/// Those of [`build`].
pub(crate) fn build_release(machine: &Machine) -> Result<PathBuf, Error> {
    built(machine, &["--release", "--locked", "--package", "a11ycheck-server-warp", "--bin", PROGRAM])
}

fn built(machine: &Machine, selection: &[&str]) -> Result<PathBuf, Error> {
    let mut cargo = machine.cargo();
    cargo.arg("build").args(selection).arg("--message-format=json-render-diagnostics");
    eprintln!("==> Building the server: {}", shown(&cargo));
    executable(&answer(&mut cargo)?).ok_or(Error::ServerUnnamed)
}

fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok()).find_map(|message: Value| {
        let path = message["executable"].as_str()?;
        (message["target"]["name"] == PROGRAM).then(|| path.into())
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

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

    /// A server on this machine.
    fn on(bench: &Bench, arguments: &[&str]) -> Command {
        bench.add_font();
        bench.add_axe("4.14.1", "axe.min.js");
        // Some tests start several servers on one machine.
        if !bench.programs().join("make").exists() {
            bench.add("make", "says-nothing");
        }
        let tools = tools::ensure(&bench.machine(), &tools::OF_SERVER).unwrap();
        let program = bench.root().join("server");
        std::fs::write(&program, "").unwrap();
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        server(&bench.machine(), &program, &tools, &arguments).unwrap()
    }

    fn line(bench: &Bench, arguments: &[&str]) -> String {
        shown(&on(bench, arguments))
    }

    #[test]
    fn a_server_of_root_runs_as_another_user_where_there_is_one_and_else_without_the_sandbox() {
        let bench = Bench::debian();
        bench.add("chromium", "chromium");
        let as_user = line(&bench, &["--workers", "1"]);
        assert!(
            as_user.starts_with("setpriv --reuid=a11ycheck-dev") && as_user.ends_with(" --demo-history --workers 1")
        );
        std::fs::write(bench.programs().join("chromium.unlocked"), "").unwrap();
        let without = line(&bench, &["--memory"]);
        assert!(without.starts_with("setpriv --reuid=a11ycheck-dev") && without.ends_with(" --no-sandbox --memory"));
        bench.remove("setpriv");
        let data = bench.root().join(".a11ycheck");
        let expected = format!("server --no-sandbox --data-dir {} --demo-history --workers 1", data.display());
        assert_eq!(line(&bench, &["--workers", "1"]), expected);
    }

    #[test]
    fn data_lie_in_a_folder_of_the_workspace_that_git_ignores_unless_the_caller_says_where() {
        let bench = Bench::new();
        bench.add("chromium", "chromium");
        let data = bench.root().join(".a11ycheck");
        assert_eq!(
            line(&bench, &["admin", "team", "list"]),
            format!("server --data-dir {} --demo-history admin team list", data.display())
        );
        for named in
            [&["--memory"][..], &["--data-dir=/srv/a"], &["--database-url", "postgres://a/b"], &["--config", "a.toml"]]
        {
            assert_eq!(line(&bench, named), format!("server {}", named.join(" ")));
        }
        assert_eq!(line(&bench, &["--help"]), "server --help");
        let machine = bench.machine_with("A11YCHECK_DATABASE_URL", "postgres://a/b");
        assert!(names_place(&machine, &[]) && !names_place(&bench.machine(), &["--memory-of-a-later-release".into()]));
        let ignored = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.gitignore")).unwrap();
        assert!(ignored.lines().any(|line| line.trim_start_matches('/') == DATA), "{ignored}");
    }

    #[test]
    fn who_asks_to_do_without_the_sandbox_stays_who_it_is() {
        let bench = Bench::debian();
        bench.add("chromium", "chromium");
        assert_eq!(line(&bench, &["--memory", "--no-sandbox"]), "server --memory --no-sandbox");
        assert_eq!(line(&bench, &["--help"]), "server --help");
        assert_eq!(
            (bench.log("useradd"), bench.log("chromium")),
            (Vec::new(), Vec::new()),
            "nothing was changed or tried"
        );
    }

    #[test]
    fn another_user_has_the_sandbox_unless_the_system_forbids_it() {
        let bench = Bench::new();
        bench.add("chromium", "chromium");
        assert_eq!(line(&bench, &["--memory"]), "server --memory");
        std::fs::write(bench.programs().join("chromium.unlocked"), "").unwrap();
        assert_eq!(line(&bench, &["--memory"]), "server --no-sandbox --memory");
    }

    #[test]
    fn the_server_gets_every_argument_and_the_tools() {
        let bench = Bench::new();
        bench.add("chromium", "chromium");
        let command = on(&bench, &["--memory", "--listen", "127.0.0.1:0"]);
        assert_eq!(shown(&command), "server --memory --listen 127.0.0.1:0");
        let variable = |name: &str| command.get_envs().find(|(known, _)| *known == name).unwrap().1.unwrap();
        assert_eq!(variable("A11YCHECK_AXE"), bench.root().join("node_modules/axe-core/axe.min.js"));
        assert_eq!(variable("A11YCHECK_CHROMIUM"), bench.programs().join("chromium"));
    }
}
