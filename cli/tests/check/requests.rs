//! How pages are requested and shown: headers for one site alone, and the size of the window.

use std::fs;

use crate::{
    program::a11ycheck,
    site::{Answer, Site, page},
};

/// The type of a page that sets a cookie.
const SETS: &str = "text/html\r\nset-cookie: visits=1; Path=/";

const SECRET: &str = "s3cret-of-the-login";

/// A page that loads from its own site and from another one, in every way in which a page loads something.
fn lures(own: &str, other: &str) -> String {
    let both = |path: &str| {
        [own, other].map(|site| {
            format!(
                "<img alt='' src='{site}{path}.png'><iframe title='{site}{path}' src='{site}{path}-frame'></iframe>\
                 <script>fetch('{site}{path}-data', {{ mode: 'no-cors' }}).catch(() => 0)</script>"
            )
        })
    };
    format!("{}<img alt='' src='{own}/to-the-other'>", both("/part").concat())
}

fn parts() -> impl Iterator<Item = (&'static str, Answer)> {
    let frame = || Answer::Html("<!doctype html><html lang=en><title>Frame</title><main><h1>f</h1></main>".to_owned());
    let small = || Answer::Text("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>".to_owned());
    let data = || Answer::Text("application/json", "{}".to_owned());
    [
        ("/part.png", small()),
        ("/part-frame", frame()),
        ("/part-data", data()),
        ("/redirected.png", small()),
        ("/favicon.ico", Answer::Status(404)),
    ]
    .into_iter()
}

#[test]
fn every_request_to_the_site_has_the_header_and_no_other_site_ever_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let other = Site::serve(parts());
    let to_the_other = Answer::Redirect(other.url("/redirected.png"));
    let site = Site::serve_later(|own| {
        let home = Answer::Html(page("Home", &lures(own, other.url("").as_str())));
        parts().chain([("/", home), ("/to-the-other", to_the_other)]).collect()
    });
    let header = format!("X-Login: {SECRET}");
    let done = a11ycheck(
        folder.path(),
        &["check", &site.url("/"), "--allow-network", "127.0.0.1/32", "--header", &header, "--explain-gate"],
    )
    .with_arguments(&["-o", "json=run.json", "-o", "html=run.html", "-o", "text"])
    .run();
    assert!(done.code < 2, "{done:#?}");
    for path in ["/", "/part.png", "/part-frame", "/part-data", "/to-the-other"] {
        assert!(site.asked().iter().any(|asked| asked == path), "{path} of {:?}", site.asked());
    }
    for (path, value) in site.asked_with("x-login") {
        assert_eq!(value.as_deref(), Some(SECRET), "{path}");
    }
    for path in ["/part.png", "/part-frame", "/part-data", "/redirected.png"] {
        assert!(other.asked().iter().any(|asked| asked == path), "{path} of {:?}", other.asked());
    }
    for (path, value) in other.asked_with("x-login") {
        assert_eq!(value, None, "{path}");
    }
    let written = ["run.json", "run.html"].map(|file| fs::read_to_string(folder.path().join(file)).unwrap());
    for text in [&done.stdout, &done.stderr].into_iter().chain(&written) {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_login_by_cookie_stays_when_the_site_sets_cookies_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let home = |title: &str| Answer::Text(SETS, page(title, "<p><a href=/a>A</a> <a href=/b>B</a></p>"));
    let site = Site::serve([("/", home("Home")), ("/a", home("A")), ("/b", home("B"))]);
    let cookie = format!("Cookie: session={SECRET}; lang=en");
    let done = a11ycheck(folder.path(), &["check", &site.url("/"), "--pages", "3", "-q", "--header", &cookie])
        .with_arguments(&["--pages-at-once", "1"])
        .run();
    assert_eq!(done.code, 0, "{done:#?}");
    let asked = site.asked_with("cookie");
    assert!(asked.iter().filter(|(path, _)| matches!(path.as_str(), "/" | "/a" | "/b")).count() >= 3, "{asked:?}");
    let sets_own = |cookie: &Option<String>| cookie.as_ref().is_some_and(|cookie| cookie.contains("visits=1"));
    assert!(asked.iter().any(|(_, cookie)| sets_own(cookie)), "those of the site are sent too: {asked:?}");
    for (path, cookie) in asked {
        let cookie = cookie.unwrap_or_default();
        assert!(cookie.contains(&format!("session={SECRET}")) && cookie.contains("lang=en"), "{path}: {cookie}");
    }
}

