//! A browser that a test drives as a person would: by keys, and by looking.

use std::{
    collections::HashMap,
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use a11ycheck_core::net::AddressPolicy;
use a11ycheck_scanner_chromium::{ChromiumConfig, Sandbox};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, Command},
    sync::oneshot,
    time::Instant,
};

/// The time limit of everything that is waited for: far more than a good page needs on a machine that is busy.
const TIME: Duration = Duration::from_secs(120);

/// The commands that the browser has not answered yet.
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// A running browser with an empty profile, until it is dropped.
///
/// It is the one that checks use, found as they find it, without what guards checks: it reaches loopback.
#[derive(Debug)]
pub struct Browser {
    commands: tokio::sync::Mutex<ChildStdin>,
    waiting: Waiting,
    last: AtomicU64,
    _process: Child,
    _folder: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser.
    pub async fn start() -> Self {
        let config = ChromiumConfig::new(AddressPolicy::default());
        let found = config.examine().await.browser.expect("the browser that checks use is here");
        let folder = tempfile::tempdir().unwrap();
        // Chromium reads commands from descriptor 3 and writes its messages to descriptor 4.
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(&found.program)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args(["--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US", "--window-size=1280,800"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        if found.sandbox == Sandbox::Off {
            command.arg("--no-sandbox");
        }
        let mut process = command.spawn().unwrap();
        let commands = tokio::sync::Mutex::new(process.stdin.take().unwrap());
        let mut messages = BufReader::new(process.stdout.take().unwrap());
        let waiting = Waiting::default();
        let answered = Arc::clone(&waiting);
        tokio::spawn(async move {
            let mut message = Vec::new();
            while messages.read_until(0, &mut message).await.is_ok_and(|read| read > 0) {
                message.pop();
                let answer: Value = serde_json::from_slice(&message).unwrap();
                let waits = answer["id"].as_u64().and_then(|id| locked(&answered).remove(&id));
                if let Some(waits) = waits {
                    // A test that has failed waits no more.
                    let _ = waits.send(answer);
                }
                message.clear();
            }
            locked(&answered).clear();
        });
        Self { commands, waiting, last: AtomicU64::new(0), _process: process, _folder: folder }
    }

    /// Opens a tab that shares no cookies with others, with a window of 1,280 by 800 pixels.
    pub async fn tab(&self) -> Tab<'_> {
        let context = self.call(None, "Target.createBrowserContext", json!({})).await["browserContextId"].clone();
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = self.call(None, "Target.createTarget", target).await["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attach).await["sessionId"].clone();
        let tab = Tab { browser: self, context, session };
        // Keys reach the page as if its window was in front.
        tab.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })).await;
        tab.resize(1280, 800).await;
        tab
    }

    async fn call(&self, session: Option<&Value>, method: &str, params: Value) -> Value {
        let answer = self.try_call(session, method, params).await;
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Returns the whole answer, of success or not.
    async fn try_call(&self, session: Option<&Value>, method: &str, params: Value) -> Value {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.clone();
        }
        let (sender, receiver) = oneshot::channel();
        locked(&self.waiting).insert(id, sender);
        self.commands.lock().await.write_all(format!("{message}\0").as_bytes()).await.expect("the browser runs");
        let answer = tokio::time::timeout(TIME, receiver).await;
        answer.unwrap_or_else(|_| panic!("{method} is not answered")).expect("the browser runs")
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A tab of a browser.
#[derive(Debug)]
pub struct Tab<'browser> {
    browser: &'browser Browser,
    context: Value,
    session: Value,
}

