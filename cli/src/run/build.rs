//! Making a run of what the scanner found.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    catalog::{describe, terms},
    domain::{Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, RuleKind, page_address},
    locale::Locale,
    report::said_of,
    scanner::RuleOutcomes,
};

use chrono::SubsecRound as _;
use url::Url;

use super::{Exit, Gate, Kind, Page, PageState, Pictures, Rule, Run, RunFacts, RunFinding, Since, Tools};

impl Run {
    /// Makes a run of what a scanner found: nothing is compared with a baseline, nothing is accepted, there is no gate, and the exit
    /// code is 0. The findings are in the order of [`Findings::items`], the pages in that of [`Findings::pages`].
    pub fn new(facts: RunFacts, found: &Findings) -> Self {
        let RunFacts { started_at, finished_at, settings } = facts;
        // As finely as the document has them, so that a run that is read again is the same.
        let (started_at, finished_at) = (started_at.trunc_subsecs(6), finished_at.trunc_subsecs(6));
        let locale = settings.locale;
        let mut elements = Elements::of(found);
        let rules =
            found.rules.iter().map(|(id, facts)| (id.clone(), elements.rule(found, id, facts, locale))).collect();
        let pages: Vec<_> = found.pages.iter().enumerate().map(|(at, page)| elements.page(at, page, locale)).collect();
        let pages_not_checked = pages.iter().filter(|page| page.state == PageState::NotChecked).count() as u64;
        Self {
            format: Self::FORMAT,
            disclaimer: terms(locale).disclaimer.clone(),
            tools: Tools::with_engine(&found.engine),
            started_at,
            finished_at,
            settings,
            exit: Exit { pages_not_checked, ..Exit::default() },
            gate: Gate::default(),
            baseline: None,
            accepts: Vec::new(),
            notices: Vec::new(),
            totals: found.totals(),
            pages,
            rules,
            ran: found.ran.clone(),
            findings: found.items.iter().map(|finding| RunFinding::new(finding, found, locale)).collect(),
            undecided: found.undecided.iter().map(|finding| RunFinding::new(finding, found, locale)).collect(),
            platforms: found.stack.clone(),
            stopped_by_timeouts: found.stopped_by_timeouts,
            pictures: Pictures { lost: found.pictures_not_stored, ..Pictures::default() },
        }
    }
}

impl Run {
    /// Adds what the rules came to on each page, in the order of the pages.
    #[must_use]
    pub fn with_rule_outcomes(mut self, outcomes: &[RuleOutcomes]) -> Self {
        for (page, RuleOutcomes { passed, inapplicable }) in self.pages.iter_mut().zip(outcomes) {
            page.passed.clone_from(passed);
            page.inapplicable.clone_from(inapplicable);
        }
        self
    }

    /// Names the first pages as they were asked for: `named` has their addresses, in the order of the pages. Where redirects led
    /// elsewhere from there is their [`Page::final_url`].
    #[must_use]
    pub fn with_named(mut self, named: &[Url]) -> Self {
        for (page, named) in self.pages.iter_mut().zip(named) {
            // Masked and cut as that of the page is.
            let named = PageOutcome::checked(page_address(named), "").url;
            if named != page.url {
                page.final_url = Some(std::mem::replace(&mut page.url, named));
            }
        }
        self
    }
}

impl RunFinding {
    fn new(finding: &Finding, found: &Findings, locale: Locale) -> Self {
        let impact = found.rules.get(&finding.rule).map_or(Impact::Moderate, |facts| facts.impact);
        Self {
            rule: finding.rule.clone(),
            kind: found.kind_of(&finding.rule).into(),
            impact,
            page: finding.page,
            selector: finding.selector.clone(),
            html: finding.html.clone(),
            message: said_of(finding, locale).unwrap_or_default(),
            failure_summary: finding.failure_summary.clone(),
            checks: finding.checks.clone(),
            key: finding.fingerprint.loose.as_str().to_owned(),
            keys: finding.fingerprint.clone(),
            since: if finding.is_new { Since::New } else { Since::NotCompared },
            accepted: None,
            area: finding.area,
            picture: finding.screenshot,
            opened_by: finding.opened_by.clone(),
        }
    }
}

/// The numbers of elements that fail, those that were left out included.
struct Elements {
    of_rules: BTreeMap<RuleId, u64>,
    /// Of problems, and of recommendations, by page.
    of_pages: Vec<(u64, u64)>,
}

impl Elements {
    fn of(found: &Findings) -> Self {
        let mut counted = Self { of_rules: BTreeMap::new(), of_pages: vec![(0, 0); found.pages.len()] };
        let left_out = found
            .pages
            .iter()
            .enumerate()
            .flat_map(|(at, page)| page.left_out.iter().map(move |(rule, count)| (rule, at, u64::from(*count))));
        for (rule, page, count) in found.items.iter().map(|item| (&item.rule, item.page, 1)).chain(left_out) {
            *counted.of_rules.entry(rule.clone()).or_default() += count;
            if let Some((problems, recommendations)) = counted.of_pages.get_mut(page) {
                match found.kind_of(rule) {
                    RuleKind::Problem => *problems += count,
                    RuleKind::Recommendation => *recommendations += count,
                }
            }
        }
        counted
    }

    fn rule(&mut self, found: &Findings, id: &RuleId, facts: &RuleFacts, locale: Locale) -> Rule {
        let texts = describe(id, facts, locale);
        Rule {
            kind: Kind::from(found.kind_of(id)),
            impact: facts.impact,
            title: texts.title.to_owned(),
            summary: texts.summary.to_owned(),
            how_to_fix: texts.how_to_fix.to_owned(),
            wcag: facts.wcag(),
            elements: self.of_rules.remove(id).unwrap_or_default(),
            undecided: found.needs_review.get(id).copied().unwrap_or_default(),
            undecided_reasons: found.undecided_reasons.get(id).cloned().unwrap_or_default(),
            tags: facts.tags.clone(),
            help: facts.help.clone(),
            description: facts.description.clone(),
            help_url: facts.help_url.clone(),
        }
    }

    fn page(&self, at: usize, page: &PageOutcome, locale: Locale) -> Page {
        let (problems, recommendations) = self.of_pages[at];
        Page {
            url: page.url.clone(),
            final_url: None,
            file: None,
            title: page.title.clone(),
            state: match (page.is_dead_link(), page.is_checked()) {
                (true, _) => PageState::DeadLink,
                (false, true) => PageState::Checked,
                (false, false) => PageState::NotChecked,
            },
            failure_message: page.error.as_ref().map(|failure| terms(locale).failure(failure).into_owned()),
            failure: page.error.clone(),
            linked_from: page.linked_from.clone(),
            problems,
            recommendations,
            left_out: page.left_out.clone(),
            passed: BTreeSet::new(),
            inapplicable: BTreeSet::new(),
            frames_not_checked: page.frames_not_checked,
            unchecked_frames: page.unchecked_frames.clone(),
            still_changing: page.still_changing,
            unanswered: page.unanswered.clone(),
            cover: page.cover,
            picture: page.picture,
        }
    }
}
