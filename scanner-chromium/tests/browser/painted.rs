//! Contrast that axe-core leaves open, decided by pictures of the text.

use std::{
    io::Cursor,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use a11ycheck_core::{
    catalog::sentence,
    domain::{Finding, Findings, RuleId},
    id::ScanId,
    locale::Locale,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence};
use image::{ImageFormat, Rgb, RgbImage};

use crate::support::{Progress, Reply, Request, Site, config, page};

const PROBE: &str = "a11ycheck-text-contrast";
const AXE: &str = "color-contrast";

/// The statement about the text of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    /// It fails, with a contrast between these.
    Fails(f64, f64),
    /// A person is asked, with a contrast between these.
    Asks(f64, f64),
    /// A person is asked by axe-core, as before.
    Left,
    Nothing,
}

use Said::{Asks, Fails, Left, Nothing};

/// Returns settings with which open contrasts are measured.
fn measuring() -> ChromiumConfig {
    config().with_measured_contrast(true)
}

/// Opens an element with a square that a style sheet paints far from all texts: axe-core then computes no contrast in it.
const FAR: &str = "<style>.far::before { content: ''; position: absolute; left: 700px; top: 300px; width: 400px; height: 400px; background: #000 }</style><div class=far>";

/// Texts with what is right to say: the contrast of WCAG for two colours, computed by hand. `TEXT` is a text of some letters, `MANY` stands
/// for more elements than are painted by selectors of their own, `LINES` for many texts, and `LONG` for as many as the box around them shows in
/// twelve places. `DEEP` opens more levels than such a selector may have, and `HALF` half as many. `FAR` is [`FAR`].
const CASES: [(&str, &str, Said); 82] = [
    ("a flat picture", "<p id=x style='color: #777; background: url(/888888.png)'>TEXT</p>", Fails(1.26, 1.26)),
    ("a flat dark picture", "<p id=x style='color: #fff; background: url(/222222.png)'>TEXT</p>", Nothing),
    ("a gradient that is dark", "<p id=x style='color: #fff; background: linear-gradient(#000, #333)'>TEXT</p>", Nothing),
    ("a gradient that is light", "<p id=x style='color: #ccc; background: linear-gradient(#fff, #ddd)'>TEXT</p>", Fails(1.18, 1.6)),
    (
        "a gradient that crosses the limit",
        "<p id=x style='width: 300px; color: #fff; background: linear-gradient(to right, #000 20px, #fff 90px)'>TEXT</p>",
        Asks(1.0, 21.0),
    ),
    (
        "a transparent layer between picture and text",
        "<div style='background: url(/ffffff.png)'><p id=x style='margin: 0; color: #fff; background: rgb(0 0 0 / 0.7)'>TEXT</p></div>",
        Nothing,
    ),
    (
        "the same, too thin",
        "<div style='background: url(/ffffff.png)'><p id=x style='margin: 0; color: #fff; background: rgb(0 0 0 / 0.2)'>TEXT</p></div>",
        Fails(1.6, 1.61),
    ),
    ("a noisy picture", "<p id=x style='color: #fff; background: url(/noise-255.png)'>TEXT</p>", Asks(1.0, 21.0)),
    ("a noisy dark picture", "<p id=x style='color: #fff; background: url(/noise-80.png)'>TEXT</p>", Nothing),
    ("a part of a picture", "<p id=x style='color: #ddd; background: url(/halves.png) -600px 0'>TEXT</p>", Fails(1.17, 1.18)),
    ("the other part of it", "<p id=x style='color: #ddd; background: url(/halves.png) 0 0; width: 500px'>TEXT</p>", Nothing),
    (
        "half on a picture",
        "<p id=x style='color: #fff; background: #ddd url(/111111.png) no-repeat 0 0 / 60px 100%'>TEXT</p>",
        Asks(1.36, 18.88),
    ),
    (
        "half under a header that is fixed",
        "<p id=x style='position: absolute; left: 4px; top: 100px; margin: 0; color: #ccc; background: linear-gradient(#fff, #ddd)'>TEXT</p>
         <div style='position: fixed; left: 0; top: 0; width: 60px; height: 200px; background: #222'></div>",
        Left,
    ),
    (
        "on a layer that stays while the page is scrolled",
        "<style>body::before { content: ''; position: fixed; inset: 0; z-index: -1; background: #222 }</style>
         <p id=x style='margin-top: 2000px; color: #fff; background: linear-gradient(transparent, transparent)'>TEXT</p>",
        Left,
    ),
    (
        "on a picture that stays while the page is scrolled",
        "<div style='position: fixed; inset: 0; z-index: -1'><img src='/222222.png' alt='' style='width: 100%; height: 100%'></div>
         <p id=x style='margin-top: 2000px; color: #fff; background: linear-gradient(transparent, transparent)'>TEXT</p>",
        Left,
    ),
    (
        "under a layer that is not seen",
        "<style>body::after { content: ''; position: fixed; inset: 0; opacity: 0; background: #000 } body::before { content: ''; position: fixed; inset: 0; display: none; background: #000 }</style>
         <p id=x style='color: #fff; background: linear-gradient(#000, #333)'>TEXT</p>",
        Nothing,
    ),
    (
        "beside a menu that is closed",
        "<div style='position: fixed; left: -100%; top: 0; width: 100%; height: 100%; background: #222'>Menu</div>
         <p id=x style='color: #fff; background: linear-gradient(#000, #333)'>TEXT</p>",
        Nothing,
    ),
    (
        "before what stays while the page is scrolled, but covers little of it",
        "<div style='position: fixed; left: 0; top: 400px; width: 900px; height: 60px; background: #222'>Cookies</div>
         <p id=x style='color: #fff; background: linear-gradient(#000, #333)'>TEXT</p>",
        Nothing,
    ),
    (
        "covered by something that shines through",
        "<div style='position: relative'><p id=x style='color: #ccc; background: linear-gradient(#fff, #ddd)'>TEXT</p>
         <div style='position: absolute; inset: 0; background: rgb(0 0 0 / 0.5); pointer-events: none'></div></div>",
        Left,
    ),
    ("large text", "<p id=x style='font-size: 24px; color: #8c8c8c; background: url(/ffffff.png)'>TEXT</p>", Nothing),
    ("bold text", "<p id=x style='font: bold 19px serif; color: #8c8c8c; background: url(/ffffff.png)'>TEXT</p>", Nothing),
    ("the same, small", "<p id=x style='font-size: 18px; color: #8c8c8c; background: url(/ffffff.png)'>TEXT</p>", Fails(3.36, 3.36)),
    ("a disabled control", "<button disabled id=x style='color: #ccc; background: linear-gradient(#fff, #ddd)'>TEXT</button>", Nothing),
    (
        "a background that moves",
        "<style>@keyframes a { to { background-position: 500px 0 } }</style>
         <p id=x style='color: #ccc; background: linear-gradient(#fff, #ddd); animation: a 9s linear infinite'>TEXT</p>",
        Left,
    ),
    (
        "on a canvas on which nothing is drawn",
        "<div style='position: relative'><canvas style='position: absolute; inset: 0'></canvas><p id=x style='position: relative; color: #ccc'>TEXT</p></div>",
        Fails(1.6, 1.61),
    ),
    ("a picture that may move", "<p id=x style='color: #777; background: url(/moving.gif)'>TEXT</p>", Left),
    (
        "transparent text",
        "<p id=x style='color: #000; opacity: 0.4; background: linear-gradient(#fff, #fefefe)'>TEXT</p>",
        Fails(2.8, 2.9),
    ),
    (
        "text that stands on other text",
        "<div style='position: relative; background: url(/ffffff.png)'><p id=x style='margin: 0; color: #000'>TEXT</p>
         <p style='position: absolute; left: 0; top: 0; margin: 0; color: #333; pointer-events: none'>Another sentence here</p></div>",
        Left,
    ),
    (
        "text whose lines are near to each other",
        "<p id=x style='width: 140px; padding: 6px; line-height: 1; color: #777; background: url(/888888.png)'>TEXT TEXT TEXT</p>",
        Fails(1.26, 1.26),
    ),
    (
        "text over text that is only for screen readers",
        "<p id=x style='color: #777; background: url(/888888.png)'>TEXT</p><p style='position: absolute; top: 10px; left: 10px; width: 1px; height: 1px;
         overflow: hidden; white-space: nowrap; margin: 0'>Another sentence</p>",
        Fails(1.26, 1.26),
    ),
    (
        "a step that only its class says to be disabled",
        "<a href=#n class='btn disabled' style='color: #ccc; background: linear-gradient(#fff, #ddd)'><span id=x>TEXT</span></a>",
        Left,
    ),
    (
        "text on a picture that turns",
        "<div class='carousel slide' style='background: url(/222222.png)'><p id=x style='color: #fff'>TEXT</p></div>",
        Left,
    ),
    (
        "text of a drawing",
        "<div style='background: url(/888888.png)'><svg width=300 height=60><text id=x x=10 y=40 style='fill: #777; font-size: 16px'>TEXT</text></svg></div>",
        Fails(1.26, 1.26),
    ),
    (
        "a text that blends",
        "<div style='background: linear-gradient(#fff, #ddd)'><p id=x style='color: #fff; mix-blend-mode: difference'>TEXT</p></div>",
        Left,
    ),
    (
        "a text with a shadow on a picture that is light",
        "<p id=x style='color: #fff; text-shadow: 0 0 2px #fff; background: url(/dddddd.png)'>TEXT</p>",
        Fails(1.09, 1.34),
    ),
    (
        "a text with a shadow",
        "<p id=x style='color: #fff; text-shadow: 2px 2px 6px #000; background: url(/222222.png)'>TEXT</p>",
        Nothing,
    ),
    (
        "a text far down the page",
        "<div style='height: 3000px'></div><p id=x style='color: #777; background: url(/888888.png)'>TEXT</p>",
        Fails(1.26, 1.26),
    ),
    (
        "a text at the end of a page of sixty screens",
        "<div style='height: 43000px'></div><p id=x style='color: #777; background: url(/888888.png)'>TEXT</p>",
        Fails(1.26, 1.26),
    ),
    (
        "a text below the edge of a box that scrolls",
        "<div tabindex=0 style='height: 60px; overflow: auto; scroll-behavior: smooth; background: url(/888888.png)'><div style='height: 400px'></div><p id=x style='color: #777'>TEXT</p></div>",
        Fails(1.26, 1.26),
    ),
    (
        "beside the edge of a box that scrolls",
        "<div tabindex=0 style='width: 300px; overflow-x: auto; white-space: nowrap; background: url(/222222.png)'><div style='width: 900px; padding-left: 600px'><span id=x style='color: #fff'>TEXT</span></div></div>",
        Nothing,
    ),
    (
        "below the edge of a box in which a heading stays",
        "<div tabindex=0 style='position: relative; height: 60px; overflow: auto; background: url(/888888.png)'>
         <div style='position: sticky; top: 0; height: 50px; background: #222'></div><div style='height: 400px'></div><p id=x style='color: #777'>TEXT</p></div>",
        Left,
    ),
    (
        "on other text, below the edge of a box",
        "<div tabindex=0 style='position: relative; height: 60px; overflow: auto; background: url(/888888.png)'><p id=x style='position: absolute; top: 300px; left: 0; margin: 0; color: #777'>TEXT</p>
         <p style='position: absolute; left: 0; top: 300px; margin: 0; color: #333; pointer-events: none'>Another sentence here</p></div>",
        Left,
    ),
    (
        "far below the edge of a box in which all is left open",
        "<div tabindex=0 style='height: 60px; overflow: auto; background: url(/888888.png)'>LONG<p id=x style='color: #777'>TEXT</p></div>",
        Fails(1.26, 1.26),
    ),
    (
        "within many levels, beside elements that are as deep",
        "HALF<div style='background: url(/222222.png)'>LINES<p id=x style='color: #fff'>TEXT</p></div>",
        Nothing,
    ),
    (
        "underlined by what it is in",
        "<p style='background: url(/222222.png)'><a href='/a' style='color: #fff; text-decoration-skip-ink: none'><span id=x>TEXT</span></a></p>",
        Nothing,
    ),
    (
        "below letters that reach into it",
        "<div style='font: 40px/32px sans-serif; color: #fff; padding: 20px 0; background: url(/222222.png)'><div aria-disabled=true>gjpqygjpqygjpqygjpqy</div><div id=x>TEXT</div></div>",
        Nothing,
    ),
    (
        "in the slot of a component",
        "<div style='background: url(/888888.png)'><template shadowrootmode=open><slot></slot></template><p id=x style='color: #777'>TEXT</p></div>",
        Fails(1.26, 1.26),
    ),
    ("beside very many elements", "<div id=x style='color: #777; background: url(/888888.png)'>TEXT MANY</div>", Fails(1.26, 1.26)),
    (
        "an empty field",
        "<input id=x aria-label=Name style='color: #fff; transition: background 9s; background: url(/222222.png)'>",
        Nothing,
    ),
    (
        "an empty field, very deep in the page",
        "DEEP<input id=x aria-label=Name style='color: #fff; background: url(/222222.png)'>",
        Left,
    ),
    (
        "an empty field in which a text would be too pale",
        "<textarea id=x aria-label=Name style='color: #777; background: url(/888888.png)'></textarea>",
        Left,
    ),
    (
        "an empty field with an example in it",
        "<input id=x aria-label=Name placeholder=Example style='color: #fff; background: url(/222222.png)'>",
        Left,
    ),
    (
        "an empty field below something that shines through",
        "<div style='position: relative'><input id=x aria-label=Name style='color: #fff; background: url(/222222.png)'>
         <div style='position: absolute; inset: 0; background: rgb(0 0 0 / 0.3); pointer-events: none'></div></div>",
        Left,
    ),
    (
        "an empty field that a sign is above",
        "<div style='position: relative'><input id=x aria-label=Name style='width: 100px; color: #fff; background: url(/222222.png)'>
         <div style='position: absolute; left: 30px; top: 2px; width: 10px; height: 14px; background: #fff; pointer-events: none'></div></div>",
        Left,
    ),
    (
        "a short word in a long field",
        "<input id=x aria-label=Name value=Bike style='width: 500px; color: #777; background: url(/888888.png)'>",
        Fails(1.26, 1.26),
    ),
    (
        "a button whose word a picture stands for",
        "<input type=submit id=x value=TEXT style='width: 100px; height: 30px; font-size: 0; color: #777; background: url(/888888.png)'>",
        Left,
    ),
    (
        "a list of choices",
        "<select id=x aria-label=Name style='width: 300px; color: #fff; background: url(/222222.png)'><option>TEXT</select>",
        Nothing,
    ),
    ("a figure", "<p id=x style='color: #777; background: url(/888888.png)'>7</p>", Fails(1.26, 1.26)),
    ("a word of one sign", "<p id=x style='color: #777; background: url(/888888.png)'>中</p>", Fails(1.26, 1.26)),
    ("a letter", "<p id=x style='color: #777; background: url(/888888.png)'>x</p>", Left),
    (
        "a figure in a font of its own",
        "<p id=x style='font-family: monospace; color: #777; background: url(/888888.png)'>7</p>",
        Left,
    ),
    (
        "on a drawing that stands still",
        "<div style='position: relative'><canvas style='position: absolute; inset: 0'></canvas><p id=x style='position: relative; color: #fff'>TEXT</p></div>
         <script>const pen = document.querySelector('canvas').getContext('2d'); pen.fillStyle = '#222'; pen.fillRect(0, 0, 300, 150)</script>",
        Nothing,
    ),
    (
        "on a drawing that goes on",
        "<div style='position: relative'><canvas style='position: absolute; inset: 0'></canvas><p id=x style='position: relative; color: #fff'>TEXT</p></div>
         <script>const pen = document.querySelector('canvas').getContext('2d'); let blue = 0;
         setInterval(() => { pen.fillStyle = `rgb(30 30 ${blue++ % 90})`; pen.fillRect(0, 0, 300, 150) }, 10)</script>",
        Left,
    ),
    ("very deep in the page", "DEEP<p id=x style='color: #777; background: url(/888888.png)'>TEXT</p>", Fails(1.26, 1.26)),
    // What axe-core leaves open because of the square that a style sheet paints far from it, on one colour.
    ("a colour beside what a style sheet paints", "FAR<p id=x style='color: #ccc; background: #fff'>TEXT</p>", Fails(1.6, 1.61)),
    ("a darker one there", "FAR<p id=x style='color: #555; background: #fff'>TEXT</p>", Nothing),
    ("a transparent one there", "FAR<p id=x style='color: rgb(0 0 0 / 0.4)'>TEXT</p>", Fails(2.84, 2.85)),
    ("text beside the dark box that it is in", "FAR<div style='position: relative; width: 90px; height: 9px; background: #222'><p id=x style='position: absolute; top: 30px; color: #ccc; white-space: nowrap'>TEXT</p></div>", Fails(1.6, 1.61)),
    ("the colour of the root", "<style>html { background: #222 }</style>FAR<p id=x style='color: #fff'>TEXT</p>", Nothing),
    ("the body in the root", "<style>html { background: #222 } body { background: #fff }</style>FAR<p id=x style='color: #ccc'>TEXT</p>", Fails(1.6, 1.61)),
    (
        "what a style sheet paints below a text",
        "<style>#x { position: relative; z-index: 0 } #x::before { content: ''; position: absolute; inset: -4px; z-index: -1; background: #ddd }</style>
         <p id=x style='width: 300px; margin: 9px; color: #fff'>TEXT</p>",
        Fails(1.35, 1.36),
    ),
    // And on what is less plain.
    (
        "what it paints below all of the page",
        "<style>#x { position: relative } #x::before { content: ''; position: absolute; inset: -4px; z-index: -1; background: #222 }</style>
         <div style='background: #fff'><p id=x style='width: 300px; margin: 9px; color: #ccc'>TEXT</p></div>",
        Fails(1.6, 1.61),
    ),
    (
        "what it paints above a text",
        "FAR<style>#x { position: relative } #x::after { content: ''; position: absolute; inset: 0; background: rgb(0 0 0 / 0.5) }</style><p id=x style='color: #ccc'>TEXT</p>",
        Left,
    ),
    ("what it paints above all that is around a text", "<style>main::after { content: ''; position: absolute; inset: 0; background: rgb(0 0 0 / 0.5) }</style><div style='background: #fff'><p id=x style='color: #ccc'>TEXT</p></div>", Left),
    ("a box whose corners are round", "FAR<div style='width: 400px; height: 90px; border-radius: 45px; background: #222'><p id=x style='margin: 0; color: #fff'>TEXT</p></div>", Asks(1.0, 15.92)),
    ("text that leaves its box", "FAR<div style='width: 30px; height: 40px; background: #222'><p id=x style='margin: 0; color: #fff; white-space: nowrap'>TEXT</p></div>", Asks(1.0, 15.92)),
    ("text through which its ground shines", "FAR<div style='opacity: 0.5'><p id=x style='color: #000'>TEXT</p></div>", Fails(3.97, 4.12)),
    ("a picture below a text", "<img alt='' src=/222222.png style='position: absolute; left: 0; top: 0; width: 900px; height: 200px'><p id=x style='position: relative; color: #fff'>TEXT</p>", Nothing),
    ("a drawing below a text", "FAR<svg style='position: absolute; left: 0; top: 0' width=900 height=200><rect width=900 height=200 fill='#222' /></svg><p id=x style='position: relative; color: #fff'>TEXT</p>", Nothing),
    (
        "what a shadow tree paints that nobody can read",
        "FAR<script>customElements.define('x-card', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML =
         '<div style=\"background: #222\"><slot></slot></div>' } })</script><x-card><p id=x style='color: #fff'>TEXT</p></x-card>",
        Nothing,
    ),
    ("a canvas that is dark by itself", "<style>:root { color-scheme: dark }</style>FAR<p id=x style='color: #fff'>TEXT</p>", Nothing),
    ("a dialog above all else", "FAR<p id=y>TEXT</p><dialog id=d class=far style='background: #222'><p id=x style='color: #fff'>TEXT</p></dialog><script>d.showModal()</script>", Nothing),
];

