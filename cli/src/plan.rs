//! What a check is to do: the command line first, then the environment, then the file.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use a11ycheck_core::{
    domain::{AcceptedFinding, Impact, RuleId, StandardId},
    locale::Locale,
    net::OpenedNetwork,
};
use a11ycheck_scanner_chromium::{InvalidViewport, Viewport};
use url::Url;

use crate::{
    arguments::{CheckArguments, Robots, level, locale, standard},
    config::{ConfigError, Configuration},
    gate::{GateSettings, PageGate},
    header::{Header, HeaderError},
    output::OutputRequest,
    targets::{Replacement, Selection},
};

/// A check, with every setting decided.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The targets of the command line.
    pub targets: Vec<String>,
    /// The addresses and the sitemap of the configuration, which count where the command line names no target.
    pub configured: Vec<String>,
    /// The most pages to follow links to; `None` for exactly what is named.
    pub pages: Option<u32>,
    /// The base address, if one is named.
    pub base_url: Option<Url>,
    /// The folder to serve.
    pub serve: Option<PathBuf>,
    /// Whether missing files lead to `index.html`.
    pub spa: bool,
    /// The server to start.
    pub start: Option<StartPlan>,
    /// What addresses in sitemaps begin with instead.
    pub sitemap_replace: Vec<Replacement>,
    /// The choice among the pages.
    pub selection: Selection,
    /// The standard.
    pub standard: StandardId,
    /// The language of results.
    pub locale: Locale,
    /// The name of the site.
    pub name: Option<String>,
    /// The outputs.
    pub outputs: Vec<OutputRequest>,
    /// The gate.
    pub gate: GateSettings,
    /// What the configuration accepts.
    pub accepts: Vec<AcceptedFinding>,
    /// The baseline.
    pub baseline: Option<PathBuf>,
    /// What addresses begin with instead before a baseline names them.
    pub rebase: Vec<Replacement>,
    /// What is done beside judging.
    pub flags: Flags,
    /// The number of pages that may remain unchecked.
    pub allow_unchecked: u64,
    /// The number of pages of a host that load at a time.
    pub pages_at_once: Option<usize>,
    /// The time limit of a page.
    pub page_timeout: Duration,
    /// The headers that requests to the site have in addition.
    pub headers: Vec<Header>,
    /// The size in which pages are shown.
    pub viewport: Option<Viewport>,
    /// Whether robots.txt counts, if that was said.
    pub robots: Option<Robots>,
    /// Networks that are opened beside what is named.
    pub allow_network: Vec<OpenedNetwork>,
    /// What another tool's configuration had and this program cannot take over.
    pub notices: Vec<String>,
}

/// A server to start.
#[derive(Debug, Clone)]
pub struct StartPlan {
    /// The command.
    pub command: String,
    /// The address that answers when it is ready; relative ones are joined to the base address.
    pub ready_url: Option<String>,
    /// The time limit for that.
    pub ready_within: Duration,
}

/// What is done beside judging.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub struct Flags {
    /// Writes the baseline, and judges nothing.
    pub update_baseline: bool,
    /// Solved entries of the baseline fail.
    pub strict_baseline: bool,
    /// Accepted findings that match nothing fail.
    pub strict: bool,
    /// A failed gate ends with 0.
    pub exit_zero: bool,
    /// The decisions of the gate are shown.
    pub explain_gate: bool,
    /// Pictures are taken.
    pub pictures: bool,
}

/// The reason why a check can't be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An argument is wrong, or several do not go together.
    #[error("{0}")]
    Argument(String),
}

