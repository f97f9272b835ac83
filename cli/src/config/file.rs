//! The keys of the file, as they are written.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use a11ycheck_core::{
    domain::{AcceptReason, AcceptedElement, AcceptedFinding, PagePattern, RuleId},
    net::OpenedNetwork,
};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::arguments::Robots;

/// The content of the file. Paths in it are relative to its folder.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "docs/cli.md describes the keys")]
pub struct ConfigFile {
    pub urls: Vec<String>,
    pub sitemap: Option<String>,
    pub pages: Option<u32>,
    pub base_url: Option<String>,
    pub serve: Option<PathBuf>,
    pub spa: bool,
    pub start: Option<String>,
    pub ready_url: Option<String>,
    pub ready_seconds: Option<u64>,
    pub sitemap_replace: Vec<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub sample: Option<usize>,
    pub standard: Option<String>,
    pub lang: Option<String>,
    pub name: Option<String>,
    pub output: Vec<String>,
    pub baseline: Option<PathBuf>,
    pub strict_baseline: bool,
    pub rebase: Vec<String>,
    pub strict: bool,
    pub allow_unchecked: Option<u64>,
    pub pages_at_once: Option<usize>,
    pub page_seconds: Option<u64>,
    pub headers: BTreeMap<String, HeaderValue>,
    pub viewport: Option<String>,
    pub robots: Option<Robots>,
    pub pictures: Option<bool>,
    pub allow_network: Vec<OpenedNetwork>,
    pub gate: GateSection,
    pub accept: Vec<AcceptEntry>,
}

/// The value of a header, which is a secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HeaderValue(pub String);

impl fmt::Debug for HeaderValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderValue")
    }
}

impl<'de> Deserialize<'de> for HeaderValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        // The error for another type would show the value.
        value
            .as_str()
            .map(|text| Self(text.to_owned()))
            .ok_or_else(|| D::Error::custom("a header is a text, in quotation marks"))
    }
}

/// The table `gate`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "docs/cli.md describes the keys")]
pub struct GateSection {
    pub level: Option<String>,
    pub max: Option<u64>,
    pub new_only: bool,
    pub rules: BTreeMap<String, u64>,
    pub pages: Vec<PageGateSection>,
}

/// An entry of `gate.pages`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "docs/cli.md describes the keys")]
pub struct PageGateSection {
    #[serde(rename = "match")]
    pub pattern: PagePattern,
    pub max: u64,
    #[serde(default)]
    pub level: Option<String>,
    #[serde(default)]
    pub rule: Option<String>,
}

/// An entry of `accept`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "docs/cli.md describes the keys")]
pub struct AcceptEntry {
    pub rule: String,
    #[serde(default)]
    pub selector: Option<String>,
    #[serde(default)]
    pub template: Option<String>,
    #[serde(default)]
    pub pages: Option<PagePattern>,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub note: String,
    #[serde(default)]
    pub until: Option<toml::value::Datetime>,
}

impl AcceptEntry {
    /// Returns the accepted findings that are meant.
    ///
    /// # Errors
    /// What is missing or wrong, as a phrase that follows "accept".
    pub fn accepted(&self) -> Result<AcceptedFinding, String> {
        let of = format!("of {}", self.rule);
        let reasons = || AcceptReason::ALL.map(AcceptReason::as_str).join(", ");
        let reason = self.reason.as_deref().ok_or_else(|| format!("{of} has no reason: write one of {}", reasons()))?;
        let reason = AcceptReason::ALL.into_iter().find(|known| known.as_str() == reason);
        let reason = reason.ok_or_else(|| format!("{of} has an unknown reason: write one of {}", reasons()))?;
        let element = match (&self.selector, &self.template) {
            (Some(selector), None) if !selector.trim().is_empty() => AcceptedElement::Selector(selector.clone()),
            (None, Some(key)) => AcceptedElement::Template(key.parse().map_err(|error| format!("{of}: {error}"))?),
            _ => return Err(format!("{of} needs either a selector or a template")),
        };
        let until = match self.until {
            None => None,
            Some(toml::value::Datetime { date: Some(date), time: None, .. }) => Some(
                NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
                    .ok_or_else(|| format!("{of}: until is no day"))?,
            ),
            Some(_) => return Err(format!("{of}: write until as a day, for example until = 2027-03-31")),
        };
        let (rule, pages, note) = (RuleId::new(&self.rule), self.pages.clone(), self.note.clone());
        Ok(AcceptedFinding { rule, element, pages, reason, note, until })
    }
}
