//! Privacy: a check must neither reveal what pages know about people nor act in their name.

use a11ycheck_core::{
    domain::{Findings, MASK, PreviousScan, compare},
    id::ScanId,
    scanner::{CancellationToken, ScanOutput, Scanner as _, Screenshot},
};
use a11ycheck_scanner_chromium::ChromiumScanner;
use image::{ImageFormat, RgbImage, load_from_memory_with_format};
use serde_json::{Value, json};

use crate::{
    by_hand::{Console, axe},
    support::{Progress, Reply, Site, config, items, page, pages, request, scan, scanner},
};

/// The secrets that the pages of these tests contain.
const SECRETS: [&str; 7] = ["Jane", "jane", "170 1234567", "4f2a9c1e", "4111", "GB82", "Geheim"];

/// Starts a site with fields, links, ids and frames that reveal something about people, each in an element that breaks
/// a rule.
async fn site_that_knows_people() -> Site {
    Site::start(|request| {
        let fields = "<form><input value='Jane Doe'><input type=tel value='+49 170 1234567'><textarea>Geheim</textarea>
            <input><input type=submit value=''></form>
            <div><a href='/reset?token=4f2a9c1e'></a><a href='mailto:jane@example.org'></a><a href='/plain'></a></div>
            <ul><li><img src='/u/jane@example.org'><li><img id=jane@example.org src=data:,><li><img id=card-4111111111111111 src=data:,></ul>
            <section id=box><button data-session=4f2a9c1e></button><button class=GB82WEST12345698765432></button></section>";
        match request.path.as_str() {
            "/inner?user=jane@example.org" => Reply::Html(page("Inner", fields)),
            "/" => Reply::Html(page(
                "Home",
                &format!(
                    "{fields}<div id=host></div><div class=host></div>
                     <iframe title=t src='/inner?user=jane@example.org'></iframe>
                     <script>for (const host of document.querySelectorAll('#host, .host')) {{
                        host.attachShadow({{ mode: 'open' }}).innerHTML = `<p>x</p><input value='Jane Doe'><div><img src=data:,><input
                            value='Jane Roe'><iframe title=t src='/inner?user=jane@example.org'></iframe></div>`;
                     }}</script>"
                ),
            )),
            _ => Reply::Html(page("Other", "ok")),
        }
    })
    .await
}

/// A function that says for each of `ours`, in order, whether it finds the element that axe-core names, and how
/// axe-core names it.
const COMPARE: &str = "(results) => {
    const resolve = (text, root) => {
        const parts = text.split(' ');
        return parts.flatMap((_, last) => {
            let element = null;
            try { element = root.querySelector(parts.slice(0, last + 1).join(' ')); } catch { return []; }
            if (!element || last + 1 === parts.length) return element ?? [];
            const inner = element.shadowRoot ?? element.contentDocument;
            return inner ? resolve(parts.slice(last + 1).join(' '), inner) : [];
        });
    };
    const walk = (target) => {
        let [root, element] = [document, null];
        for (const step of target) {
            if (element) root = element.contentDocument;
            for (const selector of [step].flat()) {
                element = root.querySelector(selector);
                root = element.shadowRoot;
            }
        }
        return element;
    };
    const byRule = (list) => list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    const theirs = byRule(results.violations.flatMap((v) => v.nodes.map((node) => [v.id, node.target])));
    const ours = byRule(OURS);
    if (theirs.length !== ours.length) return `${theirs.length} elements against ${ours.length}`;
    return theirs.map(([rule, target], index) => {
        const found = resolve(ours[index][1], document);
        const element = walk(target);
        return [rule, target.flat(Infinity).join(' '), found.length > 0 && found.every((other) => other === element)];
    });
}";

