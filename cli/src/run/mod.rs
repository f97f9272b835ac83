//! One finished run: what was checked, what was found, what the gate decided.
//!
//! [`Run`] is what every output format is made from, and what the format `json` writes and reads. Its form is versioned
//! ([`Run::FORMAT`]): later releases add fields, which readers pass over, and a change that breaks readers raises the number. It
//! is made in four steps: [`Run::new`] of what the scanner returned; then whoever judges it sets the marks of findings, the
//! baseline, the accepted findings, the gate and the exit code; [`Run::with_pictures`] keeps the pictures that reports show; and
//! an output writes it.
//!
//! Nothing is lost on the way: [`Run::findings`] returns the findings of the scanner again, so that core
//! makes each of its files of a run that was read from JSON as of one that has just ended.
//!
//! All texts of checked pages are hostile, here as in core: every format escapes them.

mod build;
mod facts;
mod finding;
mod page;
mod picture;
mod read;
mod restore;
mod rule;
#[cfg(feature = "schema")]
mod schema;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::domain::{PlatformKey, RuleId, Totals};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use self::{
    facts::{Program, RunFacts, Settings, Tools},
    finding::{AcceptedBy, RunFinding, Since},
    page::{Page, PageState},
    picture::{Picture, Pictures},
    read::ReadRunError,
    restore::RunReport,
    rule::{Kind, Rule},
    verdict::{Accept, Baseline, Exit, Gate, GateLine, Notice, NoticeLevel, Solved},
};

/// One finished run of `a11ycheck check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// The number of the form of this document: 1. A change that breaks readers raises it; added fields do not.
    #[cfg_attr(feature = "schema", schemars(extend("const" = Run::FORMAT)))]
    pub format: u32,
    /// The statement that an automated check is no full audit and no legal advice, in the language of the run.
    pub disclaimer: String,
    /// The programs that made the result.
    pub tools: Tools,
    /// The instant at which the run began.
    #[serde(serialize_with = "a11ycheck_core::timestamp::serialize")]
    pub started_at: DateTime<Utc>,
    /// The instant at which the last page was checked.
    #[serde(serialize_with = "a11ycheck_core::timestamp::serialize")]
    pub finished_at: DateTime<Utc>,
    /// What was asked for.
    pub settings: Settings,
    /// What the run ended with.
    pub exit: Exit,
    /// What the gate decided.
    pub gate: Gate,
    /// The comparison with the baseline; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// The accepted findings of the configuration, with what they matched, in its order.
    #[serde(default)]
    pub accepts: Vec<Accept>,
    /// What readers should know beside the findings: warnings, and what was left out.
    #[serde(default)]
    pub notices: Vec<Notice>,
    /// The number of problem elements by severity, accepted and known ones included. Recommendations count in none.
    pub totals: Totals,
    /// The pages, in the order in which they were given or found. Other parts name a page by its index in this list.
    pub pages: Vec<Page>,
    /// The rules that findings and undecided elements name, with their texts in the language of the run.
    pub rules: BTreeMap<RuleId, Rule>,
    /// The ids of the rules that finished on at least one page, whatever they found; absent if the engine does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<BTreeSet<RuleId>>,
    /// The elements that fail, by page, then by rule.
    pub findings: Vec<RunFinding>,
    /// Some of the elements that the engine could not judge, so that a person must look at them. They count in no total and
    /// fail no gate; [`Rule::undecided`] has their number.
    #[serde(default)]
    pub undecided: Vec<RunFinding>,
    /// The platforms that were recognised, the most certain first.
    #[serde(default)]
    pub platforms: Vec<PlatformKey>,
    /// True if the run was stopped because too many pages in a row were not ready in time: pages that it had not reached are
    /// missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_by_timeouts: bool,
    /// The pictures that reports show. Last, because they are long.
    #[serde(default)]
    pub pictures: Pictures,
}

impl Run {
    /// The number of the form of the document that this release writes and reads.
    pub const FORMAT: u32 = 1;

    /// Returns the page of a finding.
    pub fn page_of(&self, finding: &RunFinding) -> Option<&Page> {
        self.pages.get(finding.page)
    }

    /// Returns the rule of a finding.
    pub fn rule_of(&self, finding: &RunFinding) -> Option<&Rule> {
        self.rules.get(&finding.rule)
    }

    /// Returns the number of pages that were asked for and not checked. Dead links that the crawler met on the way are none.
    pub fn pages_not_checked(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter().filter(|page| page.state == PageState::NotChecked)
    }
}
