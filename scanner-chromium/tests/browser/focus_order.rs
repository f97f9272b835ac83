//! The probe of focus order: where a person is asked, and where nobody needs to be.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog::sentence,
    domain::{Finding, RuleId},
    id::ScanId,
    locale::Locale,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};

use crate::support::{Progress, Reply, Site, page, scanner};

const PROBE: &str = "a11ycheck-focus-order";

/// The body of a page, and the element at which the focus goes back, with the name of the one before it.
const ASKED: [(&str, &str, &str); 14] = [
    (
        "<p style='display: flex; flex-direction: row-reverse'><a href=/a>One</a> <a id=x href=/b>Two</a> <a href=/c>Three</a></p>",
        "#x",
        "One",
    ),
    (
        "<p style='display: flex; flex-direction: column-reverse'><a href=/a>One</a> <a id=x href=/b>Two</a> <a href=/c>Three</a></p>",
        "#x",
        "One",
    ),
    ("<style>li { float: right }</style><ul><li><a href=/a>One</a><li><a id=x href=/b>Two</a><li><a href=/c>Three</a></ul>", "#x", "One"),
    (
        "<div style='display: grid'><button style='grid-row: 3'>One</button><button id=x style='grid-row: 2'>Two</button>
         <button style='grid-row: 1'>Three</button></div>",
        "#x",
        "One",
    ),
    // The element that is seen first is reached last, or the one that is seen last is reached in between.
    (
        "<p style='display: flex'><a href=/a>One</a> <a href=/b>Two</a> <a id=x href=/c style='order: -1'>Three</a></p>",
        "#x",
        "Two",
    ),
    (
        "<p><a href=/a>One</a> <a href=/b style='float: right'>Two</a> <a id=x href=/c>Three</a></p>",
        "#x",
        "Two",
    ),
    (
        "<style>div div { position: absolute; top: 9px }</style><div style='position: relative; height: 60px'>
         <div style='left: 400px'><a href=/a>One</a></div><div style='left: 200px'><a id=x href=/b>Two</a></div>
         <div style='left: 0'><a href=/c>Three</a></div></div>",
        "#x",
        "One",
    ),
    // Cards, with boxes of their own or without.
    (
        "<div style='display: flex; flex-direction: row-reverse'><div><h2><a href=/a>One</a></h2><p>Text of some length</p></div>
         <div><h2><a id=x href=/b>Two</a></h2></div><div><h2><a href=/c>Three</a></h2></div></div>",
        "#x",
        "One",
    ),
    (
        "<div style='display: flex; flex-direction: row-reverse'><span style='display: contents'><a href=/a>One</a></span>
         <span style='display: contents'><a id=x href=/b>Two</a></span> <a href=/c>Three</a></div>",
        "#x",
        "One",
    ),
    // Reading from right to left, and from top to bottom.
    (
        "<p dir=rtl style='display: flex; flex-direction: row-reverse'><a href=/a>One</a> <a id=x href=/b>Two</a> <a href=/c>Three</a></p>",
        "#x",
        "One",
    ),
    (
        "<p style='writing-mode: vertical-rl; display: flex; flex-direction: row-reverse; height: 300px'><a href=/a>One</a>
         <a id=x href=/b>Two</a> <a href=/c>Three</a></p>",
        "#x",
        "One",
    ),
    ("<p><a id=x href=/a>One</a></p><p><a href=/b tabindex=1>Two</a></p>", "#x", "Two"),
    (
        "<form><p><label>One <input tabindex=1></label></p><p><label>Two <input id=x tabindex=3></label></p>
         <p><label>Three <input tabindex=2></label></p></form>",
        "#x",
        "Three",
    ),
    // A hostile page: names that hide properties, a button without a name, and more than is looked at.
    (
        "<form><input name=children aria-label=x><input name=closest aria-label=y></form>
         <div id=d style='display: flex; flex-flow: row-reverse wrap; width: 900px'><button></button><button id=x>Two</button></div>
         <script>for (let i = 0; i < 2_100; i += 1) d.append(Object.assign(document.createElement('button'), { textContent: i }))</script>",
        "#x",
        "<button>",
    ),
];

