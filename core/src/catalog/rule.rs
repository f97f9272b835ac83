//! The facts about a rule that are the same in every language.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::wcag::{Criterion, WcagVersion, criterion};
use crate::domain::{Impact, RuleKind};

/// The version of axe-core whose rules the catalogue describes.
pub fn axe_core_version() -> &'static str {
    &FILE.axe_core
}

/// What the ids of probes begin with.
const PROBE: &str = "a11ycheck-";

/// The entry of the rule with this id; `None` for a rule that the catalogue does not know.
pub fn rule(id: &str) -> Option<&'static RuleEntry> {
    FILE.rules.get(id)
}

/// Every rule of axe-core in the catalogue with its id, in the order of the ids.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static RuleEntry)> {
    FILE.rules.iter().map(|(id, entry)| (id.as_str(), entry)).filter(|(id, _)| !is_probe(id))
}

/// Every probe of the catalogue with its id, in the order of the ids: the checks of our own beside axe-core's rules (decision 0058).
pub fn probes() -> impl Iterator<Item = (&'static str, &'static RuleEntry)> {
    FILE.rules.iter().map(|(id, entry)| (id.as_str(), entry)).filter(|(id, _)| is_probe(id))
}

/// Returns whether an id is that of a probe, whether this release knows it or not.
pub fn is_probe(id: &str) -> bool {
    id.starts_with(PROBE)
}

/// Returns the address at which the rule with this id is explained, in English: by axe-core's makers, on the page for
/// [`axe_core_version`], or for a probe in `docs/probes.md`, which the documentation of the scanner shows. `None` for a rule that
/// the catalogue does not know; the facts of a check have the address for the version that ran.
pub fn help_url(id: &str) -> Option<String> {
    let (id, _) = FILE.rules.get_key_value(id)?;
    if is_probe(id) {
        return Some(format!("{}#{id}", FILE.probes_help));
    }
    // The pages are kept by major and minor version: 4.14 for 4.14.1.
    let version = axe_core_version().rsplit_once('.').map_or(axe_core_version(), |(minor, _patch)| minor);
    Some(format!("https://dequeuniversity.com/rules/axe/{version}/{id}"))
}

/// A rule of axe-core or a probe, free of any language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleEntry {
    /// The source of the requirement that the rule checks.
    pub basis: Basis,
    /// The impact, which axe-core fixes for each rule.
    pub impact: Impact,
    /// axe-core's category, for example `text-alternatives`.
    pub category: String,
    /// Numbers of the success criteria of WCAG, for example `1.4.3`, as axe-core tags the rule; empty for best practice.
    pub wcag: Vec<String>,
    /// Clauses of EN 301 549 v3.2.1 (other versions: [`Standard::clauses_of`](crate::domain::Standard::clauses_of)), for example `9.1.4.3`; level AAA and WCAG 2.2 are not required there.
    pub en301549: Vec<String>,
    /// What makes elements that break the rule one place to fix.
    #[serde(default)]
    pub place: PlaceBasis,
    /// The rules of W3C's ACT Rules Community that a probe implements, by their ids. Where axe-core has a rule for one of them, the
    /// probe's procedure replaces it in reports about implementations. For a rule of axe-core: those that it implements, at least in part, besides
    /// the ones that axe-core itself names.
    #[serde(default)]
    pub act: Vec<String>,
    /// The rule of axe-core whose undecided elements a probe decides. Both together implement the rules of [`act`](Self::act): the probe
    /// replaces nothing.
    pub decides: Option<String>,
    /// True for a probe that recognises some failures and nothing else: what it does not name has not passed.
    #[serde(default)]
    pub only_fails: bool,
    /// The groups of people affected, the hardest hit first; never empty.
    pub who: Vec<Audience>,
    /// The craft that repairs it as a rule.
    pub fixer: Fixer,
    /// The work that one place takes, as a rule.
    pub effort: Effort,
    /// The family of rules that report one fault on the same elements, if the rule is in one.
    pub fault: Option<Fault>,
    /// HTML or CSS that shows what to write.
    pub example: Option<String>,
}

