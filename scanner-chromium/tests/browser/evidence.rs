//! Pictures of what fails: they show the right element, without any effect on the findings.

use std::time::Duration;

use a11ycheck_core::{
    domain::Findings,
    scanner::{CancellationToken, ScanOutput, Scanner as _, Screenshot, ScreenshotFormat},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence};
use image::{ImageFormat, RgbImage, load_from_memory_with_format};

use crate::support::{Progress, Reply, Site, config, items, page, page_time, pages, request};

const RED: [u8; 3] = [255, 0, 0];

/// Scans up to `budget` pages of the site.
async fn output(config: ChromiumConfig, site: &Site, budget: u32) -> ScanOutput {
    let scanner = ChromiumScanner::new(config).unwrap();
    let request = request(&site.url("/"), budget);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output
}

fn decoded(picture: &Screenshot) -> RgbImage {
    assert_eq!(picture.format, ScreenshotFormat::WebP);
    let image = load_from_memory_with_format(&picture.bytes, ImageFormat::WebP).unwrap().into_rgb8();
    assert_eq!(image.dimensions(), (picture.width, picture.height));
    image
}

/// Returns the picture of the only finding of this rule.
fn picture_of<'a>(output: &'a ScanOutput, rule: &str) -> Option<&'a Screenshot> {
    let mut found = output.findings.items.iter().filter(|item| item.rule.as_str() == rule);
    let (Some(finding), None) = (found.next(), found.next()) else { panic!("{:?}", items(&output.findings)) };
    let id = finding.screenshot?.id;
    Some(output.screenshots.iter().find(|picture| picture.id == id).expect("a picture for each reference"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_fails_is_shown_where_it_stands_far_below_the_first_screen() {
    // A page that fits its layout to the window must look as it did when it was checked.
    let site = Site::start(|_| {
        Reply::Html(page(
            "Home",
            "<style>body { margin: 0 } h1 { position: absolute } .tall { height: 100vh } @media (min-height: 1000px) { [role=img] { display: none } }</style>
             <div class=tall></div><div style='height: 2000px'></div>
             <div role=img style='margin-left: 200px; width: 100px; height: 50px; background: #f00'>",
        ))
    })
    .await;
    let output = output(config(), &site, 1).await;
    let area = output.findings.items[0].area.unwrap();
    assert_eq!((area.x, area.y, area.width, area.height), (200, 2_720, 100, 50));
    let image = decoded(picture_of(&output, "role-img-alt").unwrap());
    assert_eq!(image.dimensions(), (132, 82), "16 pixels around it");
    let at = |x, y| image.get_pixel(x, y).0;
    assert_eq!([at(15, 41), at(16, 41), at(115, 41), at(116, 41)], [[255; 3], RED, RED, [255; 3]]);
    assert_eq!([at(66, 15), at(66, 16), at(66, 65), at(66, 66)], [[255; 3], RED, RED, [255; 3]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_in_a_frame_of_the_sites_own_is_shown_as_far_as_the_frame_shows_it() {
    let image = |name: &str, left: u32, top: u32| {
        format!(
            "<div role=img id={name} style='position: absolute; left: {left}px; top: {top}px; width: 100px; height: 50px; background: #f00'></div>"
        )
    };
    // There is no text, which would reach into the pictures with some fonts but not with others.
    let hidden = "<style>h1 { display: none }</style>";
    let inner = page("Inner", &format!("{hidden}{}{}", image("whole", 30, 20), image("below", 0, 900)));
    let middle = page(
        "Middle",
        "<style>body { margin: 0 } h1 { display: none }</style>
         <iframe title=i src=/inner style='display: block; width: 500px; height: 60px; border: 0; margin: 40px 0 0 60px'></iframe>",
    );
    let elsewhere =
        Site::start(|_| Reply::Html(page("Elsewhere", "<img id=other src=data:, width=50 height=50>"))).await;
    let other = elsewhere.url_as("b.test", "/");
    let outer = page(
        "Outer",
        &format!(
            "<style>body {{ margin: 0 }} h1 {{ display: none }}</style><div style='height: 1000px'></div>
             <iframe title=m src=/middle style='display: block; width: 600px; height: 300px; border: 3px solid; padding: 7px; margin-left: 100px'></iframe>
             <iframe title=o src='{other}'></iframe>"
        ),
    );
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(outer.clone()),
        "/middle" => Reply::Html(middle.clone()),
        _ => Reply::Html(inner.clone()),
    })
    .await;
    let output = output(config(), &site, 1).await;
    let place = |id: &str| {
        let found = output.findings.items.iter().find(|item| item.selector.ends_with(id));
        found
            .unwrap_or_else(|| panic!("{id} of {:?}", items(&output.findings)))
            .area
            .map(|area| [area.x, area.y, area.width, area.height])
    };
    // The inner frame ends 40 pixels below the element's top.
    assert_eq!(place("#whole"), Some([100 + 10 + 60 + 30, 1_000 + 10 + 40 + 20, 100, 40]));
    assert_eq!((place("#below"), place("#other")), (None, None), "what is scrolled away, and what is another site's");
    let shown: Vec<_> = output.findings.items.iter().filter(|item| item.screenshot.is_some()).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    let image = decoded(&output.screenshots[0]);
    assert_eq!(image.dimensions(), (132, 72), "16 pixels around it");
    let at = |x, y| image.get_pixel(x, y).0;
    assert_eq!([at(15, 30), at(16, 30), at(115, 30), at(116, 30)], [[255; 3], RED, RED, [255; 3]]);
    assert_eq!([at(66, 15), at(66, 16), at(66, 55), at(66, 56)], [[255; 3], RED, RED, [255; 3]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_is_shown_and_the_others_are_not() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/next>n</a><div style='height: 1500px; background: #f00'></div>")),
        _ => Reply::Html(page("Next", "<p>ok</p>")),
    })
    .await;
    let output = output(config(), &site, 2).await;
    assert_eq!(output.findings.pages.len(), 2);
    let screen = output.screen.unwrap();
    assert_eq!(output.findings.screen, Some((screen.width, screen.height)));
    let image = decoded(&screen);
    assert!(screen.width == 1_280 && (1_500..1_800).contains(&screen.height), "{} high", screen.height);
    let [red, green, blue] = image.get_pixel(600, 1_000).0;
    assert!(red > 240 && green < 15 && blue < 15, "the first page is red there");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_change_nothing_of_what_is_found() {
    // A frame that is laid out after its script has run gets a `resize` anyway: the second animation frame comes after
    // it.
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Home",
            "<a href=/other style='position: sticky; top: 0; color: #ccc'>pale</a><img src=data:,><div style='height: 300vh'></div>
             <button></button><input><p style='color: #999; position: fixed; bottom: 0'>pale, too</p>
             <script>const grow = () => document.body.append(document.createElement('input'));
               const listen = () => addEventListener('resize', grow);
               requestAnimationFrame(() => requestAnimationFrame(listen))</script>",
        )),
        _ => Reply::Html(page("Other", "<ul><p>no item</p></ul><a href=#></a><iframe src=/></iframe>")),
    })
    .await;
    let with = output(config(), &site, 3).await;
    let without = output(config().with_evidence(Evidence::LeftOut), &site, 3).await;
    assert!(with.screenshots.len() >= 4, "{} pictures", with.screenshots.len());
    assert!(without.screenshots.is_empty() && without.screen.is_none());
    let bare = |mut findings: Findings| {
        findings.items.iter_mut().for_each(|item| item.screenshot = None);
        findings.screen = None;
        findings
    };
    assert_eq!(bare(with.findings), bare(without.findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_page_repeats_is_pictured_once() {
    let site = Site::start(|request| {
        let links: String = (0..6).map(|id| format!("<a href=/p/{id}>page {id}</a> ")).collect();
        let body = format!("<img src=data:, style='width: 90px; height: 40px; background: #00f'>{links}");
        Reply::Html(page(&request.path, &body))
    })
    .await;
    let output = output(config(), &site, 7).await;
    let shown: Vec<_> = output.findings.items.iter().filter_map(|item| item.screenshot).collect();
    assert_eq!((output.findings.items.len(), output.screenshots.len()), (7, 1));
    assert!(!shown.is_empty() && shown.iter().all(|shot| shot.id == output.screenshots[0].id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_turns_on_the_photographer_loses_its_pictures_and_nothing_else() {
    let bad = "<p style='color: #ccc'>pale</p><div style='height: 3000px'></div><img src=data:, width=50 height=50>";
    let site = Site::start(move |request| {
        let trick = match request.path.as_str() {
            "/" => {
                return Reply::Html(page("Home", "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a>"));
            }
            "/1" => "while (true) {}",
            "/2" => "location = '/gone'",
            "/3" => "document.body.style.height = '1e9px'",
            "/4" => "for (;;) alert('x')",
            _ => return Reply::Hang,
        };
        Reply::Html(page("Bad", &format!("{bad}<script>addEventListener('resize', () => {{ {trick} }})</script>")))
    })
    .await;
    let page_time = page_time(Duration::from_secs(15)).await;
    let output = output(config().with_page_timeout(page_time), &site, 5).await;
    assert_eq!(pages(&output.findings), ["/", "/1", "/2", "/3", "/4"]);
    for number in 1..5 {
        let rules: Vec<&str> =
            output.findings.items.iter().filter(|item| item.page == number).map(|item| item.rule.as_str()).collect();
        assert_eq!(rules, ["color-contrast", "image-alt"], "page {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_any_size_gives_small_pictures() {
    let site = Site::start(|_| {
        let many: String = (0..300)
            .map(|id| format!("<img src=data:,{id} style='position: absolute; left: {}px; top: {}px; width: 9999px; height: 5000px; \
                 background: repeating-linear-gradient({id}deg, #f00, #00f 3px, #0f0 7px)'>", id * 37, id * 40_000))
            .collect();
        Reply::Html(page("Home", &many))
    })
    .await;
    let output = output(config(), &site, 1).await;
    assert_eq!(output.findings.items.len(), 300);
    assert!(output.screenshots.len() <= 5, "{} pictures of one rule on one page", output.screenshots.len());
    for picture in output.screenshots.iter().chain(&output.screen) {
        assert!(picture.width <= 1_280 && picture.height <= 4_000 && picture.bytes.len() <= 2 << 20);
        decoded(picture);
    }
}
