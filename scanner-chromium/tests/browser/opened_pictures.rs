//! Pictures of what appears when controls are pressed: they show it while it is open, and change nothing else.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::Finding,
    id::ScanId,
    scanner::{CancellationToken, PageList, ScanOutput, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Evidence, Opening};

use crate::{
    evidence::{assert_right, assert_right_of, image_of},
    support::{Progress, Reply, Site, config, page},
};

/// Returns a disclosure with this number and an image of this colour.
fn disclosure(number: u32, colour: &str) -> String {
    format!(
        "<details><summary style='height: 30px; margin-bottom: 20px'>Question {number}</summary>{}</details>",
        image_of(colour)
    )
}

async fn scan(site: &Site, paths: &[&str], opening: Opening, evidence: Evidence) -> ScanOutput {
    let config = config().with_opening(opening).with_evidence(evidence).with_pages_at_once(1);
    let scanner = ChromiumScanner::new(config).unwrap();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output
}

/// Returns the images that appeared when a control was pressed.
fn opened(output: &ScanOutput) -> Vec<&Finding> {
    let images = output.findings.items.iter().filter(|item| item.rule.as_str() == "role-img-alt");
    images.filter(|image| image.opened_by.is_some()).collect()
}

/// Pages on which an image appears, at the top, far below the first screen, over the page and beside what stays, with its colour.
fn places() -> [String; 4] {
    let [menu, below, dialog, tab] = ["cc2200", "0022cc", "22aa00", "aa00cc"].map(image_of);
    [
        format!("<button aria-expanded=false onclick='toggle(this, p)'>Menu</button><div id=p hidden>{menu}</div>"),
        format!("<div style='height: 2500px'></div><details><summary>Hours</summary>{below}</details>"),
        format!(
            "<div style='height: 2500px'></div><button aria-haspopup=dialog onclick='d.showModal()'>Sizes</button>
             <dialog id=d aria-label=Sizes>{dialog}<br><button>Close</button></dialog>"
        ),
        format!(
            "<div role=tablist aria-label=About><button role=tab id=a aria-selected=true>One</button><button role=tab id=b aria-selected=false>Two</button></div>
             <div role=tabpanel aria-labelledby=a id=p>First</div><div role=tabpanel aria-labelledby=b id=q hidden>{tab}</div>
             <script>const show = (one) => {{ a.ariaSelected = one; b.ariaSelected = !one; p.hidden = !one; q.hidden = one }};
             a.onclick = () => show(true); b.onclick = () => show(false)</script>"
        ),
    ]
}