impl RuleEntry {
    /// Returns whether findings of the rule are problems or recommendations.
    pub const fn kind(&self) -> RuleKind {
        match self.basis {
            Basis::WcagAAa => RuleKind::Problem,
            Basis::WcagAaa | Basis::BestPractice | Basis::Experimental | Basis::Deprecated => RuleKind::Recommendation,
        }
    }

    /// Returns the earliest version of WCAG that has one of the rule's criteria; `None` for a rule without a criterion.
    pub fn since(&self) -> Option<WcagVersion> {
        self.criteria().map(|criterion| criterion.since).min()
    }

    /// The success criteria of [`wcag`](Self::wcag), in the same order.
    pub fn criteria(&self) -> impl Iterator<Item = &'static Criterion> {
        // A test proves that every number leads to a criterion.
        self.wcag.iter().filter_map(|number| criterion(number))
    }
}

/// What makes elements that break a rule one place to fix (decision 0017).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceBasis {
    /// What axe-core measured: one pair of colours is changed once, whatever wears it.
    Measured,
    /// The thing itself: each picture needs a text of its own, although a template writes them all alike.
    Content,
    /// The source that a template repeats.
    #[default]
    Template,
}

/// The craft that repairs a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fixer {
    /// Colours and sizes.
    Design,
    /// Templates and scripts.
    Code,
    /// Texts, pictures and recordings.
    Content,
}

/// The work that the repair of one place takes, as a rule (decision 0041).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effort {
    /// Up to an hour.
    Small,
    /// Up to a day.
    Medium,
    /// Longer.
    Large,
}

impl Effort {
    /// Returns the letter that stands for it in every language.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Small => "S",
            Self::Medium => "M",
            Self::Large => "L",
        }
    }
}

/// A family of rules that report one fault on the same elements (decision 0041).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fault {
    /// The element has no name: giving it one clears all of these rules on it.
    Name,
    /// The element and its parts do not go together: the roles of a list, of tabs, of a menu.
    Structure,
}

/// The source of the requirement that a rule checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// WCAG, level A or AA.
    #[serde(rename = "wcag-a-aa")]
    WcagAAa,
    /// WCAG, level AAA.
    WcagAaa,
    /// Good practice beyond WCAG.
    BestPractice,
    /// A rule that axe-core still tries out.
    Experimental,
    /// A rule that axe-core has deprecated.
    Deprecated,
}

