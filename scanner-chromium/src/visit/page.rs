//! One page: from its address to its findings, in the order in which that happens.
//!
//! [`PageVisit::check`] has the whole course, and its steps follow: the page arrives and its network becomes quiet, it
//! gets its turn when it has built itself (or before, if nothing moves), axe-core runs, and pictures are taken of what
//! fails.

use std::{
    collections::HashSet,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck_core::domain::{page_address, view_of};
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use super::{
    errors::{PageError, timed_out},
    events::{Navigation, PageEvents},
    navigate::{self, Loaded, Pauses},
    pace::Pace,
    page_parts::{Obstacle, PagePart},
    scope::Scope,
    settle::{self, BuildTime, Moment, Progress, Readiness},
    sight,
    unresponsive::Unresponsive,
    visitor::{LEAVE_TIME, Rest, Visitor},
    walls::{Sight, Wall},
};
use crate::{
    ChromiumConfig, Evidence, MovingProbes,
    axe::{self, AxeOptions, AxeSource, Collected, Timing},
    browser::Tab,
    evidence::{Capture, MAX_SHOTS, PagePicture, Pictured, Screen, Shown, Taken, Wanted, pictures},
    guard::GuardLog,
    permits::{Permit, ScanPermits},
    platform::{self, Signals},
    probes,
    redaction::redacted,
};

/// The longest time that a page may take to load; the rest of its time is for axe-core.
const LOAD_TIME: Duration = Duration::from_secs(30);

/// One visit of one page in one tab.
pub(super) struct PageVisit<'a> {
    /// The address to open.
    pub(super) url: &'a Url,
    /// The addresses at which pages are wanted.
    pub(super) scope: &'a dyn Scope,
    /// The addresses through which redirects may lead.
    pub(super) way: &'a Arc<dyn Scope>,
    /// The further facts to find out.
    pub(super) look: Look,
    /// The tab.
    pub(super) visitor: &'a Visitor,
    /// The record of the tab's guard.
    pub(super) log: &'a GuardLog,
    /// The requests without a response so far in the scan.
    pub(super) unresponsive: &'a Arc<Unresponsive>,
    /// The pictures of elements, taken so far in the scan.
    pub(super) pictured: &'a Pictured,
    /// The same for elements that appear when controls are pressed.
    pub(super) pictured_opened: &'a Pictured,
    /// The kinds of pages in the scan on which probes that move pages have run.
    pub(super) moved_kinds: &'a Mutex<HashSet<String>>,
    /// The pace of the requests to the site.
    pub(super) pace: &'a Pace,
    pub(super) permits: &'a ScanPermits<'a>,
    /// The axe-core to run.
    pub(super) axe: &'a AxeSource,
    pub(super) axe_options: &'a AxeOptions,
    pub(super) config: &'a ChromiumConfig,
    /// The instant at which the scan's time is over.
    pub(super) scan_done_by: Instant,
}

/// The facts that a visit finds out, besides those of axe-core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing else.
    Page,
    /// Not even pictures: only whether the page opens and what it shows.
    Peek,
    /// Not even pictures, for a page that seems unchanged and is examined all the same: it has those of the look before.
    Sample,
    /// The platform that the site is built with.
    Platform,
    /// The same, and a picture of the page.
    Start,
}

/// A page that was checked.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The address at which it was found; its fragment is that of a view, if it has one.
    pub(crate) url: Url,
    /// The findings, and what else was read from the page.
    pub(crate) collected: Collected,
    /// The marks of the software behind it, if they were looked for.
    pub(crate) signals: Option<Signals>,
    /// The picture of the page itself, if one was taken.
    pub(crate) screen: Option<Screen>,
    /// The page as a visitor sees it.
    pub(crate) sight: Sight,
    /// The wall in its place, if that is certain.
    pub(crate) wall: Option<Wall>,
    /// The responses that it was made from, or the reason why they are not all of it.
    pub(crate) parts: Result<Vec<PagePart>, Obstacle>,
}

/// The shots of a page.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// The shots of the page before any control was pressed.
    pub(super) first: Vec<Capture>,
    /// The shots of what each control opened, in the order of [`Collected::set_opened`].
    pub(super) opened: Vec<Vec<Capture>>,
}

