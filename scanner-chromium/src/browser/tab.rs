//! One tab in a browser context of its own.
//!
//! A context per tab, not per scan: a page that loops for ever ignores `Target.closeTarget`, and only disposing of its
//! context ends the process behind it. It also keeps a page's cookies and storage from its neighbours.

use std::{net::SocketAddr, sync::Arc};

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::{Browser, flags::VIEWPORT};
use crate::cdp::{CdpError, Connection, EventSink, Session};

/// What a healthy browser needs for a command about tabs, many times over.
const COMMAND_TIME: Duration = Duration::from_secs(20);

/// Bytes of a request's body that are told with it.
const MAX_POST_DATA: u32 = 16 * 1024;

/// How a tab presents itself.
#[derive(Debug, Clone)]
pub(crate) struct TabSettings {
    /// Where its traffic goes, all of it.
    pub(crate) proxy: SocketAddr,
}

/// No tab came about.
#[derive(Debug, thiserror::Error)]
#[error("the browser opened no tab")]
pub(crate) struct TabError(#[from] CdpError);

/// A tab at `about:blank` with its own profile. Dropping it closes it, whatever its page does.
#[derive(Debug)]
pub(crate) struct Tab {
    session: Session,
    main_frame: String,
    browser: Arc<Browser>,
    _context: Context,
}

impl Tab {
    /// Opens a tab. `sink` hears its events.
    pub(crate) async fn open(
        browser: Arc<Browser>,
        settings: &TabSettings,
        sink: Arc<dyn EventSink>,
    ) -> Result<Self, TabError> {
        let opened = Self::try_open(Arc::clone(&browser), settings, sink).await;
        if let Err(TabError(CdpError::TimedOut { method })) = &opened {
            // Tabs are opened by the browser itself, which no page can keep busy: it hangs.
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
        #[derive(Deserialize)]
        struct Created {
            #[serde(rename = "targetId")]
            target: String,
        }
        let deadline = Instant::now() + COMMAND_TIME;
        let connection = browser.connection();
        let context = Context::create(connection, settings.proxy, deadline).await?;
        let downloads = json!({ "behavior": "deny", "browserContextId": context.id });
        connection.call::<serde_json::Value>("Browser.setDownloadBehavior", downloads, deadline).await?;
        let target = json!({ "url": "about:blank", "browserContextId": context.id });
        let Created { target } = connection.call("Target.createTarget", target, deadline).await?;
        let session = Session::attach(connection, &target, sink, deadline).await?;
        prepare(&session, browser.user_agent(), deadline).await?;
        // The id of a page's target is the id of its main frame.
        Ok(Self { session, main_frame: target, browser, _context: context })
    }

    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn main_frame(&self) -> &str {
        &self.main_frame
    }

    pub(crate) const fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }
}

/// Settings that hold for every page of the tab.
async fn prepare(session: &Session, user_agent: &str, deadline: Instant) -> Result<(), CdpError> {
    let (width, height) = VIEWPORT;
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    // Content that fades or slides in is there at once, so that axe-core sees its final colours.
    let media = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    // Nobody asks for bodies of answers: none is kept for that. Those of requests tell calls of one address apart.
    let network = json!({ "maxPostDataSize": MAX_POST_DATA, "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 });
    let agent = json!({ "userAgent": user_agent, "acceptLanguage": "en-US,en" });
    futures_util::try_join!(
        session.run("Inspector.enable", json!({}), deadline),
        session.run("Page.enable", json!({}), deadline),
        session.run("Page.setLifecycleEventsEnabled", json!({ "enabled": true }), deadline),
        session.run("Network.enable", network, deadline),
        session.run("Network.setBypassServiceWorker", json!({ "bypass": true }), deadline),
        session.run("Emulation.setDeviceMetricsOverride", metrics, deadline),
        session.run("Emulation.setEmulatedMedia", media, deadline),
        session.run("Emulation.setUserAgentOverride", agent, deadline),
    )?;
    Ok(())
}

/// A browser context; disposed of when dropped.
#[derive(Debug)]
pub(super) struct Context {
    connection: Connection,
    id: String,
}

impl Context {
    pub(super) async fn create(
        connection: &Connection,
        proxy: SocketAddr,
        deadline: Instant,
    ) -> Result<Self, CdpError> {
        #[derive(Deserialize)]
        struct Created {
            #[serde(rename = "browserContextId")]
            id: String,
        }
        let params = json!({
            "proxyServer": format!("http://{proxy}"),
            "proxyBypassList": "<-loopback>",
            // Should this process lose track of it, the browser clears it up with the connection.
            "disposeOnDetach": true,
        });
        let Created { id } = connection.call("Target.createBrowserContext", params, deadline).await?;
        Ok(Self { connection: connection.clone(), id })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.connection.send("Target.disposeBrowserContext", json!({ "browserContextId": self.id }));
    }
}