impl Plan {
    /// Decides every setting.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn new(arguments: &CheckArguments, config: &Configuration) -> Result<Self, PlanError> {
        let file = &config.content;
        let wrong = |key: &str, reason: String| config.wrong(format!("{key}: {reason}"));
        let of_file = |values: &[String], key: &str| -> Result<Vec<Replacement>, PlanError> {
            let parsed = values.iter().map(|text| text.parse::<Replacement>());
            Ok(parsed.collect::<Result<_, _>>().map_err(|error| wrong(key, error.to_string()))?)
        };
        let of_arguments = |values: &[String]| -> Result<Vec<Replacement>, PlanError> {
            let parsed = values.iter().map(|text| text.parse::<Replacement>());
            parsed.collect::<Result<_, _>>().map_err(|error| PlanError::Argument(error.to_string()))
        };
        let replacements = |named: &[String], key: &str, configured: &[String]| {
            if named.is_empty() { of_file(configured, key) } else { of_arguments(named) }
        };
        let base_url = match (&arguments.base_url, &file.base_url) {
            (Some(url), _) => Some(url.clone()),
            (None, Some(text)) => Some(Url::parse(text).map_err(|error| wrong("base-url", error.to_string()))?),
            (None, None) => None,
        };
        if let Some(url) = base_url.as_ref().filter(|url| !matches!(url.scheme(), "http" | "https") || !url.has_host())
        {
            return Err(PlanError::Argument(format!("the base address {url} is no http or https address")));
        }
        let (serve, start) = (arguments.serve.clone(), arguments.start.clone());
        // What the command line says replaces both of the file.
        let of_command_line = serve.is_some() || start.is_some();
        let serve = serve.or_else(|| file.serve.as_ref().map(|path| config.path(path)).filter(|_| !of_command_line));
        let start = start.or_else(|| file.start.clone().filter(|_| !of_command_line));
        if serve.is_some() && start.is_some() {
            return Err(config.wrong("serve and start exclude each other: leave one out").into());
        }
        let ready_seconds = arguments.ready_seconds.or(file.ready_seconds).unwrap_or(60);
        let start = start.map(|command| StartPlan {
            command,
            ready_url: arguments.ready_url.clone().or_else(|| file.ready_url.clone()),
            ready_within: Duration::from_secs(ready_seconds),
        });
        let patterns = |named: &[String], key: &str, configured: &[String]| {
            let (values, is_file) = if named.is_empty() { (configured, true) } else { (named, false) };
            let parsed: Result<Vec<_>, _> = values.iter().map(|text| text.parse()).collect();
            parsed.map_err(|error: a11ycheck_core::domain::InvalidPagePattern| {
                if is_file { wrong(key, error.to_string()).into() } else { PlanError::Argument(error.to_string()) }
            })
        };
        let include = patterns(&arguments.include, "include", &file.include)?;
        let exclude = patterns(&arguments.exclude, "exclude", &file.exclude)?;
        let sample = arguments.sample.or(file.sample);
        let outputs = if arguments.output.is_empty() {
            let parsed: Result<Vec<OutputRequest>, _> = file.output.iter().map(|text| text.parse()).collect();
            let mut outputs = parsed.map_err(|error| wrong("output", error.to_string()))?;
            for output in &mut outputs {
                output.file = output.file.take().map(|path| config.path(&path));
            }
            outputs
        } else {
            arguments.output.clone()
        };
        let in_words = |text: &Option<String>, key: &str, read: fn(&str) -> Result<StandardId, String>| match text {
            Some(text) => read(text).map(Some).map_err(|reason| wrong(key, reason)),
            None => Ok(None),
        };
        let standard =
            arguments.standard.map_or_else(|| in_words(&file.standard, "standard", standard), |id| Ok(Some(id)))?;
        let lang = match (&arguments.lang, &file.lang) {
            (Some(lang), _) => *lang,
            (None, Some(code)) => locale(code).map_err(|reason| wrong("lang", reason))?,
            (None, None) => Locale::En,
        };
        let accepts: Result<Vec<_>, _> = file.accept.iter().map(|entry| entry.accepted()).collect();
        let accepts = accepts.map_err(|reason| config.wrong(format!("accept {reason}")))?;
        // They cost more than everything else of a page: nobody waits for what no output has.
        let has_pictures = || outputs.iter().any(|output| output.format.has_pictures());
        let pictures = !arguments.no_pictures && file.pictures.unwrap_or_else(has_pictures);
        let plan = Self {
            targets: arguments.targets.clone(),
            configured: file.urls.iter().chain(&file.sitemap).cloned().collect(),
            pages: arguments.pages.or(file.pages),
            base_url,
            serve,
            spa: arguments.spa || file.spa,
            start,
            sitemap_replace: replacements(&arguments.sitemap_replace, "sitemap-replace", &file.sitemap_replace)?,
            selection: Selection { include, exclude, sample },
            standard: standard.unwrap_or_default(),
            locale: lang,
            name: arguments.name.clone().or_else(|| file.name.clone()),
            outputs,
            gate: gate(arguments, config)?,
            accepts,
            baseline: arguments.baseline.clone().or_else(|| file.baseline.as_ref().map(|path| config.path(path))),
            rebase: replacements(&arguments.rebase, "rebase", &file.rebase)?,
            flags: Flags {
                update_baseline: arguments.update_baseline,
                strict_baseline: arguments.strict_baseline || file.strict_baseline,
                strict: arguments.strict || file.strict,
                exit_zero: arguments.exit_zero,
                explain_gate: arguments.explain_gate,
                pictures,
            },
            allow_unchecked: arguments.allow_unchecked.or(file.allow_unchecked).unwrap_or_default(),
            pages_at_once: arguments.pages_at_once.or(file.pages_at_once),
            page_timeout: Duration::from_secs(arguments.page_seconds.or(file.page_seconds).unwrap_or(60).max(1)),
            headers: headers(arguments, config)?,
            viewport: match (&arguments.viewport, &file.viewport) {
                (Some(viewport), _) => Some(*viewport),
                (None, Some(text)) => {
                    Some(text.parse().map_err(|error: InvalidViewport| wrong("viewport", error.to_string()))?)
                }
                (None, None) => None,
            },
            robots: arguments.robots.or(file.robots),
            allow_network: file.allow_network.iter().chain(&arguments.allow_network).cloned().collect(),
            notices: Vec::new(),
        };
        plan.checked()
    }

    /// Returns the plan, if its parts go together.
    fn checked(self) -> Result<Self, PlanError> {
        let refuse = |reason: &str| Err(PlanError::Argument(reason.to_owned()));
        if self.baseline.is_none() {
            if self.flags.update_baseline {
                return refuse("--update-baseline needs a file: name one with --baseline");
            }
            if self.gate.new_only {
                return refuse("a gate of new findings alone needs a baseline: name one with --baseline");
            }
            if self.flags.strict_baseline {
                return refuse("--strict-baseline needs a baseline: name one with --baseline");
            }
        }
        Ok(self)
    }
}

