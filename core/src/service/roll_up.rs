//! All sites of a team in a few numbers, and those of each tag.

use std::collections::{BTreeMap, BTreeSet};

use super::{SitesQuery, TeamHandle};
use crate::{
    domain::{Ability, Site},
    error::Error,
    id::SiteId,
    paging::PageRequest,
};

/// Some sites in a few numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteTotals {
    /// The number of sites.
    pub sites: u64,
    /// Of these, the sites that have a completed check.
    pub checked: u64,
    /// Of these, the sites whose check that ended last has failed.
    pub failing: u64,
    /// Of these, the sites whose latest completed check found no problem.
    pub without_problems: u64,
    /// The problem elements of the latest completed checks of all of them.
    pub problems: u64,
}

/// The sites of a team in a few numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RollUp {
    /// All sites.
    pub all: SiteTotals,
    /// The sites of each tag, by tag. A site counts for each of its tags.
    pub by_tag: BTreeMap<String, SiteTotals>,
}

impl SiteTotals {
    fn add(&mut self, problems: Option<u64>, is_failing: bool) {
        self.sites += 1;
        self.failing += u64::from(is_failing);
        if let Some(problems) = problems {
            self.checked += 1;
            self.without_problems += u64::from(problems == 0);
            self.problems += problems;
        }
    }
}

impl RollUp {
    fn of(sites: &[Site], problems: &BTreeMap<SiteId, u64>, failing: &BTreeSet<SiteId>) -> Self {
        let mut roll_up = Self::default();
        for site in sites {
            let (problems, is_failing) = (problems.get(&site.id).copied(), failing.contains(&site.id));
            roll_up.all.add(problems, is_failing);
            for tag in &site.details.tags {
                roll_up.by_tag.entry(tag.clone()).or_default().add(problems, is_failing);
            }
        }
        roll_up
    }
}

impl TeamHandle {
    /// Returns all sites of the team in a few numbers, and those of each tag.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn roll_up(&self) -> Result<RollUp, Error> {
        self.may(Ability::Read).await?;
        let sites = self.all_sites().await?;
        let problems = self.service().store().latest_problems(self.id()).await?.into_iter().collect();
        let (mut failing, mut number) = (BTreeSet::new(), 1);
        loop {
            let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
            let page = self.sites(&SitesQuery::page(request).only_failing()).await?;
            let is_last = u64::from(number) >= page.last_page();
            failing.extend(page.items.iter().map(|site| site.id));
            if is_last {
                return Ok(RollUp::of(&sites, &problems, &failing));
            }
            number += 1;
        }
    }
}
