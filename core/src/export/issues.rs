//! The data that every format of issue exports reads.

use chrono::{DateTime, Utc};

use super::{
    acr::DraftOptions,
    text::{clip, clipped_line},
};
use crate::{
    catalog::{Terms, terms},
    domain::{Acceptances, Finding, Findings, Impact, PlatformKey, RuleKind, SiteDetails, StandardId},
    locale::Locale,
    report::{Prepared, PreparedRule, found, opened},
};

/// Returns the standard of a check, for programs: the text says what ran, and claims no conformance. People read
/// [`Terms::checked_standard`] instead.
pub fn checked_standard(standard: StandardId) -> String {
    format!("{} (automated checks)", standard.name())
}

/// The source of an export.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ExportSource<'a> {
    /// The team's name.
    pub team: &'a str,
    /// The site.
    pub site: &'a SiteDetails,
    /// The instant at which the check completed.
    pub checked_at: DateTime<Utc>,
    /// The findings of the check.
    pub findings: &'a Findings,
    /// The language of the texts.
    pub locale: Locale,
    /// The address at which readers of a ticket find all elements that are listed; `None` if there is no such address.
    pub rest: Option<&'a str>,
    /// What the draft of a conformance report shows beside the findings.
    pub draft: &'a DraftOptions,
    /// The accepted elements; `None` where elements can't be accepted. CSV and JSON show them, in columns and fields that they then have.
    pub accepted: Option<&'a Acceptances>,
}

impl<'a> ExportSource<'a> {
    /// Returns the source of an export of `findings`, the result of the check of `site` that completed at `checked_at`.
    pub const fn new(
        team: &'a str,
        site: &'a SiteDetails,
        checked_at: DateTime<Utc>,
        findings: &'a Findings,
        locale: Locale,
    ) -> Self {
        Self { team, site, checked_at, findings, locale, rest: None, draft: DraftOptions::NONE, accepted: None }
    }

    /// Sets the address at which readers of a ticket find the elements that it has no room for.
    #[must_use]
    pub fn with_rest(self, address: impl Into<Option<&'a str>>) -> Self {
        Self { rest: address.into(), ..self }
    }

    /// Sets what the draft of a conformance report shows beside the findings.
    #[must_use]
    pub const fn with_draft(self, draft: &'a DraftOptions) -> Self {
        Self { draft, ..self }
    }

    /// Sets which elements are accepted.
    #[must_use]
    pub const fn with_accepted(self, accepted: &'a Acceptances) -> Self {
        Self { accepted: Some(accepted), ..self }
    }
}

/// The source, with the texts about the check in its language.
pub(super) struct Issues<'a> {
    pub(super) source: ExportSource<'a>,
    pub(super) terms: &'static Terms,
    pub(super) prepared: Prepared<'a>,
}

impl<'a> Issues<'a> {
    const MAX_TITLE: usize = 200;
    const MAX_SUMMARY: usize = 3_000;
    /// The most elements that a ticket lists: what nobody would tick off one by one is in the rest.
    pub(super) const MAX_LISTED: usize = 50;

    pub(super) fn new(source: &ExportSource<'a>) -> Self {
        let mut prepared = Prepared::new(source.site, source.findings, source.locale);
        for PreparedRule { texts, .. } in &mut prepared.rules {
            // Only the scanner's own words, for rules that the catalogue does not know, can be longer than this.
            texts.title = clip(texts.title, Self::MAX_TITLE);
            texts.summary = clip(texts.summary, Self::MAX_SUMMARY);
        }
        Self { terms: terms(source.locale), prepared, source: *source }
    }

