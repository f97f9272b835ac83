//! Pages that say, with a status of success, that there is nothing at their address. They are recognised by what the
//! site shows at an address that can't exist.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use a11ycheck_core::id::ScanId;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout_at},
};
use url::Url;

use super::{fetch::Fetcher, robots::Robots};
use crate::{
    BrowserError,
    visit::{
        Checked, Look, PageError, Scope, Visited, Visits,
        walls::{Sight, Wall, is_same_page, may_be_maintenance, says_not_found},
    },
};

/// The number of folders of a site in which an address that can't exist is requested. Most sites respond with an error
/// status where they should, and no such request is needed.
const MAX_FOLDERS: usize = 5;

/// The knowledge of a scan about pages that say that there is nothing.
pub(super) struct MissingPages<'a> {
    scan: ScanId,
    visits: &'a Visits<'a>,
    fetcher: &'a Fetcher<'a>,
    done_by: Instant,
    /// The start page and the rules of the site, once they are known.
    site: OnceLock<(Sight, Robots)>,
    /// The page that is shown at an address that can't exist, by folder; `None` if that is an error, as it should be.
    shown: Mutex<HashMap<Url, Option<Arc<Sight>>>>,
}

impl<'a> MissingPages<'a> {
    /// Returns empty knowledge. Requests for more are made with these two, until `done_by`.
    pub(super) fn of(scan: ScanId, visits: &'a Visits<'a>, fetcher: &'a Fetcher<'a>, done_by: Instant) -> Self {
        Self { scan, visits, fetcher, done_by, site: OnceLock::new(), shown: Mutex::default() }
    }

    /// Sets the start page and the rules for all later pages.
    pub(super) fn begin(&self, start: &Checked, robots: Robots) {
        // A scan has one start page.
        let _ = self.site.set((start.sight.clone(), robots));
    }

    /// Returns the wall in place of the start page, if recognising it takes a request for another address.
    pub(super) async fn stands_for_start(
        &self,
        start: &Checked,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
        robots: &Robots,
    ) -> Result<Option<Wall>, BrowserError> {
        let sight = &start.sight;
        // The home page is a page, whatever it says; some sites show it at any address.
        let may_be_missing = says_not_found(sight) && start.url.path() != "/";
        if !may_be_missing && !may_be_maintenance(sight) {
            return Ok(None);
        }
        let Some(missing) = self.shown_for_nothing(&start.url, scope, way, robots).await? else { return Ok(None) };
        Ok(if may_be_missing && is_same_page(sight, &missing, None) {
            Some(Wall::NotFound)
        } else if may_be_maintenance(sight) && sight.says_the_same_as(&missing) {
            Some(Wall::Maintenance(None))
        } else {
            None
        })
    }

    /// Returns the same visit, or a failure if it led to a page with which the site says that there is none.
    pub(super) async fn unless_missing(
        &self,
        visited: Option<Visited>,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
    ) -> Result<Option<Visited>, BrowserError> {
        let Some(Ok(checked)) = &visited else { return Ok(visited) };
        let Some((start, robots)) = self.site.get() else { return Ok(visited) };
        if checked.url.path() == "/" || !says_not_found(&checked.sight) {
            return Ok(visited);
        }
        let missing = self.shown_for_nothing(&checked.url, scope, way, robots).await?;
        let is_missing = missing.is_some_and(|missing| is_same_page(&checked.sight, &missing, Some(start)));
        Ok(if is_missing { Some(Err(PageError::walled(Wall::NotFound))) } else { visited })
    }

    /// Returns what the site shows, with a status of success, at an address in the folder of `page` that can't exist.
    /// It is requested once for each folder.
    async fn shown_for_nothing(
        &self,
        page: &Url,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
        robots: &Robots,
    ) -> Result<Option<Arc<Sight>>, BrowserError> {
        // Nobody can have used the number of a check in the name of a page.
        let name = format!("a11ycheck-no-such-page-{}", self.scan).to_ascii_lowercase();
        let Ok(folder) = page.join(".") else { return Ok(None) };
        let Ok(nowhere) = folder.join(&name) else { return Ok(None) };
        let mut known = self.shown.lock().await;
        if let Some(missing) = known.get(&folder) {
            return Ok(missing.clone());
        }
        if known.len() >= MAX_FOLDERS || !robots.allows(&nowhere) || !self.is_answered(&nowhere, &**way).await {
            if known.len() < MAX_FOLDERS {
                known.insert(folder, None);
            }
            return Ok(None);
        }
        let missing = match self.visits.visit_once(&nowhere, scope, way, Look::Peek).await? {
            Some(Ok(checked)) => Some(Arc::new(checked.sight)),
            _ => None,
        };
        known.insert(folder, missing.clone());
        Ok(missing)
    }

    /// Returns whether the site responds with success, without reading the body.
    async fn is_answered(&self, url: &Url, scope: &dyn Scope) -> bool {
        let ask = async {
            self.visits.pace().turn().await;
            self.fetcher.get(url, scope, 0).await
        };
        match timeout_at(self.done_by, ask).await {
            Ok(Ok(fetched)) => fetched.status.is_success(),
            Ok(Err(error)) => {
                tracing::debug!(
                    url = url.as_str(),
                    error = &error as &dyn std::error::Error,
                    "an address that can't exist was not answered"
                );
                false
            }
            Err(_) => false,
        }
    }
}
