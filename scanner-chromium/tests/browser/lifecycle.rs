//! The start, the death and the end of browsers.

use std::{
    fs,
    path::PathBuf,
    pin::{Pin, pin},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use a11ycheck_core::scanner::{CancellationToken, ScanError, Scanner as _};
use a11ycheck_scanner_chromium::{ChromiumError, ChromiumScanner};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Progress, Reply, Site, browser_after, config, page, pages, request, scan, scanner};

/// Returns the living processes of this group: a browser and its helpers.
fn processes_of(group: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // "pid (name) state ppid pgrp …"
        let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = rest.split(' ').collect();
        if fields[0] != "Z" && fields[2] == group.to_string() {
            found.push(entry.file_name().to_string_lossy().parse().unwrap());
        }
    }
    found
}

/// Returns the process group of a browser.
fn group_of(pid: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(2).unwrap().parse().unwrap()
}

/// Returns the folder of a browser, from its command line.
fn folder_of(pid: u32) -> PathBuf {
    let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    line.split('\0').find_map(|argument| argument.strip_prefix("--user-data-dir=")).unwrap().into()
}

/// Returns the processes of a browser that show pages.
fn renderers(group: u32) -> Vec<u32> {
    let is_renderer = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains("--type=renderer"))
    };
    processes_of(group).into_iter().filter(is_renderer).collect()
}