    /// Returns all rules in the order of the report: problems first.
    pub(super) fn rules(&self) -> impl Iterator<Item = &PreparedRule<'a>> {
        self.prepared.rules.iter()
    }

    /// Returns the problem rules, whose violation is a violation of WCAG at level A or AA.
    pub(super) fn problems(&self) -> impl Iterator<Item = &PreparedRule<'a>> {
        self.rules().filter(|rule| rule.kind == RuleKind::Problem)
    }

    /// Returns the name of the platform that the tips are for.
    pub(super) fn platform(&self) -> Option<&'a str> {
        self.prepared.platform.map(PlatformKey::display_name)
    }

    /// Returns a line with the standard of the check, for people.
    pub(super) fn standard_line(&self) -> String {
        format!("{}: {}", self.terms.label.standard, self.terms.checked_standard(self.source.findings.standard))
    }

    /// Returns the address of an element's page.
    pub(super) fn page_url(&self, finding: &Finding) -> &'a str {
        self.prepared.page_url(finding.page)
    }
}

/// A place to fix, as a ticket shows it. Hostile text.
#[derive(Debug)]
pub(super) struct TicketPlace {
    /// What was measured and what is required, or the selector of one element.
    pub(super) what: String,
    /// The numbers of elements and pages that one change clears.
    pub(super) reach: String,
    /// What was found there in the catalogue's words, with `code` in backticks; `None` if `what` says it, or the place
    /// before.
    pub(super) found: Option<String>,
    /// The source of one element in a line, so that it can be found in a template; empty if it is not known.
    pub(super) html: String,
}

/// The facts of a rule for issue exports, beside its texts.
impl<'a> PreparedRule<'a> {
    pub(super) fn id(&self) -> &'a str {
        self.rule.as_str()
    }

    pub(super) const fn severity(&self) -> Impact {
        self.facts.impact
    }

    /// Returns the number of pages with elements that are listed.
    pub(super) fn pages_listed(&self) -> usize {
        self.pages.iter().filter(|page| page.listed > 0).count()
    }

    /// Returns the places to fix, each without markup, as many as a ticket shows.
    pub(super) fn ticket_places(&self, terms: &Terms) -> impl Iterator<Item = TicketPlace> {
        let mut before = None;
        self.places.iter().take(Self::MAX_PLACES).map(move |place| {
            let (_, finding) = place.shown;
            let measured = place.measured();
            // The sentence about what was measured would say the same again.
            let said = if measured.is_some() { None } else { found(finding, terms.locale) };
            let said = opened(finding, terms.locale).into_iter().chain(said.map(|found| found.in_one_line()));
            let said = said.collect::<Vec<_>>().join(" ");
            let said = (!said.is_empty()).then(|| clip(&said, Self::MAX_FOUND).to_owned());
            let is_again = said == before;
            before.clone_from(&said);
            let what = match measured {
                Some(measured) => measured.to_string(),
                None => clip(&finding.selector, Self::MAX_PLACE).to_owned(),
            };
            let elements = terms.counted(&terms.count.element, place.count);
            let reach = format!("{elements}, {}", terms.counted(&terms.count.page, place.pages));
            let html = clipped_line(&finding.html, Self::MAX_PLACE);
            TicketPlace { what, reach, found: said.filter(|_| !is_again), html }
        })
    }

    /// The most places of a ticket.
    const MAX_PLACES: usize = 20;
    /// The most characters of the selector that stands for a place, and of the HTML of its element.
    const MAX_PLACE: usize = 300;
    /// The most characters of what was found at a place.
    const MAX_FOUND: usize = 300;

    /// Returns the title, and the rule in parentheses, all of it unescaped.
    pub(super) fn headline(&self) -> String {
        format!("{} ({})", self.texts.title, self.id())
    }

    /// Returns the labels by which trackers sort. They contain no spaces and no commas.
    pub(super) fn labels(&self) -> [String; 3] {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
        let rule: String =
            self.id().chars().map(|character| if is_plain(character) { character } else { '-' }).collect();
        ["accessibility".to_owned(), format!("a11y:{}", self.severity()), format!("axe:{rule}")]
    }

    /// Returns criteria and clauses in one line; empty if there are none.
    pub(super) fn standards(&self) -> String {
        let named =
            |name: &str, numbers: &[String]| (!numbers.is_empty()).then(|| format!("{name} {}", numbers.join(", ")));
        let both = [named("WCAG", &self.wcag), named("EN 301 549", &self.en301549)];
        both.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
