//! The gate: how many findings are permitted, by severity, by rule and by page.

use std::collections::BTreeMap;

use a11ycheck_core::domain::{Impact, PagePattern, RuleId};

use crate::run::{Gate, GateLine, Kind, Page, Run, Since};

/// The settings of the gate.
#[derive(Debug, Clone)]
pub struct GateSettings {
    /// The least severity of problems that count, where no setting names a rule.
    pub level: Impact,
    /// The greatest number of findings about which nothing more specific decides.
    pub max: u64,
    /// The greatest number of findings of a rule, whatever its severity and kind.
    pub rules: BTreeMap<RuleId, u64>,
    /// The greatest numbers of findings on some pages.
    pub pages: Vec<PageGate>,
    /// True if only findings count that the baseline does not have.
    pub new_only: bool,
}

impl Default for GateSettings {
    /// No problem is permitted.
    fn default() -> Self {
        Self { level: Impact::Minor, max: 0, rules: BTreeMap::new(), pages: Vec::new(), new_only: false }
    }
}

/// The greatest number of findings on the pages of a pattern.
#[derive(Debug, Clone)]
pub struct PageGate {
    /// The pages.
    pub pattern: PagePattern,
    /// The greatest number, on all of them together.
    pub max: u64,
    /// The least severity that counts there; `None` for that of the gate. Without effect where a rule is named.
    pub level: Option<Impact>,
    /// The rule, if the number is one of a rule.
    pub rule: Option<RuleId>,
}

/// The decision about the findings of one rule on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The rule.
    pub rule: RuleId,
    /// The index of the page.
    pub page: usize,
    /// The number of findings that are neither accepted nor, if only new ones count, known.
    pub count: u64,
    /// The setting that decided.
    pub setting: String,
    /// Whether they count: problems below the level, and recommendations without a setting of their own, do not.
    pub counts: bool,
}

/// The numbers of findings that are not listed one by one, by page and rule.
pub type Unlisted = BTreeMap<(usize, RuleId), u64>;

/// Judges a run whose findings have their marks. `unlisted` are findings above the bound of a page that count in addition.
///
/// The most specific setting decides: pages with a rule, then a rule, then pages, then the number for everything; of several
/// patterns that match, the longest, and of equally long ones the first. More findings never make a gate hold that failed.
pub fn judge(settings: &GateSettings, run: &Run, unlisted: &Unlisted) -> (Gate, Vec<Decision>) {
    let mut counts: Unlisted = BTreeMap::new();
    for finding in &run.findings {
        if finding.accepted.is_none() && !(settings.new_only && finding.since == Since::Known) {
            *counts.entry((finding.page, finding.rule.clone())).or_default() += 1;
        }
    }
    for (group, count) in unlisted.iter().filter(|(_, count)| **count > 0) {
        *counts.entry(group.clone()).or_default() += count;
    }
    let mut lines = settings.lines();
    let mut decisions = Vec::with_capacity(counts.len());
    for ((page, rule), count) in counts {
        let facts = run.rules.get(&rule);
        let (line, level) = settings.deciding(&rule, run.pages.get(page));
        // A rule without facts is none that is known to be a recommendation.
        let is_problem = facts.is_none_or(|facts| facts.kind == Kind::Problem);
        let impact = facts.map_or(Impact::Critical, |facts| facts.impact);
        let counts = level.is_none_or(|level| is_problem && impact >= level);
        if counts {
            lines[line].counted = lines[line].counted.saturating_add(count);
        }
        decisions.push(Decision { rule, page, count, setting: lines[line].setting.clone(), counts });
    }
    (Gate { level: Some(settings.level), new_only: settings.new_only, lines }, decisions)
}

