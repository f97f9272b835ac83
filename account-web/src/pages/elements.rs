//! The elements of a check, one by one: all, new, fixed, accepted or to review; of all pages, or of one.

use a11ycheck_core::{
    domain::{RuleId, Scan, ScreenshotRef, Site},
    id::ScanId,
    paging::{Page, PageRequest},
    report::Report,
    service::{ElementsQuery, FixedElement, ListedElement, Shown},
};
use askama::Template;
use chrono::NaiveDate;

use super::{
    bulk::{self, Said},
    context::{InTeam, page},
    decided::Decided,
    error::PageError,
    list::Paging,
    work::{self, Names, Work},
};
use crate::{
    response::Response,
    shell::{Section, Shell},
};

/// The elements on one page: of those with the longest sources, some 200 kB.
const PER_PAGE: u32 = 25;

/// The kind of elements that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    All,
    New,
    /// Elements of the previous check that are gone.
    Fixed,
    Accepted,
    Review,
}

impl Tab {
    const ALL: [Self; 5] = [Self::All, Self::New, Self::Fixed, Self::Accepted, Self::Review];

    /// Returns the word in addresses.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::New => "new",
            Self::Fixed => "fixed",
            Self::Accepted => "accepted",
            Self::Review => "review",
        }
    }

    /// Returns the tab with this word; the first for any other.
    pub(super) fn named(word: &str) -> Self {
        Self::ALL.into_iter().find(|tab| tab.word() == word).unwrap_or(Self::All)
    }

    pub(super) const fn shown(self) -> Shown {
        match self {
            Self::All | Self::Fixed => Shown::Problems,
            Self::New => Shown::New,
            Self::Accepted => Shown::Accepted,
            Self::Review => Shown::ToReview,
        }
    }

    /// Returns the number in the report.
    fn count(self, report: &Report) -> u64 {
        match self {
            Self::All => report.total,
            Self::New => report.diff.new,
            Self::Fixed => report.diff.fixed,
            Self::Accepted => report.groups.iter().map(|group| group.accepted_count).sum(),
            Self::Review => report.to_check.iter().map(|rule| rule.count).sum(),
        }
    }
}

#[derive(Template)]
#[template(path = "elements.html")]
struct ElementsPage {
    shell: Shell,
    site: Site,
    id: String,
    report: Report,
    tab: Tab,
    /// The number and the address of the page whose elements are listed.
    at: Option<(usize, String)>,
    elements: Vec<ListedElement>,
    /// The fixed elements, in their tab; `None` if what the previous check found is not kept any more.
    fixed: Option<Vec<FixedElement>>,
    /// The number of elements of this kind that are listed on all pages of the list.
    listed: u64,
    paging: Paging,
    judges: bool,
    names: Names,
    today: NaiveDate,
    said: Option<Said>,
}

impl ElementsPage {
    fn base(&self) -> String {
        format!("{}/checks/{}", self.shell.team_root(), self.id)
    }

    /// Returns the tabs: the query of each, its name, its number and whether it is shown. Of one page only the listed number is known.
    fn tabs(&self) -> Vec<(String, &str, Option<u64>, bool)> {
        let words = &self.shell.words.elements;
        let tab = |tab: Tab| {
            let name = match tab {
                Tab::All => &words.tab_all,
                Tab::New => &words.tab_new,
                Tab::Fixed => &words.tab_fixed,
                Tab::Accepted => &words.tab_accepted,
                Tab::Review => &words.tab_review,
            };
            let at = self.at.as_ref().map(|(number, _)| format!("&at={number}")).unwrap_or_default();
            let count = self.at.is_none().then(|| tab.count(&self.report));
            (format!("?show={}{at}", tab.word()), name.as_str(), count, tab == self.tab)
        };
        Tab::ALL.into_iter().filter(|one| self.at.is_none() || *one != Tab::Fixed).map(tab).collect()
    }

    fn is_fixed(&self) -> bool {
        self.tab == Tab::Fixed
    }

    fn is_review(&self) -> bool {
        self.tab == Tab::Review
    }

    /// Returns whether the report counts elements that are not listed.
    fn is_partial(&self) -> bool {
        self.at.is_none() && self.listed < self.tab.count(&self.report)
    }

    fn decided(&self, number: &u64) -> Option<Decided> {
        let element = self.elements.iter().find(|element| element.number == *number)?;
        let (judgement, state) = element.judgement.as_ref()?;
        Some(Decided::of(judgement, Some(*state), &self.shell))
    }

    /// Returns the assignment about the element with this number, which is listed.
    fn work(&self, number: &u64, _: &RuleId) -> Option<Work> {
        let element = self.elements.iter().find(|element| element.number == *number)?;
        Some(Work::of(element.assignment.as_ref()?, &self.names, self.today, self.shell.words))
    }

    fn css_width(&self, picture: &ScreenshotRef) -> u32 {
        picture.width * 100 / u32::from(picture.scale_percent.max(1))
    }

    fn css_height(&self, picture: &ScreenshotRef) -> u32 {
        picture.height * 100 / u32::from(picture.scale_percent.max(1))
    }

    fn judge_word(&self) -> &str {
        let words = &self.shell.words.check;
        if self.tab == Tab::Review { &words.decide } else { &words.accept }
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let query = &team.context.request.query;
    let tab = Tab::named(query.get("show"));
    let at: Option<usize> = match query.get("at") {
        "" => None,
        number => Some(number.parse().map_err(|_| PageError::NotFound)?),
    };
    let scan = team.handle().scan(ScanId::presented(id)).await?;
    let site = team.handle().site(scan.site).await?;
    let request = team.context.page(PER_PAGE);
    if tab == Tab::Fixed {
        return fixed(team, &scan, site, request).await;
    }
    let asked = ElementsQuery::new(tab.shown(), at);
    let found = team.handle().elements(scan.id, asked, request, team.context.locale).await?;
    let at = at.and_then(|number| Some((number, found.report.pages.get(number)?.url.clone())));
    let number = at.as_ref().map(|(number, _)| number.to_string()).unwrap_or_default();
    let has_work = found.elements.items.iter().any(|element| element.assignment.is_some());
    let names = if has_work { work::names(team).await? } else { Names::new() };
    let shell = team.shell(Section::Sites, &team.words().elements.title);
    page(&ElementsPage {
        paging: Paging::of(&found.elements, &[("show", tab.word()), ("at", &number)]),
        listed: found.elements.total,
        elements: found.elements.items,
        fixed: None,
        id: scan.id.to_string(),
        report: found.report,
        judges: team.handle().judges(),
        names,
        said: bulk::said(team).await?,
        today: team.visit.signed_in.at.date_naive(),
        shell,
        site,
        tab,
        at,
    })
}

/// Shows what the previous check found and this one did not find any more.
async fn fixed(team: &InTeam<'_, '_>, scan: &Scan, site: Site, request: PageRequest) -> Result<Response, PageError> {
    let found = team.handle().fixed_elements(scan.id, request, team.context.locale).await?;
    let is_known = found.elements.is_some();
    let elements = found.elements.unwrap_or_else(|| Page { request, items: Vec::new(), total: 0 });
    page(&ElementsPage {
        paging: Paging::of(&elements, &[("show", Tab::Fixed.word())]),
        listed: elements.total,
        elements: Vec::new(),
        fixed: is_known.then_some(elements.items),
        id: scan.id.to_string(),
        report: found.report,
        judges: false,
        names: Names::new(),
        said: None,
        today: team.visit.signed_in.at.date_naive(),
        shell: team.shell(Section::Sites, &team.words().elements.title),
        site,
        tab: Tab::Fixed,
        at: None,
    })
}
