//! The switches with which the browser is started.

use std::{net::SocketAddr, path::Path};

use super::Viewport;

/// The features of the browser that are off.
const DISABLED_FEATURES: &str = concat!(
    // Frames of other origins stay in the page's process, where axe-core reaches them. There is nothing for isolation
    // to protect, such as credentials of other sites: every tab has a profile of its own that starts empty.
    "IsolateOrigins,site-per-process,IsolateSandboxedIframes,",
    // The address to check is the one that was requested.
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,",
    // These send requests to the browser's maker and its partners.
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,MediaRouter,DialMediaRouteProvider,",
    "OptimizationHints,Translate,",
    // A back/forward cache keeps pages alive that were left.
    "BackForwardCache",
);

/// Returns the switches for a browser with this profile, whose traffic goes to `proxy` unless a tab has its own.
pub(super) fn switches(profile: &Path, proxy: SocketAddr, sandbox: Sandbox, sound: Sound) -> Vec<String> {
    let mut switches: Vec<String> = [
        "--headless",
        "--remote-debugging-pipe",
        "--no-first-run",
        "--no-default-browser-check",
        // Every connection goes through the proxy, including those to this machine, which Chromium would exempt.
        "--proxy-bypass-list=<-loopback>",
        // Ways around an HTTP proxy: UDP of WebRTC and QUIC, and anticipatory name look-ups.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--dns-prefetch-disable",
        "--no-pings",
        // Requests and work that a browser starts by itself.
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
        // The same page looks the same in every run, and is not throttled because nobody sees it.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--force-color-profile=srgb",
        // Letters have grey edges on every machine, whatever its fonts are set up for: the share of a pixel that is text is one.
        "--disable-lcd-text",
        "--hide-scrollbars",
        // The whole document is painted, and not only what is in view: see `beyond`.
        "--blink-settings=mainFrameClipsContent=false",
        "--lang=en-US",
        "--mute-audio",
        // Nothing that asks a person or waits for one.
        "--deny-permission-prompts",
        "--disable-notifications",
        "--disable-prompt-on-repost",
        // Scripts of one tab get 1 GiB; beyond that this tab dies alone, and not whatever process the system picks. A
        // young generation of 12 MiB holds what axe-core discards at once, and several tabs can afford it. axe-core
        // runs for a fraction of a second in each document, on cores that are busy: compiling it concurrently costs
        // more than it saves.
        "--js-flags=--max-old-space-size=1024 --max-semi-space-size=4 --no-concurrent-recompilation",
        // /dev/shm is small in containers, and tabs crash when it is full.
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-site-isolation-trials",
    ]
    .map(str::to_owned)
    .into();
    switches.push(format!("--disable-features={DISABLED_FEATURES}"));
    let window = Viewport::DESKTOP;
    switches.push(format!("--window-size={},{}", window.width(), window.height()));
    switches.push(format!("--proxy-server=http://{proxy}"));
    switches.push(format!("--user-data-dir={}", profile.display()));
    if sound == Sound::Begins {
        switches.push("--autoplay-policy=no-user-gesture-required".to_owned());
    }
    if sandbox == Sandbox::Off {
        switches.push("--no-sandbox".to_owned());
    }
    switches
}

/// The policy of the browser for sound that begins without a person's action (autoplay).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sound {
    /// The browser holds it back, as for visitors who have not used the site before.
    HeldBack,
    /// The browser lets it begin, as for visitors who have. Otherwise a script that starts sound could not be found.
    Begins,
}

/// The confinement of the browser's page processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Pages run in processes that can reach nothing of the machine. A browser that can't use its sandbox does not
    /// start; as root it never can.
    #[default]
    On,
    /// A page that breaks into its process can do all that the user of the browser can. Only if the operator asks for
    /// it.
    Off,
}