fn bodies_of_cases() -> Vec<String> {
    let long = "<p style='height: 60px; color: #fff'>Bicycles of steel</p>".repeat(12);
    let many = "<i></i>".repeat(500);
    let (deep, half) = ("<div>".repeat(80), "<div>".repeat(40));
    let lines = "<p style='color: #fff'>Bicycles of steel</p>".repeat(250);
    let words = [
        ("TEXT", "Handmade bicycles"),
        ("MANY", &many),
        ("DEEP", &deep),
        ("HALF", &half),
        ("LONG", &long),
        ("LINES", &lines),
        ("FAR", FAR),
    ];
    let body = |body: &str| words.iter().fold(body.to_owned(), |body, (word, text)| body.replace(word, text));
    CASES.iter().map(|(_, text, _)| body(text)).collect()
}

fn png(image: &RgbImage) -> Reply {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    Reply::File("image/png", bytes.into_inner())
}

/// Returns the picture at an address: of a colour, of noise up to a brightness, or one that is dark on the left and light on the right.
fn picture(name: &str) -> Reply {
    if let Some(most) = name.strip_prefix("noise-") {
        let (most, mut state) = (most.parse::<u32>().unwrap(), 1_u32);
        return png(&RgbImage::from_fn(700, 100, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Rgb([u8::try_from((state >> 8) % (most + 1)).unwrap(); 3])
        }));
    }
    if name == "halves" {
        return png(&RgbImage::from_fn(1_200, 100, |x, _| Rgb([if x < 600 { 0x11 } else { 0xee }; 3])));
    }
    let colour = u32::from_str_radix(name, 16).unwrap_or_default().to_be_bytes();
    png(&RgbImage::from_pixel(40, 40, Rgb([colour[1], colour[2], colour[3]])))
}

