//! The list of a team's sites as a file: out, and in again.

use std::collections::{BTreeMap, btree_map::Entry};

use futures_util::{StreamExt as _, stream};

use super::TeamHandle;
use crate::{
    domain::{Ability, FieldErrors, NewSite, Problem, Site, SiteValues},
    error::Error,
    export::{SiteEntry, SiteLine, SiteList},
    id::{ScanId, SiteId},
    paging::PageRequest,
    store::{AddSiteError, AddedOnce},
};

/// The time of the first check of sites that are imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstChecks {
    /// As soon as a worker is free.
    AtOnce,
    /// At the time of the schedule.
    BySchedule,
}

/// The outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The number of sites that were added.
    pub added: u64,
    /// The number of sites whose details or values of own fields were changed.
    pub changed: u64,
    /// The number of sites that were there, just as the lines say.
    pub unchanged: u64,
    /// The lines that were left out, by their numbers, with what is wrong with which column.
    pub refused: Vec<(u64, FieldErrors)>,
}

/// The number of addresses that are looked up at a time.
const LOOK_UPS: usize = 16;

impl TeamHandle {
    /// Returns all sites of the team by domain, as many as its plan allows.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn all_sites(&self) -> Result<Vec<Site>, Error> {
        self.may(Ability::Read).await?;
        self.read_all_sites().await
    }

    async fn read_all_sites(&self) -> Result<Vec<Site>, Error> {
        let (mut sites, mut number) = (Vec::new(), 1);
        loop {
            let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
            let page = self.service().store().sites(self.id(), None, request).await?;
            let is_last = u64::from(number) >= page.last_page();
            sites.extend(page.items);
            if is_last {
                return Ok(sites);
            }
            number += 1;
        }
    }

    /// Adds the sites of a list that are not there, and changes the details of those that are, which are recognised by their address. What
    /// has no column in the file stays as it is. To import a list again changes nothing.
    ///
    /// A line that can't be carried out is left out with its reason, the plan's number of sites among them, and the others are
    /// carried out. Of imports at the same time, one adds an address.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, and those of [every call](TeamHandle#errors). Lines before the error may have
    /// been carried out: to import the list again does the rest.
    pub async fn import_sites(&self, list: SiteList, first_checks: FirstChecks) -> Result<Imported, Error> {
        self.may(Ability::Write).await?;
        let mut known: BTreeMap<String, Vec<Site>> = BTreeMap::new();
        for site in self.read_all_sites().await? {
            known.entry(site.details.url.as_str().to_owned()).or_default().push(site);
        }
        let values = self.all_site_values().await?;
        // Names are looked up beforehand, several at a time: one after the other, a list would take minutes.
        let judged: Vec<(SiteLine, Option<Problem>)> = stream::iter(list.lines)
            .map(|line| {
                let is_new = line.site.as_ref().is_ok_and(|entry| !known.contains_key(entry.url.as_str()));
                async move {
                    let problem = match &line.site {
                        Ok(entry) if is_new => self.service().judge(&entry.url).await.err(),
                        _ => None,
                    };
                    (line, problem)
                }
            })
            .buffered(LOOK_UPS)
            .collect()
            .await;
        let (mut imported, mut seen) = (Imported::default(), BTreeMap::new());
        for (SiteLine { number, site }, problem) in judged {
            let outcome = match (site, problem) {
                (Err(errors), _) => Err(errors),
                (Ok(_), Some(problem)) => Err(FieldErrors::one("url", problem)),
                (Ok(entry), None) => {
                    let sites = known.get(entry.url.as_str()).map_or(&[][..], Vec::as_slice);
                    self.import(number, &entry, (sites, &values), &mut seen, first_checks).await?
                }
            };
            match outcome {
                Ok(Line::Added) => imported.added += 1,
                Ok(Line::Changed) => imported.changed += 1,
                Ok(Line::Unchanged) => imported.unchanged += 1,
                Err(errors) => imported.refused.push((number, errors)),
            }
        }
        Ok(imported)
    }

    async fn import(
        &self,
        number: u64,
        entry: &SiteEntry,
        (known, values): (&[Site], &BTreeMap<SiteId, SiteValues>),
        seen: &mut BTreeMap<String, u64>,
        first_checks: FirstChecks,
    ) -> Result<Result<Line, FieldErrors>, Error> {
        let refused = |problem| Ok(Err(FieldErrors::one("url", problem)));
        if known.iter().any(|site| !changes(entry, site, values.get(&site.id))) {
            return Ok(Ok(Line::Unchanged));
        }
        match seen.entry(entry.url.as_str().to_owned()) {
            Entry::Occupied(before) => return refused(Problem::Repeated(*before.get())),
            Entry::Vacant(place) => *place.insert(number),
        };
        match known {
            [] => self.import_new(entry, first_checks).await,
            [site] => self.import_over(entry, site).await,
            _ => refused(Problem::Ambiguous),
        }
    }

    async fn import_new(
        &self,
        entry: &SiteEntry,
        first_checks: FirstChecks,
    ) -> Result<Result<Line, FieldErrors>, Error> {
        let service = self.service();
        let now = service.parts().clock.now();
        let new = NewSite { id: SiteId::generate(now), details: entry.details() };
        let first_scan = (first_checks == FirstChecks::AtOnce).then(|| ScanId::generate(now));
        match service.store().add_site_once(self.id(), new, first_scan).await {
            Ok(AddedOnce::Added(site)) => {
                self.import_values(entry, site.id).await?;
                Ok(Ok(Line::Added))
            }
            // Somebody else has added it since the sites were read.
            Ok(AddedOnce::Present(site)) => self.import_over(entry, &site).await,
            Err(AddSiteError::LimitReached(limit)) => Ok(Err(FieldErrors::one("url", Problem::SiteLimit(limit)))),
            Err(AddSiteError::NoTeam) => Err(Error::NotFound),
            Err(AddSiteError::Store(error)) => Err(error.into()),
        }
    }

    async fn import_over(&self, entry: &SiteEntry, site: &Site) -> Result<Result<Line, FieldErrors>, Error> {
        let details = entry.applied_to(&site.details);
        let mut is_changed = false;
        if details != site.details {
            match self.service().store().change_site(self.id(), site.id, details).await? {
                Some(_) => is_changed = true,
                // It was deleted since the sites were read: whoever did that did not want it.
                None => return Ok(Ok(Line::Unchanged)),
            }
        }
        is_changed |= self.import_values(entry, site.id).await?;
        Ok(Ok(if is_changed { Line::Changed } else { Line::Unchanged }))
    }

    /// Sets the values of own fields that a line has, and returns whether any became another.
    async fn import_values(&self, entry: &SiteEntry, site: SiteId) -> Result<bool, Error> {
        match self.field_store().filter(|_| !entry.values.is_empty()) {
            // A site that is gone since it was read has nothing to be changed.
            Some(store) => Ok(store.set_site_values(self.id(), site, &entry.values).await?.unwrap_or_default()),
            None => Ok(false),
        }
    }
}

/// Returns whether a line says of a site anything but what it is.
fn changes(entry: &SiteEntry, site: &Site, values: Option<&SiteValues>) -> bool {
    let carried = |id| values.and_then(|values| values.get(id));
    entry.applied_to(&site.details) != site.details
        || entry.values.iter().any(|(id, value)| value.as_ref() != carried(id))
}

/// The outcome of a line.
enum Line {
    Added,
    Changed,
    Unchanged,
}