/// Heights in whole pixels and room for the outline of what has the focus, so that a picture shows nothing else within an element.
const TOGGLE: &str = "<style>button, summary { display: block; height: 30px; margin: 0 0 20px } dialog { margin: 20px; padding: 10px; border: 1px solid }</style>
    <script>const toggle = (button, panel) => { panel.hidden = !panel.hidden; button.ariaExpanded = !panel.hidden }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_opens_is_shown_where_it_stands_while_it_is_open() {
    let site = Site::start(|request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| places().get(number).cloned()).unwrap_or_default();
        Reply::Html(page("A page", &format!("{TOGGLE}{body}")))
    })
    .await;
    let paths = ["/0", "/1", "/2", "/3"];
    let output = scan(&site, &paths, Opening::EveryPage, Evidence::Taken).await;
    let opened = opened(&output);
    assert_eq!(opened.len(), 4, "{opened:?}");
    let without: Vec<_> = opened.iter().filter(|finding| finding.screenshot.is_none()).collect();
    assert!(without.is_empty(), "{without:?}");
    assert_eq!(assert_right(&output), 4);
    assert!(opened.iter().all(|finding| finding.area.is_none()), "it is not on the picture of the page");
    assert!(paths.iter().all(|path| site.hits(path) == 1), "each page was put back");
    let probe = "a11ycheck-dialog-focus";
    assert!(output.findings.items.iter().all(|item| item.rule.as_str() != probe), "pictures close no dialog");

    let output = scan(&site, &paths, Opening::EveryPage, Evidence::LeftOut).await;
    assert_eq!(output.screenshots.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_what_opens_take_nothing_from_what_the_page_shows_by_itself() {
    let site = Site::start(|request| {
        let own = format!("{}<p style='color: #ccc'>pale {}</p>", image_of("cc2200"), request.path);
        // The element that a control opens on one page is open on the next page from the start.
        let body = match request.path.as_str() {
            "/a" => format!("{own}{}", disclosure(1, "0022cc")),
            "/b" => format!("{own}{}", disclosure(1, "0022cc").replace("<details>", "<details open>")),
            _ => format!("{own}{}{}", disclosure(1, "22aa00"), disclosure(2, "0022cc")),
        };
        Reply::Html(page("A page", &body))
    })
    .await;
    let paths = ["/a", "/b", "/c"];
    let with = scan(&site, &paths, Opening::EveryPage, Evidence::Taken).await;
    let without = scan(&site, &paths, Opening::Off, Evidence::Taken).await;
    let shown = |output: &ScanOutput| {
        let own = output.findings.items.iter().chain(&output.findings.undecided);
        let own = own.filter(|finding| finding.opened_by.is_none()).map(|finding| {
            // Texts are not drawn to the same pixels each time, so `assert_right` compares only what is certain.
            let picture = finding.screenshot.map(|shown| (shown.width, shown.height, shown.scale_percent));
            (finding.page, finding.rule.to_string(), finding.selector.clone(), finding.area, picture)
        });
        own.collect::<Vec<_>>()
    };
    let (own, bare) = (shown(&with), shown(&without));
    assert!(own.iter().filter(|(.., picture)| picture.is_some()).count() >= 7, "each has a picture");
    assert_eq!(own, bare);
    let of_pages = |output: &ScanOutput| {
        let shown = output.findings.pages.iter().map(|page| page.picture);
        // The numbers of pictures depend on which page was ready first.
        shown.map(|shown| shown.map(|shown| (shown.width, shown.height, shown.scale_percent))).collect::<Vec<_>>()
    };
    assert_eq!(of_pages(&with), of_pages(&without));
    assert_eq!(opened(&with).iter().filter(|finding| finding.screenshot.is_some()).count(), 3);
    assert!(assert_right(&with) >= 6 && assert_right(&without) >= 3, "each image is in its picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_seen_any_more_is_found_without_a_picture() {
    // The first page hides the opened element as soon as scripts are stopped, the second moves it, and the third closes
    // all.
    let hidden = format!(
        "<style>@media (scripting: none) {{ [role=img] {{ display: none }} }}</style>{}",
        disclosure(1, "cc2200")
    );
    let wandering = format!(
        "<style>@media (scripting: none) {{ [role=img] {{ margin-left: -9999px }} }}</style>{}",
        disclosure(2, "0022cc")
    );
    let closing = format!(
        "<style>@media (scripting: none) {{ details {{ display: none }} }}</style>{}
         <script>addEventListener('resize', () => document.body.textContent = '')</script>",
        disclosure(3, "22aa00")
    );
    let site = Site::start(move |request| {
        let body = match request.path.as_str() {
            "/hidden" => hidden.clone(),
            "/wandering" => wandering.clone(),
            "/closing" => closing.clone(),
            _ => disclosure(4, "aa00cc"),
        };
        Reply::Html(page("A page", &body))
    })
    .await;
    let paths = ["/hidden", "/wandering", "/closing", "/good"];
    let output = scan(&site, &paths, Opening::EveryPage, Evidence::Taken).await;
    let pictured: Vec<_> = opened(&output).iter().map(|finding| (finding.page, finding.screenshot.is_some())).collect();
    assert_eq!(pictured, [(0, false), (1, false), (2, false), (3, true)]);
    assert_eq!(assert_right(&output), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_opens_has_the_shots_that_its_page_has_left_or_two_where_it_has_fewer() {
    // Farther apart than what is shown in one shot.
    let gap = "<div style='height: 1600px'></div>";
    let colours = ["000011", "000022", "000033", "000044", "000055"];
    let opening: String = (1..).zip(colours).map(|(number, colour)| disclosure(number, colour) + gap).collect();
    let site = Site::start(move |request| {
        let own = ["110000", "220000", "330000", "440000", "550000", "660000", "770000"];
        let count = request.path.trim_start_matches('/').parse::<usize>().unwrap_or_default();
        let own: String = own.iter().take(count).map(|colour| format!("{}{gap}", image_of(colour))).collect();
        Reply::Html(page("A page", &format!("{own}{opening}")))
    })
    .await;
    for (count, own_shown, opened_shown) in [(2, 2, 4), (5, 5, 2), (7, 6, 2)] {
        let path = format!("/{count}");
        let output = scan(&site, &[path.as_str()], Opening::EveryPage, Evidence::Taken).await;
        let own = output.findings.items.iter().filter(|item| item.opened_by.is_none());
        assert_eq!(own.filter(|item| item.screenshot.is_some()).count(), own_shown, "of {count}");
        let opened = opened(&output);
        assert_eq!(opened.len(), colours.len(), "{opened:?}");
        let pictured: BTreeSet<_> =
            opened.iter().filter_map(|item| item.screenshot).map(|picture| picture.id).collect();
        assert_eq!(pictured.len(), opened_shown, "after {own_shown} shots of the page itself");
        assert_eq!(assert_right(&output), own_shown + opened_shown);
    }
}

/// Pages with what the probes of keys and focus say of each. The dialog, or the control in its place, has the colour.
const KEYS: [(&str, &str); 6] = [
    (
        "taken escape",
        "<button aria-haspopup=dialog onclick='p.hidden = !p.hidden'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes hidden style='BOX; background: #cc2200'></div>",
    ),
    (
        "taken",
        "<button aria-haspopup=dialog onclick='p.hidden = false'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes hidden style='BOX; background: #22aa00'></div>
         <script>onkeydown = (event) => { if (event.key === 'Escape') p.hidden = true }</script>",
    ),
    (
        "escape",
        "<button aria-haspopup=dialog onclick='p.hidden = !p.hidden; if (!p.hidden) p.focus()'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes tabindex=-1 hidden style='BOX; outline: 0; background: #aa00cc'></div>",
    ),
    (
        "returned",
        "<button aria-haspopup=dialog aria-label=Sizes onclick='p.hidden = false; p.focus()' style='BOX; background: #0022cc'></button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes tabindex=-1 hidden style='BOX; background: #0022cc' onkeydown='if (event.key === \"Escape\") p.hidden = true'></div>",
    ),
    (
        "keys",
        "<div role=button tabindex=0 aria-label=Menu aria-expanded=false onclick='toggle(this, p)' style='BOX; background: #cc00aa'></div>
         <div id=p hidden>text</div>",
    ),
    (
        // What hides as soon as scripts are stopped has no picture, and is found all the same.
        "taken escape",
        "<style>@media (scripting: none) { #p { display: none } }</style>
         <button aria-haspopup=dialog onclick='p.hidden = !p.hidden'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes hidden style='BOX; background: #0088aa'></div>",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_shown_while_it_is_open_and_a_control_where_no_key_opens_it_or_no_focus_comes_back() {
    let site = Site::start(|request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| KEYS.get(number)).map_or("", |(_, body)| body);
        let body = body.replace("BOX", "width: 120px; height: 60px; border: 0");
        Reply::Html(page("A page", &format!("{TOGGLE}{body}")))
    })
    .await;
    let paths: Vec<String> = (0..KEYS.len()).map(|number| format!("/{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let probes = ["a11ycheck-dialog-focus", "a11ycheck-opening-keys"];
    let said = |output: &ScanOutput| {
        let items = output.findings.items.iter().filter(|item| probes.contains(&item.rule.as_str()));
        let mut said: Vec<_> = items
            .map(|item| {
                let keys: Vec<&str> = item.checks.iter().filter_map(|check| check.key.as_deref()).collect();
                (item.page, keys.join(" "), item.screenshot.is_some())
            })
            .collect();
        said.sort();
        said
    };
    let wanted = |shown: usize| -> Vec<_> {
        KEYS.iter().enumerate().map(|(page, (said, _))| (page, (*said).to_owned(), page < shown)).collect()
    };
    let output = scan(&site, &paths, Opening::EveryPage, Evidence::Taken).await;
    assert_eq!(said(&output), wanted(5));
    assert_eq!(probes.map(|probe| assert_right_of(&output, probe)), [4, 1]);

    let bare = scan(&site, &paths, Opening::EveryPage, Evidence::LeftOut).await;
    assert_eq!(said(&bare), wanted(0), "pictures change nothing of what is found");
}