const NOT_ASKED: [&str; 15] = [
    "<p style='display: flex'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></p>",
    "<p dir=rtl style='display: flex'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></p>
     <ul dir=rtl><li style='float: right'><a href=/a>One</a><li style='float: right'><a href=/b>Two</a><li style='float: right'><a href=/c>Three</a></ul>",
    "<div style='writing-mode: vertical-rl; height: 300px'><p><a href=/a>One</a></p><p><a href=/b>Two</a></p><p><a href=/c>Three</a></p></div>
     <p style='writing-mode: sideways-lr; display: flex; height: 300px'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></p>",
    // Letters that run from right to left within a line.
    "<p>عربي <a href=/a>واحد</a> <a href=/b>اثنان</a> <a href=/c>ثلاثة</a></p>",
    "<p style='display: flex; flex-direction: row-reverse'><button>Send</button><button>Cancel</button></p>",
    "<p><a href=/a tabindex=1>One</a></p><p><a href=/b tabindex=2>Two</a></p><p><a href=/c>Three</a></p>",
    // An order by `tabindex` that agrees with the visual one, and a `reading-flow` that has the browser follow the
    // visual order.
    "<p style='display: flex; flex-direction: row-reverse'><a href=/a tabindex=3>One</a> <a href=/b tabindex=2>Two</a> <a href=/c tabindex=1>Three</a></p>",
    "<p style='display: flex; flex-direction: row-reverse; reading-flow: flex-visual'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></p>",
    // Blocks beside each other, columns, lines that wrap.
    "<div style='display: flex'><div style='order: 2'><a href=/a>Text</a></div><aside style='order: 3'><a href=/b>Ad</a></aside>
     <nav style='order: 1'><a href=/c>Menu</a></nav></div>",
    "<div style='columns: 3'><p><a href=/a>One</a></p><p><a href=/b>Two</a></p><p><a href=/c>Three</a></p><p><a href=/d>Four</a></p></div>
     <div style='display: flex; flex-wrap: wrap; width: 90px'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a> <a href=/d>Four</a></div>",
    // Elements that the Tab key does not reach one by one, or not at all.
    "<fieldset style='display: flex; flex-direction: row-reverse'><legend>Stars</legend><label><input type=radio name=r>3</label>
     <label><input type=radio name=r>2</label><label><input type=radio name=r>1</label></fieldset>",
    "<div inert style='display: flex; flex-direction: row-reverse'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></div>
     <div style='position: absolute; left: -9999px; display: flex; flex-direction: row-reverse'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></div>",
    // Elements in front of the page.
    "<p><a href=/a>One</a></p><div style='position: fixed; bottom: 0'><button tabindex=1>Agree</button></div>
     <div role=dialog aria-label=x style='display: flex; flex-direction: row-reverse'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></div>
     <div style='position: relative; display: flex'><p><a href=/a>One</a></p><p><a href=/b>Two</a></p><button style='position: absolute; left: 0; top: 0'>Close</button></div>",
    "<p style='writing-mode: vertical-rl; rotate: 180deg; display: flex; height: 300px; width: 40px'><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></p>",
    "<form><input name=parentElement aria-label=x><input name=getBoundingClientRect aria-label=y><input name=tabIndex tabindex=99999999999999999999 aria-label=z></form>
     <svg viewBox='0 0 9 9'><a href=/a tabindex=5><text y=9>x</text></a></svg><button tabindex=x1>One</button><b tabindex=-0>Two</b>
     <script>let at = document.querySelector('main'); for (let i = 0; i < 300; i += 1) { const next = document.createElement('div'); at.append(next); at = next }
     at.innerHTML = '<button>One</button><button>Two</button>'</script>",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_where_the_focus_goes_back_within_a_block_and_nowhere_else() {
    let bodies: Vec<&str> = ASKED.iter().map(|(body, ..)| *body).chain(NOT_ASKED).collect();
    let paths: Vec<String> = (0..bodies.len()).map(|number| format!("/{number}")).collect();
    let site = Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| bodies.get(number).copied());
        Reply::Html(page("A page of a test", body.unwrap_or("ok")))
    })
    .await;
    let scanner = scanner();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let findings = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap().findings;
    scanner.close().await;

    let probe = RuleId::new(PROBE);
    let of_probe: Vec<&Finding> = findings.undecided.iter().filter(|finding| finding.rule == probe).collect();
    let asked: BTreeSet<(usize, &str)> =
        of_probe.iter().map(|finding| (finding.page, finding.selector.as_str())).collect();
    let expected: BTreeSet<(usize, &str)> =
        ASKED.iter().enumerate().map(|(number, (_, selector, _))| (number, *selector)).collect();
    assert_eq!(asked, expected);
    for finding in of_probe {
        let before = ASKED[finding.page].2;
        for locale in Locale::ALL {
            let said = sentence(&finding.checks[0], locale).unwrap();
            assert!(said.contains(&format!("`{before}`")), "{locale}: {said}");
        }
    }
    assert!(findings.items.iter().all(|finding| finding.rule != probe), "nothing about it is certain");
    assert!(findings.ran.unwrap().contains(PROBE));
}
