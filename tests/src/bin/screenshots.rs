//! The pictures of the README, taken from the running interface: `a11ycheck-screenshots SERVER FOLDER`.
//!
//! The server that is named is started with the history of the demo team, and looked at in the browser that checks use. Data are the
//! same each time; days are shown as if the pictures were taken on 1 June 2027, so that new ones differ only where the interface does.

#![allow(clippy::unwrap_used, reason = "what goes wrong ends the program, with where it was")]

use std::{path::Path, process::Stdio};

use a11ycheck_tests::{Browser, Tab, wait_for};
use serde_json::Value;
use tokio::process::Command;

/// The window, in CSS pixels; each is drawn by four.
const WINDOW: (u32, u32) = (1080, 820);

/// Shows the days of a page, which are in `time` elements, as if today was 1 June 2027 at half past nine.
const SHIFT: &str = r#"(() => {
    const day = 24 * 60 * 60 * 1000;
    for (const time of document.querySelectorAll('time[datetime]')) {
        const days = Math.round((Date.parse(time.dateTime) - Date.now()) / day);
        const shown = new Date(Date.UTC(2027, 5, 1, 9, 30) + days * day).toISOString();
        time.textContent = `${shown.slice(0, 10)} ${shown.slice(11, 16)} UTC`;
    }
    return true;
})()"#;

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [server, folder] = arguments.as_slice() else {
        panic!("the server and the folder for the pictures are to be named")
    };
    let around = tempfile::tempdir().unwrap();
    let ready = around.path().join("ready.json");
    let mut process = Command::new(server)
        .args(["--memory", "--demo-history", "--workers", "0", "--listen", "127.0.0.1:0", "--ready-file"])
        .arg(&ready)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let ready = wait_for("the server", async || {
        assert_eq!(process.try_wait().unwrap(), None, "the server has ended");
        std::fs::read(&ready).ok()
    });
    let ready: Value = serde_json::from_slice(&ready.await).unwrap();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.zoom(WINDOW.0, WINDOW.1, 2).await;
    tab.open(ready["first_link"].as_str().unwrap()).await;
    submit(&tab, "[name=demo]").await;

    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).unwrap();
    save(&tab, &folder.join("sites.webp")).await;
    follow(&tab, "tbody th a", "Riverside Museum").await;
    save(&tab, &folder.join("site.webp")).await;
    follow(&tab, "tbody th a", "").await;
    tab.prefer(&[("prefers-color-scheme", "dark")]).await;
    save(&tab, &folder.join("report.webp")).await;
    tab.prefer(&[]).await;
    tab.evaluate("document.querySelector('#language-choice').value = 'de'").await;
    submit(&tab, "#language-choice").await;
    tab.evaluate("document.querySelector('.rule details').open = true").await;
    tab.evaluate("scrollTo(0, document.querySelector('.rule').getBoundingClientRect().top + scrollY + 2)").await;
    save(&tab, &folder.join("finding.webp")).await;
}

/// Follows the first link that has a text in it.
async fn follow(tab: &Tab<'_>, selector: &str, text: &str) {
    let way = format!(
        "[...document.querySelectorAll({selector:?})].find((link) => link.textContent.includes({text:?})).href"
    );
    let way = tab.evaluate(&way).await;
    tab.open(way.as_str().unwrap()).await;
}

/// Sends the form with an element.
async fn submit(tab: &Tab<'_>, selector: &str) {
    tab.evaluate(&format!("document.querySelector({selector:?}).form.querySelector('button').focus()")).await;
    tab.press_and_follow("Enter").await;
}

async fn save(tab: &Tab<'_>, file: &Path) {
    tab.evaluate(SHIFT).await;
    // Where the focus was is not part of the picture.
    tab.evaluate("document.activeElement.blur()").await;
    std::fs::write(file, tab.picture("webp").await).unwrap();
}
