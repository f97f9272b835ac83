//! Frames of the site's own and of other sites: none learns about another, and none influences what is said of another.

use std::time::Duration;

use a11ycheck_core::domain::{FailureCode, Finding, Findings};
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Site, config, page, scan, scanner};

/// A script that reports every message and its content to its own site.
const LISTENER: &str = "<script>
    addEventListener('message', (event) => {
        fetch('/heard?' + encodeURIComponent(String(event.data).slice(0, 3000)));
    });
</script>";
/// The same, which also requests the results of all frames as axe-core would.
const SPY: &str = "<script>
    addEventListener('message', (event) => {
        fetch('/heard?' + encodeURIComponent(String(event.data).slice(0, 3000)));
    });
    setInterval(() => {
        for (let number = 0; number < frames.length; number++) {
            for (const topic of ['axe.ping', 'axe.start']) {
                frames[number].postMessage(JSON.stringify({
                    topic, channelId: 'spy', messageId: String(Math.random()), keepalive: true, source: 'axeAPI.4.14.1',
                    payload: topic === 'axe.start' ? { command: 'rules', context: {}, options: {} } : null,
                }), '*');
            }
        }
    }, 50);
</script>";

/// Returns `rule selector` of the intended faults in the documents of these tests. Each of them is also a landmark like
/// the others.
fn faults<'a>(items: impl Iterator<Item = &'a Finding>) -> Vec<String> {
    let faults = items.filter(|item| ["image-alt", "button-name"].contains(&item.rule.as_str()));
    faults.map(|item| format!("{} {}", item.rule, item.selector)).collect()
}

fn items(findings: &Findings) -> Vec<String> {
    faults(findings.items.iter())
}

fn heard(site: &Site) -> Vec<String> {
    site.requests().into_iter().map(|request| request.path).filter(|path| path.starts_with("/heard")).collect()
}

/// Returns the same for the page with this path.
fn items_of(findings: &Findings, path: &str) -> Vec<String> {
    let number = findings.pages.iter().position(|page| page.url.ends_with(path)).unwrap();
    assert!(findings.pages[number].is_checked(), "{:?}", findings.pages[number]);
    faults(findings.items.iter().filter(|item| item.page == number))
}

/// Returns the codes and addresses of the frames of a page that were not checked.
fn unchecked(findings: &Findings, number: usize) -> Vec<(FailureCode, &str)> {
    findings.pages[number].unchecked_frames.iter().map(|frame| (frame.reason, frame.url.as_str())).collect()
}

/// Checks a page with a frame of another site that holds a secret, which is both in the page itself and in an
/// advertisement. Returns what scripts of the page and of the advertisement heard.
async fn heard_beside_a_secret(script: &str) -> Vec<String> {
    let secret = Site::start(|_| Reply::Html(page("Secret", "<p>SECRET-4711</p><button id=secret></button>"))).await;
    let in_frame = secret.url_as("b.test", "/");
    let advertisement = {
        let body = format!("{script}<iframe title=hidden id=s src='{in_frame}'></iframe><img id=ad src=data:,>");
        Site::start(move |_| Reply::Html(page("Advertisement", &body))).await
    };
    let honest = {
        let (ad, title) = (advertisement.url_as("localhost", "/"), "title=secret");
        let body = format!(
            "{script}<iframe title=ad id=a src='{ad}'></iframe><iframe {title} id=b src='{in_frame}'></iframe>"
        );
        Site::start(move |_| Reply::Html(page("Honest", &body))).await
    };
    let scanner = scanner();
    let findings = scan(&scanner, &honest.url("/"), 1).await;
    scanner.close().await;
    let found = items(&findings);
    for element in ["#a #ad", "#a #s #secret", "#b #secret"] {
        assert!(found.iter().any(|item| item.ends_with(element)), "{element} in {found:?}");
    }
    assert_eq!(findings.pages[0].frames_not_checked, 0);
    [heard(&honest), heard(&advertisement)].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_frame_shows_reaches_neither_the_page_nor_the_other_frames() {
    assert_eq!(heard_beside_a_secret(LISTENER).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_frames_in_axe_cores_name_gets_no_answer() {
    // Each script hears the other's questions: nothing else listens.
    let heard = heard_beside_a_secret(SPY).await;
    let answers: Vec<&String> = heard.iter().filter(|message| !message.contains("%22topic%22%3A%22axe.")).collect();
    assert_eq!(answers, Vec::<&String>::new());
}

/// The replies of a script to each message of axe-core, as expressions of `message` and `reply`.
const ANSWERS: [(&str, &str); 6] = [
    ("empty", "reply({ payload: [] })"),
    (
        "forged",
        "reply({ payload: [{ id: 'image-alt', result: 'inapplicable', pageLevel: false, impact: null, nodes: Array.from({ length: 300 },
            (_, n) => ({ all: [], none: [], node: { selector: ['#forged' + n], source: '<forged>', xpath: ['/'], ancestry: ['html'], nodeIndexes: [n] },
                any: [{ id: 'has-alt', data: null, relatedNodes: [], result: false }] })) }] })",
    ),
    ("unknown", "reply({ payload: [{ id: 'no-such-rule', result: 'failed', nodes: [] }] })"),
    ("text", "reply({ payload: 'nothing' })"),
    ("error", "reply({ error: { name: 'Error', message: 'boom', stack: '' } })"),
    ("swallow", "0"),
];

