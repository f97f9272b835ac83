//! Pictures of what fails: they show the right element, without any effect on the findings.

use std::{collections::BTreeSet, time::Duration};

use a11ycheck_core::{
    domain::{Finding, Findings},
    scanner::{CancellationToken, ScanOutput, Scanner as _, Screenshot, ScreenshotFormat},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence, MovingProbes};
use image::{ImageFormat, RgbImage, load_from_memory_with_format};

use crate::support::{Progress, Reply, Site, browser_without, config, items, page, page_time, pages, request};

const RED: [u8; 3] = [255, 0, 0];
/// The inner colour of the outline.
const OUTLINE: [u8; 3] = [153, 0, 102];

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

/// Returns the left, top, right and bottom edge of what is outlined in a picture, in pixels.
fn outlined(image: &RgbImage) -> [u32; 4] {
    let dark: Vec<_> = image.enumerate_pixels().filter(|(_, _, pixel)| pixel.0 == OUTLINE).collect();
    let xs = || dark.iter().map(|(x, ..)| *x);
    let ys = || dark.iter().map(|(_, y, _)| *y);
    let edges = (xs().min(), ys().min(), xs().max(), ys().max());
    let (Some(left), Some(top), Some(right), Some(bottom)) = edges else { panic!("nothing is outlined") };
    let line = (left..).take_while(|x| image.get_pixel(*x, u32::midpoint(top, bottom)).0 == OUTLINE).count();
    let line = u32::try_from(line).unwrap();
    // What is outlined is as far from the line as the line is wide, unless the picture ends there.
    let (width, height) = image.dimensions();
    let near = |edge: u32, beyond: u32| if edge <= beyond { edge + line } else { edge + 2 * line };
    let far = |edge: u32, end: u32| if edge + 1 + line >= end { edge + 1 - line } else { edge + 1 - 2 * line };
    [near(left, line), near(top, line), far(right, width), far(bottom, height)]
}

/// Checks that each picture of an [image](image_of) has that image within its outline and not elsewhere. Returns the number of images
/// with a picture.
pub(crate) fn assert_right(output: &ScanOutput) -> usize {
    // A probe may name the element around an image as well, of which the image is a part.
    assert_right_of(output, "role-img-alt")
}

/// Checks the same of the elements of one colour that break this rule.
pub(crate) fn assert_right_of(output: &ScanOutput, rule: &str) -> usize {
    let mut pictured = 0;
    for item in output.findings.items.iter().filter(|item| item.rule.as_str() == rule) {
        let Some(shown) = item.screenshot else { continue };
        let hex = item.html.split("background: #").nth(1).unwrap_or_else(|| panic!("{}", item.html));
        let colour = [0, 2, 4].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
        let image = decoded(output.screenshots.iter().find(|picture| picture.id == shown.id).unwrap());
        let [left, top, right, bottom] = outlined(&image);
        let inside = (left + 1..right - 1).flat_map(|x| (top + 1..bottom - 1).map(move |y| (x, y)));
        for (x, y) in inside {
            assert_eq!(image.get_pixel(x, y).0, colour, "{} at {x}, {y}", item.html);
        }
        pictured += 1;
    }
    pictured
}

/// Returns an image without an alternative text, of one colour.
pub(crate) fn image_of(colour: &str) -> String {
    // A browser draws a frame around an image that it can't load.
    format!("<div role=img style='width: 120px; height: 60px; background: #{colour}'></div>")
}

/// Scans a page with this body, and returns how many elements have a picture, each of which is right. A browser that does not paint what is
/// beyond its window takes as many.
async fn right_pictures(body: String) -> usize {
    let site = Site::start(move |_| Reply::Html(page("Home", &body))).await;
    let pictured = assert_right(&output(config(), &site, 1).await);
    // The script stands for a Chromium that does not know the setting.
    let (_folder, clipping) = browser_without("--blink-settings=");
    assert_eq!(assert_right(&output(config().with_browser(clipping), &site, 1).await), pictured);
    pictured
}

