//! The reasons why the scanner can't work.

use std::{io, path::PathBuf};

use crate::{
    AuthoritiesError, BrowserError,
    axe::{SourceError, WANTED},
    places::BROWSERS,
};

/// A reason why the scanner can't work. Each message says what to install or to set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChromiumError {
    /// There is no Chromium in any of the usual folders.
    #[error(
        "no Chromium was found: install chromium-headless-shell or chromium (Debian: apt-get install chromium-headless-shell; \
         Fedora: dnf install chromium-headless; Alpine: apk add chromium; macOS: brew install --cask chromium; with Node.js: \
         npx playwright install chromium-headless-shell), or name one with --chromium or in A11YCHECK_CHROMIUM. Looked for {} in \
         {}, for {}, and in the caches of Playwright and Puppeteer",
        BROWSERS.join(", "),
        listed(folders),
        listed(files)
    )]
    BrowserNotFound {
        /// The folders that were searched for each of its names.
        folders: Vec<PathBuf>,
        /// The other files that would have done.
        files: Vec<PathBuf>,
    },
    /// The configured browser is not a file.
    #[error("there is no browser at {}: install one there, or correct --chromium or A11YCHECK_CHROMIUM", .0.display())]
    BrowserMissing(PathBuf),
    /// Chromium's sandbox does not work for root, and the operator has not switched it off.
    #[error(
        "the browser can't run in its sandbox as root: run this as another user (User= of a systemd unit, USER of a container \
         image), or let it go without by --no-sandbox or A11YCHECK_NO_SANDBOX=true, after which a page that breaks into the \
         browser has this whole machine"
    )]
    RootWithSandbox,
    /// axe-core is not installed.
    #[error(
        "axe-core {WANTED} was not found: name its axe.min.js with --axe or in A11YCHECK_AXE, put it into one of the \
         places below, or run `npm install axe-core@{WANTED}` or, where a package.json names it, `npm ci` in the project's folder. \
         Looked for {}",
        listed(looked_for)
    )]
    AxeNotFound {
        /// The files that would have done, in the order of the search.
        looked_for: Vec<PathBuf>,
    },
    /// axe-core could not be read.
    #[error("axe-core at {} could not be read", path.display())]
    AxeUnreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// axe-core is of another version than the one whose rules this scanner knows.
    #[error(
        "axe-core at {} is version {found}; this scanner needs {wanted}: run `npm ci`, or name another axe.min.js with --axe \
         or in A11YCHECK_AXE",
        path.display()
    )]
    AxeVersion {
        /// The file.
        path: PathBuf,
        /// The version that it states.
        found: String,
        /// The version that is needed.
        wanted: &'static str,
    },
    /// The system has no list of certificate authorities, without which no certificate can be verified.
    #[error("no certificate authorities were found: install ca-certificates (apt-get install ca-certificates)")]
    Certificates(#[source] rustls::Error),
    /// The browser does not trust the operator's own authorities.
    #[error("the browser can't be made to trust the authorities of --ca-certificates")]
    Authorities(#[source] AuthoritiesError),
    /// No browser could be started.
    #[error("no browser could be started: {}", .0.advice())]
    Browser(#[source] BrowserError),
}

impl From<SourceError> for ChromiumError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::NotFound { looked_for } => Self::AxeNotFound { looked_for },
            SourceError::Unreadable { path, source } => Self::AxeUnreadable { path, source },
            SourceError::Version { path, found } => Self::AxeVersion { path, found, wanted: WANTED },
        }
    }
}

impl From<BrowserError> for ChromiumError {
    fn from(error: BrowserError) -> Self {
        match error {
            BrowserError::Authorities(error) => Self::Authorities(error),
            error => Self::Browser(error),
        }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_axe_core_is_said_with_where_it_may_lie_and_how_it_is_named() {
        let looked_for = ["/one/axe.min.js", "/none"].map(PathBuf::from).into();
        let error = ChromiumError::from(SourceError::NotFound { looked_for }).to_string();
        assert!(error.contains("/one/axe.min.js") && error.contains("/none"), "{error}");
        assert!(error.contains("A11YCHECK_AXE") && error.contains("axe-core 4.14"), "{error}");
    }
}
