//! Animated pictures: those that move for more than five seconds, and those that flash.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog::sentence,
    domain::{Finding, Findings, RuleId},
    id::ScanId,
    locale::Locale,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};

use crate::support::{Progress, Reply, Site, page, scanner};

const MOVING: &str = "a11ycheck-moving-picture";
const FLASHING: &str = "a11ycheck-flashing-picture";

const BLACK: u8 = 0;
const WHITE: u8 = 1;
const RED: u8 = 2;

/// Returns a GIF of 8 by 8 pixels, each frame of one colour and shown for so many hundredths of a second. It says how often it is played again,
/// zero for without end, or does not.
fn gif(colours: &[u8], delay: u16, again: Option<u16>) -> Vec<u8> {
    let mut file = b"GIF89a\x08\0\x08\0\xf1\0\0\0\0\0\xff\xff\xff\xff\0\0\0\0\xff".to_vec();
    if let Some(again) = again {
        file.extend(b"\x21\xff\x0bNETSCAPE2.0\x03\x01");
        file.extend(again.to_le_bytes());
        file.push(0);
    }
    for colour in colours {
        file.extend(b"\x21\xf9\x04\x04");
        file.extend(delay.to_le_bytes());
        file.extend(b"\0\0\x2c\0\0\0\0\x08\0\x08\0\0\x02");
        let pixels = pixels(*colour);
        file.push(u8::try_from(pixels.len()).unwrap());
        file.extend(pixels);
        file.push(0);
    }
    file.push(0x3b);
    file
}

/// Returns 64 pixels of a colour, in codes of three bits that are begun afresh before they would grow.
fn pixels(colour: u8) -> Vec<u8> {
    const CLEAR: u8 = 4;
    const END: u8 = 5;
    let codes = [CLEAR, colour, colour].repeat(32).into_iter().chain([END]);
    let bits: Vec<bool> = codes.flat_map(|code| [0, 1, 2].map(|bit| (code >> bit) & 1 == 1)).collect();
    bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| (sum << 1) | u8::from(*bit))).collect()
}

/// Returns a WebP of two frames, red and blue, that are shown for 400 milliseconds each, without end.
fn webp() -> Vec<u8> {
    BASE64_STANDARD.decode("UklGRoQAAABXRUJQVlA4WAoAAAACAAAABwAABwAAQU5JTQYAAAAAAAAAAABBTk1GKAAAAAAAAAAAAAcAAAcAAJABAAJWUDhMDwAAAC8HwAEABxD9j/4HIqL/AQBBTk1GKAAAAAAAAAAAAAcAAAcAAJABAABWUDhMDwAAAC8HwAEABxDR//4HIqL/AQA=").unwrap()
}

/// Returns the same as a PNG.
fn apng() -> Vec<u8> {
    BASE64_STANDARD.decode("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAAIAAAACAAAAAAAAAAAAAIABQAAvrKHjwAAABJJREFUeJxj/M+AHTDhEB+kEgDNQQEP6EHibwAAABpmY1RMAAAAAQAAAAgAAAAIAAAAAAAAAAAAAgAFAAAlwW1bAAAAGGZkQVQAAAACeJxjZGD4z4ANMGEVHbQSAMtDAQ+LnnysAAAAAElFTkSuQmCC").unwrap()
}

