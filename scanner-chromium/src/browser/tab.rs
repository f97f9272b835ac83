//! One tab in a browser context of its own.
//!
//! Each tab has a context, not each scan: a page that loops without end ignores `Target.closeTarget`, and only
//! disposing of its context ends the process behind it. It also separates a page's cookies and storage from those of
//! other pages.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use tokio::time::{Duration, Instant};

use super::{
    Viewport,
    context::Context,
    instance::Browser,
    memory::{Tabs, Workers},
};
use crate::cdp::{
    CdpError, Event, EventSink, Reaction, Session, SessionEnd,
    commands::{
        CaptureScreenshot, Clip, CreateTarget, DownloadBehavior, EnableInspector, EnableNetwork, EnablePage,
        ImageFormat, MediaFeature, SetAutoAttach, SetBypassServiceWorker, SetDeviceMetrics, SetDownloadBehavior,
        SetEmulatedMedia, SetFocusEmulation, SetLifecycleEvents, SetPlaybackRate, SetScriptExecutionDisabled,
        SetUserAgent, SetVisibleSize, TargetKind,
    },
    events::RequestStarts,
};

/// The time limit of a command about tabs: many times what a healthy browser needs.
const COMMAND_TIME: Duration = Duration::from_secs(20);

/// The number of bytes of a request's body that are reported with it.
const MAX_POST_DATA: u32 = 16 * 1024;

/// The settings of a tab.
#[derive(Debug, Clone)]
pub(crate) struct TabSettings {
    /// The proxy for all of its traffic.
    pub(crate) proxy: SocketAddr,
    /// The size of its pages.
    pub(crate) viewport: Viewport,
}