/// Returns the headers: those of the command line or the environment replace those of the file.
fn headers(arguments: &CheckArguments, config: &Configuration) -> Result<Vec<Header>, PlanError> {
    let wrong = |error: HeaderError| PlanError::Argument(error.to_string());
    let named = arguments.header.iter().filter_map(|line| line.header().transpose());
    let named = named.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    if !named.is_empty() {
        return Ok(named);
    }
    let configured = config.content.headers.iter().map(|(name, value)| Header::new(name, &value.0));
    let configured: Result<Vec<_>, _> = configured.collect();
    Ok(configured.map_err(|error| config.wrong(format!("headers: {error}")))?)
}

fn gate(arguments: &CheckArguments, config: &Configuration) -> Result<GateSettings, PlanError> {
    let file = &config.content.gate;
    let severity = |word: &Option<String>, key: &str| match word {
        Some(word) => level(word).map(Some).map_err(|reason| config.wrong(format!("{key}: {reason}"))),
        None => Ok(None),
    };
    let mut pages = Vec::with_capacity(file.pages.len());
    for entry in &file.pages {
        let level = severity(&entry.level, "gate.pages.level")?;
        let rule = entry.rule.as_ref().map(RuleId::new);
        pages.push(PageGate { pattern: entry.pattern.clone(), max: entry.max, level, rule });
    }
    let configured = severity(&file.level, "gate.level")?;
    Ok(GateSettings {
        level: arguments.level.or(configured).unwrap_or(Impact::Minor),
        max: arguments.max.or(file.max).unwrap_or_default(),
        rules: file.rules.iter().map(|(rule, max)| (RuleId::new(rule), *max)).collect(),
        pages,
        // Writing a baseline judges nothing, whatever the file says.
        new_only: (arguments.new_only || file.new_only) && !arguments.update_baseline,
    })
}