#[tokio::test(flavor = "multi_thread")]
async fn a_selector_reveals_nothing_about_people_and_still_finds_its_element() {
    let site = site_that_knows_people().await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let ours: Vec<[&str; 2]> = findings.items.iter().map(|item| [item.rule.as_str(), item.selector.as_str()]).collect();
    let url = findings.pages[0].url.clone();
    let function = COMPARE.replace("OURS", &json!(ours).to_string());
    let compared =
        tokio::task::spawn_blocking(move || Console::open().evaluate_in_frames(&url, &axe(), &function)).await.unwrap();
    let compared: Vec<(String, String, bool)> =
        serde_json::from_value(compared.clone()).unwrap_or_else(|_| panic!("{compared}"));

    let reveals = |text: &str| SECRETS.iter().any(|secret| text.contains(secret));
    let revealing: Vec<_> = compared.iter().filter(|(_, selector, _)| reveals(selector)).collect();
    assert!(revealing.len() > 20, "axe-core's own selectors are meant to reveal something about people: {compared:?}");
    for (item, (rule, theirs, is_same)) in sorted_by_rule(&ours).into_iter().zip(&compared) {
        let ours = item[1];
        assert!(*is_same, "{rule}: {ours} in place of {theirs}");
        assert!(!reveals(ours) && !ours.contains(MASK), "{rule}: {ours} in place of {theirs}");
        assert!(reveals(theirs) || ours == theirs, "{rule}: {ours} in place of {theirs}");
    }
}

fn sorted_by_rule<'a>(items: &[[&'a str; 2]]) -> Vec<[&'a str; 2]> {
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| item[0]);
    sorted
}

/// The findings of a page as a release stored them that had neither masks nor versions of keys: axe-core's own words.
const AS_STORED: &str = "(results) => results.violations.flatMap((violation) => violation.nodes.map((node) => ({
    rule: violation.id, page: 0, selector: node.target.flat(Infinity).join(' '), html: node.html,
    failure_summary: node.failureSummary, fingerprint: { tight: '00', loose: '01', template: '02' },
    area: null, screenshot: null, is_new: false,
})))";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_an_earlier_release_checked_has_nothing_new_and_nothing_fixed() {
    let site = site_that_knows_people().await;
    let url = site.url("/");
    let stored = tokio::task::spawn_blocking(move || Console::open().evaluate_in_frames(&url, &axe(), AS_STORED));
    let stored: Value = stored.await.unwrap();
    assert!(stored.to_string().contains("Jane Doe") && stored.as_array().unwrap().len() > 30, "{stored}");
    let scanner = scanner();
    let mut findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;

    let mut document = serde_json::to_value(&findings).unwrap();
    document["items"] = stored;
    for added in ["ran", "pictures_not_stored"] {
        document.as_object_mut().unwrap().remove(added);
    }
    let before: Findings = serde_json::from_value(document).unwrap();
    let kept = serde_json::to_string(&before).unwrap();
    let revealed: Vec<_> = SECRETS.iter().filter(|secret| kept.contains(**secret)).collect();
    assert!(revealed.is_empty(), "{revealed:?} in {kept}");
    let now = chrono::Utc::now();
    let base = PreviousScan::new(ScanId::generate(now), now, before.totals().total());
    let summary = compare(&mut findings, &before, base);
    assert_eq!((summary.new, summary.fixed, summary.remaining), (0, 0, findings.totals().total()), "{summary:?}");
    assert!(findings.items.iter().all(|item| !item.is_new));
}