/// The error of a tab that could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("the browser opened no tab")]
pub(crate) struct TabError(#[from] CdpError);

/// A tab at `about:blank` with its own profile. Dropping it closes it, whatever its page does.
#[derive(Debug)]
pub(crate) struct Tab {
    session: Session,
    main_frame: String,
    viewport: Viewport,
    /// True if the scripts of its pages are, or may be, stopped.
    is_frozen: AtomicBool,
    /// True if something else than the window of its pages is, or may be, drawn.
    is_hidden: AtomicBool,
    /// True once a part of a page was drawn in place of its window: a picture that took too long may set that again when it ends.
    has_shown_part: AtomicBool,
    _listed: Listed,
    browser: Arc<Browser>,
    _context: Context,
}

impl Tab {
    /// Opens a tab. `sink` receives its events.
    pub(crate) async fn open(
        browser: Arc<Browser>,
        settings: &TabSettings,
        sink: Arc<dyn EventSink>,
    ) -> Result<Self, TabError> {
        let opened = Self::try_open(Arc::clone(&browser), settings, sink).await;
        if let Err(TabError(CdpError::TimedOut { method })) = &opened {
            // The browser itself opens tabs, and no page can keep it busy: it hangs.
            tracing::warn!(method, "the browser does not answer and is killed");
            browser.kill();
        }
        opened
    }

    async fn try_open(
        browser: Arc<Browser>,
        settings: &TabSettings,
        sink: Arc<dyn EventSink>,
    ) -> Result<Self, TabError> {
        let deadline = Instant::now() + COMMAND_TIME;
        let connection = browser.connection();
        let context = Context::create(connection, settings.proxy, deadline).await?;
        let downloads = SetDownloadBehavior { behavior: DownloadBehavior::Deny, browser_context_id: context.id() };
        connection.call(downloads, deadline).await?;
        let blank = CreateTarget { url: "about:blank", browser_context_id: Some(context.id()) };
        let target = connection.call(blank, deadline).await?.target_id;
        let listed = Listed::new(browser.tabs(), &target, context.id());
        let sink = Arc::new(ProcessSink {
            tabs: Arc::clone(browser.tabs()),
            target: target.clone(),
            latest: AtomicU32::new(0),
            sink,
        });
        let session = Session::attach(connection, &target, sink, deadline).await?;
        prepare(&session, browser.user_agent(), settings.viewport, deadline).await?;
        // The id of a page's target is the id of its main frame.
        Ok(Self {
            session,
            main_frame: target,
            viewport: settings.viewport,
            is_frozen: AtomicBool::new(false),
            is_hidden: AtomicBool::new(false),
            has_shown_part: AtomicBool::new(false),
            _listed: listed,
            browser,
            _context: context,
        })
    }

    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn main_frame(&self) -> &str {
        &self.main_frame
    }

    pub(crate) const fn viewport(&self) -> Viewport {
        self.viewport
    }

    pub(crate) const fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Returns the workers that its pages have begun so far.
    pub(crate) fn workers(&self) -> Workers {
        self.browser.tabs().workers(&self.main_frame)
    }

    /// Takes a picture of a part of the page, which may lie beyond the viewport, and returns it in base64.
    pub(crate) async fn capture(&self, format: ImageFormat, clip: Clip, deadline: Instant) -> Result<String, CdpError> {
        let capture_beyond_viewport = !self.browser.paints_beyond(deadline).await;
        Ok(self.session.call(CaptureScreenshot { format, clip, capture_beyond_viewport }, deadline).await?.data)
    }

    /// Stops the scripts and animations of the page, and of the pages that follow, until [`Tab::unfreeze`].
    pub(crate) async fn freeze(&self, deadline: Instant) -> Result<(), CdpError> {
        // Before the commands are sent: whoever waits for them may give up.
        self.is_frozen.store(true, Ordering::Release);
        futures_util::try_join!(
            self.session.call(SetScriptExecutionDisabled { value: true }, deadline),
            self.session.call(SetPlaybackRate { playback_rate: 0.0 }, deadline),
        )?;
        Ok(())
    }

    /// Lets scripts and animations run again, if they were stopped. After an error the tab must not be used further.
    pub(crate) async fn unfreeze(&self, deadline: Instant) -> Result<(), CdpError> {
        if self.is_frozen.load(Ordering::Acquire) {
            futures_util::try_join!(
                self.session.call(SetScriptExecutionDisabled { value: false }, deadline),
                self.session.call(SetPlaybackRate { playback_rate: 1.0 }, deadline),
            )?;
            self.is_frozen.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Has the browser draw no more than a pixel of the page, and of the pages that follow, until [`Tab::show`]: to draw all of it takes a fifth of
    /// what moving it costs. The page does not notice, and [`Tab::capture`] takes the same pictures.
    pub(crate) async fn hide(&self, deadline: Instant) -> Result<(), CdpError> {
        // Before the command is sent: whoever waits for it may give up.
        self.is_hidden.store(true, Ordering::Release);
        if self.has_shown_part.load(Ordering::Acquire) {
            self.session.call(self.own_size(), deadline).await?;
        }
        self.draw(1, 1, deadline).await
    }

    /// Has the browser draw this part of the page in place of its window, wherever it is, until [`Tab::show`] or [`Tab::hide`]: of what changes
    /// there, nothing is drawn that no picture shows. The page does not notice, and [`Tab::capture`] takes the same pictures.
    pub(crate) async fn show_part(&self, part: Clip, deadline: Instant) -> Result<(), CdpError> {
        if !self.browser.paints_beyond(deadline).await {
            return Ok(());
        }
        self.is_hidden.store(true, Ordering::Release);
        self.has_shown_part.store(true, Ordering::Release);
        let (width, height) = (part.width, part.height);
        let viewport = SetDeviceMetrics { viewport: Some(part), ..self.own_size() };
        futures_util::try_join!(self.session.call(viewport, deadline), self.draw(width, height, deadline))?;
        Ok(())
    }

    /// Has the browser draw all of the page's window, if it draws something else, or may.
    pub(crate) async fn show(&self, deadline: Instant) -> Result<(), CdpError> {
        if self.is_hidden.load(Ordering::Acquire) || self.has_shown_part.load(Ordering::Acquire) {
            let window = SetDeviceMetrics { dont_set_visible_size: false, ..self.own_size() };
            self.session.call(window, deadline).await?;
            self.is_hidden.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Returns the command that gives pages their own size, and leaves how much of them is drawn.
    pub(crate) const fn own_size(&self) -> SetDeviceMetrics {
        own_size(self.viewport)
    }

    async fn draw(&self, width: u32, height: u32, deadline: Instant) -> Result<(), CdpError> {
        match self.session.call(SetVisibleSize { width, height }, deadline).await {
            // An experimental command: without it, everything costs more, and nothing else changes.
            Err(CdpError::Refused { .. }) => Ok(()),
            drawn => drawn.map(drop),
        }
    }
}

const fn own_size(viewport: Viewport) -> SetDeviceMetrics {
    SetDeviceMetrics {
        width: viewport.width(),
        height: viewport.height(),
        device_scale_factor: 1,
        mobile: false,
        dont_set_visible_size: true,
        viewport: None,
    }
}

/// Applies the settings that are the same for every page of the tab.
async fn prepare(session: &Session, user_agent: &str, viewport: Viewport, deadline: Instant) -> Result<(), CdpError> {
    let metrics = SetDeviceMetrics { dont_set_visible_size: false, ..own_size(viewport) };
    // Content that fades or slides in appears at once, so that axe-core sees its final colours.
    let media = SetEmulatedMedia { features: &[MediaFeature { name: "prefers-reduced-motion", value: "reduce" }] };
    // Bodies of responses are not kept: the files of pictures are read from the page itself. Bodies of requests are
    // reported, since they distinguish requests to one address.
    let network =
        EnableNetwork { max_post_data_size: MAX_POST_DATA, max_total_buffer_size: 0, max_resource_buffer_size: 0 };
    let agent = SetUserAgent { user_agent, accept_language: Some("en-US,en") };
    // The browser reports workers by itself, and worklets only to whom is attached to them.
    let worklets = [TargetKind { kind: "worklet" }];
    let attach =
        SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: false, flatten: true, filter: &worklets };
    futures_util::try_join!(
        session.call(EnableInspector {}, deadline),
        session.call(EnablePage {}, deadline),
        session.call(SetLifecycleEvents { enabled: true }, deadline),
        session.call(network, deadline),
        session.call(SetBypassServiceWorker { bypass: true }, deadline),
        session.call(metrics, deadline),
        session.call(media, deadline),
        // A window gives a new tab the focus at some later moment, and the page would get the event while it is
        // examined.
        session.call(SetFocusEmulation { enabled: true }, deadline),
        session.call(agent, deadline),
        session.call(attach, deadline),
    )?;
    Ok(())
}

/// The entry of a tab among those of its browser, removed when dropped.
#[derive(Debug)]
struct Listed {
    tabs: Arc<Tabs>,
    target: String,
}

impl Listed {
    fn new(tabs: &Arc<Tabs>, target: &str, context: &str) -> Self {
        tabs.add(target, context);
        Self { tabs: Arc::clone(tabs), target: target.to_owned() }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.tabs.remove(&self.target);
    }
}

/// A sink that notes which processes run the documents of a tab, and forwards all events.
///
/// The protocol has no command for that. The id of a request that a document makes begins with the number of its
/// process, as the system knows it (`identifiers_factory.cc` of Blink). It is compared with the browser's own list
/// before it counts.
struct ProcessSink {
    tabs: Arc<Tabs>,
    target: String,
    /// The process that was noted last.
    latest: AtomicU32,
    sink: Arc<dyn EventSink>,
}

impl EventSink for ProcessSink {
    fn event(&self, event: Event<'_>) -> Option<Reaction> {
        if let Some(RequestStarts { request_id }) = event.read()
            && let Some(process) = process_of(&request_id)
            && self.latest.swap(process, Ordering::Relaxed) != process
        {
            self.tabs.add_process(&self.target, process);
        }
        self.sink.event(event)
    }

    fn ended(&self, end: SessionEnd) {
        self.sink.ended(end);
    }
}

/// Returns the process in the id of a request, if it has one; the id of a navigation has another form.
fn process_of(request: &str) -> Option<u32> {
    request.split_once('.')?.0.parse().ok()
}
