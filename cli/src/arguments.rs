//! What the command line says.

use std::path::PathBuf;

use a11ycheck_core::{
    domain::{Impact, StandardId},
    locale::Locale,
    net::OpenedNetwork,
};
use a11ycheck_scanner_chromium::Viewport;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use url::Url;

use crate::{header::HeaderLine, output::OutputRequest};

/// Checks the accessibility of web pages in a real browser, from a terminal and in CI.
#[derive(Debug, Parser)]
#[command(name = "a11ycheck", version, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Checks pages, and fails if the gate does. Exit codes: 0 everything was checked and the gate holds, 1 the gate failed, 2 it
    /// could not run, 3 the gate holds but pages were not checked.
    Check(Box<CheckArguments>),
    /// Writes formats of a run that was kept as JSON, without checking again.
    Report(ReportArguments),
    /// Explains a rule: what it means, whom it affects, how to repair it.
    Explain(ExplainArguments),
    /// Lists the rules.
    Rules(RulesArguments),
    /// Writes a commented a11ycheck.toml, and a CI file if one is asked for.
    Init(InitArguments),
    /// Shows whether the browser, axe-core and everything else that checks need is there.
    Doctor(ToolArguments),
    /// Shows the licences of what stands in this program, and where its source is.
    Licences,
    /// Prints a script that completes commands in a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Prints the manual page.
    Man,
}

/// The programs that check.
#[derive(Debug, Clone, Default, Args)]
pub struct ToolArguments {
    /// The browser: a Chromium. [default: the first in PATH, the usual folders, and the caches of Playwright and Puppeteer]
    #[arg(long, env = "A11YCHECK_CHROMIUM", value_name = "FILE")]
    pub chromium: Option<PathBuf>,

    /// axe-core's axe.min.js. [default: the one in this program, beside it, in shared folders, or in `node_modules`]
    #[arg(long, env = "A11YCHECK_AXE", value_name = "FILE")]
    pub axe: Option<PathBuf>,

    /// Lets the browser run without its sandbox: a page that breaks into the browser then has this whole machine.
    #[arg(long, env = "A11YCHECK_NO_SANDBOX", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "true|false")]
    pub no_sandbox: Option<bool>,
}

/// The arguments of `check`.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::doc_markdown, reason = "these comments are the text of --help")]
pub struct CheckArguments {
    /// Addresses, sitemaps (address or file), .html files, folders that are served on this machine, or - for a list of addresses
    /// on standard input. [default: what the configuration names]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,

    /// The configuration. [default: a11ycheck.toml in this folder or one above it, up to the root of the repository]
    #[arg(long, env = "A11YCHECK_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Reads the configuration of another tool instead.
    #[arg(long, value_names = ["TOOL", "FILE"], num_args = 2, conflicts_with = "config")]
    pub from: Option<Vec<String>>,

    /// Follows links from the one address that is named, to at most this many pages.
    #[arg(long, env = "A11YCHECK_PAGES", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pages: Option<u32>,

    /// The address that targets such as /contact are joined to. In baselines and results, it stands for nothing, so that the same
    /// pages at another address are the same. [default: the folder that is served, else the first address]
    #[arg(long, env = "A11YCHECK_BASE_URL", value_name = "URL")]
    pub base_url: Option<Url>,

    /// Serves this folder on 127.0.0.1 for the time of the check.
    #[arg(long, env = "A11YCHECK_SERVE", value_name = "FOLDER", conflicts_with = "start")]
    pub serve: Option<PathBuf>,

    /// Serves index.html for addresses without a file, as applications with routes of their own need it.
    #[arg(long)]
    pub spa: bool,

    /// Runs this command for the time of the check, and waits until --ready-url answers.
    #[arg(long, env = "A11YCHECK_START", value_name = "COMMAND")]
    pub start: Option<String>,

    /// The address that answers when the command is ready. [default: the base address]
    #[arg(long, env = "A11YCHECK_READY_URL", value_name = "URL")]
    pub ready_url: Option<String>,

    /// How long to wait for it, in seconds. [default: 60]
    #[arg(long, env = "A11YCHECK_READY_SECONDS", value_name = "N")]
    pub ready_seconds: Option<u64>,

    /// Replaces the beginning of addresses in sitemaps, for example `https://www.example.com=http://localhost:3000`.
    #[arg(long, value_name = "FROM=TO")]
    pub sitemap_replace: Vec<String>,

    /// Checks only pages that match one of these patterns, for example /blog/**.
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,