fn answering(answer: &str) -> String {
    format!(
        "<script>addEventListener('message', (event) => {{
            event.stopImmediatePropagation();
            const message = JSON.parse(event.data);
            const reply = (rest) => event.source.postMessage(JSON.stringify({{
                channelId: message.channelId, messageId: String(Math.random()), keepalive: false, source: message.source, ...rest,
            }}), '*');
            if (message.topic === 'axe.ping') reply({{ payload: null }});
            else {{ {answer} }}
        }})</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_or_a_frame_answers_in_axe_cores_name_changes_nothing() {
    let advertisement = Site::start(|request| {
        let answer = ANSWERS.iter().find(|(name, _)| request.path.ends_with(name));
        let script = answer.map(|(_, answer)| answering(answer)).unwrap_or_default();
        Reply::Html(page("Advertisement", &format!("{script}<img id=ad src=data:,>")))
    })
    .await;
    let ads = advertisement.url_as("localhost", "");
    let site = Site::start(move |request| {
        let (who, name) = request.path[1..].split_once('-').unwrap_or_default();
        let own = "<img id=own src=data:,>";
        Reply::Html(match who {
            "" => {
                let link = |(name, _): &(&str, &str)| format!("<p><a href=/ad-{name}>a</a> <a href=/page-{name}>p</a>");
                page("Home", &ANSWERS.iter().map(link).collect::<String>())
            }
            "ad" => page(name, &format!("{own}<iframe title=ad src='{ads}/{name}'></iframe>")),
            _ => {
                let script = answering(ANSWERS.iter().find(|(known, _)| *known == name).unwrap().1);
                page(name, &format!("{script}{own}<iframe title=ad src='{ads}/'></iframe>"))
            }
        })
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    for (name, _) in ANSWERS {
        for who in ["ad", "page"] {
            let path = format!("/{who}-{name}");
            assert_eq!(items_of(&findings, &path), ["image-alt #own", "image-alt iframe #ad"], "{path}");
        }
    }
    assert!(findings.pages.iter().all(|page| page.frames_not_checked == 0), "{:?}", findings.pages);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_bends_the_language_bends_neither_its_own_result_nor_the_pages() {
    let bend = "<script>for (const name of ['filter', 'map', 'forEach', 'push', 'sort', 'find'])
            Array.prototype[name] = () => [{ id: 'forged' }];
        JSON.stringify = () => '{}'; JSON.parse = () => ({}); Element.prototype.matches = () => false;
        Object.prototype.toJSON = () => 'forged'; Promise.prototype.then = () => {}; window.axe = { runPartial: () => ({}) };
        window.frameElements = []; Object.defineProperty(window, 'ownPart', { value: 1 }); Object.freeze(window);</script>";
    let ad = page("Bent", &format!("{bend}<img id=a src=data:,><iframe title=deep src=/deep></iframe>"));
    let other = Site::start(move |request| match request.path.as_str() {
        "/deep" => Reply::Html(page("Deep", "<button id=deep></button>")),
        _ => Reply::Html(ad.clone()),
    })
    .await;
    let html = page(
        "Home",
        &format!("<img id=own src=data:,><iframe title=ad id=f src='{}'></iframe>", other.url_as("localhost", "/")),
    );
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["button-name #f iframe #deep", "image-alt #own", "image-alt #f #a"]);
    assert_eq!(findings.pages[0].frames_not_checked, 0);
}

/// A script that renames the fields of a form. They hide the form's own properties, in our world too. axe-core reads
/// past the fields that have such names, but a form also remembers the names by which its fields were read: such a name
/// shows nowhere.
const RENAMED: &str = "<script>for (const field of [...document.forms[0].elements]) {
    document.forms[0][field.name];
    field.name = 'harmless';
}</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_in_which_axe_core_fails_costs_itself() {
    let clobber = |names: &[&str]| -> String {
        let fields: String = names.iter().map(|name| format!("<input name={name} aria-label=x>")).collect();
        format!("<form>{fields}</form>{RENAMED}<img id=ad src=data:,>")
    };
    let whole =
        page("Ad", &clobber(&["nodeName", "nodeType", "parentNode", "attributes", "childNodes", "ownerDocument"]));
    let other = Site::start(move |_| Reply::Html(whole.clone())).await;
    let ad = other.url_as("localhost", "/ad?user=4711#x");
    let html = page(
        "Home",
        &format!("<img id=own src=data:,><iframe title=ad src='{ad}'></iframe><iframe title=own src=/inner></iframe>"),
    );
    let site = Site::start(move |request| match request.path.as_str() {
        "/inner" => Reply::Html(page("Inner", "<img id=inner src=data:,>")),
        _ => Reply::Html(html.clone()),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["image-alt #own", "image-alt iframe[title=\"own\"] #inner"]);
    assert_eq!(unchecked(&findings, 0), [(FailureCode::EngineError, &*other.url_as("localhost", "/ad"))]);
    assert_eq!(findings.pages[0].frames_not_checked, 1);
}

/// In a run by hand, axe-core doubts what a rule found anywhere if it failed with an error in one document.
#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_fails_in_a_frame_is_to_be_reviewed_there_and_counts_elsewhere() {
    let pale = "<p style='color:#aaa;background:#fff'>pale</p>";
    let form = format!("<form><input name=getBoundingClientRect aria-label=x>{pale}</form>{RENAMED}");
    let ad = page("Ad", &format!("{form}<img id=ad src=data:,>"));
    let other = Site::start(move |_| Reply::Html(ad.clone())).await;
    let html = page(
        "Home",
        &format!(
            "<img id=own src=data:,>{pale}<iframe title=ad src='{}'></iframe><iframe title=own id=f src=/inner></iframe>",
            other.url_as("localhost", "/")
        ),
    );
    let inner = page("Inner", pale);
    let site = Site::start(move |request| match request.path.as_str() {
        "/inner" => Reply::Html(inner.clone()),
        _ => Reply::Html(html.clone()),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["image-alt #own", "image-alt iframe[title=\"ad\"] #ad"]);
    let pale: Vec<&str> = findings
        .items
        .iter()
        .filter(|item| item.rule.as_str() == "color-contrast")
        .map(|item| item.selector.as_str())
        .collect();
    assert_eq!(pale, ["p", "#f p"]);
    assert_eq!(findings.needs_review.get("color-contrast"), Some(&1));
    assert_eq!(findings.pages[0].frames_not_checked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_whose_result_is_too_large_is_named_and_costs_itself() {
    let ad = page("Ad", &format!("<img id=ad src=data:,><p accesskey={}>x</p>", "x".repeat(5_000_000)));
    let other = Site::start(move |_| Reply::Html(ad.clone())).await;
    let html = page(
        "Home",
        &format!("<img id=own src=data:,><iframe title=ad src='{}'></iframe>", other.url_as("localhost", "/ad")),
    );
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["image-alt #own"]);
    assert_eq!(unchecked(&findings, 0), [(FailureCode::TooLarge, &*other.url_as("localhost", "/ad"))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_with_very_many_faults_does_not_crowd_out_those_of_the_page() {
    let other = Site::start(|_| Reply::Html(page("Ad", &"<img src=data:,y>".repeat(5_001)))).await;
    let html = page(
        "Home",
        &format!("<iframe title=ad src='{}'></iframe><img id=own src=data:,>", other.url_as("localhost", "/")),
    );
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert!(items(&findings).contains(&"image-alt #own".to_owned()));
    assert!(findings.items.len() <= 5_000, "{}", findings.items.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_every_kind_are_checked() {
    let site = Site::start(|request| {
        let level: u32 = request.path.strip_prefix("/level/").and_then(|level| level.parse().ok()).unwrap_or(0);
        Reply::Html(match request.path.as_str() {
            "/" => page(
                "Kinds",
                "<iframe title=deep id=deep src=/level/1></iframe>
                 <iframe title=doc id=doc srcdoc='<html lang=en><title>t</title><img src=data:,>'></iframe>
                 <iframe title=data id=data src='data:text/html,<html lang=en><title>t</title><img src=data:,>'></iframe>
                 <iframe title=blob id=blob></iframe>
                 <iframe title=sandboxed id=sandboxed sandbox src=/image></iframe>
                 <iframe title=scripts id=scripts sandbox=allow-scripts src=/image></iframe>
                 <iframe title=hidden id=hidden hidden src=/image></iframe>
                 <div id=host></div>
                 <script>
                    const text = '<html lang=en><title>t</title><img src=data:,>';
                    blob.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
                    host.attachShadow({ mode: 'open' }).innerHTML = '<iframe title=shadow id=inside src=/image></iframe>';
                 </script>",
            ),
            "/image" => page("Image", "<img src=data:,>"),
            _ if level < 5 => page("Level", &format!("<iframe title=l src=/level/{}></iframe>", level + 1)),
            _ => page("Bottom", "<img src=data:,>"),
        })
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let expected = [
        "image-alt #deep iframe iframe iframe iframe img",
        "image-alt #doc img",
        "image-alt #data img",
        "image-alt #blob img",
        "image-alt #sandboxed img",
        "image-alt #scripts img",
        "image-alt #host #inside img",
    ];
    assert_eq!(items(&findings), expected);
    assert_eq!(findings.pages[0].frames_not_checked, 0, "what is hidden needs no check");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_very_many_frames_the_first_hundred_are_checked_and_the_others_counted() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Many",
            &(0..120).map(|number| format!("<iframe title=f{number} src=/f/{number}></iframe>")).collect::<String>(),
        )),
        _ => Reply::Html(page("Frame", "<img src=data:,>")),
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(120))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let of_images = items(&findings).iter().filter(|item| item.starts_with("image-alt ")).count();
    let page = &findings.pages[0];
    // On a very busy machine, their time may be over before the last of the hundred.
    assert!(
        page.frames_not_checked >= 20 && of_images + page.frames_not_checked as usize == 120,
        "{of_images} {page:?}"
    );
    assert_eq!(page.unchecked_frames.len(), 20);
    let beyond = (FailureCode::TooLarge, &*site.url("/f/100"));
    assert!(page.frames_not_checked > 20 || unchecked(&findings, 0)[0] == beyond, "{page:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_come_go_and_lead_on_while_they_are_checked_cost_only_themselves() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/removes>r</a>, <a href=/leads>l</a>, <a href=/replaces>e</a>")),
        "/removes" => Reply::Html(page(
            "Removes",
            "<img id=own src=data:,><div id=box></div><script>
                setInterval(() => box.innerHTML = '<iframe title=f src=/image></iframe>'.repeat(3), 40)</script>",
        )),
        "/leads" => Reply::Html(page("Leads", "<img id=own src=data:,><iframe title=f src=/on></iframe>")),
        "/replaces" => Reply::Html(page(
            "Replaces",
            "<img id=own src=data:,><iframe title=f id=f srcdoc='<p>x'></iframe><script>
                setInterval(() => { f.srcdoc = '<img src=data:,>' + Math.random() }, 20)</script>",
        )),
        "/image" => Reply::Html(page("Image", &"<img src=data:,>".repeat(50))),
        _ => Reply::Html(page(
            "On",
            "<img src=data:,><script>setTimeout(() => location.replace('/on?' + Math.random()), 60)</script>",
        )),
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    for path in ["/removes", "/leads", "/replaces"] {
        let found = items_of(&findings, path);
        assert!(found.contains(&"image-alt #own".to_owned()), "{path}: {found:?}");
    }
}