/// A group of people affected by a barrier; [`Terms::audience`](super::Terms::audience) returns its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "named in terms/en.toml")]
#[non_exhaustive]
pub enum Audience {
    Blind,
    LowVision,
    ColourVision,
    Deaf,
    Deafblind,
    Motor,
    Cognitive,
    Keyboard,
    ScreenReader,
    VoiceControl,
    Touch,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    axe_core: String,
    rules: BTreeMap<String, RuleEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeFile {
    help: String,
    rules: BTreeMap<String, RuleEntry>,
}

/// What both files say.
struct Entries {
    axe_core: String,
    /// The page that explains the probes, with a heading for each.
    probes_help: String,
    rules: BTreeMap<String, RuleEntry>,
}

static FILE: LazyLock<Entries> = LazyLock::new(|| {
    // The files are compiled in and the tests below read them: a build whose tests pass never panics here.
    let RuleFile { axe_core, mut rules } = toml::from_str(include_str!("../../catalog/rules.toml"))
        .unwrap_or_else(|error| panic!("catalog/rules.toml: {error}"));
    let probes: ProbeFile = toml::from_str(include_str!("../../catalog/probes.toml"))
        .unwrap_or_else(|error| panic!("catalog/probes.toml: {error}"));
    rules.extend(probes.rules);
    Entries { axe_core, probes_help: probes.help, rules }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_pinned_engine_is_in_the_catalogue() {
        assert_eq!(axe_core_version(), "4.14.1");
        assert_eq!(rules().count(), 105);
        let of = |basis| rules().filter(|(_, entry)| entry.basis == basis).count();
        assert_eq!(of(Basis::WcagAAa), 64);
        assert_eq!(of(Basis::WcagAaa), 3);
        assert_eq!(of(Basis::BestPractice), 27);
        assert_eq!(of(Basis::Experimental), 6);
        assert_eq!(of(Basis::Deprecated), 5);
    }

    #[test]
    fn a_rule_names_criteria_that_exist_and_fit_its_basis() {
        for (id, entry) in rules().chain(probes()) {
            assert_eq!(entry.criteria().count(), entry.wcag.len(), "{id}: a criterion that does not exist");
            if entry.basis == Basis::BestPractice {
                assert!(entry.wcag.is_empty() && entry.en301549.is_empty(), "{id}");
            }
            if matches!(entry.basis, Basis::WcagAAa | Basis::WcagAaa) {
                assert!(!entry.wcag.is_empty(), "{id}");
            }
            assert!(!entry.who.is_empty(), "{id}: nobody affected");
            assert!(!entry.category.is_empty(), "{id}");
            assert!(entry.example.as_deref().is_none_or(|example| !example.trim().is_empty()), "{id}");
        }
    }

    #[test]
    fn clauses_of_the_european_standard_are_the_a_and_aa_criteria_of_wcag_2_1() {
        for (id, entry) in rules().chain(probes()).filter(|(_, entry)| entry.basis == Basis::WcagAAa) {
            let clauses: Vec<String> = entry
                .criteria()
                .filter(|criterion| criterion.is_in_en301549())
                .map(|criterion| format!("9.{}", criterion.number))
                .collect();
            assert_eq!(entry.en301549, clauses, "{id}");
        }
    }

    #[test]
    fn target_size_is_no_requirement_before_wcag_2_2() {
        assert_eq!(rule("target-size").unwrap().since(), Some(WcagVersion::V2_2));
        assert_eq!(rule("target-size").unwrap().en301549, Vec::<String>::new());
        assert_eq!(rule("scrollable-region-focusable").unwrap().en301549, ["9.2.1.1"]);
        assert_eq!(rule("color-contrast").unwrap().since(), Some(WcagVersion::V2_0));
        assert_eq!(rule("region").unwrap().since(), None);
    }

    #[test]
    fn the_help_address_is_that_of_the_version() {
        let address = help_url("image-alt");
        assert_eq!(address.as_deref(), Some("https://dequeuniversity.com/rules/axe/4.14/image-alt"));
    }

    #[test]
    fn probes_are_apart_from_the_rules_of_axe_core() {
        let is_act = |act: &String| act.len() == 6 && act.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(probes().count() >= 15);
        for (id, entry) in probes() {
            assert!(matches!(entry.basis, Basis::WcagAAa | Basis::WcagAaa | Basis::BestPractice), "{id}");
            assert!(help_url(id).is_some_and(|address| address.ends_with(&format!("#{id}"))), "{id}");
            assert!(entry.act.iter().all(is_act), "{id}");
            assert!(
                entry.decides.iter().all(|decided| rule(decided).is_some_and(|rule| rule.wcag == entry.wcag)),
                "{id}"
            );
        }
        for (id, entry) in rules() {
            assert!(!is_probe(id) && entry.act.iter().all(is_act), "{id}");
            // What only a probe may say.
            assert!(entry.decides.is_none() && !entry.only_fails, "{id}");
        }
    }

    #[test]
    fn an_unknown_rule_has_no_entry() {
        assert!(rule("a-rule-of-tomorrow").is_none());
        assert!(help_url("a-rule-of-tomorrow").is_none());
    }
}