fn file(path: &str) -> Option<Reply> {
    let endless = Some(0);
    let reply = |bytes| Some(Reply::File("image/gif", bytes));
    match path {
        "/moving.gif" | "/spinner.gif" => reply(gif_of_half_seconds()),
        // Four times half a second.
        "/three.gif" => reply(gif(&[BLACK, RED], 25, Some(3))),
        "/four-seconds.gif" => reply(gif(&[BLACK, RED, WHITE], 200, None)),
        "/six-seconds.gif" => reply(gif(&[BLACK, RED, WHITE, BLACK], 200, None)),
        "/once.gif" => reply(gif(&[BLACK, RED], 60, None)),
        "/still.gif" => reply(gif(&[RED], 50, None)),
        "/one-frame.gif" => reply(gif(&[RED], 10, endless)),
        "/same.gif" => reply(gif(&[RED, RED, RED], 50, endless)),
        "/flashing.gif" => reply(gif(&[BLACK, WHITE], 10, endless)),
        "/three-a-second.gif" => reply(gif(&[BLACK, WHITE], 17, endless)),
        "/seven-changes.gif" => reply(gif(&[BLACK, WHITE], 15, endless)),
        "/huge.gif" => {
            let mut bytes = gif_of_half_seconds();
            bytes[6..10].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
            reply(bytes)
        }
        "/cut.gif" => {
            let bytes = gif_of_half_seconds();
            reply(bytes[..60].to_vec())
        }
        "/long.gif" => reply(gif(&[BLACK, WHITE].repeat(5_000), 50, endless)),
        "/text.gif" => reply(b"GIF89a, says the page".to_vec()),
        "/moving.webp" => Some(Reply::File("image/webp", webp())),
        "/moving.png" => Some(Reply::File("image/png", apng())),
        _ => None,
    }
}

fn gif_of_half_seconds() -> Vec<u8> {
    gif(&[BLACK, RED], 50, Some(0))
}

/// The expected result for the pictures of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Asks,
    Fails,
}

use Said::{Asks, Fails, Nothing};

/// Pages with what is said about movement and about flashes.
const CASES: [(&str, Said, Said); 32] = [
    ("<p>Text</p><img alt=x src=/moving.gif width=90 height=90>", Fails, Nothing),
    ("<p>Text</p><img alt=x src=/moving.webp width=90 height=90>", Fails, Nothing),
    ("<p>Text</p><img alt=x src=/moving.png width=90 height=90>", Fails, Nothing),
    ("<p>Text</p><img alt=x src='/moving.gif#part' class=lazyloaded width=90 height=90>", Fails, Nothing),
    ("<p>Text</p><img alt=x src='DATA' width=90 height=90>", Fails, Nothing),
    ("<p>Text</p><img alt=x src=/six-seconds.gif width=90 height=90>", Fails, Nothing),
    (
        "<p>Text</p><div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<img alt=x src=/moving.gif width=90 height=90>'</script>",
        Fails,
        Nothing,
    ),
    // Something may stop it, or it may have a reason.
    ("<p>Text</p><img alt=x src=/moving.gif width=90 height=90><button>Pause</button>", Asks, Nothing),
    ("<p>Text</p><img alt=x src=/moving.gif width=90 height=90><button>Menu</button>", Asks, Nothing),
    ("<p>Text</p><img alt=x src=/moving.gif width=90 height=90><a href='?still'>Stop the animation</a>", Asks, Nothing),
    ("<p>Text</p><img alt=x src=/moving.gif width=90 height=90 style='cursor: pointer'>", Asks, Nothing),
    ("<p>Text</p><input type=image alt=x src=/moving.gif width=90 height=90>", Asks, Nothing),
    ("<p>Text</p><img alt=x src=/spinner.gif width=90 height=90>", Asks, Nothing),
    ("<p>Text</p><div aria-busy=true><img alt=x src=/moving.gif width=90 height=90></div>", Asks, Nothing),
    ("<p>Text</p><img alt=x src=/moving.gif width=32 height=32>", Asks, Nothing),
    // It ends in time, does not move, or is not seen.
    ("<p>Text</p><img alt=x src=/three.gif width=90 height=90>", Nothing, Nothing),
    ("<p>Text</p><img alt=x src=/four-seconds.gif width=90 height=90>", Nothing, Nothing),
    ("<p>Text</p><img alt=x src=/once.gif width=90 height=90>", Nothing, Nothing),
    (
        "<p>Text</p><img alt=x src=/still.gif width=90 height=90><img alt=x src=/one-frame.gif width=90 height=90>",
        Nothing,
        Nothing,
    ),
    ("<p>Text</p><img alt=x src=/same.gif width=90 height=90>", Nothing, Nothing),
    ("<p>Text</p><img alt=x src=/moving.gif width=4 height=4><img alt=x src=/moving.gif hidden>", Nothing, Nothing),
    (
        "<p>Text</p><picture><source media='(prefers-reduced-motion: reduce)' srcset=/still.gif><img alt=x src=/moving.gif width=90 height=90></picture>",
        Nothing,
        Nothing,
    ),
    // Flashes: five in a second, fewer, smaller, and where something else may decide.
    ("<p>Text</p><img alt=x src=/flashing.gif width=400 height=300>", Fails, Fails),
    ("<p>Text</p><img alt=x src=/flashing.gif width=160 height=150>", Fails, Asks),
    ("<p>Text</p><img alt=x src=/flashing.gif width=100 height=100>", Fails, Nothing),
    ("<p>Text</p><img alt=x src=/three-a-second.gif width=400 height=300>", Fails, Nothing),
    ("<p>Text</p><img alt=x src=/seven-changes.gif width=400 height=300>", Fails, Asks),
    ("<p>Text</p><div style='opacity: 0.9'><img alt=x src=/flashing.gif width=400 height=300></div>", Fails, Asks),
    ("<p>Text</p><div style='height: 3000px'></div><img alt=x src=/flashing.gif width=400 height=300>", Fails, Asks),
    // Hostile: what a file claims, one that ends early, one that goes on, and names that hide properties.
    (
        "<p>Text</p><img alt=x src=/huge.gif width=90 height=90><img alt=x src=/text.gif width=90 height=90><img alt=x src=/cut.gif width=90 height=90>",
        Nothing,
        Nothing,
    ),
    ("<p>Text</p><img alt=x src=/long.gif width=90 height=90>", Fails, Nothing),
    (
        "<p>Text</p><img alt=x name=body src=/still.gif width=90 height=90><img alt=x name=elementFromPoint src=/flashing.gif width=400 height=300>",
        Fails,
        Fails,
    ),
];

