//! The configuration of pa11y-ci, for those who move.

use std::{
    io,
    path::{Path, PathBuf},
};

use a11ycheck_core::catalog;
use a11ycheck_scanner_chromium::Viewport;
use serde_json::{Map, Value};

use crate::{
    config::{ConfigFile, Configuration, HeaderValue},
    header::Header,
};

/// The reason why a configuration of pa11y-ci can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FromPa11yError {
    /// The file can't be read.
    #[error("{} could not be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not JSON. pa11y-ci also takes JavaScript, which this program never runs.
    #[error("{} is not JSON: write what a script makes of it into a file, and name that", file.display())]
    NotJson {
        /// The file.
        file: PathBuf,
        /// The place and the reason.
        source: serde_json::Error,
    },
}

/// Keys that mean nothing here: how pa11y-ci itself runs and reports.
const WITHOUT_MEANING: [&str; 6] =
    ["concurrency", "log", "level", "reporter", "reporters", "useIncognitoBrowserContext"];

/// Reads a configuration, and returns it with a sentence for each thing that could not be taken over.
///
/// # Errors
/// [`FromPa11yError`].
pub fn read(file: &Path) -> Result<(Configuration, Vec<String>), FromPa11yError> {
    let text = std::fs::read(file);
    let text = text.map_err(|source| FromPa11yError::Unreadable { file: file.to_owned(), source })?;
    let read = serde_json::from_slice(&text);
    let document: Map<String, Value> =
        read.map_err(|source| FromPa11yError::NotJson { file: file.to_owned(), source })?;
    let mut taken = Taken::default();
    for (key, value) in &document {
        match key.as_str() {
            "defaults" => value.as_object().into_iter().flatten().for_each(|(key, value)| taken.option(key, value)),
            "urls" => value.as_array().into_iter().flatten().for_each(|url| taken.url(url)),
            "sitemap" => taken.config.sitemap = value.as_str().map(str::to_owned),
            "sitemapExclude" => taken.leave("sitemapExclude", "write patterns of pages with --exclude"),
            _ => taken.option(key, value),
        }
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let config = Configuration { file: Some(file.to_owned()), folder: folder.to_owned(), content: taken.config };
    Ok((config, taken.notices))
}

#[derive(Default)]
struct Taken {
    config: ConfigFile,
    notices: Vec<String>,
}

impl Taken {
    fn leave(&mut self, key: &str, instead: &str) {
        self.notices.push(format!("pa11y-ci's {key} was not taken over: {instead}."));
    }

    fn url(&mut self, url: &Value) {
        match url {
            Value::String(url) => self.config.urls.push(url.clone()),
            Value::Object(options) => {
                let Some(url) = options.get("url").and_then(Value::as_str) else {
                    return self.leave("entry without url", "name its address under urls");
                };
                self.config.urls.push(url.to_owned());
                let keys: Vec<&str> = options.keys().map(String::as_str).filter(|key| *key != "url").collect();
                if !keys.is_empty() {
                    let of = format!("{} of {url}", keys.join(", "));
                    self.leave(&of, "settings of one page are those of the gate ([[gate.pages]])");
                }
            }
            _ => self.leave("entry of urls", "it is neither an address nor an object"),
        }
    }

    fn viewport(&mut self, viewport: &Map<String, Value>) {
        let edge = |name: &str| viewport.get(name).and_then(Value::as_u64).and_then(|edge| u32::try_from(edge).ok());
        // pa11y-ci's own, where one of them is missing.
        match Viewport::new(edge("width").unwrap_or(1280), edge("height").unwrap_or(1024)) {
            Ok(viewport) => self.config.viewport = Some(viewport.to_string()),
            Err(error) => self.leave("viewport", &error.to_string()),
        }
        for key in viewport.keys().filter(|key| !matches!(key.as_str(), "width" | "height")) {
            self.leave(&format!("viewport.{key}"), "pages are shown as on a desktop, with a pixel for each CSS pixel");
        }
    }

    /// Takes headers over. No notice has their values.
    fn headers(&mut self, headers: &Map<String, Value>) {
        for (name, value) in headers {
            match value.as_str().map(|value| (value, Header::new(name, value))) {
                Some((value, Ok(_))) => drop(self.config.headers.insert(name.clone(), HeaderValue(value.to_owned()))),
                Some((_, Err(error))) => self.leave("headers", &error.to_string()),
                None => self.leave("headers", "the value of a header is a text"),
            }
        }
    }

    fn option(&mut self, key: &str, value: &Value) {
        match (key, value) {
            // The number of errors on all pages together.
            ("threshold", Value::Number(number)) => self.config.gate.max = number.as_u64(),
            ("timeout", Value::Number(milliseconds)) => {
                self.config.page_seconds = milliseconds.as_u64().map(|time| time.div_ceil(1_000).max(1));
            }
            ("standard", Value::String(standard)) if standard == "WCAG2AA" => {}
            ("standard", Value::String(standard)) => {
                let instead = format!("pages are checked against WCAG 2.1 AA, not {standard}; see --standard");
                self.leave("standard", &instead);
            }
            ("ignore", Value::Array(codes)) => {
                for code in codes.iter().filter_map(Value::as_str) {
                    if catalog::rule(code).is_some() {
                        self.config.gate.rules.insert(code.to_owned(), u64::MAX);
                    } else {
                        let instead = "it is no rule of axe-core; accept findings with a reason ([[accept]])";
                        self.leave(&format!("ignore of {code}"), instead);
                    }
                }
            }
            ("runners", Value::Array(runners)) if runners.iter().all(|runner| runner == "axe") => {}
            ("runners" | "runner", _) => {
                self.leave("runners", "axe-core alone checks here, so that other codes do not occur")
            }
            ("includeWarnings" | "includeNotices", _) => {
                self.leave(key, "what a person has to decide is shown with --show review, and never fails");
            }
            ("viewport", Value::Object(viewport)) => self.viewport(viewport),
            ("headers", Value::Object(headers)) => self.headers(headers),
            ("chromeLaunchConfig", _) => self.leave(key, "see --chromium and --no-sandbox"),
            ("hideElements" | "rootElement", _) => {
                self.leave(key, "whole pages are checked; accept findings with a reason")
            }
            ("wait", _) => self.leave("wait", "pages are checked when they have settled"),
            _ if WITHOUT_MEANING.contains(&key) => {}
            _ => self.leave(key, "there is nothing like it here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_taken_over_and_the_rest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".pa11yci");
        let text = r#"{
            "defaults": {
                "standard": "WCAG2AA", "threshold": 10, "timeout": 30500, "runners": ["axe"], "concurrency": 4,
                "ignore": ["color-contrast", "WCAG2AA.Principle1.Guideline1_4.1_4_3.G18.Fail"],
                "viewport": {"width": 320, "height": 480, "isMobile": true},
                "headers": {"Cookie": "x=s3cret", "Host": "s3cret"}, "actions": ["click #a"]
            },
            "urls": ["https://a.example/", {"url": "https://a.example/x", "threshold": 2}]
        }"#;
        std::fs::write(&file, text).unwrap();
        let (config, notices) = read(&file).unwrap();
        let ConfigFile { urls, gate, page_seconds, viewport, headers, .. } = config.content;
        assert_eq!(viewport.as_deref(), Some("320x480"));
        assert_eq!(headers, [("Cookie".to_owned(), HeaderValue("x=s3cret".to_owned()))].into());
        assert_eq!(urls, ["https://a.example/", "https://a.example/x"]);
        assert_eq!((gate.max, page_seconds), (Some(10), Some(31)));
        assert_eq!(gate.rules.keys().collect::<Vec<_>>(), ["color-contrast"]);
        for left in ["G18.Fail", "viewport.isMobile", "host", "actions", "threshold of https://a.example/x"] {
            assert!(notices.iter().any(|notice| notice.contains(left)), "{left}: {notices:#?}");
        }
        assert_eq!(notices.len(), 5, "{notices:#?}");
        assert!(!format!("{notices:?} {headers:?}").contains("s3cret"), "{notices:#?}");
    }

    #[test]
    fn a_script_is_never_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".pa11yci.js");
        std::fs::write(&file, "module.exports = {}").unwrap();
        assert!(matches!(read(&file), Err(FromPa11yError::NotJson { .. })));
    }
}
