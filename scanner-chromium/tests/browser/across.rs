//! The probes that compare the pages of a check (decision 0065): for each a site that fails, one that passes, one that nearly fails and a
//! hostile one.

use a11ycheck_core::{
    catalog,
    domain::{Findings, RuleId},
    id::ScanId,
    locale::Locale,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _, judge},
};
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Progress, Reply, Site, page, scan, without_pictures};

/// The pages of a site, by path: the language and the body of each.
type Pages = &'static [(&'static str, &'static str, &'static str)];

/// A site, and the elements of its pages about which a person is asked, as `path selector`.
struct Case {
    probe: &'static str,
    name: &'static str,
    pages: Pages,
    asked: &'static [&'static str],
}

const CASES: [Case; 13] = [
    Case {
        probe: "a11ycheck-consistent-navigation",
        name: "fails",
        pages: &[
            ("/", "en", "MENU<main>Welcome</main>"),
            ("/a", "en", "MENU<main>Prices</main>"),
            ("/b", "en", "<nav><a href=/>Home</a> <a href=/b>Hours</a> <a href=/a>Prices</a> <a href=/c>Contact</a></nav><main>Hours</main>"),
            ("/c", "en", "MENU<main>Contact</main>"),
        ],
        asked: &["/b body > nav:nth-of-type(1)"],
    },
    Case {
        probe: "a11ycheck-consistent-navigation",
        name: "passes",
        pages: &[
            ("/", "en", "MENU<main>Welcome</main>"),
            ("/a", "en", "MENU<main>Prices</main>"),
            ("/b", "en", "MENU<main>Hours</main>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-consistent-navigation",
        name: "nearly fails",
        pages: &[
            // The footer, the content and another language have an order of their own; a menu has more or less on some pages.
            ("/", "en", "MENU<main><nav><a href=/c>C</a> <a href=/b>B</a> <a href=/a>A</a></nav></main>FOOT"),
            ("/a", "en", "<nav><a href=/>Home</a> <a href=/a>Prices</a> <a href=/a/1>For groups</a> <a href=/b>Hours</a> <a href=/c>Contact</a></nav>FOOT"),
            ("/b", "en", "<nav><a href=/>Home</a> <b>Prices</b> <a href=/b>Hours</a> <a href=/c>Contact</a></nav>FOOT"),
            ("/c", "de", "<nav><a href=/>Start</a> <a href=/c>Kontakt</a> <a href=/b>Zeiten</a> <a href=/a>Preise</a></nav>FOOT"),
            ("/a/1", "en", "MENU<main><nav><a href=/a>A</a> <a href=/b>B</a> <a href=/c>C</a></nav></main>FOOT"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-consistent-navigation",
        name: "hostile",
        pages: &[
            ("/", "en", "MENU<main><a href=/x>x</a></main>"),
            ("/a", "en", "<nav><form><input name=parentElement aria-label=a><input name=closest aria-label=b><a href='http://[bad'>x</a></form>
                <template><a href=/c>Contact</a> <a href=/b>Hours</a> <a href=/a>Prices</a></template></nav>"),
            ("/b", "en", "<nav hidden><a href=/c>Contact</a> <a href=/b>Hours</a> <a href=/a>Prices</a></nav>MENU"),
            ("/c", "en", "<nav><a href=/c>\u{202e}Contact</a> <a href=/b>Hours</a> <a href='javascript:0'>x</a> <a href=/b>Hours</a> <a href=/a>Prices</a> <a href=/a>Prices</a></nav>"),
            ("/x", "\u{1}", "<style>nav { display: contents }</style><nav role='search navigation' aria-label='MENU'>MENU</nav>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-consistent-identification",
        name: "fails",
        pages: &[
            ("/", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button>Search</button></form>"),
            ("/a", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button>Find</button></form>"),
            ("/b", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button>Search</button></form>"),
            ("/c", "en", "<nav><a href=/>Home</a> <a href=/a>Prices</a> <a href=/b>Hours</a> <a href=/c><svg role=img aria-label='Write to us'></svg></a></nav>"),
        ],
        asked: &[
            "/a body > form:nth-of-type(1) > button:nth-of-type(1)",
            "/c body > nav:nth-of-type(1) > a:nth-of-type(4)",
        ],
    },
    Case {
        probe: "a11ycheck-consistent-identification",
        name: "passes",
        pages: &[
            ("/", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button>Search</button></form>"),
            ("/a", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button aria-label=Search>Q</button></form>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-consistent-identification",
        name: "nearly fails",
        pages: &[
            ("/", "en", "MENU<form role=search action=/find><input name=q aria-label=Words> <button>Search</button></form>"),
            ("/a", "en", "<nav><a href=/>home!</a> <a href=/a>Our prices</a> <a href=/b>Hours, 2 new</a> <a href=/c>Contact (this page)</a></nav>
                <form role=search action=/other><input name=q aria-label=Text> <button>Find</button></form>"),
            ("/b", "de", "<nav><a href=/>Start</a> <a href=/a>Preise</a> <a href=/b>Zeiten</a> <a href=/c>Kontakt</a></nav>"),
            // The language is wrong, and every name is another.
            ("/c", "en", "<nav><a href=/>Start</a> <a href=/a>Preise</a> <a href=/b>Zeiten</a> <a href=/c>Kontakt</a></nav>
                <main><p>See our <a href=/a>list of prices</a>.</p></main>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-consistent-identification",
        name: "hostile",
        pages: &[
            ("/", "en", "MENU<form role=search action='http://[bad'><input name=action aria-label=x><input name=q aria-label=x><button name=name>Go</button></form>"),
            ("/a", "en", "MENU<form role=search><input name=__proto__ aria-label=y><input name=localName aria-label=y><button formaction=/x>Find</button></form>"),
            ("/b", "en", "<nav><a href=/></a> <a href=/a>\u{0}\u{feff}</a> <a href=/b>…</a> <a href=/c>123</a></nav>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-multiple-ways",
        name: "fails",
        pages: &[
            ("/", "en", "MENU"),
            ("/a", "en", "MENU<main><a href=/deep>Group prices</a></main>"),
            ("/b", "en", "MENU"),
            ("/deep", "en", "MENU"),
        ],
        asked: &["/ html"],
    },
    Case {
        probe: "a11ycheck-multiple-ways",
        name: "passes with a site map",
        pages: &[
            ("/", "en", "MENU"),
            ("/a", "en", "MENU<main><a href=/deep>Group prices</a></main>"),
            ("/deep", "en", "MENU<footer><a href=/map>Sitemap</a></footer>"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-multiple-ways",
        name: "passes with a search",
        pages: &[
            ("/", "de", "MENU<main><form action=/x><input aria-label=Begriff> <button>Suchen</button></form></main>"),
            ("/a", "de", "MENU<main><a href=/deep>Gruppen</a></main>"),
            ("/deep", "de", "MENU"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-multiple-ways",
        name: "nearly fails",
        pages: &[
            ("/", "en", "MENU<main><a href=/deep/index.html#top>Group prices</a></main>"),
            ("/a", "en", "MENU<main><a href=/deep>Group prices</a></main>"),
            ("/deep", "en", "MENU"),
        ],
        asked: &[],
    },
    Case {
        probe: "a11ycheck-multiple-ways",
        name: "hostile",
        pages: &[
            ("/", "en", "<nav>MANY</nav>"),
            ("/a", "en", "MENU<main><a href='/deep?jane.doe@example.org'>x</a> <a href=/deep>x</a></main>"),
            ("/deep", "en", "<form><input name=documentElement aria-label=x></form>MENU"),
        ],
        asked: &[],
    },
];

const MENU: &str = "<nav><a href=/>Home</a> <a href=/a>Prices</a> <a href=/b>Hours</a> <a href=/c>Contact</a></nav>";
const FOOT: &str = "<footer><a href=/c>Contact</a> <a href=/b>Hours</a> <a href=/a>Prices</a></footer>";

fn answer(pages: Pages, path: &str) -> Reply {
    let Some((_, language, body)) = pages.iter().find(|(known, ..)| *known == path) else {
        return Reply::Status(404, page("Nothing", ""));
    };
    // More links than are kept.
    let many: String = (0..300).map(|number| format!("<a href='/a#{number}'>{number}</a>, ")).collect();
    let body = body.replace("MENU", MENU).replace("FOOT", FOOT).replace("MANY", &many);
    Reply::Html(format!(
        "<!DOCTYPE html><html lang='{language}'><title>A page of a test</title><body>{body}</body></html>"
    ))
}

/// Returns `path selector` of the elements about which a probe asks a person.
fn asked(findings: &Findings, probe: &str) -> Vec<String> {
    let path = |page: usize| url::Url::parse(&findings.pages[page].url).unwrap().path().to_owned();
    let asked = findings.undecided.iter().filter(|item| item.rule == RuleId::new(probe));
    asked.map(|item| format!("{} {}", path(item.page), item.selector)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_differ_are_shown_to_a_person_and_those_that_nearly_do_are_not() {
    let scanner = ChromiumScanner::new(without_pictures()).unwrap();
    let mut wrong = Vec::new();
    for Case { probe, name, pages, asked: wanted } in &CASES {
        let pages = *pages;
        let site = Site::start(move |request| answer(pages, &request.path)).await;
        let findings = scan(&scanner, &site.url("/"), 12).await;
        let mut found = asked(&findings, probe);
        found.sort();
        if found != *wanted {
            wrong.push(format!("{probe} {name}: {found:?}"));
        }
        // What is not certain is no problem, and everything that is said about it has words.
        assert!(findings.items.iter().all(|item| item.rule != RuleId::new(*probe)), "{probe} {name}");
        assert_eq!(
            findings.needs_review.get(*probe).copied().unwrap_or_default() as usize,
            found.len(),
            "{probe} {name}"
        );
        assert!(findings.ran.as_ref().is_some_and(|ran| ran.contains(*probe)), "{probe} {name}");
        for check in findings.undecided.iter().flat_map(|item| &item.checks).filter(|check| check.id == *probe) {
            for locale in Locale::ALL {
                assert!(catalog::sentence(check, locale).is_some(), "{locale} {check:?}");
            }
        }
    }
    scanner.close().await;
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_list_are_compared_within_their_site_and_in_the_order_of_the_list() {
    let other = "<nav><a href=/b>Hours</a> <a href=/a>Prices</a> <a href=/c>Contact</a></nav>";
    let html = move |body: &str| Reply::Html(format!("<!DOCTYPE html><html lang=en><title>x</title>{body}</html>"));
    let site = Site::start(move |request| html(if request.path == "/other" { other } else { MENU })).await;
    let elsewhere = Site::start(move |_| html(other)).await;
    let scanner = ChromiumScanner::new(without_pictures()).unwrap();
    let urls = [site.url("/other"), elsewhere.url("/1"), site.url("/1"), elsewhere.url("/2"), site.url("/2")];
    let pages = PageList::new(urls.iter().map(|url| url.parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request.clone(), &Progress::default(), CancellationToken::new()).await.unwrap();
    judge(&request, &output).unwrap();
    let (probe, findings) = ("a11ycheck-consistent-navigation", &output.findings);
    assert_eq!(asked(findings, probe), ["/other body > nav:nth-of-type(1)"]);
    let item = findings.undecided.iter().find(|item| item.rule == RuleId::new(probe)).unwrap();
    assert_eq!((item.page, &*item.html), (0, "<nav>"));
    assert_eq!(item.checks[0].values["links"], ["Hours", "Prices"]);
    assert_eq!(item.checks[0].values["page"], [urls[2].as_str()]);
    let passed: Vec<bool> = output.rule_outcomes.iter().map(|outcomes| outcomes.passed.contains(probe)).collect();
    assert_eq!(passed, [false, true, true, true, true]);
    scanner.close().await;
}