impl GateSettings {
    /// Returns all settings with nothing counted: that for everything, those of rules, those of pages.
    fn lines(&self) -> Vec<GateLine> {
        let line = |setting: String, rule, pages, max| GateLine { setting, rule, pages, counted: 0, max };
        let of_rules = self
            .rules
            .iter()
            .map(|(rule, max)| line(format!("gate.rules.{}", rule.as_str()), Some(rule.clone()), None, *max));
        let of_pages = self.pages.iter().map(|gate| {
            let rule = gate.rule.as_ref().map_or_else(String::new, |rule| format!(" {}", rule.as_str()));
            let setting = format!("gate.pages {}{rule}", gate.pattern);
            line(setting, gate.rule.clone(), Some(gate.pattern.to_string()), gate.max)
        });
        [line("gate.max".to_owned(), None, None, self.max)].into_iter().chain(of_rules).chain(of_pages).collect()
    }

    /// Returns the index of the line that decides, and the least severity that counts there; `None` if all do.
    fn deciding(&self, rule: &RuleId, page: Option<&Page>) -> (usize, Option<Impact>) {
        let of_pages = |named: Option<&RuleId>| {
            let matching = self.pages.iter().enumerate().filter(|(_, gate)| {
                gate.rule.as_ref() == named && page.is_some_and(|page| page.is_meant_by(&gate.pattern))
            });
            matching.min_by_key(|(_, gate)| std::cmp::Reverse(gate.pattern.as_str().len()))
        };
        let first_of_pages = 1 + self.rules.len();
        if let Some((index, _)) = of_pages(Some(rule)) {
            return (first_of_pages + index, None);
        }
        if let Some(index) = self.rules.keys().position(|named| named == rule) {
            return (1 + index, None);
        }
        match of_pages(None) {
            Some((index, gate)) => (first_of_pages + index, Some(gate.level.unwrap_or(self.level))),
            None => (0, Some(self.level)),
        }
    }
}