impl Tab<'_> {
    /// Sends a command of the DevTools protocol, and returns its result.
    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params).await
    }

    /// Opens an address, and waits until the page has loaded.
    pub async fn open(&self, url: &str) {
        self.evaluate("globalThis.isLeft = true").await;
        let answer = self.call("Page.navigate", json!({ "url": url })).await;
        assert!(answer["errorText"].is_null(), "{url}: {}", answer["errorText"]);
        self.loaded(url).await;
    }

    /// Presses a key that leads to another page, and waits until that has loaded.
    pub async fn press_and_follow(&self, key: &str) {
        self.evaluate("globalThis.isLeft = true").await;
        self.press(key).await;
        self.loaded(key).await;
    }

    /// Waits until another page has loaded than the one that was marked as left.
    async fn loaded(&self, way: &str) {
        let is_there = "document.readyState === 'complete' && !globalThis.isLeft && location.href !== 'about:blank'";
        self.wait_until(is_there, &format!("the page behind {way}")).await;
    }

    /// Waits until an expression is true in the page, whichever page that is by then.
    pub async fn wait_until(&self, expression: &str, what: &str) {
        let deadline = Instant::now() + TIME;
        // While a page gives way to the next, nothing can be evaluated.
        while self.tried(expression).await != Some(Value::Bool(true)) {
            assert!(Instant::now() < deadline, "waited in vain for {what} at {:?}", self.tried("location.href").await);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Returns the value of an expression in the page, after it has settled if it is a promise.
    pub async fn evaluate(&self, expression: &str) -> Value {
        let answer = self.evaluated(expression).await;
        let result = &answer["result"];
        assert!(answer["error"].is_null() && result["exceptionDetails"].is_null(), "{expression}: {answer}");
        result["result"]["value"].clone()
    }

    async fn tried(&self, expression: &str) -> Option<Value> {
        let answer = self.evaluated(expression).await;
        let result = answer.get("result").filter(|result| result["exceptionDetails"].is_null());
        result.map(|result| result["result"]["value"].clone())
    }

    async fn evaluated(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        self.browser.try_call(Some(&self.session), "Runtime.evaluate", params).await
    }

    /// Presses a key: `Tab`, `Shift+Tab`, `Enter`, `Space`, `Escape`, an arrow such as `ArrowDown`, or one character.
    pub async fn press(&self, key: &str) {
        let (key, modifiers) = key.strip_prefix("Shift+").map_or((key, 0), |key| (key, 8));
        let (name, code, text) = match key {
            "Tab" => ("Tab", 9, None),
            "Enter" => ("Enter", 13, Some("\r")),
            "Space" => (" ", 32, Some(" ")),
            "Escape" => ("Escape", 27, None),
            "ArrowLeft" => (key, 37, None),
            "ArrowUp" => (key, 38, None),
            "ArrowRight" => (key, 39, None),
            "ArrowDown" => (key, 40, None),
            "Home" => (key, 36, None),
            "End" => (key, 35, None),
            // The text decides what is entered.
            character => (character, 0, Some(character)),
        };
        let mut event = json!({
            "type": if text.is_some() { "keyDown" } else { "rawKeyDown" },
            "key": name, "code": name.trim(), "windowsVirtualKeyCode": code, "modifiers": modifiers,
        });
        if let Some(text) = text {
            event["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", event).await;
        let event = json!({ "type": "keyUp", "key": name, "windowsVirtualKeyCode": code, "modifiers": modifiers });
        self.call("Input.dispatchKeyEvent", event).await;
    }

    /// Types a text, character by character.
    pub async fn r#type(&self, text: &str) {
        for character in text.chars() {
            self.press(&character.to_string()).await;
        }
    }

    /// Makes the window so many CSS pixels wide and high.
    pub async fn resize(&self, width: u32, height: u32) {
        self.zoom(width, height, 1).await;
    }

    /// Makes the window so many CSS pixels wide and high, each drawn by a square of `scale` pixels of the screen: at a scale
    /// of 4, a window of 320 is one of 1,280 at 400 %.
    pub async fn zoom(&self, width: u32, height: u32, scale: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Sets what the person has set up in the system: features of media queries with their values, none for the defaults.
    pub async fn prefer(&self, features: &[(&str, &str)]) {
        let features: Vec<_> = features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Sets the size of text in the browser's settings, in percent of its own.
    pub async fn enlarge_text(&self, percent: u32) {
        // Those that Chromium begins with are 16 and 13 pixels.
        let sizes = json!({ "standard": 16 * percent / 100, "fixed": 13 * percent / 100 });
        self.call("Page.setFontSizes", json!({ "fontSizes": sizes })).await;
    }

    /// Puts what the person downloads into a folder, under the name that the server gives it.
    pub async fn keep_downloads_in(&self, folder: &Path) {
        let behaviour = json!({ "behavior": "allow", "downloadPath": folder, "browserContextId": self.context });
        self.browser.call(None, "Browser.setDownloadBehavior", behaviour).await;
    }

    /// Returns a picture of the window, in this format (`png` or `webp`).
    pub async fn picture(&self, format: &str) -> Vec<u8> {
        self.captured(json!({ "format": format, "quality": 82 })).await
    }

    /// Returns a picture of the whole page as PNG.
    pub async fn long_picture(&self) -> Vec<u8> {
        let size = self.call("Page.getLayoutMetrics", json!({})).await["cssContentSize"].clone();
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1 });
        self.captured(json!({ "format": "png", "captureBeyondViewport": true, "clip": clip })).await
    }

    async fn captured(&self, params: Value) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", params).await;
        STANDARD.decode(answer["data"].as_str().unwrap()).unwrap()
    }
}
