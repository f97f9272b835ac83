//! What every format of issue exports reads.

use chrono::{DateTime, Utc};

use super::text::clip;
use crate::{
    catalog::{Description, Terms, describe, terms, tip},
    domain::{Finding, Findings, Impact, RuleKind, SiteDetails},
    locale::Locale,
    report::{RankedRule, platform, ranked},
};

/// What a check goes by. It says what ran, and claims no conformance.
pub const STANDARD: &str = "WCAG 2.1 AA / EN 301 549 v3.2.1 (automated checks)";

/// What an export is made of.
#[derive(Debug, Clone, Copy)]
pub struct ExportSource<'a> {
    /// The team's name.
    pub team: &'a str,
    /// The site.
    pub site: &'a SiteDetails,
    /// When the check completed.
    pub checked_at: DateTime<Utc>,
    /// What it found.
    pub findings: &'a Findings,
    /// The language of the texts.
    pub locale: Locale,
}

/// The source, with its rules ranked and told in words.
pub(super) struct Issues<'a> {
    pub(super) source: ExportSource<'a>,
    pub(super) terms: &'static Terms,
    /// The name of the platform that tips follow.
    pub(super) platform: Option<&'a str>,
    /// In the report's order: problems first.
    pub(super) rules: Vec<IssueRule<'a>>,
}

/// A rule with all that files say of it.
pub(super) struct IssueRule<'a> {
    pub(super) ranked: RankedRule<'a>,
    pub(super) texts: Description<'a>,
    pub(super) platform_tip: Option<&'static str>,
    pub(super) wcag: Vec<String>,
    pub(super) en301549: Vec<String>,
    /// How many pages have such elements.
    pub(super) pages: usize,
}

impl<'a> Issues<'a> {
    pub(super) fn new(source: &ExportSource<'a>) -> Self {
        let platform = platform(source.site, source.findings);
        let rule = |ranked: RankedRule<'a>| {
            let mut texts = describe(ranked.rule, ranked.facts, source.locale);
            // Only the scanner's own words, for rules that the catalogue does not know, can be as long as this.
            texts.title = clip(texts.title, IssueRule::MAX_TITLE);
            texts.summary = clip(texts.summary, IssueRule::MAX_SUMMARY);
            IssueRule {
                platform_tip: platform.and_then(|key| tip(ranked.rule.as_str(), key.as_str(), source.locale)),
                wcag: ranked.facts.wcag(),
                en301549: ranked.en301549(),
                pages: pages(&ranked),
                texts,
                ranked,
            }
        };
        Self {
            terms: terms(source.locale),
            platform: platform.map(|key| key.display_name()),
            rules: ranked(source.findings).into_iter().map(rule).collect(),
            source: *source,
        }
    }

    /// The rules whose breaking breaks WCAG at level A or AA.
    pub(super) fn problems(&self) -> impl Iterator<Item = &IssueRule<'a>> {
        self.rules.iter().filter(|rule| rule.ranked.kind == RuleKind::Problem)
    }

    /// The address of an element's page.
    pub(super) fn page_url(&self, finding: &Finding) -> &'a str {
        self.source.findings.pages.get(finding.page).map_or("", |page| &page.url)
    }
}

impl<'a> IssueRule<'a> {
    const MAX_TITLE: usize = 200;
    const MAX_SUMMARY: usize = 3_000;

    pub(super) fn id(&self) -> &'a str {
        self.ranked.rule.as_str()
    }

    pub(super) const fn severity(&self) -> Impact {
        self.ranked.facts.impact
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &'a Finding> {
        self.ranked.elements.iter().map(|(_, finding)| *finding)
    }

    /// The severity in brackets, the title, and the rule in parentheses, all of it unescaped.
    pub(super) fn headline(&self) -> String {
        format!("[{}] {} ({})", self.severity(), self.texts.title, self.id())
    }

    /// What trackers sort by. Free of spaces and commas.
    pub(super) fn labels(&self) -> [String; 3] {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
        let rule: String =
            self.id().chars().map(|character| if is_plain(character) { character } else { '-' }).collect();
        ["accessibility".to_owned(), format!("a11y:{}", self.severity()), format!("axe:{rule}")]
    }

    /// Criteria and clauses in one line; empty where there are none.
    pub(super) fn standards(&self) -> String {
        let named =
            |name: &str, numbers: &[String]| (!numbers.is_empty()).then(|| format!("{name} {}", numbers.join(", ")));
        let both = [named("WCAG", &self.wcag), named("EN 301 549", &self.en301549)];
        both.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

fn pages(ranked: &RankedRule<'_>) -> usize {
    let mut pages: Vec<usize> = ranked.elements.iter().map(|(_, finding)| finding.page).collect();
    pages.sort_unstable();
    pages.dedup();
    pages.len()
}