async fn scan_all(site: &Site, paths: &[String]) -> Findings {
    let scanner = scanner();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output.findings
}

fn said(findings: &Findings, page: usize, rule: &str) -> Said {
    let is_of = |finding: &Finding| finding.page == page && finding.rule == RuleId::new(rule);
    if findings.items.iter().any(is_of) {
        Fails
    } else if findings.undecided.iter().any(is_of) {
        Asks
    } else {
        Nothing
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_goes_on_moving_or_flashes_is_named_and_no_other() {
    let data = format!("data:image/gif;base64,{}", BASE64_STANDARD.encode(gif_of_half_seconds()));
    let bodies = CASES.map(|(body, ..)| body.replace("DATA", &data));
    let site = Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| bodies.get(number)).map_or("ok", String::as_str);
        file(&request.path).unwrap_or_else(|| Reply::Html(page("A page of a test", body)))
    })
    .await;
    let paths: Vec<String> = (0..CASES.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_all(&site, &paths).await;
    let mut wrong = Vec::new();
    for (page, (body, moving, flashing)) in CASES.iter().enumerate() {
        let found = (said(&findings, page, MOVING), said(&findings, page, FLASHING));
        if found != (*moving, *flashing) {
            wrong.push(format!("{found:?}: {body}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let ran = findings.ran.as_ref().unwrap();
    assert!(ran.contains(MOVING) && ran.contains(FLASHING), "{ran:?}");
    let of_probes = findings.items.iter().chain(&findings.undecided);
    let checks =
        of_probes.flat_map(|finding| &finding.checks).filter(|check| [MOVING, FLASHING].contains(&check.id.as_str()));
    let unsaid: BTreeSet<String> = checks
        .filter(|check| Locale::ALL.into_iter().any(|locale| sentence(check, locale).is_none()))
        .map(|check| format!("{check:?}"))
        .collect();
    assert_eq!(unsaid, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_frames_of_pictures_cost_a_site_no_request() {
    let body =
        "<p>Text</p><img alt=x src=/moving.gif width=90 height=90><img alt=x src=/moving.webp width=90 height=90>";
    let site =
        Site::start(move |request| file(&request.path).unwrap_or_else(|| Reply::Html(page("A page of a test", body))))
            .await;
    let findings = scan_all(&site, &["/".to_owned()]).await;
    assert_eq!(said(&findings, 0, MOVING), Fails);
    assert_eq!((site.hits("/moving.gif"), site.hits("/moving.webp")), (1, 1));
}