    /// Leaves out pages that match one of these patterns.
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Checks this many of the pages, some of each kind; the same ones each time.
    #[arg(long, env = "A11YCHECK_SAMPLE", value_name = "N")]
    pub sample: Option<usize>,

    /// The standard: wcag21-aa, wcag22-aa or en301549-v4. [default: wcag21-aa]
    #[arg(long, env = "A11YCHECK_STANDARD", value_name = "STANDARD", value_parser = standard)]
    pub standard: Option<StandardId>,

    /// The language of results: en, de, pl, cs, ro, uk or ru. [default: en]
    #[arg(long, env = "A11YCHECK_LANG", value_name = "LANG", value_parser = locale)]
    pub lang: Option<Locale>,

    /// The name of the site in reports.
    #[arg(long, env = "A11YCHECK_NAME", value_name = "NAME")]
    pub name: Option<String>,

    /// A format, to standard output or to a file; may be repeated: text, json, jsonl, csv, html, pdf, sarif, junit, gitlab-quality,
    /// gitlab-accessibility, github, markdown, earl. [default: text]
    #[arg(short, long, env = "A11YCHECK_OUTPUT", value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub output: Vec<OutputRequest>,

    /// The gate: the least severity that counts: minor, moderate, serious or critical. [default: minor]
    #[arg(long, env = "A11YCHECK_LEVEL", value_name = "LEVEL", value_parser = level)]
    pub level: Option<Impact>,

    /// The gate: how many findings are permitted. [default: 0]
    #[arg(long, env = "A11YCHECK_MAX", value_name = "N")]
    pub max: Option<u64>,

    /// The gate: counts only findings that the baseline does not have.
    #[arg(long)]
    pub new_only: bool,

    /// Shows which setting of the gate decided about which findings.
    #[arg(long)]
    pub explain_gate: bool,

    /// Compares with the findings in this file.
    #[arg(long, env = "A11YCHECK_BASELINE", value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Writes the findings to the baseline instead of judging them.
    #[arg(long, conflicts_with_all = ["level", "max", "new_only", "strict_baseline", "exit_zero", "explain_gate"])]
    pub update_baseline: bool,

    /// Fails with 1 if the baseline has entries that are solved.
    #[arg(long)]
    pub strict_baseline: bool,

    /// Reads and writes addresses in baselines as if they began otherwise.
    #[arg(long, value_name = "FROM=TO")]
    pub rebase: Vec<String>,

    /// Fails with 1 if an accepted finding of the configuration matches nothing.
    #[arg(long)]
    pub strict: bool,

    /// How many pages may remain unchecked without exit code 3. [default: 0]
    #[arg(long, env = "A11YCHECK_ALLOW_UNCHECKED", value_name = "N")]
    pub allow_unchecked: Option<u64>,

    /// Ends with 0 where the gate failed.
    #[arg(long)]
    pub exit_zero: bool,

    /// How many pages of one host load at a time. [default: 2, or one for each processor core on this machine]
    #[arg(long, env = "A11YCHECK_PAGES_AT_ONCE", value_name = "N")]
    pub pages_at_once: Option<usize>,

    /// The time limit of a page in seconds. [default: 60]
    #[arg(long, env = "A11YCHECK_PAGE_SECONDS", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub page_seconds: Option<u64>,

    /// A header that requests to the site have in addition, `Name: value`; may be repeated, and the variable has one in a line. No
    /// other site gets it, and no result shows it. The site is the one that is named, or that of --base-url.
    #[arg(long, env = "A11YCHECK_HEADER", value_name = "NAME: VALUE", value_delimiter = '\n', hide_env_values = true)]
    pub header: Vec<HeaderLine>,

    /// The size in which pages are shown, in CSS pixels. [default: 1280x720]
    #[arg(long, env = "A11YCHECK_VIEWPORT", value_name = "WIDTHxHEIGHT")]
    pub viewport: Option<Viewport>,

    /// Whether robots.txt counts. [default: honour when links are followed, ignore for pages that are named]
    #[arg(long, env = "A11YCHECK_ROBOTS", value_name = "POLICY")]
    pub robots: Option<Robots>,

    /// The pages on which Tab is pressed, text spaced out and the window made narrow, to see what becomes of the page. [default: off]
    #[arg(long, env = "A11YCHECK_MOVING_PROBES", value_name = "PAGES")]
    pub moving_probes: Option<Moving>,

