//! Exit codes: a build must never pass because nothing was checked, and never fail without a reason.

use crate::{
    program::a11ycheck,
    site::{Answer, Site, bad, good},
};

#[test]
fn every_outcome_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([
        ("/", good("Home")),
        ("/bad", bad("Bad", &["logo"])),
        ("/hangs", Answer::Hang),
        ("/away", Answer::Redirect("https://elsewhere.invalid/".to_owned())),
    ]);
    let (home, bad, gone, hangs, away) =
        (site.url("/"), site.url("/bad"), site.url("/gone"), site.url("/hangs"), site.url("/away"));
    let down = Site::nobody();
    for (code, arguments) in [
        (0, vec![&*home]),
        (1, vec![&*home, &bad]),
        (0, vec![&*bad, "--exit-zero"]),
        (0, vec![&*bad, "--max", "1"]),
        (3, vec![&*home, &gone]),
        (0, vec![&*home, &gone, "--allow-unchecked", "1"]),
        (1, vec![&*home, &gone, &bad]),
        (1, vec![&*home, &gone, &bad, "--allow-unchecked", "1"]),
        (3, vec![&*home, &gone, &bad, "--exit-zero"]),
        (3, vec![&*down]),
        (3, vec![&*down, "--pages", "5"]),
        (3, vec![&*away]),
        (3, vec![&*home, &hangs, "--page-seconds", "6"]),
    ] {
        let done = a11ycheck(folder.path(), &["check", "--quiet"]).with_arguments(&arguments).run();
        assert_eq!(done.code, code, "{arguments:?}: {done:#?}");
        assert!(!done.stdout.is_empty(), "{arguments:?} says its verdict");
        let says_clean = a11ycheck(folder.path(), &["check"]).with_arguments(&arguments);
        if arguments[0] == down {
            assert!(!says_clean.run().stdout.contains("no problem found"), "nothing was looked at");
        }
    }
}

#[test]
fn what_cannot_run_is_neither_success_nor_findings_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/", good("Home"))]);
    let home = site.url("/");
    std::fs::write(folder.path().join("empty.json"), "").unwrap();
    std::fs::write(folder.path().join("bad.toml"), "ulrs = []").unwrap();
    for (arguments, advice) in [
        (vec!["check"], "nothing to check is named"),
        (vec!["check", "no-such-folder"], "neither an address nor a file"),
        (vec!["check", "no-such-page.html"], "neither an address nor a file"),
        (vec!["check", &home, "--no-such-flag"], "--no-such-flag"),
        (vec!["check", &home, "--config", "bad.toml"], "did you mean urls?"),
        (vec!["check", &home, "--chromium", "/nowhere/chromium"], "no browser at /nowhere/chromium"),
        (vec!["check", &home, "--axe", "/nowhere/axe.min.js"], "/nowhere/axe.min.js"),
        (vec!["check", &home, "-o", "json=/nowhere/run.json"], "/nowhere/run.json cannot be written"),
        (vec!["check", &home, "--new-only"], "--baseline"),
        (vec!["check", &home, "--new-only", "--baseline", "missing.json"], "--update-baseline"),
        (vec!["check", &home, "--new-only", "--baseline", "empty.json"], "is no baseline"),
        (vec!["check", "-", &home], "neither an address"),
        (vec!["check", "--serve", "no-such-folder"], "can't be served"),
        (vec!["check", "--start", "exit 7", "--base-url", "http://127.0.0.1:9"], "ended before"),
        (vec!["explain", "no-such-rule"], "did you mean"),
        (vec!["report", "empty.json"], "empty.json"),
    ] {
        let done = a11ycheck(folder.path(), &arguments).with_input("what is this").run();
        assert_eq!(done.code, 2, "{arguments:?}: {done:#?}");
        assert!(done.stderr.contains(advice) || advice == "empty.json", "{arguments:?}: {done:#?}");
        assert_eq!(done.stdout, "", "{arguments:?}");
    }
    assert_eq!(site.asked(), Vec::<String>::new(), "nothing was asked of the site");
}

#[cfg(unix)]
#[test]
fn a_browser_that_cannot_start_is_no_success() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let browser = folder.path().join("chromium");
    std::fs::write(&browser, "#!/bin/sh\necho 'FATAL: No usable sandbox! Update your kernel' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let site = Site::serve([("/", good("Home"))]);
    let home = site.url("/");
    let done = a11ycheck(folder.path(), &["check", &home, "--chromium", browser.to_str().unwrap()]).run();
    assert_eq!(done.code, 2, "{done:#?}");
    for way in ["AppArmor", "seccomp", "--no-sandbox"] {
        assert!(done.stderr.contains(way), "{way}: {done:#?}");
    }
}

#[test]
fn commands_without_a_browser_work_without_one() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, said) in [
        (vec!["explain", "color-contrast", "--lang", "de"], "WCAG 1.4.3"),
        (vec!["rules"], "image-alt"),
        (vec!["completions", "bash"], "a11ycheck"),
        (vec!["man"], ".TH a11ycheck"),
        (vec!["init", "--ci", "github"], "a11ycheck.toml was written"),
        (vec!["--version"], "a11ycheck "),
    ] {
        let done = a11ycheck(folder.path(), &arguments).run();
        assert_eq!((done.code, done.stdout.contains(said)), (0, true), "{arguments:?}: {done:#?}");
    }
    assert_eq!(a11ycheck(folder.path(), &["init"]).run().code, 2, "a file that is there stays");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_check_and_what_was_started_for_it() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/hangs", Answer::Hang)]);
    let ready = Site::nobody();
    let (host, port) = ready.trim_start_matches("http://").trim_end_matches('/').split_once(':').unwrap();
    let start = format!("echo $$ > pid; exec python3 -m http.server --bind {host} {port}");
    let hangs = site.url("/hangs");
    let check = ["check", "-q", &hangs, "--start", &start, "--ready-url", &ready];
    let child = a11ycheck(folder.path(), &check).spawn();
    // The check is under way when the page is asked for, which ends at its time limit at the latest.
    while site.asked().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    kill_process(Pid::from_raw(child.id().try_into().unwrap()).unwrap(), Signal::INT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")), "the server has ended");
}
