//! All sites of a team in a few numbers, those of each tag, and those of each choice of its own fields.

use std::collections::{BTreeMap, BTreeSet};

use super::{SitesQuery, TeamHandle};
use crate::{
    domain::{Ability, Site, SiteField, SiteFieldKind, SiteValues},
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
    /// The sites of each choice of the fields that have choices, in the order of the team; of the fields and of their choices.
    pub by_field: Vec<(SiteField, Vec<(String, SiteTotals)>)>,
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
    fn of(
        sites: &[Site],
        problems: &BTreeMap<SiteId, u64>,
        failing: &BTreeSet<SiteId>,
        fields: Vec<SiteField>,
        values: &BTreeMap<SiteId, SiteValues>,
    ) -> Self {
        let by_field = fields.into_iter().filter_map(|field| match &field.kind {
            SiteFieldKind::Text => None,
            SiteFieldKind::Choice(choices) => {
                let choices = choices.iter().map(|choice| (choice.clone(), SiteTotals::default())).collect();
                Some((field, choices))
            }
        });
        let mut roll_up = Self { by_field: by_field.collect(), ..Self::default() };
        for site in sites {
            let (problems, is_failing) = (problems.get(&site.id).copied(), failing.contains(&site.id));
            roll_up.all.add(problems, is_failing);
            for tag in &site.details.tags {
                roll_up.by_tag.entry(tag.clone()).or_default().add(problems, is_failing);
            }
            for (field, choices) in &mut roll_up.by_field {
                let carried = values.get(&site.id).and_then(|values| values.get(&field.id));
                if let Some((_, totals)) = choices.iter_mut().find(|(choice, _)| Some(choice) == carried) {
                    totals.add(problems, is_failing);
                }
            }
        }
        roll_up
    }
}

impl TeamHandle {
    /// Returns all sites of the team in a few numbers, those of each tag, and those of each choice of its own fields.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn roll_up(&self) -> Result<RollUp, Error> {
        self.may(Ability::Read).await?;
        let sites = self.all_sites().await?;
        let problems = self.service().store().latest_problems(self.id()).await?.into_iter().collect();
        let (fields, values) = (self.site_fields().await?, self.all_site_values().await?);
        let (mut failing, mut number) = (BTreeSet::new(), 1);
        loop {
            let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
            let page = self.sites(&SitesQuery::page(request).only_failing()).await?;
            let is_last = u64::from(number) >= page.last_page();
            failing.extend(page.items.iter().map(|site| site.id));
            if is_last {
                return Ok(RollUp::of(&sites, &problems, &failing, fields, &values));
            }
            number += 1;
        }
    }
}
