//! The command `check`.

mod error;
mod judging;
mod named;

use std::{io::IsTerminal as _, path::Path, time::Duration};

use a11ycheck_core::{
    domain::{Findings, PageOutcome, SiteUrl, page_address},
    id::ScanId,
    net::default_resolver,
    scanner::{CancellationToken, PageList, ScanError, ScanOutput, ScanRequest, Scanner as _, judge},
};
use a11ycheck_scanner_chromium::{
    ChromiumConfig, ChromiumScanner, Evidence, MovingProbes, Opening, RequestHeaders, RobotsPolicy, Sandbox,
};
use chrono::{Local, Utc};
use url::{Host, Url};

pub use self::error::CheckError;
use self::{judging::Judged, named::Named};
use crate::{
    arguments::{CheckArguments, ColorChoice, Moving, Robots, ShowMore, ToolArguments},
    baseline::{BaselineFile, Identity},
    config::Configuration,
    from_pa11y,
    header::HeaderError,
    licences::AXE,
    output::{CiRunner, Outputs, Show, TextOptions, WriteOptions, safe},
    plan::{Plan, PlanError},
    progress::Progress,
    reach::policy_for,
    run::{Notice, NoticeLevel, Run, RunFacts, Settings},
};

/// Longer than any check: the number of pages and the time for each bound it.
const SCAN_TIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// Checks what the arguments and the configuration name, writes the outputs, and returns the exit code.
///
/// # Errors
/// [`CheckError`], for which the exit code is 2, or 130 if it was interrupted.
pub async fn check(arguments: &CheckArguments, cancel: CancellationToken) -> Result<u8, CheckError> {
    let started_at = Utc::now();
    let current = std::env::current_dir().map_err(CheckError::CurrentFolder)?;
    let plan = planned(arguments, &current)?;
    let runner = ci_runner();
    // What can't be written, read or run is known before anything is asked of a site.
    let outputs = Outputs::open(&plan.outputs, runner.as_ref())?;
    let known = known_findings(&plan)?;
    if arguments.tools.no_sandbox == Some(true) {
        warn("no sandbox; trusted pages only");
    }
    drop(ChromiumScanner::new(tools(&arguments.tools, a11ycheck_core::net::AddressPolicy::default()))?);

    let named = tokio::select! {
        named = Named::of(&plan) => named?,
        () = cancel.cancelled() => return Err(CheckError::Cancelled),
    };
    let checked = scan(&plan, arguments, &named, cancel).await;
    let base = named.base.clone();
    let files = |page: &str| named.file_of(page, &current);
    let result = checked.and_then(|checked| {
        let Scanned { output, mut notices, site, asked } = checked;
        let settings = Settings {
            targets: if plan.targets.is_empty() { plan.configured.clone() } else { plan.targets.clone() },
            site: SiteUrl::parse(base.as_ref().unwrap_or(&site).as_str())?,
            name: plan.name.clone(),
            base_url: base.as_ref().map(|base| base.as_str().trim_end_matches('/').to_owned()),
            standard: plan.standard,
            locale: plan.locale,
            viewport: plan.viewport.map(|viewport| viewport.to_string()),
        };
        notices.extend(plan.notices.iter().map(|message| note(NoticeLevel::Warning, message)));
        let identity = Identity::of(base.as_ref().unwrap_or(&site), plan.rebase.clone());
        let facts = RunFacts { started_at, finished_at: Utc::now(), settings };
        let run = Run::new(facts, &output.findings).with_named(&asked);
        let mut run = run.with_rule_outcomes(&output.rule_outcomes);
        run.notices = notices;
        for page in &mut run.pages {
            page.file = files(page.opened());
        }
        let judged =
            Judged { plan: &plan, known: known.as_ref(), identity: &identity, today: Local::now().date_naive() };
        let decisions = judged.mark(&mut run, &output.findings)?;
        if plan.flags.explain_gate {
            judging::explain(&run, &decisions);
        }
        let run = run.with_pictures(&output);
        let options = write_options(arguments.color, arguments.quiet, &arguments.show, runner);
        outputs.write(&run, &options, &mut std::io::stdout().lock())?;
        Ok(run.exit.code)
    });
    named.close().await;
    result
}