/// Returns a path relative to a folder, with `/` between its parts; `None` for one outside.
pub(crate) fn relative(path: &Path, folder: &Path) -> Option<String> {
    let path = path.strip_prefix(folder).ok()?;
    Some(path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn plan(line: &[&str], file: &str) -> Result<Plan, PlanError> {
        let arguments = Arguments::try_parse_from(["a11ycheck", "check"].iter().chain(line));
        let Command::Check(arguments) = arguments.map_err(|error| PlanError::Argument(error.to_string()))?.command
        else {
            unreachable!("the command is check")
        };
        let config = Configuration {
            file: Some("/repo/a11ycheck.toml".into()),
            folder: "/repo".into(),
            content: toml::from_str(file).unwrap(),
        };
        Plan::new(&arguments, &config)
    }

    fn refusal(line: &[&str], file: &str) -> String {
        plan(line, file).unwrap_err().to_string()
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let file = "base-url = 'https://a.example'\nserve = 'dist'\noutput = ['html=out/r.html']\n[gate]\nlevel = 'serious'\nmax = 5";
        let of_file = plan(&[], file).unwrap();
        assert_eq!((of_file.gate.level, of_file.gate.max), (Impact::Serious, 5));
        assert_eq!(of_file.serve, Some("/repo/dist".into()));
        assert_eq!(of_file.outputs[0].file, Some("/repo/out/r.html".into()));
        let line =
            ["--level", "critical", "--max", "1", "--start", "npm run preview", "--base-url", "http://localhost:1"];
        let of_line = plan(&line, file).unwrap();
        assert_eq!((of_line.gate.level, of_line.gate.max), (Impact::Critical, 1));
        assert_eq!((of_line.serve, of_line.base_url.unwrap().port()), (None, Some(1)));
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_to_do() {
        assert!(refusal(&["--new-only"], "").contains("--baseline"));
        assert!(refusal(&["--update-baseline"], "").contains("--baseline"));
        assert!(
            refusal(&["--update-baseline", "--baseline", "b.json", "--max", "3"], "").contains("cannot be used with")
        );
        assert!(refusal(&[], "serve = 'x'\nstart = 'y'").contains("exclude each other"));
        assert!(refusal(&[], "[[accept]]\nrule = 'label'\nselector = '#a'").contains("has no reason"));
        assert!(
            refusal(&[], "[[accept]]\nrule = 'label'\nreason = 'planned'").contains("either a selector or a template")
        );
        assert!(refusal(&[], "[gate]\nlevel = 'bad'").contains("gate.level"));
        assert!(refusal(&["--pages", "0"], "").contains("0"));
    }

    #[test]
    fn headers_and_viewport_of_the_command_line_go_before_those_of_the_file() {
        let file = "viewport = '320x480'\n[headers]\nAuthorization = 'Bearer of the file'";
        let of_file = plan(&[], file).unwrap();
        assert_eq!(
            (of_file.headers[0].name.as_str(), of_file.viewport),
            ("Authorization", Viewport::new(320, 480).ok())
        );
        let line = ["--header", "X-A: 1", "--header", "X-B: 2", "--viewport", "800x600"];
        let of_line = plan(&line, file).unwrap();
        let names: Vec<_> = of_line.headers.iter().map(|header| header.name.as_str()).collect();
        assert_eq!((names, of_line.viewport), (vec!["X-A", "X-B"], Viewport::new(800, 600).ok()));
        assert!(refusal(&[], "viewport = '99999x1'").contains("viewport"));
        assert!(refusal(&["--viewport", "1x1"], "").contains("1280x720"));
    }

    #[test]
    fn pictures_are_taken_for_outputs_that_have_them() {
        let pictures = |line: &[&str], file: &str| plan(line, file).unwrap().flags.pictures;
        assert!(!pictures(&[], "") && !pictures(&["-o", "text", "-o", "sarif=a.sarif"], ""));
        for output in ["json=a.json", "html=a.html", "pdf=a.pdf"] {
            assert!(pictures(&["-o", output], "") && pictures(&[], &format!("output = ['text', '{output}']")));
            assert!(!pictures(&["-o", output, "--no-pictures"], "") && !pictures(&["-o", output], "pictures = false"));
        }
        assert!(pictures(&[], "pictures = true"));
    }

    #[test]
    fn no_refusal_shows_the_value_of_a_header() {
        for (line, file) in [
            (&["--header", "Bearer s3cret"][..], ""),
            (&["--header", "Host: s3cret"], ""),
            (&[], "[headers]\nHost = 's3cret'"),
            (&[], "[headers]\n'a b' = 's3cret'"),
        ] {
            let refusal = refusal(line, file);
            assert!(refusal.contains("header") && !refusal.contains("s3cret"), "{refusal}");
        }
    }

    #[test]
    fn accepted_findings_are_read_with_their_last_day() {
        let file =
            "[[accept]]\nrule = 'label'\nselector = '#a'\nreason = 'not-ours'\nuntil = 2027-03-31\npages = '/x/**'";
        let accepted = plan(&[], file).unwrap().accepts.remove(0);
        assert_eq!(accepted.until.map(|day| day.to_string()).as_deref(), Some("2027-03-31"));
        assert!(refusal(&[], &file.replace("2027-03-31", "2027-03-31T00:00:00Z")).contains("until = 2027-03-31"));
    }
}