impl Captures {
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.opened.iter().all(Vec::is_empty)
    }
}

/// A document that has loaded, and whose network has become quiet.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) url: Url,
    loader: String,
    /// The world from which it is watched.
    pub(super) world: i64,
    how: Loaded,
    time: BuildTime,
}

/// The outcome of inspecting a page.
#[derive(Debug)]
enum Looked {
    Checked(Box<Checked>),
    /// It was early, and the page has changed meanwhile.
    TooEarly,
    /// The page led on to another, which is the page to check then.
    LedOn,
}

/// A page's turn to be inspected.
struct Turn<'a> {
    core: Permit<'a>,
    moment: Moment,
    /// The time of waiting for the core, when all else was ready.
    waited: Duration,
    /// The way in which the tab waits afterwards. A page that had not moved when it was drawn may stay until the next
    /// one replaces it.
    rest: Rest,
}

impl PageVisit<'_> {
    /// Takes a page from its address to its findings, and returns how the tab may wait for the next page. Waits for a
    /// processor core do not count as the page's own time.
    pub(super) async fn check(&self, loading: Permit<'_>) -> Result<(Checked, Captures, Rest), PageError> {
        let too_late = |_| PageError::Failed(timed_out());
        let page_timeout = self.config.page_timeout;
        let now = Instant::now();
        let mut done_by = self.scan_done_by.min(now + page_timeout);
        let mut load_by = done_by.min(now + LOAD_TIME.min(page_timeout / 2));
        let arrived = timeout_at(done_by, self.arrive(load_by, done_by)).await;
        if let Ok(Err(PageError::Busy { retry_after, .. })) = &arrived {
            self.pace.back_off(*retry_after);
        }
        drop(loading);
        let mut page = arrived.map_err(too_late)??;
        loop {
            if let Some(Turn { core, moment, waited, rest }) = self.turn(&page, done_by).await? {
                (load_by, done_by) = (self.scan_done_by.min(load_by + waited), self.scan_done_by.min(done_by + waited));
                let checking = self.inspect(&page, moment, core, done_by);
                match timeout_at(done_by, checking).await.map_err(too_late)?? {
                    Looked::Checked(mut checked) => {
                        let first = self.pictures(&mut checked, done_by).await;
                        let (opened, rest) = self.open_up(page, &mut checked, first.len(), rest).await;
                        return Ok((*checked, Captures { first, opened }, rest));
                    }
                    // The page is known to change by now, and the next attempt waits until it is built.
                    Looked::TooEarly => continue,
                    Looked::LedOn => {}
                }
            }
            page = timeout_at(done_by, self.follow(load_by, done_by)).await.map_err(too_late)??;
        }
    }

    /// Opens the page, and waits until it has loaded, or is complete at `load_by`, and its network is quiet. After an
    /// error, here and below, the tab is closed, unless [`PageError::leaves_tab_at_rest`].
    pub(super) async fn arrive(&self, load_by: Instant, done_by: Instant) -> Result<Arrived, PageError> {
        if self.visitor.lingers() && self.url.fragment().is_some() {
            // Of a document that is still open, the browser would only show another view: its findings could depend on
            // the view before, and no new document arrives that could be waited for.
            self.visitor.leave(load_by.min(Instant::now() + LEAVE_TIME)).await?;
        }
        let navigation = Navigation::new(self.url.clone(), Arc::clone(self.way), Arc::clone(self.unresponsive))
            .with_headers(self.config.headers.clone());
        self.visitor.begin_page();
        self.events().reset(self.tab().main_frame(), Some(navigation));
        self.tab().browser().count_page();
        self.visitor
            .unless_trouble(async {
                self.visitor.block(self.unresponsive, load_by).await?;
                navigate::open(self.tab(), self.events(), self.url, self.log, self.pauses(), load_by).await?;
                self.arrived(load_by, done_by).await
            })
            .await
    }

    /// Does the same for a page to which the opened one led by script.
    async fn follow(&self, load_by: Instant, done_by: Instant) -> Result<Arrived, PageError> {
        self.visitor.unless_trouble(self.arrived(load_by, done_by)).await
    }

    /// Waits until the document, or the one to which it leads by script, has loaded and its network is quiet.
    async fn arrived(&self, load_by: Instant, done_by: Instant) -> Result<Arrived, PageError> {
        let opened = Instant::now();
        loop {
            let how = navigate::loaded(self.events(), opened, load_by).await?;
            let url = navigate::examine(self.events(), self.log, self.scope)?;
            let (loader, loaded) = self.events().peek(|state| (state.loader.clone(), state.loaded));
            let time = BuildTime::new(loaded.unwrap_or_else(Instant::now), done_by);
            let watching = settle::watch(self.tab(), done_by);
            let (watched, ()) = tokio::join!(watching, settle::quiet(self.events(), time));
            // A page may lead on to another by script, which is the page to check then.
            if self.visitor.is_shown_after(&watched, &loader).await {
                return Ok(Arrived { url, loader, world: watched?, how, time });
            }
        }
    }

    /// Waits for a processor core for the page, when the page has built itself; or before that, if a core is free and
    /// nothing moves on the page. `None` if the page led on to another.
    async fn turn(&self, page: &Arrived, done_by: Instant) -> Result<Option<Turn<'_>>, PageError> {
        let mut core = pin!(self.permits.core());
        let mut rest = Rest::Lingering;
        let progress = match self.readiness(page, done_by).await? {
            None => return Ok(None),
            Some(Readiness::Built) => Some(Progress::Done),
            Some(Readiness::Moving) => {
                rest = Rest::Away;
                self.built(page, done_by).await?
            }
            Some(Readiness::Still) => tokio::select! {
                biased;
                core = &mut core => {
                    return Ok(Some(Turn { core, moment: Moment::Early, waited: Duration::ZERO, rest }));
                }
                built = self.built(page, done_by) => built?,
            },
        };
        let Some(progress) = progress else { return Ok(None) };
        let since = Instant::now();
        let core = timeout_at(self.scan_done_by, core).await.map_err(|_| PageError::Failed(timed_out()))?;
        Ok(Some(Turn { core, moment: Moment::Built(progress), waited: since.elapsed(), rest }))
    }

    /// Waits until the network is quiet and the page is drawn. `None`, here and below, if it led on to another
    /// meanwhile, which is the page to check then.
    async fn readiness(&self, page: &Arrived, done_by: Instant) -> Result<Option<Readiness>, PageError> {
        self.visitor
            .unless_trouble(async {
                settle::quiet(self.events(), page.time).await;
                let drawn = settle::drawn(self.tab(), page.world, done_by).await;
                if !self.shows_after(&drawn, page).await {
                    return Ok(None);
                }
                // Its scripts may have been removed from the document.
                let is_scripted = self.events().peek(|state| state.requests.is_scripted());
                let drawn = drawn?;
                Ok(Some(if drawn == Readiness::Built && is_scripted { Readiness::Moving } else { drawn }))
            })
            .await
    }

    /// Waits until a page that is drawn has built itself.
    pub(super) async fn built(&self, page: &Arrived, done_by: Instant) -> Result<Option<Progress>, PageError> {
        self.visitor
            .unless_trouble(async {
                let built = settle::built(self.tab(), self.events(), page.world, page.time, done_by).await;
                if self.shows_after(&built, page).await { built.map(Some) } else { Ok(None) }
            })
            .await
    }

    /// Runs axe-core and the probes in the page, and finds out what else is wanted. `core` is dropped as soon as they have run: the
    /// rest is mostly waiting.
    async fn inspect(
        &self,
        page: &Arrived,
        moment: Moment,
        core: Permit<'_>,
        done_by: Instant,
    ) -> Result<Looked, PageError> {
        self.visitor
            .unless_trouble(async {
                let looked = async {
                    let sounds = if self.config.listens() {
                        let media = self.events().peek(|state| state.media);
                        probes::sounds_outside(self.tab(), media, done_by).await
                    } else {
                        None
                    };
                    let unchecked_frames =
                        axe::run(self.tab(), page.world, self.axe, self.axe_options, moment.timing(), done_by).await?;
                    let Some(unchecked_frames) = unchecked_frames.filter(|_| self.shows(page)) else { return Ok(None) };
                    let mut heard = probes::Heard::default();
                    if self.config.probes {
                        probes::run(self.tab(), page.world, self.config.conditions(), done_by).await?;
                        if self.config.listens() {
                            heard = probes::run_clicks(self.tab(), page.world, done_by).await;
                        }
                        probes::run_keys(self.tab(), page.world, &mut heard, done_by).await?;
                        probes::run_pictures(self.tab(), page.world, done_by).await?;
                        probes::run_sound(self.tab(), page.world, sounds, done_by).await?;
                    }
                    drop(core);
                    if !self.shows(page) {
                        return Ok(None);
                    }
                    let progress = match moment {
                        Moment::Built(progress) => progress,
                        Moment::Early => {
                            settle::stayed(self.tab(), self.events(), page.world, page.time, done_by).await?
                        }
                    };
                    if !self.shows(page) {
                        return Ok(None);
                    }
                    let kind = self.moved_kind(&page.url);
                    let mut timing = moment.timing();
                    let is_painted = self.is_painted(page, done_by).await?;
                    if is_painted || kind.is_some() {
                        // What paints or moves a page changes it, so whether it has stayed as it was is asked before.
                        if !axe::counts(self.tab(), page.world, timing, done_by).await? {
                            return Ok(None);
                        }
                        timing = Timing::Final;
                    }
                    if is_painted {
                        probes::run_painted(self.tab(), page.world, done_by).await?;
                        if !self.shows(page) {
                            return Ok(None);
                        }
                    }
                    if let Some(kind) = &kind {
                        probes::run_moving(self.tab(), page.world, heard, done_by).await?;
                        if !self.shows(page) {
                            return Ok(None);
                        }
                        self.moved_kinds.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.clone());
                    }
                    let (collected, seen) = tokio::join!(
                        axe::collect(self.tab(), page.world, timing, done_by),
                        // Both run at the same time, so that the page does not wait between the two.
                        sight::sight(self.tab(), self.events(), page.world, &page.url, done_by),
                    );
                    let collected = collected?;
                    // A late timer may have requested something since the network was last examined.
                    if progress == Progress::Done
                        && moment == Moment::Early
                        && timing != Timing::Final
                        && settle::is_waiting(self.events(), page.time)
                    {
                        return Ok(None);
                    }
                    Ok::<_, PageError>(collected.map(|collected| {
                        let (still_changing, unanswered) = self.lacks(page, progress);
                        let collected = collected.without_frames(unchecked_frames).without(unanswered);
                        (collected.while_changing(still_changing), seen)
                    }))
                };
                let collected = looked.await;
                let signals = match self.look {
                    Look::Platform | Look::Start if self.shows(page) && matches!(collected, Ok(Some(_))) => {
                        Some(platform::signals(self.tab(), &self.events().headers(), &page.url, done_by).await)
                    }
                    _ => None,
                };
                if !self.shows_after(&collected, page).await {
                    return Ok(Looked::LedOn);
                }
                Ok(match collected? {
                    Some((collected, (sight, wall))) => {
                        let url = with_view(&page.url, &collected.fragment);
                        let collected = collected.with_cover(sight.cover);
                        let parts = self.parts();
                        let screen = None;
                        Looked::Checked(Box::new(Checked { url, collected, signals, screen, sight, wall, parts }))
                    }
                    None => Looked::TooEarly,
                })
            })
            .await
    }

    /// Takes pictures of what fails or waits for a person on the page that was checked, and one of the page itself if it is the first one or has
    /// elements that a report may show.
    /// Whatever happens meanwhile costs pictures and nothing else.
    async fn pictures(&self, checked: &mut Checked, deadline: Instant) -> Vec<Capture> {
        let has_none = matches!(self.look, Look::Peek | Look::Sample);
        if self.config.evidence == Evidence::LeftOut || has_none || checked.wall.is_some() {
            return Vec::new();
        }
        let (collected, address) = (&checked.collected, page_address(&checked.url));
        let chosen = self.pictured.choose(address.as_str(), collected.candidates(), collected.undecided_candidates());
        let page = match (self.look, chosen.has_page()) {
            (Look::Start, _) => PagePicture::Full,
            (_, true) => PagePicture::Half,
            (_, false) => PagePicture::LeftOut,
        };
        let wanted = Wanted { elements: chosen.elements(), undecided: collected.failing(), shots: MAX_SHOTS, page };
        let Taken { captures, page } = tokio::select! {
            biased;
            _ = navigate::trouble(self.events()) => Taken::default(),
            taken = pictures(self.tab(), wanted, deadline) => taken,
        };
        if chosen.has_page() && (self.look == Look::Start || page.is_none()) {
            self.pictured.release_page();
        }
        self.pictured.release_missing(chosen, &captures);
        if let Some(Shown { screen, areas }) = page {
            checked.collected.set_areas(&areas);
            checked.screen = Some(screen);
        }
        captures
    }

    /// Returns the responses that the page was made from so far, or the reason why they are not all of it.
    fn parts(&self) -> Result<Vec<PagePart>, Obstacle> {
        if self.visitor.has_workers() {
            return Err(Obstacle::Worker);
        }
        self.events().peek(|state| state.parts.close())
    }

    /// Returns the kind of a page on which the probes that move pages are to run; `None` for a page that stays as it is.
    fn moved_kind(&self, url: &Url) -> Option<String> {
        if self.look == Look::Peek || !self.config.probes {
            return None;
        }
        let kind = match self.config.moving_probes {
            MovingProbes::Off => return None,
            MovingProbes::OneOfEachKind => kind_of(url),
            MovingProbes::EveryPage => url.to_string(),
        };
        (!self.moved_kinds.lock().unwrap_or_else(PoisonError::into_inner).contains(&kind)).then_some(kind)
    }

    /// Returns whether texts are to be measured in pictures of the page.
    async fn is_painted(&self, page: &Arrived, done_by: Instant) -> Result<bool, PageError> {
        let may_be = self.config.probes && self.config.measured_contrast && self.look != Look::Peek;
        Ok(may_be && probes::is_contrast_open(self.tab(), page.world, done_by).await?)
    }

    /// Returns whether a page was still changing when it was inspected, and the addresses that it requested without a
    /// response.
    fn lacks(&self, page: &Arrived, progress: Progress) -> (bool, Vec<String>) {
        let unanswered: Vec<String> =
            self.events().peek(|state| state.requests.unanswered().into_iter().map(redacted).collect());
        // If nothing is known to keep it from loading, it is still loading.
        let is_loading = page.how == Loaded::InPart && unanswered.is_empty();
        (is_loading || progress == Progress::Unfinished, unanswered)
    }

    /// Returns whether the tab still shows this document.
    pub(super) fn shows(&self, page: &Arrived) -> bool {
        self.visitor.is_shown(&page.loader)
    }

    /// Returns the same, after an action in the document with this outcome.
    async fn shows_after<T>(&self, outcome: &Result<T, PageError>, page: &Arrived) -> bool {
        self.visitor.is_shown_after(outcome, &page.loader).await
    }

    const fn pauses(&self) -> Pauses {
        if self.config.headers.is_some() { Pauses::Everything } else { Pauses::Documents }
    }

    pub(super) const fn tab(&self) -> &Tab {
        &self.visitor.tab
    }

    pub(super) fn events(&self) -> &PageEvents {
        &self.visitor.events
    }
}

/// Returns what the addresses of pages of one kind have in common: site and folder, whatever numbers are in it.
pub(super) fn kind_of(url: &Url) -> String {
    let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder: String = folder.chars().filter(|character| !character.is_ascii_digit()).collect();
    format!("{}{folder}", url.host_str().unwrap_or_default())
}

/// Returns the address of a document with the view that its scripts show, if they show one.
fn with_view(document: &Url, fragment: &str) -> Url {
    let mut url = document.clone();
    url.set_fragment(fragment.strip_prefix('#'));
    if view_of(&url).is_none() {
        url.set_fragment(None);
    }
    url
}
