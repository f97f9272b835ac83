//! The elements of a check, one by one: all that is listed, where a report shows examples.

use std::collections::BTreeMap;

use super::{ScanFiles, TeamHandle};
use crate::{
    domain::{Assignment, Finding, Judgement, JudgementState, RuleId, ScreenshotRef},
    error::Error,
    id::ScanId,
    locale::Locale,
    paging::{Page, PageRequest},
    report::Report,
};

/// The kind of elements of a check that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Shown {
    /// All that have a problem.
    #[default]
    Problems,
    /// Those among them that the previous check did not have.
    New,
    /// Those among them that are accepted.
    Accepted,
    /// Those that no program could decide about.
    ToReview,
}

/// The elements of a check that are asked for.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ElementsQuery {
    /// The kind.
    pub shown: Shown,
    /// The number of the page on which they are, from 0 in the order of [`Report::pages`]; `None` for all pages.
    pub page: Option<usize>,
}

impl ElementsQuery {
    /// Returns the query for elements of one kind, on one page or all.
    pub fn new(shown: Shown, page: impl Into<Option<usize>>) -> Self {
        Self { shown, page: page.into() }
    }
}

/// An element of a check. Its texts but for the title are hostile.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedElement {
    /// The number of the element within the check.
    pub number: u64,
    /// The rule.
    pub rule: RuleId,
    /// The title of the rule, in the report's language.
    pub title: String,
    /// The address of the page.
    pub page: String,
    /// The selector.
    pub selector: String,
    /// The source.
    pub html: String,
    /// True if the previous check did not have it.
    pub is_new: bool,
    /// The picture of it, if there is one.
    pub picture: Option<ScreenshotRef>,
    /// The decision about it, and its state.
    pub judgement: Option<(Judgement, JudgementState)>,
    /// The assignment about it, or about its template or rule; none for what no program could decide about.
    pub assignment: Option<Assignment>,
}

/// Elements of a check, with the report whose numbers they belong to. A report may count more than are listed: only a limited number of a
/// page is kept.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckElements {
    /// The report.
    pub report: Report,
    /// The elements, by page, then by rule.
    pub elements: Page<ListedElement>,
}

impl TeamHandle {
    /// Returns elements of a completed check.
    ///
    /// # Errors
    /// Returns those of [`report`](Self::report), and [`Error::NotFound`] where the check has no such page.
    pub async fn elements(
        &self,
        scan: ScanId,
        query: ElementsQuery,
        page: PageRequest,
        locale: impl Into<Option<Locale>> + Send,
    ) -> Result<CheckElements, Error> {
        let locale = locale.into();
        self.files_of(scan).await?.elements(query, page, locale).await
    }
}

impl ScanFiles {
    async fn elements(
        &self,
        query: ElementsQuery,
        page: PageRequest,
        locale: Option<Locale>,
    ) -> Result<CheckElements, Error> {
        let (report, open, (judgements, judged)) = self.service.reviewed(self.team.id, &self.scan, locale).await?;
        let (extract, pages) = (open.extract(), &open.extract().rest().pages);
        let (assignments, assigned) = self.service.assigned(self.team.id, self.scan.site, extract).await?;
        if query.page.is_some_and(|page| page >= pages.len()) {
            return Err(Error::NotFound);
        }
        let is_accepted = |number| report.accepted.of(number).is_some();
        let listed = match query.shown {
            Shown::ToReview => {
                let undecided = extract.undecided().map(|(number, finding)| (number, finding.page, finding.is_new));
                listed(query, undecided, is_accepted)
            }
            Shown::Problems | Shown::New | Shown::Accepted => listed(query, extract.problems(), is_accepted),
        };
        let of_groups = report.groups.iter().chain(&report.advisory).map(|group| (&group.rule, &group.title));
        let titles: BTreeMap<&RuleId, &String> =
            report.to_check.iter().map(|rule| (&rule.rule, &rule.title)).chain(of_groups).collect();
        let cut = Page::cut(listed.into_iter(), page);
        let elements = open.elements(&cut.items).await?;
        let element = |(number, finding): (u64, Finding)| {
            let about = judged.about(number);
            ListedElement {
                number,
                rule: finding.rule.clone(),
                title: titles.get(&finding.rule).map_or_else(|| finding.rule.to_string(), |title| (*title).clone()),
                page: pages.get(finding.page).map_or_else(String::new, |page| page.url.clone()),
                is_new: finding.is_new,
                picture: finding.screenshot,
                selector: finding.selector,
                html: finding.html,
                judgement: about.and_then(|(index, state)| Some((judgements.get(index)?.clone(), state))),
                assignment: match query.shown {
                    Shown::ToReview => None,
                    Shown::Problems | Shown::New | Shown::Accepted => {
                        assigned.about(number, &finding.rule).and_then(|index| assignments.get(index).cloned())
                    }
                },
            }
        };
        let items = cut.items.into_iter().zip(elements).map(element).collect();
        let elements = Page { request: cut.request, items, total: cut.total };
        Ok(CheckElements { report, elements })
    }
}

/// Returns the numbers of the elements that a query lists. Those of its kind are given, each with its number within the check, its page,
/// and whether the previous check did not have it.
pub(super) fn listed(
    query: ElementsQuery,
    elements: impl Iterator<Item = (u64, usize, bool)>,
    is_accepted: impl Fn(u64) -> bool,
) -> Vec<u64> {
    let is_listed = |(number, page, is_new): &(u64, usize, bool)| {
        query.page.is_none_or(|wanted| wanted == *page)
            && match query.shown {
                Shown::Problems | Shown::ToReview => true,
                Shown::New => *is_new,
                Shown::Accepted => is_accepted(*number),
            }
    };
    elements.filter(is_listed).map(|(number, _, _)| number).collect()
}
