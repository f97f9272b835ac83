//! The reasons why a check could not run.

use std::io;

use a11ycheck_core::{
    domain::SiteUrlError,
    scanner::{BoxError, OutputError as ResultError, PageListError},
};
use a11ycheck_scanner_chromium::ChromiumError;

use crate::{
    baseline::BaselineError,
    from_pa11y::FromPa11yError,
    header::HeaderError,
    output::OutputError,
    plan::PlanError,
    serve::{ServeError, StartError},
    targets::{SitemapError, TargetError},
};

/// The reason why a check could not run. None of them says anything about a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The arguments or the configuration are wrong.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The configuration of another tool can't be read.
    #[error(transparent)]
    FromPa11y(#[from] FromPa11yError),
    /// There can't be such headers.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// It is not certain which site headers are for.
    #[error(
        "headers go to one site, and several are named: name the one that they are for with --base-url, or check the others apart"
    )]
    HeadersForWhom,
    /// A target is wrong.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Nothing is named.
    #[error(
        "nothing to check is named: write an address, a sitemap or a folder after `check`, or urls in a11ycheck.toml (`a11ycheck init`)"
    )]
    NoTarget,
    /// No page is left.
    #[error("none of the pages that are named is left to check: see include, exclude and sample")]
    NothingChosen,
    /// A list of pages can't be checked.
    #[error(transparent)]
    Pages(#[from] PageListError),
    /// An address is none of a site.
    #[error("an address can't be checked")]
    Address(#[from] SiteUrlError),
    /// A list of addresses can't be read.
    #[error("the list of addresses {name} could not be read")]
    List {
        /// The file, or standard input.
        name: String,
        /// The error of the system.
        source: io::Error,
    },
    /// A sitemap can't be read.
    #[error(transparent)]
    Sitemap(#[from] SitemapError),
    /// A folder can't be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A server did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The baseline can't be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// An output can't be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The browser or axe-core is missing.
    #[error(transparent)]
    Tools(#[from] ChromiumError),
    /// The browser could not be started, or was lost.
    #[error("nothing could be checked: {0}")]
    Scanner(#[source] BoxError),
    /// The result of the scanner is none.
    #[error("the scanner returned a result that can't be right; this is a fault of a11ycheck")]
    Result(#[from] ResultError),
    /// There is no current folder.
    #[error("the current folder could not be read")]
    CurrentFolder(#[source] io::Error),
    /// The process can't receive the signals that ask it to stop.
    #[error("signals can't be received")]
    Signals(#[source] io::Error),
    /// Somebody interrupted it.
    #[error("interrupted")]
    Cancelled,
}
