//! What was fixed since the check with which another was compared, element by element.

use std::{cmp::Reverse, collections::BTreeMap};

use super::TeamHandle;
use crate::{
    catalog::card,
    domain::{Findings, RuleId, fixed_elements},
    error::Error,
    id::ScanId,
    locale::Locale,
    paging::{Page, PageRequest},
    report::Report,
    store::StoreError,
};

/// An element of the previous check that is fixed. Its texts but for the title are hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedElement {
    /// The rule.
    pub rule: RuleId,
    /// The title of the rule, in the report's language.
    pub title: String,
    /// The address of the page.
    pub page: String,
    /// The selector, as the previous check found it.
    pub selector: String,
    /// The source, as the previous check found it.
    pub html: String,
}

/// The fixed elements of a check, with the report whose numbers they belong to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FixedElements {
    /// The report. Its number of fixed elements is that of the time of the check.
    pub report: Report,
    /// The elements: the rule with most of them first, then by page. `None` if there is no previous check, or its findings have left the
    /// history.
    pub elements: Option<Page<FixedElement>>,
}

impl TeamHandle {
    /// Returns the elements of the previous check that are fixed in a completed check. Both are compared again, from their findings, which
    /// takes a time that grows with them, on a blocking thread.
    ///
    /// # Errors
    /// Returns those of [`report`](Self::report).
    pub async fn fixed_elements(
        &self,
        scan: ScanId,
        page: PageRequest,
        locale: impl Into<Option<Locale>> + Send,
    ) -> Result<FixedElements, Error> {
        let locale = locale.into();
        let report = self.report(scan, locale).await?;
        let Some(previous) = report.diff.previous_id else { return Ok(FixedElements { report, elements: None }) };
        let store = self.service().store();
        let current = store.findings(self.id(), scan).await?.ok_or(Error::NotFound)?;
        let Some(previous) = store.findings(self.id(), previous).await? else {
            return Ok(FixedElements { report, elements: None });
        };
        let locale = report.locale;
        let compared = tokio::task::spawn_blocking(move || listed(&current, &previous, page, locale)).await;
        let elements = compared.map_err(|error| StoreError::Unavailable(error.into()))?;
        Ok(FixedElements { report, elements: Some(elements) })
    }
}

fn listed(current: &Findings, previous: &Findings, page: PageRequest, locale: Locale) -> Page<FixedElement> {
    let mut fixed = fixed_elements(current, previous);
    let mut counts: BTreeMap<&RuleId, usize> = BTreeMap::new();
    for index in &fixed {
        *counts.entry(&previous.items[*index].rule).or_default() += 1;
    }
    fixed.sort_by_key(|index| {
        let finding = &previous.items[*index];
        (Reverse(counts.get(&finding.rule).copied()), &finding.rule, finding.page, *index)
    });
    let element = |index: usize| {
        let finding = &previous.items[index];
        let help = previous.rules.get(&finding.rule).map_or("", |facts| facts.help.as_str());
        FixedElement {
            rule: finding.rule.clone(),
            title: card(finding.rule.as_str(), locale).map_or(help, |card| card.title).to_owned(),
            page: previous.pages.get(finding.page).map_or_else(String::new, |page| page.url.clone()),
            selector: finding.selector.clone(),
            html: finding.html.clone(),
        }
    };
    let Page { request, items, total } = Page::cut(fixed.into_iter(), page);
    Page { request, items: items.into_iter().map(element).collect(), total }
}
