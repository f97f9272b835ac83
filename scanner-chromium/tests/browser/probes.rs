//! Probes: for each a page that fails, one that passes, one that nearly fails and a hostile one.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog,
    domain::{Findings, RuleId},
    id::ScanId,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};

use crate::support::{Progress, Reply, Site, page, scanner};

/// The pages of a probe. `fails` has the selectors of what fails, and the others have nothing that does.
struct Case {
    probe: &'static str,
    fails: (&'static str, &'static [&'static str]),
    passes: &'static str,
    nearly: &'static str,
    /// Fields and pictures whose names hide properties, text that is long, styles that contradict each other: it neither fails nor
    /// breaks the probe.
    hostile: &'static str,
}

const CASES: [Case; 13] = [
    Case {
        probe: "a11ycheck-adjacent-links",
        fails: ("<a href='/panda'><img src='data:,' alt='Panda'></a> <a id=x href='/panda'>Panda</a>", &["#x"]),
        passes: "<a href='/panda'><img src='data:,' alt=''>Panda</a>",
        nearly: "<a href='/panda'><img src='data:,' alt='Panda'></a> or read on: <a href='/panda'>Panda</a>",
        hostile: "<img name=querySelectorAll src='data:,' alt=x><a href='http://[bad'>x</a><a href='javascript:0'>x</a>",
    },
    Case {
        probe: "a11ycheck-document-link",
        fails: ("<p><a id=x href='/guide.pdf'>Style guide</a></p>", &["#x"]),
        passes: "<p><a href='/guide.pdf'>Style guide (PDF, 1 MB)</a></p>",
        nearly: "<ul><li><a href='/guide.pdf?v=2#page=3'>Style guide</a> (PDF)</ul>",
        hostile: "<a href='/x.__proto__'>A</a><a href='/constructor'>B</a><a href='/.pdf/'>C</a>",
    },
    Case {
        probe: "a11ycheck-frame-tabindex",
        fails: ("<iframe id=x title=Form tabindex=-1 srcdoc='<button>Send</button>'></iframe>", &["#x"]),
        passes: "<iframe title=Form srcdoc='<button>Send</button>'></iframe>",
        nearly: "<iframe title=Text tabindex=-1 srcdoc='<button tabindex=-1>Send</button><input disabled><a>x</a>'></iframe>",
        hostile: "<iframe title=Form tabindex='x-1' srcdoc='<form><input name=querySelectorAll></form>'></iframe>",
    },
    Case {
        probe: "a11ycheck-group-name",
        fails: ("<fieldset><legend id=x></legend><label>A <input></label><label>B <input></label></fieldset>", &["#x"]),
        passes: "<fieldset><legend>Delivery</legend><label>A <input></label></fieldset>",
        nearly: "<fieldset aria-label=Delivery><label>A <input></label><label>B <input></label></fieldset>",
        hostile: "<fieldset><div><legend></legend></div><input type=hidden><label>A <input name=parentElement></label></fieldset>",
    },
    Case {
        probe: "a11ycheck-link-text",
        fails: (
            "<p><a id=x href='/a'>Read more</a> <a id=y href='/b'>Натисніть тут</a> <a id=z href='/c'>https://example.org/c</a></p>",
            &["#x", "#y", "#z"],
        ),
        passes: "<p><a href='/a'>More about mountains</a></p>",
        nearly: "<p><a href='/a' aria-label='More about mountains'>more</a> <a>here</a></p>",
        hostile: "<form><a href='/a'>Mountains</a><input name=getAttribute><input name=closest></form>",
    },
    Case {
        probe: "a11ycheck-new-window",
        fails: ("<a id=x href='/a' target=_blank>Partners</a>", &["#x"]),
        passes: "<a href='/a' target=_blank>Partners (opens in a new tab)</a>",
        nearly: "<a href='/a' target=frame>Partners</a><a href='/b' target=_BLANK>Partner <svg role=img aria-label=external></svg></a>",
        hostile: "<img name=getElementById src='data:,' alt=x><a href='/a' target=_blank aria-describedby=d>A</a><i id=d>new tab</i>",
    },
    Case {
        probe: "a11ycheck-orientation-lock",
        fails: ("<style>@media (orientation: landscape) { body { transform: rotate(-90deg) } }</style>Text", &["body"]),
        passes: "<style>@media (orientation: landscape) { body { transform: rotate(0) } }</style>Text",
        nearly: "<style>@media (orientation: landscape) { #arrow { rotate: 90deg } }</style>
            <style>body { rotate: 90deg } @media screen and (orientation: portrait) { body { rotate: 90deg } }</style>
            <b id=arrow>→</b><p>A text that is much longer than the arrow.</p>",
        hostile: "<style>@media (orientation: portrait) { body { transform: rotate(var(--x)) } ::before { rotate: 90deg } }</style>Text",
    },
    Case {
        probe: "a11ycheck-picture-name",
        fails: (
            "<img id=x src='data:,' alt='IMG_1234.jpg' width=50 height=50><input id=y type=image src='data:,' alt=Bild width=50 height=50>",
            &["#x", "#y"],
        ),
        passes: "<img src='data:,' alt='Our shop in the old town' width=50 height=50>",
        nearly: "<img src='data:,' alt='Picture of the year' width=50 height=50><img src='data:,' alt='' width=50 height=50>",
        hostile: "<form><img name=src src='data:,' alt='Two bicycles' width=50 height=50><input name=alt></form>",
    },
    Case {
        probe: "a11ycheck-role-description",
        fails: ("<div id=x aria-roledescription=slide>One</div>", &["#x"]),
        passes: "<section aria-label='1 of 5' aria-roledescription=slide>One</section>",
        nearly: "<div aria-roledescription=''>One</div><div hidden aria-roledescription=slide>Two</div>",
        hostile: "<div role='&#0; group' aria-roledescription=slide>One</div>",
    },
    Case {
        probe: "a11ycheck-text-spacing",
        fails: (
            "<p id=x style='letter-spacing: 0.1em !important'>Text</p><p id=y style='word-spacing: normal !important'>Two words</p>
             <p id=z style='line-height: 1.2 !important; width: 60px'>Text in more than one line</p>",
            &["#x", "#y", "#z"],
        ),
        passes: "<p style='letter-spacing: 0.1em; line-height: 1'>Text</p>",
        nearly: "<p style='letter-spacing: 0.12em !important'>Text</p><p style='line-height: 1 !important'>One line</p>
             <p style='word-spacing: inherit !important'>Two words</p><div style='letter-spacing: 0 !important'></div>",
        hostile: "<form style='letter-spacing: 1em !important'>Text <input name=style></form>",
    },
    Case {
        probe: "a11ycheck-autoplay",
        fails: ("<audio id=x autoplay loop src='/tone.wav'></audio>", &["#x"]),
        passes: "<audio autoplay loop controls src='/tone.wav'></audio>",
        nearly: "<audio autoplay loop muted src='/tone.wav'></audio><audio autoplay src='/tone.wav'></audio><audio autoplay></audio>",
        hostile: "<form><audio autoplay loop src='/tone.wav'></audio><button>Stop</button><input name=duration></form>",
    },
    Case {
        probe: "a11ycheck-part-language",
        fails: (
            "<p id=x lang=pl>Our shop has been selling bicycles in the old town for more than thirty years. We repair what can be
             repaired, we lend what you need for a weekend, and we are happy to show you how to look after your bicycle.</p>",
            &["#x"],
        ),
        passes: "<p lang=pl>Nasz sklep sprzedaje rowery na starym mieście od ponad trzydziestu lat i chętnie je naprawia.</p>",
        nearly: "<p lang=fr>Search results for bicycles</p>",
        hostile: "<p lang='x-\u{ffff}'>Text</p><p lang=en-en-en-en>\u{202e}Text of no great length</p>",
    },
    Case {
        probe: "a11ycheck-justified-text",
        fails: ("<p id=x style='text-align: justify; width: 200px'>LONG</p>", &["#x"]),
        passes: "<p style='width: 200px'>LONG</p>",
        nearly: "<p style='text-align: justify; width: 4000px'>LONG</p>",
        hostile: "<p style='text-align: justify; line-height: 0; font-size: 0'>LONG</p>",
    },
];

/// Returns one second of silence.
fn tone() -> Vec<u8> {
    let (rate, bytes) = (8_000_u32, 8_000_u32);
    let mut wave = b"RIFF".to_vec();
    wave.extend((36 + bytes).to_le_bytes());
    wave.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wave.extend(rate.to_le_bytes());
    wave.extend(rate.to_le_bytes());
    wave.extend(b"\x01\0\x08\0data");
    wave.extend(bytes.to_le_bytes());
    wave.resize(wave.len() + 8_000, 0x80);
    wave
}

fn answer(path: &str) -> Reply {
    let long = "A text of several sentences that fills more than two lines in a narrow column. ".repeat(4);
    let mut parts = path.trim_start_matches('/').split('/');
    let (probe, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Some(case) = CASES.iter().find(|case| case.probe == probe) else {
        return match path {
            "/tone.wav" => Reply::File("audio/wav", tone()),
            _ => Reply::Html(page("Home", "ok")),
        };
    };
    let body = match kind {
        "fails" => case.fails.0,
        "passes" => case.passes,
        "nearly" => case.nearly,
        _ => case.hostile,
    };
    Reply::Html(page("A page of a test", &body.replace("LONG", &long)))
}

async fn scan_all(site: &Site, paths: &[String]) -> Findings {
    let scanner = scanner();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output.findings
}

/// Returns the selectors of what a probe found on a page.
fn found(findings: &Findings, probe: &str, page: usize) -> BTreeSet<String> {
    let of_page = findings.items.iter().filter(|item| item.page == page && item.rule == RuleId::new(probe));
    of_page.map(|item| item.selector.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_finds_its_barrier_and_accuses_nobody_who_is_near_it() {
    let site = Site::start(|request| answer(&request.path)).await;
    let kinds = ["fails", "passes", "nearly", "hostile"];
    let paths: Vec<String> =
        CASES.iter().flat_map(|case| kinds.map(|kind| format!("/{}/{kind}", case.probe))).collect();
    let findings = scan_all(&site, &paths).await;
    let mut wrong = Vec::new();
    for (case, first) in CASES.iter().zip((0..).step_by(kinds.len())) {
        let wanted: BTreeSet<String> = case.fails.1.iter().map(|&selector| selector.to_owned()).collect();
        for (offset, kind) in kinds.iter().enumerate() {
            let found = found(&findings, case.probe, first + offset);
            let right = if *kind == "fails" { found == wanted } else { found.is_empty() };
            if !right {
                wrong.push(format!("{} {kind}: {found:?}", case.probe));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let ran = findings.ran.unwrap();
    for (probe, _) in catalog::probes() {
        assert!(ran.contains(probe), "{probe} did not run");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_and_the_language_of_a_page_are_held_against_its_words() {
    let words = "Our shop has been selling bicycles in the old town for more than thirty years. We repair what can be repaired, \
        we lend what you need for a weekend, and we are happy to show you how to look after your own bicycle.";
    let document = |lang: &str, title: &str, body: &str| {
        format!("<!DOCTYPE html><html lang={lang}><title>{title}</title><main><h1>Shop</h1><p>{body}</p></main></html>")
    };
    let quote = format!("Un mot. <blockquote lang=en>{words}</blockquote>");
    let pages = [
        document("fr", "Untitled document", words),
        document("en", "Bicycles", words),
        document("fr", "Document library", &quote),
        document("en", "index.html", "x<form><input name=lang></form><embed name=title>"),
    ];
    let site = Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().unwrap_or(0);
        Reply::Html(pages[number].clone())
    })
    .await;
    let findings = scan_all(&site, &["/0", "/1", "/2", "/3"].map(str::to_owned)).await;
    let is_found = |probe| [0, 1, 2, 3].map(|page| !found(&findings, probe, page).is_empty());
    assert_eq!(is_found("a11ycheck-page-language"), [true, false, false, false]);
    assert_eq!(is_found("a11ycheck-title-placeholder"), [true, false, false, true]);
}
