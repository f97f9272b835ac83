//! Hostile pages leave nothing behind. The test has a process of its own, where nothing else opens files or
//! starts browsers.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "browser/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests use the rest of it")]
mod support;

use std::{
    collections::BTreeSet,
    env, fs,
    process::Command,
    time::{Duration, Instant},
};

use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Site, config, page, page_time, pages, scan};

/// The expected outcome of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is checked.
    Checked,
    /// It is listed with an error.
    Fails,
    /// Either of the two, depending on the machine.
    Listed,
    /// It is no page, and not listed.
    Dropped,
}

fn script(source: &str) -> Reply {
    Reply::Html(page("Bad", &format!("<p>x</p><script>{source}</script>")))
}

fn hostile() -> Vec<(&'static str, Fate, Reply)> {
    use Fate::{Checked, Dropped, Fails, Listed};
    let whole = |status, head: &str, body: &[u8]| Reply::Whole(status, head.to_owned(), body.to_vec());
    vec![
        ("/loop", Fails, script("while (true) {}")),
        ("/loop-later", Fails, script("addEventListener('load', () => setTimeout(() => { while (true) {} }))")),
        ("/alerts", Fails, script("while (true) alert('x')")),
        ("/reload", Fails, script("location.reload()")),
        ("/refresh", Fails, Reply::Html("<meta http-equiv=refresh content='0'><title>x</title>".to_owned())),
        ("/silent", Fails, Reply::Hang),
        ("/stalled", Fails, Reply::Stall(page("Bad", "<p>x"))),
        ("/endless", Fails, Reply::Endless(page("Bad", ""), "<p>again</p>".repeat(500))),
        ("/closed", Fails, Reply::Close),
        ("/circle", Fails, Reply::Redirect("/circle".to_owned())),
        ("/password", Fails, whole(401, "WWW-Authenticate: Basic realm=x\r\n", b"")),
        ("/huge", Fails, Reply::Html(page("Bad", &"<i>x</i>".repeat(3_000_000)))),
        ("/memory", Listed, script("const all = []; while (true) all.push(new Array(1e6).fill(all.length))")),
        ("/nodes", Listed, script("for (let i = 0; i < 1e6; i++) document.body.append(document.createElement('b'))")),
        ("/deep", Listed, Reply::Html(page("Bad", &"<div>".repeat(100_000)))),
        ("/frames", Listed, Reply::Html(page("Bad", &"<iframe title=x src=/frames></iframe>".repeat(20)))),
        ("/windows", Listed, script("for (let i = 0; i < 200; i++) open('/windows?' + i, '_blank')")),
        ("/unload", Checked, script("onbeforeunload = (event) => event.preventDefault(); onunload = () => alert(1)")),
        ("/close", Checked, script("window.close(); self.close()")),
        ("/crash", Checked, script("location = 'chrome://crash'")),
        ("/worker", Checked, script("new Worker('data:text/javascript,while(true){}')")),
        ("/service", Checked, script("navigator.serviceWorker?.register('/service.js')")),
        ("/history", Listed, script("for (let i = 0; i < 1e4; i++) history.pushState(i, '', '?' + i)")),
        ("/fullscreen", Checked, script("document.documentElement.requestFullscreen?.().catch(() => {}); print()")),
        (
            "/download",
            Dropped,
            whole(200, "Content-Type: application/zip\r\nContent-Disposition: attachment\r\n", b"PK"),
        ),
        ("/file", Dropped, Reply::File("application/pdf", b"%PDF-1.7".to_vec())),
    ]
}

/// Runs itself once more, with a folder for temporary files that no other program of this machine uses.
#[test]
fn two_dozen_hostile_pages_cost_themselves_and_leave_no_process_folder_or_descriptor() {
    if env::var_os(IN_OWN_FOLDER).is_some() {
        return tokio::runtime::Runtime::new().unwrap().block_on(nothing_is_left());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut again = Command::new(env::current_exe().unwrap());
    let status = again.arg("--nocapture").env(IN_OWN_FOLDER, "1").env("TMPDIR", folder.path()).status().unwrap();
    assert!(status.success(), "see above");
}

const IN_OWN_FOLDER: &str = "A11YCHECK_TEST_IN_OWN_FOLDER";

async fn nothing_is_left() {
    let page_time = page_time(Duration::from_secs(5)).await;
    // What opens once and stays, such as the resolver's socket, is open after a scan of a good page.
    visit("/good", 1, Duration::from_secs(20)).await;
    let before = descriptors();

    let found = visit("/", 60, page_time).await;

    let listed = |path: &str| found.iter().find(|page| page.split(['?', ' ']).next() == Some(path));
    for (path, fate, _) in hostile() {
        let outcome = listed(path);
        let is_as_fated = match (fate, outcome) {
            (Fate::Checked, Some(outcome)) => !outcome.contains(' '),
            (Fate::Fails, Some(outcome)) => outcome.contains(' '),
            (Fate::Listed, Some(_)) | (Fate::Dropped, None) => true,
            _ => false,
        };
        assert!(is_as_fated, "{path}: {outcome:?}");
    }
    assert_eq!(listed("/good").map(String::as_str), Some("/good"), "the browser is usable after all of them");
    // A socket is closed by the task that has it, which may end a moment after the scan. What was leaked stays.
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut after = descriptors();
    while after.len() > before.len() && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
        after = descriptors();
    }
    assert!(after.len() <= before.len(), "descriptors: {before:?} before, {after:?} after");
}

/// Scans from a page of the hostile site, and asserts that no process and no folder is left.
async fn visit(path: &str, budget: u32, page_time: Duration) -> Vec<String> {
    let folders = folders();
    // The site's connections, some of which hang without end, have a runtime of their own, which is dropped with them.
    let server = tokio::runtime::Runtime::new().unwrap();
    let site = server.spawn(hostile_site()).await.unwrap();
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let found = pages(&scan(&scanner, &site.url(path), budget).await);
    scanner.close().await;
    drop(site);
    tokio::task::spawn_blocking(|| server.shutdown_timeout(Duration::from_secs(10))).await.unwrap();
    assert_eq!(children(), BTreeSet::new(), "processes are left");
    assert_eq!(self::folders(), folders, "temporary folders are left");
    found
}

async fn hostile_site() -> Site {
    let cases = hostile();
    let links: String = cases.iter().map(|(path, ..)| format!("<a href={path}>{path}</a>, ")).collect();
    Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &format!("{links}<a href=/good>good</a>"))),
        "/good" => Reply::Html(page("Good", "ok")),
        path => {
            let case = cases.iter().find(|(known, ..)| *known == path);
            case.map_or_else(|| Reply::Status(404, String::new()), |(_, _, reply)| reply.clone())
        }
    })
    .await
}

/// Returns what each descriptor of this process leads to.
fn descriptors() -> Vec<String> {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    descriptors.map(|target| target.display().to_string()).collect()
}

/// Returns our child processes, by number.
fn children() -> BTreeSet<u32> {
    let stats = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        Some((pid, fs::read_to_string(format!("/proc/{pid}/stat")).ok()?))
    });
    let parent = |stat: &str| stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok();
    stats.filter(|(_, stat)| parent(stat) == Some(std::process::id())).map(|(pid, _)| pid).collect()
}

fn folders() -> BTreeSet<String> {
    let names = fs::read_dir(env::temp_dir()).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.contains("a11ycheck") || name.contains("chromium")).collect()
}
