//! What is named, with the servers that run for it.

use std::{
    io::{IsTerminal as _, Read as _},
    path::Path,
};

use a11ycheck_scanner_chromium::ChromiumScanner;
use url::Url;

use super::{CheckError, is_loopback};
use crate::{
    config::project_root,
    plan::{Plan, PlanError, relative},
    serve::{FolderServer, ServedFolder, StartedServer},
    targets::{Replacement, SitemapPlace, Target, TargetError, read_list, read_sitemap, replaced},
};

/// The greatest number of bytes of a list of addresses.
const MAX_LIST: u64 = 16 * 1024 * 1024;

/// What is named, in its order. Servers run until this is closed or dropped.
#[derive(Debug)]
pub(super) struct Named {
    /// The address that stands for the site: that of the folder that is served, or the base address.
    pub(super) base: Option<Url>,
    parts: Vec<Part>,
    folders: Vec<FolderServer>,
    started: Option<StartedServer>,
    /// What the addresses of sitemaps begin with instead.
    replacements: Vec<Replacement>,
}

#[derive(Debug)]
enum Part {
    Page(Url),
    Sitemap(SitemapPlace),
}

impl Named {
    /// Reads what is named, and starts what has to run for it.
    pub(super) async fn of(plan: &Plan) -> Result<Self, CheckError> {
        let mut named = Self {
            base: plan.base_url.clone(),
            parts: Vec::new(),
            folders: Vec::new(),
            started: None,
            replacements: plan.sitemap_replace.clone(),
        };
        if let Some(folder) = &plan.serve {
            let url = named.serve(folder, plan.spa).await?;
            named.base = Some(url);
        }
        if let Some(start) = &plan.start {
            let ready = match (&start.ready_url, &named.base) {
                (Some(ready), Some(base)) => base.join(ready).ok(),
                (Some(ready), None) => Url::parse(ready).ok(),
                (None, base) => base.clone(),
            };
            let ready = ready.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
                let reason = "start needs an address that answers when the server is ready: name one with base-url or ready-url";
                PlanError::Argument(reason.to_owned())
            })?;
            let started = StartedServer::start(&start.command, &ready, start.ready_within).await?;
            named.started = Some(started);
            let root = || ready.join("/").ok();
            named.base = named.base.take().or_else(root);
        }
        // Addresses of the live site mean the one that is served here.
        if let (Some(live), Some(here)) = (&plan.base_url, named.base.as_ref().filter(|_| plan.serve.is_some())) {
            named.replacements.extend(format!("{live}={here}").parse::<Replacement>());
        }
        named.read(plan).await?;
        Ok(named)
    }

    async fn read(&mut self, plan: &Plan) -> Result<(), CheckError> {
        let mut targets = Vec::new();
        for text in &plan.targets {
            targets.push(Target::parse(text, self.base.as_ref())?);
        }
        if plan.targets.is_empty() {
            for text in &plan.configured {
                // The configuration names no folders: `serve` does.
                let is_file = !text.starts_with('/') && !text.contains("://") && Path::new(text).is_file();
                targets.push(if is_file {
                    Target::parse(text, None)?
                } else {
                    Target::address(text, self.base.as_ref())?
                });
            }
        }
        if targets.iter().filter(|target| matches!(target, Target::StandardInput)).count() > 1 {
            return Err(TargetError::StandardInput.into());
        }
        if targets.is_empty() {
            return self.add_default(plan);
        }
        for target in targets {
            self.add(target, plan).await?;
        }
        Ok(())
    }

    /// Adds what is checked if nothing is named: the folder that is served, or the base address.
    fn add_default(&mut self, plan: &Plan) -> Result<(), CheckError> {
        match (self.folders.first(), &self.base) {
            (Some(server), _) if plan.pages.is_none() => {
                let pages = pages_of(server)?;
                self.parts.extend(pages);
                Ok(())
            }
            (_, Some(base)) => {
                self.parts.push(Part::Page(base.clone()));
                Ok(())
            }
            (_, None) => Err(CheckError::NoTarget),
        }
    }

    async fn add(&mut self, target: Target, plan: &Plan) -> Result<(), CheckError> {
        match target {
            Target::Page(url) => self.parts.push(Part::Page(self.here(&url))),
            Target::Sitemap(url) => self.parts.push(Part::Sitemap(SitemapPlace::Address(self.here(&url)))),
            Target::SitemapFile(file) => self.parts.push(Part::Sitemap(SitemapPlace::File(file))),
            Target::ListFile(file) => {
                let name = file.display().to_string();
                let unreadable = |source| CheckError::List { name: name.clone(), source };
                let text = std::fs::read_to_string(&file).map_err(unreadable)?;
                self.add_list(&text)?;
            }
            Target::StandardInput => {
                if std::io::stdin().is_terminal() {
                    return Err(TargetError::StandardInput.into());
                }
                let reading = tokio::task::spawn_blocking(|| {
                    let mut text = String::new();
                    std::io::stdin().lock().take(MAX_LIST).read_to_string(&mut text).map(|_| text)
                });
                let unreadable = |source| CheckError::List { name: "on standard input".to_owned(), source };
                let text = reading.await.map_err(std::io::Error::other).and_then(|text| text).map_err(unreadable)?;
                self.add_list(&text)?;
            }
            Target::PageFile(file) => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let url = self.serve(folder, plan.spa).await?;
                let server = self.folders.last();
                let path = file.canonicalize().ok().and_then(|file| server?.folder().address_of(&file));
                let page = path.and_then(|path| url.join(&path).ok());
                let page = page.ok_or_else(|| TargetError::Unknown(file.display().to_string()))?;
                self.base.get_or_insert(url);
                self.parts.push(Part::Page(page));
            }
            Target::Folder(folder) => {
                let url = self.serve(&folder, plan.spa).await?;
                self.base.get_or_insert_with(|| url.clone());
                match self.folders.last() {
                    Some(server) if plan.pages.is_none() => {
                        let pages = pages_of(server)?;
                        self.parts.extend(pages);
                    }
                    _ => self.parts.push(Part::Page(url)),
                }
            }
        }
        Ok(())
    }

    fn add_list(&mut self, text: &str) -> Result<(), CheckError> {
        for target in read_list(text, self.base.as_ref())? {
            match target {
                Target::Page(url) => self.parts.push(Part::Page(self.here(&url))),
                Target::Sitemap(url) => self.parts.push(Part::Sitemap(SitemapPlace::Address(self.here(&url)))),
                _ => {}
            }
        }
        Ok(())
    }

    async fn serve(&mut self, folder: &Path, is_spa: bool) -> Result<Url, CheckError> {
        let server = FolderServer::start(ServedFolder::new(folder)?.with_spa(is_spa)).await?;
        let url = server.url();
        self.folders.push(server);
        Ok(url)
    }

    /// Returns where an address that was named is checked.
    fn here(&self, url: &Url) -> Url {
        replaced(&self.replacements, url)
    }

    /// Returns the addresses that a person named: what the check may reach beside the public internet. What sitemaps name is none
    /// of them.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &Url> {
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Page(url) | Part::Sitemap(SitemapPlace::Address(url)) => Some(url),
            Part::Sitemap(SitemapPlace::File(_)) => None,
        });
        let replaced = self.replacements.iter().map(Replacement::target);
        parts.chain(&self.base).chain(replaced)
    }

    /// Returns the site that gets the headers of the plan, if it has any: the base address, or else the only one that is named.
    pub(super) fn site(&self, plan: &Plan) -> Result<Option<&Url>, CheckError> {
        if plan.headers.is_empty() {
            return Ok(None);
        }
        let mut addresses = self.addresses();
        let site = self.base.as_ref().or_else(|| addresses.next());
        let Some(site) = site else { return Err(CheckError::HeadersForWhom) };
        let is_one = self.base.is_some() || addresses.all(|other| other.origin() == site.origin());
        if is_one { Ok(Some(site)) } else { Err(CheckError::HeadersForWhom) }
    }

    /// Returns whether all of it is on this machine.
    pub(super) fn is_here(&self) -> bool {
        let mut addresses = self.addresses().peekable();
        addresses.peek().is_some() && addresses.all(is_loopback)
    }

    /// Returns the pages, those of sitemaps in the place of these.
    pub(super) async fn pages(&self, scanner: &ChromiumScanner, plan: &Plan) -> Result<Vec<Url>, CheckError> {
        let mut pages = Vec::new();
        for part in &self.parts {
            match part {
                Part::Page(url) => pages.push(url.clone()),
                Part::Sitemap(_) if plan.pages.is_some() => {
                    let reason = "links are followed from an address, not from a sitemap: leave --pages out";
                    return Err(PlanError::Argument(reason.to_owned()).into());
                }
                Part::Sitemap(place) => pages.extend(read_sitemap(scanner, place.clone(), &self.replacements).await?),
            }
        }
        Ok(pages)
    }

    /// Returns the file that was served for a page, as seen from the root of the repository.
    pub(super) fn file_of(&self, page: &str, current: &Path) -> Option<String> {
        let url = Url::parse(page).ok()?;
        let server = self.folders.iter().find(|server| server.url().origin() == url.origin())?;
        let file = server.folder().file_of(url.path())?;
        let current = current.canonicalize().ok()?;
        relative(&file, project_root(&current))
    }

    /// Ends what was started.
    pub(super) async fn close(self) {
        if let Some(started) = self.started {
            started.stop().await;
        }
    }
}

fn pages_of(server: &FolderServer) -> Result<Vec<Part>, CheckError> {
    let url = server.url();
    let pages = server.folder().pages()?;
    Ok(pages.iter().filter_map(|path| url.join(path).ok()).map(Part::Page).collect())
}