/// Waits until a condition holds that is promised to hold soon.
async fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(10), "still not so: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until a condition holds, for as long as a scan goes on, which has bounds of its own.
async fn during<T: std::fmt::Debug>(
    scan: Pin<&mut impl Future<Output = T>>,
    what: &str,
    mut is_so: impl FnMut() -> bool,
) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        ended = scan => panic!("the scan ended before {what}: {ended:?}"),
        () = wait => {}
    }
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_in_the_middle_costs_no_page() {
    static HELD: AtomicBool = AtomicBool::new(true);
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/a>a</a>, <a href=/b>b</a>, <a href=/c>c</a>")),
        "/b" if HELD.load(Ordering::SeqCst) => Reply::Hang,
        path => Reply::Html(page(path, "<button></button>")),
    })
    .await;
    let scanner = scanner();
    let start = site.url("/");
    let mut scanning = pin!(scan(&scanner, &start, 10));
    during(scanning.as_mut(), "the page was asked for", || site.hits("/b") > 0).await;
    HELD.store(false, Ordering::SeqCst);
    kill(scanner.browser_pid().await.unwrap());
    let findings = scanning.await;
    assert_eq!(pages(&findings), ["/", "/a", "/b", "/c"]);
    assert_eq!(findings.items.len(), 3);
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_kills_its_tab_is_tried_once_more_and_the_others_are_checked() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/bad>a</a> <a href=/good>b</a>")),
        "/bad" => Reply::Html(page("Bad", "<script>while (true) {}</script>")),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_tabs(1)).unwrap();
    let start = site.url("/");
    let mut scanning = pin!(scan(&scanner, &start, 5));
    for attempt in 1..=2 {
        during(scanning.as_mut(), "the page was asked for", || site.hits("/bad") == attempt).await;
        let group = group_of(scanner.browser_pid().await.unwrap());
        // The previous tab may still be about to end.
        during(scanning.as_mut(), "its tab was there", || !renderers(group).is_empty()).await;
        for tab in renderers(group) {
            kill(tab);
        }
    }
    let findings = scanning.await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/bad browser_crashed", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_closing_no_process_and_no_file_is_left() {
    let site = Site::start(|_| Reply::Html(page("Home", "ok"))).await;
    let scanner = scanner();
    scan(&scanner, &site.url("/"), 1).await;
    let pid = scanner.browser_pid().await.unwrap();
    let (group, folder) = (group_of(pid), folder_of(pid));
    assert!(folder.is_dir() && processes_of(group).contains(&pid));
    scanner.close().await;
    assert!(!folder.exists());
    soon("the processes are gone", || processes_of(group).is_empty()).await;
    let after = scanner.scan(request(&site.url("/"), 1), &Progress::default(), CancellationToken::new()).await;
    assert!(matches!(after, Err(ScanError::Unavailable(_))), "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_scanner_ends_its_browser() {
    let scanner = scanner();
    scanner.versions().await.unwrap();
    let pid = scanner.browser_pid().await.unwrap();
    let (group, folder) = (group_of(pid), folder_of(pid));
    drop(scanner);
    soon("the processes are gone", || processes_of(group).is_empty()).await;
    soon("the folder is gone", || !folder.exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_sees_no_secrets() {
    let scanner = scanner();
    scanner.versions().await.unwrap();
    let pid = scanner.browser_pid().await.unwrap();
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    let variables: Vec<(&str, &str)> = environment.split('\0').filter_map(|pair| pair.split_once('=')).collect();
    scanner.close().await;
    for (name, value) in &variables {
        let is_known = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "PWD", "OLDPWD", "SHLVL", "_"].contains(name)
            || ["XDG_", "FONTCONFIG_", "CHROME_", "LD_LIBRARY_PATH"].iter().any(|known| name.starts_with(known));
        // Debian's script that starts Chromium has some of its own.
        let is_ours = std::env::var(name).is_ok_and(|ours| ours == *value);
        assert!(is_known || !is_ours, "{name} of {variables:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_scan_ends_soon_and_leaves_no_tab() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/a>a</a> <a href=/loop>b</a>")),
        "/loop" => Reply::Html("<script>while (true) {}</script>".to_owned()),
        _ => Reply::Hang,
    })
    .await;
    let scanner = scanner();
    scanner.versions().await.unwrap();
    let group = group_of(scanner.browser_pid().await.unwrap());
    let before = renderers(group).len();
    let token = CancellationToken::new();
    let progress = Progress::default();
    let mut scanning = pin!(scanner.scan(request(&site.url("/"), 5), &progress, token.clone()));
    during(scanning.as_mut(), "both pages were asked for", || site.hits("/a") + site.hits("/loop") == 2).await;
    token.cancel();
    let cancelled = Instant::now();
    let ended = scanning.await;
    assert!(matches!(ended, Err(ScanError::Cancelled)), "{ended:?}");
    assert!(cancelled.elapsed() < Duration::from_secs(2));
    soon("the tabs are gone", || renderers(group).len() <= before).await;
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_side_by_side_do_not_mix() {
    let site = |name: &'static str| {
        Site::start(move |request| match request.path.as_str() {
            "/" => Reply::Html(page(name, "<a href=/1>1</a> <a href=/2>2</a>")),
            _ => Reply::Html(page(name, "<button></button>")),
        })
    };
    let (first, second) = (site("first").await, site("second").await);
    let scanner = scanner();
    let (a, b) = (first.url("/"), second.url("/"));
    let (a, b) = tokio::join!(scan(&scanner, &a, 9), scan(&scanner, &b, 9));
    scanner.close().await;
    for (findings, name) in [(a, "first"), (b, "second")] {
        assert_eq!(pages(&findings), ["/", "/1", "/2"]);
        assert!(findings.pages.iter().all(|page| page.title == name));
        assert_eq!(findings.items.len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_falls_over_as_it_starts_is_started_once_more() {
    let falls_over = "if mkdir \"$0.begun\" 2>/dev/null; then kill -SEGV $$; fi";
    let (_folder, program) = browser_after(falls_over);
    let scanner = ChromiumScanner::new(config().with_browser(program)).unwrap();
    let versions = scanner.versions().await;
    scanner.close().await;
    assert!(versions.is_ok(), "{versions:?}");

    let (_folder, program) = browser_after("echo 'no such display' >&2; kill -SEGV $$");
    let scanner = ChromiumScanner::new(config().with_browser(program)).unwrap();
    let error = scanner.versions().await.unwrap_err();
    scanner.close().await;
    let ChromiumError::Browser(error) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains("no such display"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_named() {
    let no_browser = ChromiumScanner::new(config().with_browser("/nowhere/chromium"));
    assert!(matches!(no_browser, Err(ChromiumError::BrowserMissing(_))));
    let no_axe = ChromiumScanner::new(config().with_axe("/nowhere/axe.min.js"));
    assert!(matches!(no_axe, Err(ChromiumError::AxeUnreadable { .. })));
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("axe.min.js");
    fs::write(&old, "/*! axe v4.3.5 */ axe.version=\"4.3.5\"").unwrap();
    let message = ChromiumScanner::new(config().with_axe(&old)).unwrap_err().to_string();
    assert!(message.contains("4.3.5") && message.contains("4.14"), "{message}");
    let not_a_browser = ChromiumScanner::new(config().with_browser("/bin/false")).unwrap();
    let ended =
        not_a_browser.scan(request("http://127.0.0.1:9/", 1), &Progress::default(), CancellationToken::new()).await;
    assert!(matches!(ended, Err(ScanError::Unavailable(_))), "{ended:?}");
}
