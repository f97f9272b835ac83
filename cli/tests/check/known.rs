//! Known and accepted findings: a gate for what is new, which can't pass by mistake.

use std::fs;

use crate::{
    program::a11ycheck,
    site::{Site, bad, good},
};

#[test]
fn a_baseline_of_one_host_holds_at_another_and_new_findings_fail() {
    let folder = tempfile::tempdir().unwrap();
    let old = Site::serve([("/", bad("Home", &["logo"])), ("/x", good("X"))]);
    let write = ["check", &old.url("/"), &old.url("/x"), "--baseline", "known.json", "--update-baseline", "-q"];
    assert_eq!(a11ycheck(folder.path(), &write).run().code, 0);
    let first = fs::read_to_string(folder.path().join("known.json")).unwrap();
    assert_eq!(a11ycheck(folder.path(), &write).run().code, 0);
    assert_eq!(fs::read_to_string(folder.path().join("known.json")).unwrap(), first, "equal runs write equal files");
    assert!(!first.contains("127.0.0.1"), "{first}");

    let same = Site::serve([("/", bad("Home", &["logo"])), ("/x", good("X"))]);
    let more = Site::serve([("/", bad("Home", &["logo"])), ("/x", bad("X", &["map"]))]);
    let fixed = Site::serve([("/", good("Home")), ("/x", good("X"))]);
    for (site, extra, code) in
        [(&same, vec![], 0), (&more, vec![], 1), (&fixed, vec![], 0), (&fixed, vec!["--strict-baseline"], 1)]
    {
        let (home, x) = (site.url("/"), site.url("/x"));
        let mut arguments = vec!["check", &home, &x, "--baseline", "known.json", "--new-only", "-o", "json"];
        arguments.extend(extra);
        let done = a11ycheck(folder.path(), &arguments).run();
        assert_eq!(done.code, code, "{done:#?}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("known.json")).unwrap(),
        first,
        "a gate never writes the baseline"
    );
}

#[test]
fn what_is_accepted_is_shown_and_fails_nothing_until_its_last_day_has_passed() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/", bad("Home", &["logo"]))]);
    let home = site.url("/");
    let check = |until: &str, extra: &[&str]| {
        let accept =
            format!("[[accept]]\nrule = 'image-alt'\nselector = '#logo'\nreason = 'planned'\nuntil = {until}\n");
        fs::write(folder.path().join("a11ycheck.toml"), accept).unwrap();
        a11ycheck(folder.path(), &["check", &home, "-o", "json"]).with_arguments(extra).run()
    };
    let accepted = check("2999-12-31", &[]);
    assert_eq!(accepted.code, 0, "{accepted:#?}");
    assert_eq!(accepted.json()["findings"][0]["accepted"]["reason"], "planned");
    let expired = check("2020-01-01", &[]);
    assert_eq!(expired.code, 1, "{expired:#?}");
    assert!(expired.json()["notices"][0]["message"].as_str().unwrap().contains("count again"));
    let accept = "[[accept]]\nrule = 'image-alt'\nselector = '#gone'\nreason = 'not-ours'\n";
    fs::write(folder.path().join("a11ycheck.toml"), accept).unwrap();
    let clean = Site::serve([("/", good("Home"))]);
    let home = clean.url("/");
    for (extra, code) in [(&[][..], 0), (&["--strict"], 1)] {
        let done = a11ycheck(folder.path(), &["check", &home, "-q"]).with_arguments(extra).run();
        assert_eq!(
            done.code, code,
            "what matches nothing is named, and fails only where that was asked for: {done:#?}"
        );
    }
}