fn planned(arguments: &CheckArguments, current: &Path) -> Result<Plan, CheckError> {
    let Some(from) = &arguments.from else {
        let config = Configuration::load(arguments.config.as_deref(), current).map_err(PlanError::from)?;
        return Ok(Plan::new(arguments, &config)?);
    };
    let [tool, file] = from.as_slice() else {
        return Err(PlanError::Argument("--from takes a tool and a file: --from pa11y-ci .pa11yci".to_owned()).into());
    };
    if tool != "pa11y-ci" {
        let reason = format!("--from {tool}: only configurations of pa11y-ci are read; write --from pa11y-ci {file}");
        return Err(PlanError::Argument(reason).into());
    }
    let (config, notices) = from_pa11y::read(Path::new(file))?;
    let mut plan = Plan::new(arguments, &config)?;
    plan.notices = notices;
    Ok(plan)
}

fn known_findings(plan: &Plan) -> Result<Option<BaselineFile>, CheckError> {
    match &plan.baseline {
        None => Ok(None),
        // The first time there is none to keep entries of.
        Some(file) if plan.flags.update_baseline && !file.exists() => Ok(None),
        Some(file) => Ok(Some(BaselineFile::read(file)?)),
    }
}

/// What a scan found.
struct Scanned {
    output: ScanOutput,
    notices: Vec<Notice>,
    /// The first page.
    site: Url,
    /// The pages that were asked for, in the order in which the findings begin with them.
    asked: Vec<Url>,
}

async fn scan(
    plan: &Plan,
    arguments: &CheckArguments,
    named: &Named,
    cancel: CancellationToken,
) -> Result<Scanned, CheckError> {
    let resolver = default_resolver();
    let policy = tokio::select! {
        policy = policy_for(named.addresses(), &plan.allow_network, &*resolver) => policy,
        () = cancel.cancelled() => return Err(CheckError::Cancelled),
    };
    let is_crawl = plan.pages.is_some();
    let robots = match plan.robots {
        Some(Robots::Honour) => RobotsPolicy::Honour,
        Some(Robots::Ignore) => RobotsPolicy::Ignore,
        // Who names a page means it.
        None if is_crawl => RobotsPolicy::Honour,
        None => RobotsPolicy::Ignore,
    };
    let config = tools(&arguments.tools, policy)
        .with_resolver(resolver)
        .with_robots(robots)
        .with_page_timeout(plan.page_timeout)
        .with_scan_timeout(SCAN_TIME)
        .with_moving_probes(match arguments.moving_probes {
            Some(Moving::Off) | None => MovingProbes::Off,
            Some(Moving::Kinds) => MovingProbes::OneOfEachKind,
            Some(Moving::All) => MovingProbes::EveryPage,
        })
        .with_opening(match arguments.open {
            Some(Moving::Off) | None => Opening::Off,
            Some(Moving::Kinds) => Opening::OneOfEachKind,
            Some(Moving::All) => Opening::EveryPage,
        })
        .with_enhanced_contrast(arguments.enhanced_contrast)
        .with_measured_contrast(arguments.measured_contrast)
        .with_evidence(if plan.flags.pictures { Evidence::Taken } else { Evidence::LeftOut });
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let at_once = plan.pages_at_once.unwrap_or(if named.is_here() { cores.max(2) } else { 2 });
    let config = config.with_viewport(plan.viewport.unwrap_or_default());
    let config = match named.site(plan)? {
        Some(site) => {
            let headers = plan.headers.iter().map(|header| (header.name.as_str(), header.value.as_str()));
            config.with_headers(RequestHeaders::new(site, headers).map_err(HeaderError::from)?)
        }
        None => config,
    };
    let config = config.with_pages_at_once(at_once).with_tabs(at_once.max(2 * cores));
    let scanner = ChromiumScanner::new(config)?;
    let scanned = scan_with(&scanner, plan, named, arguments.quiet, cancel).await;
    scanner.close().await;
    scanned
}

