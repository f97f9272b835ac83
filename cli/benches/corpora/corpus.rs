//! A corpus, and what the command says about its pages.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use a11ycheck_cli::run::{Kind, Run};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use crate::Arguments;

/// A case of a corpus.
pub(crate) trait Case: DeserializeOwned {
    /// Returns the address of its page from the root.
    fn page(&self) -> &str;
}

#[derive(Deserialize)]
struct Expected<C> {
    cases: Vec<C>,
}

/// The rules that said something about a page.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) problems: BTreeSet<String>,
    pub(crate) recommendations: BTreeSet<String>,
    pub(crate) by_hand: BTreeSet<String>,
}

/// The cases of a corpus whose pages have been checked.
#[derive(Debug)]
pub(crate) struct Checked<C> {
    pub(crate) cases: Vec<C>,
    said: HashMap<String, Said>,
}

impl<C: Case> Checked<C> {
    pub(crate) fn of(arguments: &Arguments) -> Self {
        let expected = fs::read(arguments.cases.join("expected.json")).unwrap();
        let Expected { cases } = serde_json::from_slice::<Expected<C>>(&expected).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let kept = arguments.run.clone().unwrap_or_else(|| folder.path().join("run.json"));
        if kept.exists() {
            // Whoever has built something new since would take its figures for those of that.
            println!("Nothing is checked: the run in {} is counted.", kept.display());
        } else {
            let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck"));
            command.args([
                "check",
                "-",
                "--no-pictures",
                "--exit-zero",
                "--allow-unchecked",
                "100000",
                "--quiet",
                "--moving-probes",
                "all",
                "--enhanced-contrast",
                "--measured-contrast",
                "--standard",
                "wcag22-aa",
            ]);
            command.arg("--serve").arg(&arguments.cases).arg(format!("--output=json={}", kept.display()));
            if let Some(earl) = &arguments.earl {
                command.arg(format!("--output=earl={}", earl.display()));
            }
            // Another folder's configuration has no say here.
            let mut child = command.current_dir(folder.path()).stdin(Stdio::piped()).spawn().unwrap();
            // An address that ends in .xml would be read as a sitemap.
            let pages: BTreeSet<&str> = cases.iter().map(Case::page).filter(|page| !page.ends_with(".xml")).collect();
            let list: String = pages.iter().map(|page| format!("{page}\n")).collect();
            child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
            assert!(child.wait().unwrap().code().is_some_and(|code| code != 2), "the check could not run");
        }
        let run: Run = serde_json::from_slice(&fs::read(kept).unwrap()).unwrap();
        Self { cases, said: said(&run) }
    }

    /// Returns what was said about the page of a case; `None` if it was not checked.
    pub(crate) fn said(&self, case: &C) -> Option<&Said> {
        let path = Url::parse("http://localhost").unwrap().join(case.page()).unwrap();
        self.said.get(path.path())
    }
}

fn said(run: &Run) -> HashMap<String, Said> {
    let mut all: Vec<(String, Said)> = Vec::new();
    for page in &run.pages {
        let path = Url::parse(&page.url).unwrap().path().to_owned();
        all.push((path, Said::default()));
    }
    for finding in &run.findings {
        let (_, said) = &mut all[finding.page];
        let list = if finding.kind == Kind::Problem { &mut said.problems } else { &mut said.recommendations };
        list.insert(finding.rule.to_string());
    }
    for finding in &run.undecided {
        all[finding.page].1.by_hand.insert(finding.rule.to_string());
    }
    let checked = run.pages.iter().zip(all).filter(|(page, _)| page.failure.is_none());
    checked.map(|(_, said)| said).collect()
}
