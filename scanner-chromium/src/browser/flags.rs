//! How the browser is started.

use std::{net::SocketAddr, path::Path};

/// Width and height of the viewport, in CSS pixels: the size that most desktop visitors have at least.
pub(crate) const VIEWPORT: (u32, u32) = (1280, 720);

/// Parts of the browser that are off.
const DISABLED_FEATURES: &str = concat!(
    // Frames of other origins stay in the page's process, where axe-core reaches them. What isolation would protect,
    // credentials of other sites, is not there: every tab has a profile of its own that starts empty.
    "IsolateOrigins,site-per-process,IsolateSandboxedIframes,",
    // The address that was asked for is the one to check.
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,",
    // Calls to the browser's maker and its partners.
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,MediaRouter,DialMediaRouteProvider,",
    "OptimizationHints,Translate,",
    // A back/forward cache keeps pages alive that were left.
    "BackForwardCache",
);

/// The switches for a browser with this profile, whose traffic goes to `proxy` unless a tab has its own.
pub(super) fn switches(profile: &Path, proxy: SocketAddr, sandbox: Sandbox) -> Vec<String> {
    let mut switches: Vec<String> = [
        "--headless",
        "--remote-debugging-pipe",
        "--no-first-run",
        "--no-default-browser-check",
        // Every connection goes through the proxy, those to this machine too, which Chromium would exempt.
        "--proxy-bypass-list=<-loopback>",
        // Ways around an HTTP proxy: UDP of WebRTC and QUIC, and name look-ups ahead of need.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--dns-prefetch-disable",
        "--no-pings",
        // What a browser does on its own account.
        "--disable-background-networking",
        "--disable-breakpad",
        "--disable-client-side-phishing-detection",
        "--disable-component-update",
        "--disable-crash-reporter",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-sync",
        "--metrics-recording-only",
        "--password-store=basic",
        // The same page looks the same in every run, and is not slowed down for lack of a spectator.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--force-color-profile=srgb",
        "--hide-scrollbars",
        "--lang=en-US",
        "--mute-audio",
        // Nothing that asks, nothing that waits for a person.
        "--deny-permission-prompts",
        "--disable-notifications",
        "--disable-prompt-on-repost",
        // Scripts of one tab get 1 GiB, then the tab dies alone, and not whatever the system picks. A young generation of
        // 12 MiB holds what axe-core throws away at once, and several tabs can afford it. And axe-core runs for a fraction of
        // a second in each document, on cores that are busy: compiling it beside itself takes more than it gives.
        "--js-flags=--max-old-space-size=1024 --max-semi-space-size=4 --no-concurrent-recompilation",
        // /dev/shm is small in containers, and tabs crash when it is full.
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-site-isolation-trials",
    ]
    .map(str::to_owned)
    .into();
    switches.push(format!("--disable-features={DISABLED_FEATURES}"));
    switches.push(format!("--window-size={},{}", VIEWPORT.0, VIEWPORT.1));
    switches.push(format!("--proxy-server=http://{proxy}"));
    switches.push(format!("--user-data-dir={}", profile.display()));
    if sandbox == Sandbox::Off {
        switches.push("--no-sandbox".to_owned());
    }
    switches
}

/// Whether the browser locks its page processes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Pages run in processes that can reach nothing of the machine. A browser that can't have that does not start, and root's
    /// never can.
    #[default]
    On,
    /// A page that breaks into its process has all that the user of the browser has. Only where the operator asks for it.
    Off,
}