/// Scans the start page.
async fn output(site: &Site) -> ScanOutput {
    let scanner = ChromiumScanner::new(config()).unwrap();
    let output =
        scanner.scan(request(&site.url("/"), 1), &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output
}

fn decoded(picture: &Screenshot) -> RgbImage {
    load_from_memory_with_format(&picture.bytes, ImageFormat::WebP).unwrap().into_rgb8()
}

fn pixels(image: &RgbImage, is_one: impl Fn([i32; 3]) -> bool) -> usize {
    image.pixels().filter(|pixel| is_one(pixel.0.map(i32::from))).count()
}

/// Returns whether a pixel has the colour of values in these tests.
fn is_red([red, green, blue]: [i32; 3]) -> bool {
    red - green > 80 && red - blue > 80
}

/// Returns whether a pixel has the colour of borders.
fn is_blue([red, green, blue]: [i32; 3]) -> bool {
    blue - red > 80 && blue - green > 80
}

/// Returns whether a pixel has the colour of what is no value.
fn is_green([red, green, blue]: [i32; 3]) -> bool {
    green - red > 80 && green - blue > 80
}

/// Fields whose values are red in a blue border, with a green outline; each breaks a rule. A select's arrow has the
/// colour of its text, but is no value: here it has none.
const FIELDS: &str = "<style>
        body { margin: 0; background: #fff } h1 { display: none } form > * { display: block; margin: 30px }
        .field { color: #f00; font: 40px/1 sans-serif; width: 400px; height: 80px; border: 4px solid #00f; padding: 0 20px;
            box-sizing: border-box; background: #fff; outline: 3px solid #0f0; overflow: hidden; white-space: nowrap }
    </style>
    <form>
        <input class=field id=typed value='MMMMMMMMMMMMMMMMMMMMMMMM'>
        <textarea class=field style='white-space: pre' rows=2>MMMMMMMM\nMMMMMM\nMMMMM\nMMMMMMM\nMMMMM</textarea>
        <select class=field style='appearance: none'><option>NN<option selected>MMMMMMM</select>
        <div class=field role=textbox contenteditable>MMMMMMMMMMMM<b>MMMM</b></div>
        <input class=field type=date value=1979-03-02>
        <div id=host></div>
    </form>
    <script>document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = document.querySelector('style').outerHTML
        + '<input class=field value=MMMMMMM>'</script>";

#[tokio::test(flavor = "multi_thread")]
async fn no_picture_shows_what_somebody_typed_and_every_one_shows_the_field() {
    let site = Site::start(|_| Reply::Html(page("Home", FIELDS))).await;
    let output = output(&site).await;
    let fields: Vec<_> = output.findings.items.iter().filter(|item| item.html.contains("field")).collect();
    assert_eq!(fields.len(), 6, "{:?}", items(&output.findings));
    for field in fields {
        let shown = field.screenshot.unwrap_or_else(|| panic!("no picture of {}", field.selector));
        let image = decoded(output.screenshots.iter().find(|picture| picture.id == shown.id).unwrap());
        assert_eq!(pixels(&image, is_red), 0, "{}", field.html);
        assert!(pixels(&image, |pixel| pixel == [160; 3]) > 1_000, "{}", field.html);
        // 400 by 80 pixels, 4 wide; others are seen beside it.
        let border = 2 * 4 * (400 + 80 - 2 * 4);
        assert!(pixels(&image, is_blue) >= border, "{}", field.html);
        // What our own outline leaves of it.
        assert!(pixels(&image, is_green) >= 2 * 2 * (400 + 80), "{}", field.html);
    }
    let screen = decoded(&output.screen.unwrap());
    assert_eq!(pixels(&screen, is_red), 0);
    assert!(pixels(&screen, is_blue) > 6 * 3_000, "{}", pixels(&screen, is_blue));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_value_is_shown_as_it_is() {
    let site = Site::start(|_| {
        Reply::Html(page(
            "Home",
            "<style>body { margin: 0 } input { font: 40px sans-serif; color: #f00 } ::placeholder { color: #00f }</style>
             <input placeholder=MMMMM><input type=submit value=MMMMMM><p style='font: 40px sans-serif; color: #0a0'>MMMMMM</p>",
        ))
    })
    .await;
    let screen = decoded(&output(&site).await.screen.unwrap());
    for is_one in [is_red, is_blue, is_green] {
        assert!(pixels(&screen, is_one) > 100);
    }
    let select = "<style>h1 { display: none } select { font: 40px sans-serif; color: #f00 }</style>
        <select aria-label=x><option>MMMM</select>";
    let site = Site::start(move |_| Reply::Html(page("Select", select))).await;
    let arrow = pixels(&decoded(&output(&site).await.screen.unwrap()), is_red);
    assert!((5..200).contains(&arrow), "the arrow, and not the text: {arrow} pixels");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_in_frames_of_any_site_are_painted_over_and_the_frame_is_not() {
    let inner = page("Inner", &format!("{FIELDS}<p style='color: #0a0; font: 40px sans-serif'>MMMMM</p>"));
    let elsewhere = {
        let inner = inner.clone();
        Site::start(move |_| Reply::Html(inner.clone())).await
    };
    let other = elsewhere.url_as("b.test", "/");
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Home",
            &format!(
                "<style>h1 {{ display: none }}</style><iframe title=own src=/own width=600 height=900></iframe>
                 <iframe title=other src='{other}' style='width: 500px; height: 700px; border: 9px solid; padding: 5px'></iframe>
                 <iframe title=deep src=/deep width=600 height=500></iframe>
                 <iframe title=turned src='{other}' width=600 height=600 style='transform: rotate(20deg)'></iframe>"
            ),
        )),
        "/deep" => Reply::Html(page("Deep", &format!("<iframe title=other src='{other}' width=500 height=400></iframe>"))),
        _ => Reply::Html(inner.clone()),
    })
    .await;
    let output = output(&site).await;
    let screen = decoded(&output.screen.unwrap());
    assert_eq!(pixels(&screen, is_red), 0);
    assert!(pixels(&screen, is_blue) > 8 * 3_000 && pixels(&screen, is_green) > 1_000);
    for picture in &output.screenshots {
        assert_eq!(pixels(&decoded(picture), is_red), 0, "{:?}", picture.id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_moves_its_fields_when_it_is_pictured_shows_no_value() {
    let site = Site::start(|_| {
        Reply::Html(page(
            "Home",
            &format!(
                "{FIELDS}<div style='height: 3000px'></div><img src=data:, width=90 height=90><script>
                    let moved = 0;
                    const move = () => {{ document.querySelector('form').style.marginLeft = `${{++moved % 7 * 90}}px` }};
                    addEventListener('resize', () => {{ move(); requestAnimationFrame(move) }});
                    document.addEventListener('scroll', move)
                </script>"
            ),
        ))
    })
    .await;
    let output = output(&site).await;
    for picture in output.screenshots.iter().chain(&output.screen) {
        assert_eq!(pixels(&decoded(picture), is_red), 0, "{:?}", picture.id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn painting_over_changes_nothing_that_a_page_could_notice() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Home",
            &format!(
                "{FIELDS}<script>
                    const tell = (what) => navigator.sendBeacon('/noticed?' + what);
                    addEventListener('load', () => new MutationObserver(() => tell('mutation')).observe(document,
                        {{ subtree: true, childList: true, attributes: true, characterData: true }}));
                    for (const name of ['input', 'change', 'focusin', 'selectionchange', 'scroll', 'transitionrun', 'animationstart'])
                        document.addEventListener(name, () => tell(name), true);
                    for (const [type, name] of [[Element, 'getBoundingClientRect'], [Element, 'checkVisibility'], [Window, 'createImageBitmap']])
                        Object.defineProperty(type.prototype, name, {{ get() {{ tell(name) }} }});
                    Object.defineProperty(HTMLInputElement.prototype, 'value', {{ get() {{ tell('value'); return '' }} }});
                    requestAnimationFrame = () => tell('frame');
                    window.OffscreenCanvas = window.Blob = window.atob = () => tell('paint');
                </script>"
            ),
        )),
        _ => Reply::Html(String::new()),
    })
    .await;
    let output = output(&site).await;
    assert_eq!(pixels(&decoded(&output.screen.unwrap()), is_red), 0);
    let noticed: Vec<String> =
        site.requests().into_iter().map(|request| request.path).filter(|path| path != "/").collect();
    assert_eq!(noticed, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_logs_nobody_out_deletes_nothing_and_fills_no_cart() {
    const ACTIONS: [&str; 9] = [
        "/logout",
        "/account/delete",
        "/newsletter/unsubscribe?u=7",
        "/confirm/abc",
        "/shop?add-to-cart=7",
        "/cart/add/7",
        "/items?action=delete&id=7",
        "/reset-password/4f2a9c1e77b1c9d2aa01",
        "/abmelden",
    ];
    const PAGES: [&str; 4] =
        ["/cart", "/blog/how-to-delete-your-account", "/help/unsubscribe-from-newsletter", "/shop"];
    let site = Site::describing_itself(|request| match request.path.as_str() {
        "/robots.txt" => Reply::Status(404, String::new()),
        "/sitemap.xml" => {
            let host = request.header("host").unwrap();
            let entry = |path: &&str| format!("<url><loc>http://{host}{}</loc></url>", path.replace('&', "&amp;"));
            let listed: String = ACTIONS.iter().map(entry).chain([entry(&"/listed")]).collect();
            Reply::File("application/xml", format!("<urlset>{listed}</urlset>").into_bytes())
        }
        "/" => {
            let links = ACTIONS.iter().chain(&PAGES).chain(&["/leave"]);
            Reply::Html(page("Home", &links.map(|path| format!("<a href='{path}'>x</a>, ")).collect::<String>()))
        }
        "/leave" => Reply::Redirect("/logout".to_owned()),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 30).await;
    scanner.close().await;
    let mut visited = pages(&findings);
    visited.sort();
    let mut expected = [&["/", "/listed"][..], &PAGES].concat();
    expected.sort_unstable();
    assert_eq!(visited, expected);
    assert_eq!(site.hits("/leave"), 1);
    for action in ACTIONS {
        assert_eq!(site.hits(action), 0, "{action}");
    }
}
