//! Why a command stopped, and what mends it.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::probe::ProbeError;

/// Why a command stopped. Each message ends with what to do; the cause, if there is one, is the source.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// `A11YCHECK_CHROMIUM` names a program that is not there or does not answer.
    #[error(
        "A11YCHECK_CHROMIUM names {program}, which is not a browser that runs: correct it, or unset it to have one found"
    )]
    ConfiguredBrowser { program: PathBuf, source: ProbeError },

    /// The browser did not answer, so nothing is known of its sandbox.
    #[error(
        "the browser opened no page within the time allowed, twice, so whether it has its sandbox is not known: run this command \
         again when the machine is less busy, or set A11YCHECK_NO_SANDBOX=true to do without the sandbox"
    )]
    SandboxUnknown { source: ProbeError },

    /// No browser runs, and there is no package installer that we know.
    #[error(
        "no Chromium that runs was found in PATH: install Chromium or Google Chrome (Debian's package: chromium-headless-shell), \
         or set A11YCHECK_CHROMIUM to its path, then run this command again"
    )]
    BrowserMissing,

    /// The packages were installed, yet no browser runs.
    #[error(
        "a browser package was installed, but no browser runs (the lines above say why). On Ubuntu the package chromium \
         only points to a snap, which needs snapd: install Google Chrome's .deb or another Chromium, set \
         A11YCHECK_CHROMIUM to its path, then run this command again"
    )]
    BrowserStillMissing,

    /// A browser without fonts draws nothing where text is: geometry and contrast would be wrong.
    #[error(
        "no font was found, and without one the browser measures text wrongly: install one \
         (Debian's package: fonts-dejavu-core), then run this command again"
    )]
    FontMissing,

    /// `A11YCHECK_AXE` names something that is not a file.
    #[error("A11YCHECK_AXE names {path}, which can't be read: correct it, or unset it to use the pinned axe-core")]
    ConfiguredAxe { path: PathBuf, source: io::Error },

    /// `package-lock.json`, which pins axe-core, is not readable.
    #[error("{path} can't be read: restore it with `git checkout -- package-lock.json`")]
    LockUnreadable { path: PathBuf, source: io::Error },

    /// `package-lock.json` does not name a version of axe-core.
    #[error("{path} pins no version of axe-core: restore it with `git checkout -- package-lock.json`")]
    LockWithoutAxe { path: PathBuf },

    /// npm is not installed, and there is no package installer that we know.
    #[error(
        "axe-core comes from npm, which was not found in PATH: install Node.js with npm 8 or newer, then run this command again"
    )]
    NpmMissing,

    /// `npm ci` failed.
    #[error(
        "`npm ci --ignore-scripts` ended with {status}: mend what npm reports above (it needs npm 8 or newer and a \
         registry that it can reach), then run this command again"
    )]
    Npm { status: ExitStatus },

    /// `npm ci` succeeded, but the pinned axe-core is not there.
    #[error(
        "npm reported success, but axe-core {version} is not in {folder}: remove that folder, then run this command again"
    )]
    AxeStillMissing { version: String, folder: PathBuf },

    /// PostgreSQL is not installed, and there is no package installer that we know.
    #[error(
        "PostgreSQL 14 or later, which the tests need, was not found: install its server (Debian's package: postgresql) \
         so that initdb and pg_ctl are in PATH, or set DATABASE_URL to a database where schemas may be created, then run \
         this command again"
    )]
    PostgresMissing,

    /// The package was installed, yet there is no PostgreSQL that will do.
    #[error(
        "the package postgresql was installed, but brought no PostgreSQL 14 or later: install one so that initdb and \
         pg_ctl are in PATH, or set DATABASE_URL, then run this command again"
    )]
    PostgresStillMissing,

    /// PostgreSQL refuses to be run by root, and there is no way to become another user.
    #[error(
        "PostgreSQL can't be run by root, and setpriv (Debian's package: util-linux) was not found in PATH: install it, run \
         this command as another user, or set DATABASE_URL, then run this command again"
    )]
    SetprivMissing,

    /// PostgreSQL did not come up.
    #[error(
        "a PostgreSQL could not be started ({status}): mend what is reported above, or set DATABASE_URL to a \
         database where schemas may be created, then run this command again"
    )]
    PostgresStart { status: ExitStatus },
    /// A program or library for the tests of PDF files is not there, and can't be installed.
    #[error(
        "{program}, which the tests need, was not found: install it (Debian's package: {package}), then run \
         this command again"
    )]
    ToolMissing { program: &'static str, package: &'static str },

    /// Packages are missing, this user is not root, and there is no `sudo`.
    #[error(
        "{package} is missing and there is no sudo here: run `apt-get install --no-install-recommends {package}` as root, then this command again"
    )]
    SudoMissing { package: String },

    /// `apt-get install` failed.
    #[error(
        "`apt-get install {package}` ended with {status}: mend what it reports above (without a terminal, sudo must \
         not ask for a password), or install {package} by hand, then run this command again"
    )]
    Apt { package: String, status: ExitStatus },

    /// A program could not be started at all.
    #[error("{program} could not be started: see that it is installed and may be executed")]
    Start { program: PathBuf, source: io::Error },

    /// The server does not compile.
    #[error("the server could not be built ({status}): mend what cargo reports above, then run this command again")]
    ServerBuild { status: ExitStatus },

    /// cargo succeeded without saying where the program is.
    #[error(
        "cargo built the server but did not say where: run `cargo run -p a11ycheck-server-warp --bin a11ycheck-server` instead"
    )]
    ServerUnnamed,

    /// A step of `test` failed; later ones were not run.
    #[error("step {number} of {count} failed, the later ones were not run. {mend}")]
    Step { number: usize, count: usize, mend: &'static str, source: Box<Self> },

    /// Only root can make a Debian in a folder.
    #[error(
        "a bare Debian can be made by root only: become root with this user's PATH and HOME, as `sudo --preserve-env=PATH,HOME` \
         does, then run this command again"
    )]
    BareNotRoot,

    /// The toolchain is not in a folder of its own.
    #[error(
        "the Rust toolchain lies in {folder} together with other programs, so a bare Debian can't be given it alone: \
         install one with rustup, then run this command again"
    )]
    BareToolchain { folder: PathBuf },

    /// One of the README's commands failed in a bare Debian.
    #[error(
        "a bare Debian could not be made, or one of the two commands failed in it ({status}): mend what is reported above. \
         What passes here and fails there depends on something that set-up does not install"
    )]
    Bare { status: ExitStatus },

    /// Something among our dependencies is not allowed.
    #[error(
        "cargo-deny ended with {status}: do without the crate that it names above, update it, or allow it in deny.toml, with the reason"
    )]
    Deny { status: ExitStatus },

    /// A program did not do what every program of this name does.
    #[error("`{command}` ended with {status}: mend what it reports above, then run this command again")]
    Failed { command: String, status: ExitStatus },

    /// A bench found what must not be, or could not be run.
    #[error("the bench ended with {status}: mend what it reports above")]
    Bench { status: ExitStatus },

    /// A script of ours failed, and has said why.
    #[error("{script} ended with {status}: mend what it reports above, then run this command again")]
    Script { script: &'static str, status: ExitStatus },
}