async fn scan_with(
    scanner: &ChromiumScanner,
    plan: &Plan,
    named: &Named,
    is_quiet: bool,
    cancel: CancellationToken,
) -> Result<Scanned, CheckError> {
    let pages = tokio::select! {
        pages = named.pages(scanner, plan) => pages?,
        () = cancel.cancelled() => return Err(CheckError::Cancelled),
    };
    let mut notices = Vec::new();
    let id = ScanId::generate(Utc::now());
    let (request, first) = if let Some(budget) = plan.pages {
        let [start] = pages.as_slice() else {
            return Err(PlanError::Argument(
                "links are followed from one address: name one target with --pages".to_owned(),
            )
            .into());
        };
        (ScanRequest::new(id, SiteUrl::parse(start.as_str())?, budget), start.clone())
    } else {
        let (chosen, all) = plan.selection.choose(pages);
        if chosen.len() < all {
            notices.push(note(NoticeLevel::Note, &format!("{} of {} addresses were chosen.", chosen.len(), all)));
        }
        let first = chosen.first().cloned().ok_or(CheckError::NothingChosen)?;
        (ScanRequest::of_pages(id, PageList::new(chosen)?), first)
    };
    let request = request.with_standard(plan.standard);
    let progress = if is_quiet { Progress::hidden() } else { Progress::on_standard_error() };
    let scanned = scanner.scan(request.clone(), &progress, cancel).await;
    progress.finish();
    let mut output = match scanned {
        Ok(output) => output,
        Err(ScanError::Failed(failure) | ScanError::Troubled { failure, .. }) => {
            let page = PageOutcome::failed(page_address(&first), "", failure);
            ScanOutput::new(Findings::new(scanner.versions().await?).with_ran([]).with_pages([page]))
        }
        Err(ScanError::Cancelled) => return Err(CheckError::Cancelled),
        Err(ScanError::Unavailable(source) | ScanError::Broken(source)) => return Err(CheckError::Scanner(source)),
    };
    judge(&request, &output)?;
    output.findings.standard = request.standard;
    let asked = request.pages.as_ref().map_or_else(|| vec![first.clone()], |pages| pages.as_slice().to_vec());
    Ok(Scanned { output, notices, site: first, asked })
}

/// Returns the settings of the scanner that say which programs check.
pub(crate) fn tools(arguments: &ToolArguments, policy: a11ycheck_core::net::AddressPolicy) -> ChromiumConfig {
    let config = ChromiumConfig::new(policy);
    let config = match &arguments.chromium {
        Some(program) => config.with_browser(program),
        None => config,
    };
    let config = match (&arguments.axe, AXE) {
        (Some(file), _) => config.with_axe(file),
        (None, Some(source)) => config.with_axe_source(source),
        (None, None) => config,
    };
    // Never without the sandbox unless somebody says so.
    config.with_sandbox(if arguments.no_sandbox == Some(true) { Sandbox::Off } else { Sandbox::On })
}

/// Returns the runner that reads what this process prints.
pub(crate) fn ci_runner() -> Option<CiRunner> {
    let is_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let summary = || std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()).map(Into::into);
    is_github.then(|| CiRunner::Github { summary: summary() })
}

/// Returns how outputs are written.
pub(crate) fn write_options(
    color: ColorChoice,
    quiet: bool,
    show: &[ShowMore],
    runner: Option<CiRunner>,
) -> WriteOptions {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colours = match color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => std::io::stdout().is_terminal() && !is_unwanted,
    };
    let show = Show { accepted: show.contains(&ShowMore::Accepted), review: show.contains(&ShowMore::Review) };
    let stop_token = format!("a11ycheck{:032x}", rand::random::<u128>());
    WriteOptions { text: TextOptions { colours, quiet, show }, runner, stop_token, ..WriteOptions::default() }
}

pub(crate) fn note(level: NoticeLevel, message: &str) -> Notice {
    Notice { level, message: message.to_owned() }
}

/// Shows a warning.
#[expect(clippy::print_stderr, reason = "the program speaks to whoever runs it")]
fn warn(message: &str) {
    eprintln!("warning: {}", safe::for_log(message));
}

/// Returns whether an address is one of this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}
