//! Pages of a run.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::domain::{Cover, Failure, PagePattern, RuleId, ScreenshotRef, UncheckedFrame};
use serde::{Deserialize, Serialize};

/// A page that was asked for or found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Page {
    /// The address as it was named, or under which a link led to the page. Personal data in it is masked.
    pub url: String,
    /// The address to which redirects led from there; absent if none did, and for pages that were found by their links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The file that was served under the address, relative to the root of the repository, with `/` between its parts; absent
    /// unless the run served a folder itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The title of the document; empty if there is none. Hostile text.
    pub title: String,
    /// Whether the page was checked.
    pub state: PageState,
    /// The reason why it was not checked; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The reason in the language of the run; absent if it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    /// The page or sitemap that links to it, if it is a dead link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_from: Option<String>,
    /// The number of its elements that break WCAG at level A or AA, those that were left out included.
    pub problems: u64,
    /// The number of its elements that break another rule, those that were left out included.
    pub recommendations: u64,
    /// The number of elements by rule that fail and are not among the findings, because only a limited number is kept for a page.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<RuleId, u32>,
    /// The rules to which elements of the page belong, all of which pass. Absent if the engine does not report it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub passed: BTreeSet<RuleId>,
    /// The rules to which no element of the page belongs. Absent if the engine does not report it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub inapplicable: BTreeSet<RuleId>,
    /// The number of frames of the page that were not checked.
    #[serde(default)]
    pub frames_not_checked: u32,
    /// The first of these frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked_frames: Vec<UncheckedFrame>,
    /// True if the page was still changing when the time for it to settle was over, and was checked as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub still_changing: bool,
    /// Addresses from which the page requested something and got no response. Hostile text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<String>,
    /// The layer that covered most of the page when it was checked, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<Cover>,
    /// The size of the picture of the page, if one was taken. The picture itself is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<ScreenshotRef>,
}

impl Page {
    /// Returns the address at which the page was found, after redirects.
    pub fn opened(&self) -> &str {
        self.final_url.as_deref().unwrap_or(&self.url)
    }

    /// Returns whether a pattern means the page: the address that was named, or the one to which redirects led.
    pub fn is_meant_by(&self, pattern: &PagePattern) -> bool {
        pattern.matches(&self.url) || self.final_url.as_deref().is_some_and(|url| pattern.matches(url))
    }
}

/// Whether a page was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    /// The engine ran on the page.
    Checked,
    /// The page was asked for, or found, and could not be checked.
    NotChecked,
    /// The web server does not have the page, although another page or a sitemap links to it. It counts neither as checked nor as
    /// unchecked.
    DeadLink,
}

impl Page {
    /// Returns whether the page was checked, but something on it may not have been: frames, content that was still changing or
    /// did not arrive, content behind a layer.
    pub fn is_partly_checked(&self) -> bool {
        self.state == PageState::Checked
            && (self.frames_not_checked > 0
                || self.still_changing
                || !self.unanswered.is_empty()
                || self.cover.is_some())
    }
}
