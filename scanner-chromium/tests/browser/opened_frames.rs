//! Frames in what appears when controls are pressed: they are checked if their documents were there before.

use a11ycheck_core::{
    id::ScanId,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Opening};

use crate::support::{Progress, Reply, Site, config, page};

/// A picture without a text alternative.
const PICTURE: &str = "<img id=in src='data:,' width=50 height=50>";

/// Pages with frames in what they open, and what is found there; `OTHER` is the address of another site.
const FRAMES: [(&str, &str, &[&str]); 10] = [
    (
        "a frame in a dialog",
        "<button aria-haspopup=dialog onclick='d.showModal()'>Sizes</button>
         <dialog id=d aria-label=Sizes><iframe title=x id=f src=/inner></iframe><button>Close</button></dialog>",
        &["image-alt #f #in < Sizes"],
    ),
    (
        "a frame that is all that appears",
        "<button aria-expanded=false onclick='toggle(this, f)'>Map</button><iframe title=x id=f hidden src=/inner></iframe>",
        &["image-alt #f #in < Map"],
    ),
    (
        "a frame of another site beside one that is seen from the beginning",
        "<iframe title=y id=g src=/inner></iframe>
         <button aria-expanded=false onclick='toggle(this, p)'>Map</button><div id=p hidden><iframe title=x id=f src='OTHER'></iframe></div>",
        &["image-alt #f #in < Map"],
    ),
    (
        "a frame in a frame in a shadow tree",
        "<button aria-expanded=false onclick='toggle(this, p)'>Map</button><div id=p hidden><div id=h></div></div>
         <script>h.attachShadow({ mode: 'open' }).innerHTML = '<iframe title=x id=f src=/middle></iframe>'</script>",
        &["image-alt #h #f #g #in < Map"],
    ),
    (
        "a frame without a document of its own",
        "<button aria-expanded=false onclick='toggle(this, p)'>Map</button>
         <div id=p hidden><iframe title=x id=f srcdoc='<html lang=en><title>x</title><main><img id=in src=data:, width=50 height=50></main>'></iframe></div>",
        &["image-alt #f #in < Map"],
    ),
    (
        "a frame without a landmark or a heading, which the page around has",
        "<button aria-expanded=false onclick='toggle(this, p)'>Map</button><div id=p hidden><iframe title=x id=f src=/bare></iframe></div>",
        &["image-alt #f #in < Map"],
    ),
    (
        "a frame that shows nothing of a site",
        "<button aria-expanded=false onclick='toggle(this, p)'>Map</button><div id=p hidden><iframe title=x id=f src=/broken></iframe></div>",
        &[],
    ),
    (
        "a frame whose document is requested then",
        "<button aria-expanded=false onclick='toggle(this, p); f.src = \"/late\"'>Map</button>
         <div id=p hidden><iframe title=x id=f></iframe><img id=x src='data:,' width=50 height=50></div>",
        &[],
    ),
    (
        "a frame that loads when it is seen",
        "<button aria-expanded=false onclick='toggle(this, p)'>Map</button><div id=p hidden><iframe title=x id=f loading=lazy src=/late></iframe></div>",
        &[],
    ),
    (
        "a frame that removes itself when it is seen",
        "<button aria-expanded=false onclick='toggle(this, p); f.replaceWith()'>Map</button>
         <div id=p hidden><iframe title=x id=f src=/inner></iframe><img id=x src='data:,' width=50 height=50></div>",
        &["image-alt #x < Map"],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn frames_in_what_opens_are_checked_if_their_documents_were_there() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", PICTURE))).await;
    let other = elsewhere.url_as("b.test", "/");
    let site = Site::start(move |request| match request.path.as_str() {
        "/inner" | "/late" => Reply::Html(page("Inner", PICTURE)),
        "/middle" => Reply::Html(page("Middle", "<iframe title=y id=g src=/bare></iframe>")),
        "/bare" => Reply::Html(format!("<!DOCTYPE html><html lang=en><title>Bare</title><p>text</p>{PICTURE}")),
        "/broken" => Reply::Close,
        path => {
            let number = path.trim_start_matches('/').parse::<usize>().ok();
            let body = number.and_then(|number| FRAMES.get(number)).map_or("", |(_, body, _)| body);
            let script = "<script>const toggle = (button, panel) => { panel.hidden = !panel.hidden; button.ariaExpanded = !panel.hidden }</script>";
            Reply::Html(page("A page", &format!("{script}{}", body.replace("OTHER", &other))))
        }
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_opening(Opening::EveryPage)).unwrap();
    let pages =
        PageList::new((0..FRAMES.len()).map(|number| site.url(&format!("/{number}")).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    let mut wrong = Vec::new();
    for (number, (what, _, wanted)) in FRAMES.iter().enumerate() {
        let of_page = output.findings.items.iter().filter(|item| item.page == number);
        let found: Vec<String> = of_page
            .filter_map(|item| Some(format!("{} {} < {}", item.rule, item.selector, item.opened_by.as_ref()?.name)))
            .collect();
        if found != *wanted {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(site.hits("/late"), 0, "no document is requested because of a press");
}
