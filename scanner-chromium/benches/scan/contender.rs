//! The programs that are measured: each is a process that prints "ready", a line of JSON for each page, and "done".

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::{self, Write as _},
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::ValueEnum as _;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;

use crate::{
    corpus::Corpus,
    ours::Looks,
    usage::{Usage, Watch},
};

/// The number of milliseconds after which the slowest page of the corpus has built itself.
const BUILT: u32 = 3_000;
/// The number of milliseconds after which most pages have built themselves, if there are hundreds.
const MOST_BUILT: u32 = 600;

/// The number of elements by rule; if each is named, there are counts for the rule and for each selector.
pub(crate) type Counts = BTreeMap<String, u64>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contender {
    Ours(Looks),
    Bare {
        tabs: u32,
    },
    /// The bare script, one page at a time, each with all the time that it needs.
    ByHand,
    /// The scanner, which names each element.
    OurElements,
    /// The bare script in two tabs, with the time for each page that most need, and each element named.
    ElementsByHand,
    /// `@axe-core/cli`, in two processes with half of the pages each, in the browser that its users have.
    AxeCli(PathBuf),
    /// The same in the headless shell, which its users don't have, to separate the browser's part from its own.
    AxeCliInShell(PathBuf),
    /// `@axe-core/playwright`, in two workers.
    Playwright(PathBuf),
    /// `pa11y-ci` with its axe runner, one page at a time.
    Pa11y(PathBuf),
}

/// One contender on all pages.
#[derive(Debug)]
pub(crate) struct Run {
    name: &'static str,
    /// The time from the first page to the last, if the browser's start can be separated; else from start to end.
    pub(crate) time: Duration,
    pub(crate) usage: Usage,
    pub(crate) pages: BTreeMap<String, Counts>,
}

#[derive(Deserialize)]
struct Line {
    url: String,
    counts: Counts,
}

impl Contender {
    /// Returns the tools that users could choose instead.
    pub(crate) fn peers(folder: &Path) -> Vec<Self> {
        [Self::AxeCli, Self::AxeCliInShell, Self::Playwright, Self::Pa11y].map(|peer| peer(folder.to_owned())).into()
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Ours(Looks::Axe) => "a11ycheck without probes",
            Self::Ours(Looks::AxePictures) => "without probes, with evidence",
            Self::Ours(Looks::Plain) | Self::OurElements => "a11ycheck",
            Self::Ours(Looks::Pictures) => "a11ycheck with evidence",
            Self::Ours(Looks::Contrast) => "the same with measured contrast",
            Self::Ours(Looks::MovingKinds) => "the same, a page of each moved",
            Self::Ours(Looks::MovingAll) => "the same, every page moved",
            Self::Ours(Looks::Everything) => "both, every page moved",
            Self::Bare { tabs: 1 } => "bare script, 1 tab",
            Self::Bare { .. } => "bare script, 2 tabs",
            Self::ByHand | Self::ElementsByHand => "by hand",
            Self::AxeCli(_) => "@axe-core/cli, 2 processes",
            Self::AxeCliInShell(_) => "the same in the headless shell",
            Self::Playwright(_) => "@axe-core/playwright, 2 workers",
            Self::Pa11y(_) => "pa11y-ci with axe",
        }
    }

    /// Checks all pages.
    pub(crate) fn run(&self, corpus: &Corpus) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let mut command = self.command(corpus, folder.path());
        let started = Instant::now();
        let mut child = command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let group = Pid::from_child(&child);
        let watch = Watch::start(child.id());
        let (mut from, mut to) = (started, None);
        let mut pages = BTreeMap::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            match line.unwrap().as_str() {
                "ready" => from = Instant::now(),
                "done" => to = Some(Instant::now()),
                line => {
                    let Line { url, counts } =
                        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", self.name()));
                    pages.insert(url, counts);
                }
            }
        }
        let status = child.wait().unwrap();
        // Some leave their browsers running. If none does, the group no longer exists.
        let _ = kill_process_group(group, Signal::KILL);
        assert!(status.success(), "{} ended with {status}", self.name());
        let to = to.unwrap_or_else(|| panic!("{} did not say that it was done", self.name()));
        Run { name: self.name(), time: to - from, usage: watch.stop(), pages }
    }

    fn command(&self, corpus: &Corpus, folder: &Path) -> Command {
        let urls = corpus.urls();
        let script = |script: &str, peers: &Path| {
            let mut command = Command::new("node");
            command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/scan/").to_owned() + script);
            command.env("PEERS", peers).env("PROFILES", folder).args(&urls);
            command
        };
        match self {
            Self::Ours(looks) => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.arg("scan").args(corpus.starts()).arg(format!("--pages={}", urls.len()));
                command.arg(format!("--looks={}", looks.to_possible_value().unwrap().get_name()));
                command
            }
            Self::OurElements => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.arg("scan").args(corpus.starts()).arg(format!("--pages={}", urls.len())).arg("--elements");
                command
            }
            Self::ElementsByHand => {
                let mut command = bare(2, MOST_BUILT, folder, &urls);
                command.env("ELEMENTS", "1");
                command
            }
            Self::Bare { tabs } => bare(*tabs, 0, folder, &urls),
            Self::ByHand => bare(1, BUILT, folder, &urls),
            Self::AxeCli(peers) => {
                let mut command = script("peer-axe-cli.mjs", peers);
                command.env("A11YCHECK_CHROMIUM", tool("A11YCHECK_BENCH_CHROMIUM"));
                command
            }
            Self::AxeCliInShell(peers) => script("peer-axe-cli.mjs", peers),
            Self::Playwright(peers) => script("peer-playwright.mjs", peers),
            Self::Pa11y(peers) => script("peer-pa11y.mjs", peers),
        }
    }
}

/// Returns the value of a variable that `cargo xtask bench scan` sets.
fn tool(name: &str) -> OsString {
    std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set: `cargo xtask bench scan` does"))
}

fn bare(tabs: u32, wait: u32, folder: &Path, urls: &[String]) -> Command {
    let mut command = Command::new("node");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/scan/bare.mjs"));
    command.arg(tool("A11YCHECK_CHROMIUM")).arg(tool("A11YCHECK_AXE"));
    command.args([tabs.to_string(), wait.to_string()]).arg(folder).args(urls);
    command
}

impl Run {
    #[expect(clippy::cast_precision_loss, reason = "a handful of pages")]
    pub(crate) fn pages_per_second(&self) -> f64 {
        self.pages.len() as f64 / self.time.as_secs_f64()
    }

    #[expect(clippy::cast_precision_loss, reason = "a handful of pages")]
    pub(crate) fn cpu_per_page(&self) -> f64 {
        self.usage.cpu / self.pages.len() as f64
    }

    pub(crate) fn violations(&self) -> u64 {
        self.pages.values().flat_map(BTreeMap::values).sum()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        write!(line, "{:<32}{:>7.2} pages/s", self.name, self.pages_per_second())?;
        write!(line, "{:>7.2} CPU s/page{:>6} MiB", self.cpu_per_page(), self.usage.peak)?;
        write!(line, "{:>6} violations on {} pages", self.violations(), self.pages.len())?;
        f.write_str(&line)
    }
}
