//! The reasons for which a command stops.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// A reason to stop. Each message ends with what to do; the cause, if there is one, is the source.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A program could not be started at all.
    #[error("{program} could not be started: see that it is installed and may be executed")]
    Start { program: PathBuf, source: io::Error },

    /// A program, or a script of ours, failed, and has said why.
    #[error("`{command}` ended with {status}: correct what is reported above, then run this command again")]
    Failed { command: String, status: ExitStatus },

    /// The browser did not answer, so nothing is known of its sandbox.
    #[error(
        "the browser opened no page within {} seconds, the second time that it was tried, so it is not known if it has its \
         sandbox: run this command again when the machine is less busy, or set A11YCHECK_NO_SANDBOX=true to do without the sandbox",
        patience.as_secs()
    )]
    SandboxUnknown { patience: Duration },

    /// PostgreSQL did not come up.
    #[error(
        "a PostgreSQL could not be started ({status}): correct what is reported above, or set DATABASE_URL to a \
         database where schemas may be created, then run this command again"
    )]
    PostgresStart { status: ExitStatus },

    /// cargo succeeded without saying where the program is.
    #[error(
        "cargo built the server but did not say where: run `cargo run -p a11ycheck-server-warp --bin a11ycheck-server` instead"
    )]
    ServerUnnamed,

    /// A step of `test` failed; later ones were not run.
    #[error("step {number} of {count} failed, the later ones were not run. {remedy}")]
    Step { number: usize, count: usize, remedy: &'static str, source: Box<Self> },
}