fn answer(request: &Request, bodies: &[String]) -> Reply {
    let name = request.path.trim_start_matches('/');
    if let Some(name) = name.strip_suffix(".png").or_else(|| name.strip_suffix(".gif")) {
        return picture(name);
    }
    let body = name.parse::<usize>().ok().and_then(|number| bodies.get(number));
    Reply::Html(page("A page of a test", body.map_or("ok", String::as_str)))
}

async fn scan(site: &Site, pages: usize, scanner: ChromiumScanner) -> Findings {
    let pages = (0..pages).map(|number| site.url(&format!("/{number}")).parse().unwrap());
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), PageList::new(pages).unwrap());
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output.findings
}

fn of<'a>(list: &'a [Finding], rule: &str, page: usize) -> Option<&'a Finding> {
    list.iter().find(|finding| finding.page == page && finding.rule == RuleId::new(rule) && finding.selector == "#x")
}

/// Returns what is said about the text of a page. A text for which two rules ask a person is none of these.
fn said(findings: &Findings, page: usize) -> Option<Said> {
    let range = |finding: &Finding| {
        let values: Vec<f64> =
            finding.checks[0].values["contrastRatio"].iter().map(|value| value.parse().unwrap()).collect();
        (values[0], values[values.len() - 1])
    };
    let left = of(&findings.undecided, AXE, page);
    match (of(&findings.items, PROBE, page).map(range), of(&findings.undecided, PROBE, page).map(range), left) {
        (Some((least, most)), None, None) => Some(Fails(least, most)),
        (None, Some((least, most)), None) => Some(Asks(least, most)),
        (None, None, Some(_)) => Some(Left),
        (None, None, None) => Some(Nothing),
        _ => None,
    }
}

