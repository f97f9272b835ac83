//! The file of a baseline: JSON with one page or finding in a line, sorted, and nothing in it that changes from run to run.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use a11ycheck_core::domain::{Fingerprint, Key, RuleId};
use serde::{Deserialize, Serialize};

/// The number of the form of the file.
const FORMAT: u32 = 1;
/// The greatest number of characters of a selector that is kept.
const MAX_SELECTOR: usize = 120;

/// The reason why a baseline can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file can't be read.
    #[error("the baseline {} could not be read: write one with --update-baseline, or name another file", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a baseline. An empty file is none either: it would say that nothing is known.
    #[error("{} is no baseline: write one with --update-baseline", file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// The place and the reason.
        source: serde_json::Error,
    },
    /// The file is of another release, and can't be compared.
    #[error(
        "the baseline {} has format {format} and keys {keys}, and this program has {FORMAT} and {}: write it again with \
         --update-baseline",
        file.display(),
        Fingerprint::VERSION
    )]
    OtherRelease {
        /// The file.
        file: PathBuf,
        /// The number of its form.
        format: u32,
        /// The version of its keys.
        keys: u16,
    },
    /// The file can't be written.
    #[error("the baseline {} could not be written", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// A baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineFile {
    /// The names of the pages that were checked, with the numbers of findings above the bound of a page, by rule.
    pub pages: BTreeMap<String, BTreeMap<RuleId, u32>>,
    /// The findings.
    pub findings: BTreeSet<BaselineEntry>,
}

/// A finding of a baseline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    /// The name of the page.
    pub page: String,
    /// The rule.
    pub rule: RuleId,
    /// The selector, shortened. For readers: only keys are compared.
    pub selector: String,
    /// The keys of the element.
    pub loose: Key,
    /// The same.
    pub tight: Key,
    /// The same.
    pub outline: Option<Key>,
    /// The same.
    pub content: Option<Key>,
    /// The same.
    pub template: Key,
    /// The number of the element among those that are equal in all of this, from 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub number: u32,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

impl BaselineEntry {
    /// Returns the entry of an element.
    pub fn new(page: &str, rule: &RuleId, selector: &str, keys: &Fingerprint) -> Self {
        let Fingerprint { loose, tight, outline, content, template, .. } = keys.clone();
        let mut short: String = selector.chars().take(MAX_SELECTOR).collect();
        if short.len() < selector.len() {
            short.push('…');
        }
        Self {
            page: page.to_owned(),
            rule: rule.clone(),
            selector: short,
            loose,
            tight,
            outline,
            content,
            template,
            number: 1,
        }
    }
}

#[derive(Deserialize)]
struct Document {
    pages: Vec<PageLine>,
    findings: Vec<BaselineEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageLine {
    page: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    left_out: BTreeMap<RuleId, u32>,
}

impl BaselineFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`BaselineError::Unreadable`], [`BaselineError::Invalid`] and [`BaselineError::OtherRelease`].
    pub fn read(file: &Path) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        struct Head {
            #[serde(rename = "a11ycheck-baseline")]
            format: u32,
            keys: u16,
        }
        let text = std::fs::read(file);
        let text = text.map_err(|source| BaselineError::Unreadable { file: file.to_owned(), source })?;
        let invalid = |source| BaselineError::Invalid { file: file.to_owned(), source };
        let Head { format, keys } = serde_json::from_slice(&text).map_err(invalid)?;
        if format != FORMAT || keys != Fingerprint::VERSION {
            return Err(BaselineError::OtherRelease { file: file.to_owned(), format, keys });
        }
        let Document { pages, findings, .. } = serde_json::from_slice(&text).map_err(invalid)?;
        let pages = pages.into_iter().map(|line| (line.page, line.left_out)).collect();
        Ok(Self { pages, findings: findings.into_iter().collect() })
    }

    /// Writes the file, whole or not at all. Equal baselines are equal files.
    ///
    /// # Errors
    /// [`BaselineError::Unwritable`].
    pub fn write(&self, file: &Path) -> Result<(), BaselineError> {
        let unwritable = |source| BaselineError::Unwritable { file: file.to_owned(), source };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".a11ycheck-").suffix(".part");
        #[cfg(unix)]
        {
            // Like files of any other program: the process's mask decides.
            use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};
            builder.permissions(Permissions::from_mode(0o666));
        }
        let mut beside = builder.tempfile_in(folder).map_err(unwritable)?;
        beside.write_all(self.text().map_err(unwritable)?.as_bytes()).map_err(unwritable)?;
        beside.as_file().sync_all().map_err(unwritable)?;
        beside.persist(file).map(drop).map_err(|error| unwritable(error.error))
    }

    fn text(&self) -> io::Result<String> {
        let pages = self.pages.iter().map(|(page, left_out)| {
            serde_json::to_string(&PageLine { page: page.clone(), left_out: left_out.clone() })
        });
        let findings = self.findings.iter().map(serde_json::to_string);
        let joined = |lines: Vec<String>| {
            if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", lines.join(",\n")) }
        };
        let pages = joined(pages.collect::<Result<_, _>>()?);
        let findings = joined(findings.collect::<Result<_, _>>()?);
        Ok(format!(
            "{{\n\"a11ycheck-baseline\": {FORMAT},\n\"keys\": {},\n\"pages\": {pages},\n\"findings\": {findings}\n}}\n",
            Fingerprint::VERSION
        ))
    }

    /// Adds an element; of several that are equal, each counts.
    pub fn add(&mut self, mut entry: BaselineEntry) {
        while self.findings.contains(&entry) {
            entry.number += 1;
        }
        self.findings.insert(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> BaselineFile {
        let mut baseline = BaselineFile::default();
        baseline.pages.insert("/".to_owned(), BTreeMap::from([(RuleId::new("region"), 7)]));
        baseline.pages.insert("/contact".to_owned(), BTreeMap::new());
        let keys = Fingerprint::of(&RuleId::new("label"), "https://a.example/", "#q", "<input id=q>");
        for _ in 0..2 {
            baseline.add(BaselineEntry::new("/", &RuleId::new("label"), "#q", &keys));
        }
        baseline
    }

    #[test]
    fn a_baseline_is_read_back_and_written_as_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.json");
        sample().write(&file).unwrap();
        let first = std::fs::read_to_string(&file).unwrap();
        assert_eq!(BaselineFile::read(&file).unwrap(), sample());
        BaselineFile::read(&file).unwrap().write(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), first);
        assert_eq!(
            first.lines().filter(|line| line.contains("\"loose\"")).count(),
            2,
            "one line for each finding\n{first}"
        );
    }

    #[test]
    fn what_is_no_baseline_is_never_taken_for_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.json");
        assert!(matches!(BaselineFile::read(&file), Err(BaselineError::Unreadable { .. })));
        for text in ["", "{}", "[]", "{\"a11ycheck-baseline\": 1, \"keys\": 3}"] {
            std::fs::write(&file, text).unwrap();
            assert!(matches!(BaselineFile::read(&file), Err(BaselineError::Invalid { .. })), "{text}");
        }
        std::fs::write(&file, r#"{"a11ycheck-baseline": 2, "keys": 3, "later": []}"#).unwrap();
        assert!(matches!(BaselineFile::read(&file), Err(BaselineError::OtherRelease { format: 2, .. })));
        BaselineFile::default().write(&file).unwrap();
        assert_eq!(
            BaselineFile::read(&file).unwrap(),
            BaselineFile::default(),
            "one without findings is marked as one"
        );
    }
}