/// Returns the exit code of a run.
///
/// 1 if the gate failed, 3 if more pages were not checked than are allowed, else 0. `is_advisory` makes a failed gate no reason for
/// 1, but never a page that was not checked a success.
pub fn exit_code(gate_failed: bool, not_checked: u64, allowed: u64, is_advisory: bool) -> u8 {
    if gate_failed && !is_advisory {
        1
    } else if not_checked > allowed {
        3
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::{
        domain::{Finding, Findings, PageOutcome, RuleFacts, SiteUrl, StandardId, Tool},
        locale::Locale,
    };
    use chrono::Utc;
    use proptest::prelude::*;

    use super::*;
    use crate::run::{AcceptedBy, RunFacts, Settings};

    const PAGES: [&str; 3] = ["https://a.example/", "https://a.example/legacy/x", "https://a.example/legacy/deep/y"];
    const RULES: [(&str, Impact, &str); 3] = [
        ("image-alt", Impact::Critical, "wcag2a"),
        ("color-contrast", Impact::Serious, "wcag2aa"),
        ("region", Impact::Moderate, "best-practice"),
    ];

    fn run(found: &[(usize, usize)]) -> Run {
        let items = found.iter().enumerate().map(|(number, (rule, page))| {
            Finding::new(RuleId::new(RULES[*rule].0), *page, PAGES[*page], &format!("#e{number}"), "<i>", "")
        });
        let findings = Findings::new(Tool::axe_core("4", "Chrome"))
            .with_pages(PAGES.map(|page| PageOutcome::checked(page, "")))
            .with_rules(RULES.map(|(id, impact, tag)| (RuleId::new(id), RuleFacts::new(impact, [tag]))))
            .with_items(items);
        let settings = Settings {
            targets: vec![],
            site: SiteUrl::parse(PAGES[0]).unwrap(),
            name: None,
            base_url: None,
            standard: StandardId::default(),
            locale: Locale::En,
            viewport: None,
        };
        Run::new(RunFacts { started_at: Utc::now(), finished_at: Utc::now(), settings }, &findings)
    }

    fn holds(settings: &GateSettings, run: &Run) -> bool {
        judge(settings, run, &Unlisted::new()).0.holds()
    }

    fn pages(pattern: &str, max: u64) -> PageGate {
        PageGate { pattern: pattern.parse().unwrap(), max, level: None, rule: None }
    }

    #[test]
    fn severities_below_the_level_and_recommendations_fail_nothing() {
        let contrast = run(&[(1, 0), (2, 0)]);
        assert!(!holds(&GateSettings::default(), &contrast));
        assert!(holds(&GateSettings { level: Impact::Critical, ..GateSettings::default() }, &contrast));
        assert!(holds(&GateSettings { max: 1, ..GateSettings::default() }, &contrast));
        assert!(holds(&GateSettings::default(), &run(&[(2, 0), (2, 1)])));
    }

    #[test]
    fn the_most_specific_setting_decides() {
        let settings = GateSettings {
            rules: [(RuleId::new("color-contrast"), 1), (RuleId::new("region"), 0)].into(),
            pages: vec![
                pages("/legacy/**", 2),
                pages("/legacy/deep/**", 5),
                PageGate { rule: Some(RuleId::new("color-contrast")), ..pages("/legacy/**", 9) },
            ],
            ..GateSettings::default()
        };
        let decided =
            |rule: usize, page: usize| judge(&settings, &run(&[(rule, page)]), &Unlisted::new()).1.remove(0).setting;
        assert_eq!(decided(0, 0), "gate.max");
        assert_eq!(decided(0, 1), "gate.pages /legacy/**");
        assert_eq!(decided(0, 2), "gate.pages /legacy/deep/**");
        assert_eq!(decided(1, 0), "gate.rules.color-contrast");
        assert_eq!(decided(1, 2), "gate.pages /legacy/** color-contrast");
        assert!(!holds(&settings, &run(&[(2, 0)])), "a recommendation that is named counts");
    }

    #[test]
    fn accepted_and_known_findings_count_where_they_should() {
        let mut known = run(&[(0, 0)]);
        known.findings[0].since = Since::Known;
        assert!(!holds(&GateSettings::default(), &known));
        assert!(holds(&GateSettings { new_only: true, ..GateSettings::default() }, &known));
        let mut accepted = run(&[(0, 0)]);
        accepted.findings[0].accepted =
            Some(AcceptedBy { accept: 0, reason: "planned".to_owned(), note: String::new() });
        assert!(holds(&GateSettings::default(), &accepted));
        let unlisted = Unlisted::from([((0, RuleId::new("image-alt")), 3)]);
        assert!(!judge(&GateSettings::default(), &accepted, &unlisted).0.holds(), "what is not listed counts too");
    }

    #[test]
    fn every_combination_has_its_exit_code() {
        for (gate_failed, not_checked, allowed, is_advisory, code) in [
            (false, 0, 0, false, 0),
            (true, 0, 0, false, 1),
            (true, 1, 0, false, 1),
            (false, 1, 0, false, 3),
            (false, 1, 1, false, 0),
            (false, 2, 1, false, 3),
            (true, 0, 0, true, 0),
            (true, 1, 0, true, 3),
            (true, 1, 1, true, 0),
            (true, 1, 1, false, 1),
        ] {
            assert_eq!(exit_code(gate_failed, not_checked, allowed, is_advisory), code);
        }
    }

    proptest! {
        #[test]
        fn one_more_finding_never_makes_a_failed_gate_hold(
            found in prop::collection::vec((0..3_usize, 0..3_usize), 0..8), added in (0..3_usize, 0..3_usize),
            max in 0..3_u64, of_rule in prop::option::of(0..3_u64), of_pages in prop::option::of((0..3_u64, any::<bool>())),
            level in 0..4_usize,
        ) {
            let contrast = RuleId::new("color-contrast");
            let settings = GateSettings {
                level: Impact::ALL[level],
                max,
                rules: of_rule.into_iter().map(|max| (contrast.clone(), max)).collect(),
                pages: of_pages
                    .into_iter()
                    .map(|(max, named)| PageGate { rule: named.then(|| contrast.clone()), ..pages("/legacy/**", max) })
                    .collect(),
                new_only: false,
            };
            let mut more = found.clone();
            more.push(added);
            if !holds(&settings, &run(&found)) {
                prop_assert!(!holds(&settings, &run(&more)));
            }
        }
    }
}