fn is_near(found: Option<Said>, wanted: Said) -> bool {
    let near = |one: f64, other: f64, by: f64| (one - other).abs() <= by;
    match (found, wanted) {
        (Some(Fails(a, b)), Fails(least, most)) => near(a, least, 0.06) && near(b, most, 0.06),
        // How far letters reach into the one side or the other is the font's.
        (Some(Asks(a, b)), Asks(least, most)) => a >= least - 0.06 && a < 4.5 && b > 4.5 && b <= most + 0.06,
        (found, wanted) => found == Some(wanted),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contrast_that_axe_core_leaves_open_is_decided_only_where_every_pixel_agrees() {
    let bodies = bodies_of_cases();
    let site = Site::start(move |request| answer(request, &bodies)).await;
    let findings = scan(&site, CASES.len(), ChromiumScanner::new(measuring()).unwrap()).await;
    let mut wrong = Vec::new();
    for (number, (name, _, wanted)) in CASES.iter().enumerate() {
        let found = said(&findings, number);
        if !is_near(found, *wanted) || of(&findings.items, AXE, number).is_some() {
            wrong.push(format!("{name}: {found:?} in place of {wanted:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let failed = of(&findings.items, PROBE, 3).unwrap();
    let german = sentence(&failed.checks[0], Locale::De).unwrap();
    assert!(german.contains("–1,") && german.contains("4,5:1") && german.contains("16"), "{german}");
    let asked = of(&findings.undecided, PROBE, 4).unwrap();
    assert!(sentence(&asked.checks[0], Locale::En).unwrap().contains("–21:1 "), "{asked:?}");

    // Whoever does not want it has what axe-core says.
    let bodies = bodies_of_cases();
    let site = Site::start(move |request| answer(request, &bodies)).await;
    let config = config();
    let plain = scan(&site, CASES.len(), ChromiumScanner::new(config).unwrap()).await;
    assert!(!plain.ran.unwrap().contains(PROBE));
    assert!(plain.undecided.iter().filter(|finding| finding.rule == RuleId::new(AXE)).count() > 18);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_does_not_notice_that_its_texts_were_painted() {
    let told = Arc::new(AtomicU32::new(0));
    let noticed = Arc::clone(&told);
    let body = "<style>* { transition: all 0.5s } p { color: #ccc; background: linear-gradient(#fff, #ddd) }</style>
        <p id=x>Handmade bicycles</p><div style='height: 2000px'></div><p id=y>Handmade bicycles</p>
        <p id=z style='-webkit-text-fill-color: #bbb !important'>Handmade bicycles</p>
        <div tabindex=0 style='height: 60px; overflow: auto'><div style='height: 400px'></div><p id=w>Handmade bicycles</p></div>
        <form><input name=adoptedStyleSheets aria-label=x><input name=offsetHeight aria-label=y><img name=getAnimations src='data:,' alt=x></form>
        <script>
            const tell = (what) => fetch(`/noticed?${what}`);
            for (const what of ['transitionrun', 'transitionstart', 'transitionend', 'resize', 'scroll', 'scrollend']) addEventListener(what, () => tell(what), true);
            new IntersectionObserver(([entry]) => { if (entry.isIntersecting) tell('in view') }).observe(w);
            new MutationObserver(() => tell('changed')).observe(document, { subtree: true, attributes: true, childList: true });
            setInterval(() => { if (document.adoptedStyleSheets.length > 0) tell('sheet') }, 10);
            setInterval(() => { if (getComputedStyle(x).webkitTextFillColor !== 'rgb(204, 204, 204)') tell('colour') }, 10);
        </script>";
    let bodies = [body.to_owned()];
    let site = Site::start(move |request| {
        if request.path.starts_with("/noticed") {
            noticed.fetch_add(1, Ordering::Relaxed);
        }
        answer(request, &bodies)
    })
    .await;
    let scanner = ChromiumScanner::new(measuring().with_evidence(Evidence::LeftOut)).unwrap();
    let findings = scan(&site, 1, scanner).await;
    let failing: Vec<&str> = findings
        .items
        .iter()
        .filter(|item| item.rule == RuleId::new(PROBE))
        .map(|item| item.selector.as_str())
        .collect();
    assert_eq!(failing, ["#x", "#y", "#w"], "the colour of the third is more important than ours");
    assert_eq!(told.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_texts_are_measured_within_bounds_and_one_of_each_kind_first() {
    let many: String = (0..2_500)
        .map(|number| format!("<li style='color: #ccc; background: linear-gradient(#fff, #ddd)'>Number {number}</li>"))
        .collect();
    let other = "<p style='position: absolute; top: 900px; left: 600px; color: #777; background: url(/888888.png)' id=x>Handmade bicycles</p>";
    let bodies = [format!("<ul>{many}</ul>{other}")];
    let site = Site::start(move |request| answer(request, &bodies)).await;
    let patient = measuring().with_page_timeout(Duration::from_secs(60));
    let findings = scan(&site, 1, ChromiumScanner::new(patient).unwrap()).await;
    let kept = findings.items.iter().filter(|item| item.rule == RuleId::new(PROBE)).count();
    let left_out = findings.pages[0].left_out.get(&RuleId::new(PROBE)).copied().unwrap_or_default();
    let measured = u32::try_from(kept).unwrap() + left_out;
    // How many there is time for is the machine's.
    assert!(measured <= 2_000 && measured + findings.needs_review[&RuleId::new(AXE)] == 2_501, "{measured}");
    assert_eq!(of(&findings.items, PROBE, 0).is_some(), measured > 0);
}

/// Links in a text, with what is right to say about them; both are measured on a background that axe-core does not know.
const LINKS: [(&str, &str, Said); 11] = [
    (
        "nearly the colour of the text",
        "<p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #a00'>LINK</a> TEXT</p>",
        Fails(1.9, 2.2),
    ),
    (
        "far from the colour of the text",
        "<p style='color: #111; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #7070ff'>LINK</a> TEXT</p>",
        Nothing,
    ),
    (
        "on a gradient that both share",
        "<p style='color: #222; background: linear-gradient(to right, #fff, #ccc)'>TEXT <a id=x href='/a' style='color: #a00'>LINK</a> TEXT</p>",
        Fails(1.9, 2.2),
    ),
    (
        "on an area of its own",
        "<p style='color: #222; background: url(/ffffff.png)'>TEXT <a id=x href='/a' style='color: #fff; background: url(/111111.png)'>LINK</a> TEXT</p>",
        Nothing,
    ),
    (
        "underlined",
        "<p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #a00; text-decoration: underline'>LINK</a> TEXT</p>",
        Nothing,
    ),
    (
        "in the colour of the text",
        "<p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #222'>LINK</a> TEXT</p>",
        Left,
    ),
    (
        "with a sign before it",
        "<style>#x::before { content: '>' }</style><p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #a00'>LINK</a> TEXT</p>",
        Left,
    ),
    (
        "in elements of its own, in a form that hides properties",
        "<form style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #a00'><code><span>LINK</span></code></a> TEXT <input name=parentElement aria-label=x></form>",
        Fails(1.9, 2.2),
    ),
    (
        "in a text that is no block of its own",
        "<div style='background: url(/dddddd.png)'><p style='display: inline; color: #222'>TEXT <a id=x href='/a' style='color: #a00'>LINK</a> TEXT</p></div>",
        Fails(1.9, 2.2),
    ),
    (
        "with words that are only for screen readers",
        "<p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='position: relative; color: #a00'>LINK<span style='position: absolute;
         width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0); color: #000'> LINK</span></a> TEXT</p>",
        Fails(1.9, 2.2),
    ),
    (
        "in elements of several colours",
        "<p style='color: #222; background: url(/dddddd.png)'>TEXT <a id=x href='/a' style='color: #a00'><b>LINK</b> <b style='color: #00a'>LINK</b></a> TEXT</p>",
        Left,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_axe_core_leaves_open_is_compared_with_the_text_around_it() {
    let plain = "<style>a { text-decoration: none }</style>";
    let bodies: Vec<String> = LINKS
        .iter()
        .map(|(_, body, _)| {
            format!(
                "{plain}{}",
                body.replace("TEXT", "Handmade bicycles for everybody").replace("LINK", "from our town")
            )
        })
        .collect();
    let site = Site::start(move |request| answer(request, &bodies)).await;
    let findings = scan(&site, LINKS.len(), ChromiumScanner::new(measuring()).unwrap()).await;
    let mut wrong = Vec::new();
    for (number, (name, _, wanted)) in LINKS.iter().enumerate() {
        let range = |finding: &Finding| {
            let values: Vec<f64> =
                finding.checks[0].values["contrastRatio"].iter().map(|value| value.parse().unwrap()).collect();
            (values[0], values[values.len() - 1])
        };
        let failed = of(&findings.items, "a11ycheck-link-contrast", number).map(range);
        let left = of(&findings.undecided, "link-in-text-block", number);
        let said = match (failed, of(&findings.undecided, "a11ycheck-link-contrast", number).map(range), left) {
            (Some((least, most)), None, None) => Fails(least, most),
            (None, Some((least, most)), None) => Asks(least, most),
            (None, None, Some(_)) => Left,
            _ => Nothing,
        };
        let is_right = match (said, *wanted) {
            (Fails(least, most), Fails(low, high)) => least >= low && most <= high,
            (said, wanted) => said == wanted,
        };
        if !is_right || of(&findings.items, "link-in-text-block", number).is_some() {
            wrong.push(format!("{name}: {said:?} in place of {wanted:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let failed = of(&findings.items, "a11ycheck-link-contrast", 0).unwrap();
    let german = sentence(&failed.checks[0], Locale::De).unwrap();
    assert!(german.contains("2,0") && german.contains("3:1"), "{german}");
}