    /// Also recommends a contrast of 7:1 for text (large text: 4.5:1), which is WCAG's level AAA.
    #[arg(long, env = "A11YCHECK_ENHANCED_CONTRAST")]
    pub enhanced_contrast: bool,

    /// Measures in pictures of the page the contrast of text that axe-core could not compute: on pictures and gradients.
    #[arg(long, env = "A11YCHECK_MEASURED_CONTRAST")]
    pub measured_contrast: bool,

    /// The pages on which menus, disclosures, tabs, dialogs and carousels are opened, to check what appears. For sites of your own: what
    /// sends, buys or deletes is not pressed, as far as that can be told. [default: off]
    #[arg(long, env = "A11YCHECK_OPEN", value_name = "PAGES")]
    pub open: Option<Moving>,

    /// Takes no pictures, though an output has them: json, html and pdf do.
    #[arg(long)]
    pub no_pictures: bool,

    /// Opens a private network to the check, beside the addresses that are named: 10.0.0.0/8, or 10.0.0.0/8:443.
    #[arg(long, value_name = "CIDR")]
    pub allow_network: Vec<OpenedNetwork>,

    /// Shows also accepted findings, or those that a person has to review.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub show: Vec<ShowMore>,

    /// Shows no progress, and of the text only the verdict.
    #[arg(short, long)]
    pub quiet: bool,

    /// When to use colours. NO_COLOR is obeyed. [default: auto]
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: ColorChoice,

    #[command(flatten)]
    #[expect(missing_docs, reason = "the arguments say it")]
    pub tools: ToolArguments,
}

/// The arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run, as `check -o json=FILE` wrote it.
    #[arg(value_name = "RUN.json")]
    pub run: PathBuf,

    /// A format, to standard output or to a file; may be repeated. [default: text]
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub output: Vec<OutputRequest>,

    /// Shows also accepted findings, or those that a person has to review.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub show: Vec<ShowMore>,

    /// Shows of the text only the verdict.
    #[arg(short, long)]
    pub quiet: bool,

    /// When to use colours.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The id of a rule, for example color-contrast.
    pub rule: String,

    /// The language: en, de, pl, cs, ro, uk or ru.
    #[arg(long, env = "A11YCHECK_LANG", value_name = "LANG", value_parser = locale, default_value = "en")]
    pub lang: Locale,
}

/// The arguments of `rules`.
#[derive(Debug, Args)]
pub struct RulesArguments {
    /// The language of the titles: en, de, pl, cs, ro, uk or ru.
    #[arg(long, env = "A11YCHECK_LANG", value_name = "LANG", value_parser = locale, default_value = "en")]
    pub lang: Locale,
}

/// The arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// Writes a CI file too.
    #[arg(long, value_name = "CI")]
    pub ci: Option<Ci>,

    /// Replaces files that are there.
    #[arg(long)]
    pub force: bool,
}

/// The CI systems that `init` writes a file for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ci {
    /// GitHub Actions: .github/workflows/a11ycheck.yml.
    Github,
    /// GitLab: .gitlab/a11ycheck.yml, to be included.
    Gitlab,
}

/// Whether robots.txt counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Robots {
    /// What it closes is not visited.
    Honour,
    /// It closes nothing.
    Ignore,
}

/// Pages on which more is done than looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Moving {
    /// No page.
    Off,
    /// One page of each folder.
    Kinds,
    /// Every page.
    All,
}

/// What the text shows beside new and known findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShowMore {
    /// Findings that the configuration accepts.
    Accepted,
    /// Elements about which a person has to decide.
    Review,
}

/// When the text has colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        _ => Err("write true or false".to_owned()),
    }
}

/// Reads the word of a standard.
pub(crate) fn standard(word: &str) -> Result<StandardId, String> {
    let known = || StandardId::KNOWN.iter().map(StandardId::as_str).collect::<Vec<_>>().join(", ");
    StandardId::known(word).ok_or_else(|| format!("write one of {}", known()))
}

/// Reads the code of a language.
pub(crate) fn locale(code: &str) -> Result<Locale, String> {
    code.parse().map_err(|_| format!("write one of {}", Locale::ALL.map(Locale::code).join(", ")))
}

/// Reads a severity.
pub(crate) fn level(word: &str) -> Result<Impact, String> {
    let found = Impact::ALL.into_iter().find(|impact| impact.as_str() == word);
    found.ok_or_else(|| "write one of minor, moderate, serious, critical".to_owned())
}