#[test]
fn a_header_is_for_one_site_and_its_value_is_in_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (Site::serve([]), Site::serve([]));
    let (a, b) = (one.url("/"), two.url("/"));
    let header = format!("Authorization: {SECRET}");
    for (arguments, advice) in [
        (vec!["check", &a, &b, "--header", &header], "--base-url"),
        (vec!["check", &a, "--header", SECRET], "Name: value"),
        (vec!["check", &a, "--header", "Host: s3cret-of-the-login"], "host can't be set"),
        (vec!["check", &a, "--viewport", "1x1"], "1280x720"),
    ] {
        let done = a11ycheck(folder.path(), &arguments).run();
        assert_eq!(done.code, 2, "{arguments:?}: {done:#?}");
        assert!(done.stderr.contains(advice) && !done.stderr.contains(SECRET), "{arguments:?}: {done:#?}");
    }
    fs::write(folder.path().join("a11ycheck.toml"), format!("[headers]\nAuthorization = '{SECRET}")).unwrap();
    let done = a11ycheck(folder.path(), &["check", &a]).run();
    assert!(done.code == 2 && done.stderr.contains("line 2") && !done.stderr.contains(SECRET), "{done:#?}");
    assert_eq!((one.asked(), two.asked()), (vec![], vec![]), "nothing was asked of the sites");
    let help = a11ycheck(folder.path(), &["check", "--help"]).with_variable("A11YCHECK_HEADER", &header).run();
    assert!(help.stdout.contains("A11YCHECK_HEADER") && !help.stdout.contains(SECRET), "{help:#?}");
}

/// Returns a page with a picture without a text that windows of at most 400 CSS pixels show alone.
fn narrow() -> Answer {
    let hidden = "<style>#logo { display: none } @media (max-width: 400px) { #logo { display: block } }</style>\
                  <img id=logo src='data:,' width=20 height=20>";
    Answer::Html(page("Home", hidden))
}

#[test]
fn a_page_is_checked_as_it_is_in_a_window_of_the_size_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/", narrow())]);
    let home = site.url("/");
    let check = |extra: &[&str]| a11ycheck(folder.path(), &["check", &home, "-o", "json"]).with_arguments(extra).run();
    let usual = check(&[]);
    assert_eq!((usual.code, usual.json()["settings"].get("viewport")), (0, None), "{usual:#?}");
    let small = check(&["--viewport", "320x480"]);
    assert_eq!(small.code, 1, "{small:#?}");
    let run = small.json();
    assert_eq!(run["settings"]["viewport"], "320x480");
    assert_eq!(run["pictures"]["screen"]["width"], 320, "and so is its picture");
    assert_eq!(run["findings"][0]["rule"], "image-alt");
}

#[test]
fn headers_and_window_of_pa11y_ci_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/", narrow())]);
    let config = format!(
        r#"{{ "defaults": {{ "headers": {{ "X-Login": "{SECRET}" }}, "viewport": {{ "width": 320, "height": 480 }} }},
             "urls": ["{}"] }}"#,
        site.url("/")
    );
    fs::write(folder.path().join(".pa11yci"), config).unwrap();
    let done = a11ycheck(folder.path(), &["check", "--from", "pa11y-ci", ".pa11yci", "-o", "json"]).run();
    assert_eq!(done.code, 1, "{done:#?}");
    assert_eq!(done.json()["notices"], serde_json::json!([]), "nothing is left out");
    assert_eq!(site.asked_with("x-login")[0], ("/".to_owned(), Some(SECRET.to_owned())));
}