fn three_images() -> String {
    ["cc2200", "0022cc", "22aa00"].map(|colour| image_of(colour) + "<div style='height: 900px'></div>").concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bar_that_grows_with_each_resize_moves_nothing_out_of_its_picture() {
    let body = format!(
        "<style>body {{ margin: 0 }}</style><div id=bar style='height: 40px; background: #ffee00'></div>{}
         <script>let grown = 40;
           addEventListener('resize', () => {{ document.getElementById('bar').style.height = `${{grown += 40}}px` }})</script>",
        three_images()
    );
    assert_eq!(right_pictures(body).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn content_whose_height_follows_the_window_after_a_while_is_where_its_picture_shows_it() {
    // The way of the template Gentelella: a debounced `resize` sets the least height of the content.
    let body = format!(
        "<style>body {{ margin: 0 }}</style><div id=column></div>{}
         <script>
           let height = 200;
           const setContentHeight = () => {{ document.getElementById('column').style.minHeight = `${{height += 30}}px` }};
           let timer;
           addEventListener('resize', () => {{ clearTimeout(timer); timer = setTimeout(setContentHeight, 10) }});
           setContentHeight();
         </script>",
        three_images()
    );
    assert_eq!(right_pictures(body).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sticky_header_that_grows_when_it_is_scrolled_covers_no_picture() {
    let body = format!(
        "<style>body {{ margin: 0 }}</style><header style='position: sticky; top: 0; height: 40px; background: #ffee00'>h</header>{}
         <script>let grown = 40;
           const grow = () => {{ document.querySelector('header').style.height = `${{grown += 40}}px` }};
           for (const event of ['scroll', 'resize']) addEventListener(event, grow);
           new ResizeObserver(() => {{ if (innerWidth !== 1280) grow() }}).observe(document.body)</script>",
        three_images()
    );
    assert_eq!(right_pictures(body).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_slides_with_each_frame_is_held_still_for_its_picture() {
    let body = format!(
        "<style>body {{ margin: 0 }} @keyframes slide {{ from {{ margin-left: 0 }} to {{ margin-left: 900px }} }}
           #styled {{ animation: slide 3s linear infinite }}</style>
         <div id=scripted>{}</div><div style='height: 900px'></div><div id=styled>{}</div>
         <script>let left = 0;
           const move = () => {{
             document.getElementById('scripted').style.marginLeft = `${{left = (left + 7) % 900}}px`;
             requestAnimationFrame(move);
           }};
           move()</script>",
        image_of("cc2200"),
        image_of("0022cc")
    );
    assert_eq!(right_pictures(body).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_slider_cuts_off_is_not_shown_as_what_lies_there_instead() {
    let slide =
        |left: u32, colour: &str| format!("<div style='position: absolute; left: {left}px'>{}</div>", image_of(colour));
    let body = format!(
        "<style>body {{ margin: 0 }}</style>
         <div style='position: relative; width: 180px; height: 60px; overflow: hidden'>{}{}{}</div>",
        slide(0, "cc2200"),
        slide(120, "0022cc"),
        slide(240, "22aa00")
    );
    assert_eq!(right_pictures(body).await, 2, "one whole, one in part, and none of the third");
}

#[tokio::test(flavor = "multi_thread")]
async fn images_that_load_while_pictures_are_taken_put_no_other_element_into_them() {
    const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='150'><rect width='200' height='150' fill='#ffee00'/></svg>";
    let lazy: String = (0..20).map(|number| format!("<img alt=x loading=lazy src='/{number}.svg'><br>")).collect();
    let body = format!("{}<div style='height: 3000px'></div>{lazy}{}", image_of("cc2200"), image_of("0022cc"));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &body)),
        _ => Reply::File("image/svg+xml", SVG.into()),
    })
    .await;
    let output = output(config(), &site, 1).await;
    assert!(assert_right(&output) >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_again_on_the_page_after_one_that_was_pictured() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &format!("{}<a href=/next>n</a>", image_of("cc2200")))),
        _ => Reply::Html(page(
            "Next",
            "<script>setTimeout(() => {
               const image = document.createElement('div');
               image.role = 'img';
               image.setAttribute('style', 'width: 90px; height: 40px; background: #0022cc');
               document.querySelector('main').append(image);
             }, 50)</script>",
        )),
    })
    .await;
    let output = output(config().with_pages_at_once(1), &site, 2).await;
    assert_eq!(items(&output.findings).len(), 2, "{:?}", items(&output.findings));
    assert_eq!(assert_right(&output), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_an_example_has_a_picture_on_which_its_box_lies() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/bad>b</a><a href=/good>g</a>")),
        "/bad" => Reply::Html(page(
            "Bad",
            "<div style='height: 501px'></div><div role=img style='width: 400px; height: 200px; background: #f00'></div>",
        )),
        _ => Reply::Html(page("Good", "<p>ok</p>")),
    })
    .await;
    let output = output(config(), &site, 3).await;
    let pictured: Vec<_> = output.findings.pages.iter().map(|page| page.picture.is_some()).collect();
    let is_bad: Vec<_> = output.findings.pages.iter().map(|page| page.url.ends_with("/bad")).collect();
    assert_eq!(pictured, is_bad, "the start page has the larger picture");
    let page = output.findings.pages.iter().find_map(|page| page.picture).unwrap();
    assert_eq!((page.width, page.scale_percent), (640, 50));
    let image = decoded(output.screenshots.iter().find(|picture| picture.id == page.id).unwrap());
    let area = output.findings.items[0].area.unwrap();
    let at = |x: u32, y: u32| image.get_pixel(x / 2, y / 2).0;
    let [red, green, blue] = at(area.x + area.width / 2, area.y + area.height / 2);
    assert!(red > 240 && green < 15 && blue < 15);
    let corners = [at(area.x + 12, area.y + 12), at(area.x + area.width - 12, area.y + area.height - 12)];
    assert!(corners.iter().all(|[red, green, _]| *red > 200 && *green < 60), "{corners:?}");
    let outside = [at(area.x + area.width + 12, area.y + 50), at(area.x + 50, area.y - 12)];
    assert!(outside.iter().all(|[_, green, _]| *green > 200), "{outside:?}");
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
    assert_eq!(image.dimensions(), (640, 320), "twice what is around it, up to the page's end");
    let at = |x, y| image.get_pixel(x, y).0;
    let white = [255; 3];
    let across = [211, 212, 215, 216, 220, 419, 420, 424, 427, 428].map(|x| at(x, 260));
    assert_eq!(across, [white, OUTLINE, OUTLINE, white, RED, RED, white, OUTLINE, OUTLINE, white]);
    let down = [at(300, 215), at(300, 219), at(300, 220), at(300, 311), at(300, 312)];
    assert_eq!(down, [OUTLINE, white, RED, RED, OUTLINE], "inside where the page ends");
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
    assert_eq!((image.dimensions(), outlined(&image)), ((640, 320), [220, 120, 420, 200]));
    let at = |x, y| image.get_pixel(x, y).0;
    assert_eq!([at(220, 160), at(419, 160), at(300, 120), at(300, 199)], [RED; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_is_shown_even_without_a_finding() {
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
async fn a_page_that_was_moved_is_shown_as_a_whole_and_has_not_noticed_that_less_was_drawn() {
    let body = format!(
        "<a href='/'>First</a> <a href='/' style='outline: none'>Second</a><div style='height: 1500px'></div>{}
         <script>
             const isWhole = () => Math.round(visualViewport.width) === innerWidth && Math.round(visualViewport.height) === innerHeight;
             const see = () => {{ if (!isWhole()) document.body.textContent = ''; }};
             for (const event of ['focusin', 'resize', 'scroll']) addEventListener(event, see);
             visualViewport.addEventListener('resize', see);
         </script>",
        image_of("ff0000"),
    );
    let site = Site::start(move |_| Reply::Html(page("Home", &body))).await;
    let output = output(config().with_moving_probes(MovingProbes::EveryPage), &site, 1).await;
    assert!(items(&output.findings).iter().any(|item| item.contains("a11ycheck-focus-visible")));
    assert_eq!(assert_right(&output), 1);
    let screen = output.screen.unwrap();
    assert!(screen.width == 1_280 && (1_500..1_800).contains(&screen.height), "{} high", screen.height);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_slides_back_as_a_window_grows_is_pictured_where_it_belongs() {
    let body = format!(
        "<style>
             #menu {{ position: absolute; left: 0; transition: left 90s }}
             @media (max-width: 1000px) {{ #menu {{ left: -500px; transition: none }} }}
         </style><div id=menu>{}</div>",
        image_of("ff0000"),
    );
    let site = Site::start(move |_| Reply::Html(page("Home", &body))).await;
    let output = output(config().with_moving_probes(MovingProbes::EveryPage), &site, 1).await;
    assert_eq!(assert_right(&output), 1);
    assert_eq!(output.findings.items[0].area.map(|area| area.x), Some(0));
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
        findings.pages.iter_mut().for_each(|page| page.picture = None);
        findings.screen = None;
        findings
    };
    assert_eq!(bare(with.findings), bare(without.findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_page_repeats_is_pictured_once() {
    let site = Site::start(|request| {
        let links: String = (0..6).map(|id| format!("<p><a href=/p/{id}>page {id}</a></p>")).collect();
        let body = format!("<img src=data:, style='width: 90px; height: 40px; background: #00f'>{links}");
        Reply::Html(page(&request.path, &body))
    })
    .await;
    let output = output(config(), &site, 7).await;
    let shown: BTreeSet<_> = output.findings.items.iter().map(|item| item.screenshot.unwrap().id).collect();
    let pages = output.findings.pages.iter().filter(|page| page.picture.is_some()).count();
    assert_eq!((output.findings.items.len(), shown.len(), pages), (7, 1, 6));
    assert_eq!(output.screenshots.len(), shown.len() + pages);
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
    let pictured = |items: &[Finding]| items.iter().filter(|item| item.screenshot.is_some()).count();
    let (failing, undecided) = (pictured(&output.findings.items), pictured(&output.findings.undecided));
    assert_eq!((failing, undecided), (6, 1), "one for each shot, and what lies in one of these");
    assert_eq!(output.screenshots.len(), 7);
    for picture in output.screenshots.iter().chain(&output.screen) {
        assert!(picture.width <= 1_280 && picture.height <= 4_000 && picture.bytes.len() <= 2 << 20);
        decoded(picture);
    }
}
