//! What appears when controls are pressed: it is checked, its control is named, and nothing else is done to the page.

use a11ycheck_core::{
    domain::{Finding, Findings},
    id::ScanId,
    report::said_of,
    scanner::{CancellationToken, PageList, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Opening};

use crate::support::{Progress, Reply, Request, Site, config, page};

/// A picture without a text alternative, in what appears.
const X: &str = "<img id=x src='data:,' width=50 height=50>";

/// A text that is too pale, in what is only out of sight before: screen readers read it all the same.
const PALE: &str = "<p id=x style='color: #ccc; background: #fff'>Text in the open part</p>";

/// Pages that open something: what they are, their content with `X` for the picture or `PALE` for the text, and the name of the control.
const OPEN: [(&str, &str, &str); 15] = [
    ("details", "<details><summary>Hours</summary>X</details>", "Hours"),
    (
        "a disclosure",
        "<button aria-expanded=false onclick='toggle(this, p)'>Filter</button><div id=p hidden>X</div>",
        "Filter",
    ),
    (
        "a menu that closes with Escape",
        "<button id=b aria-haspopup=true>Products</button><div id=p hidden>X</div>
         <script>b.onclick = () => p.hidden = false; onkeydown = (event) => { if (event.key === 'Escape') p.hidden = true }</script>",
        "Products",
    ),
    (
        "a menu that opens when the pointer goes down",
        "<button id=b aria-haspopup=menu aria-expanded=false>Products</button><div id=p hidden>X</div>
         <script>b.onpointerdown = () => { p.hidden = !p.hidden; b.ariaExpanded = !p.hidden }</script>",
        "Products",
    ),
    (
        "a menu that slides in",
        "<style>#p { position: absolute; left: -400px; transition: left 0.2s } #p.open { left: 50px }</style>
         <button aria-expanded=false id=b>Menu</button><div id=p>PALE</div>
         <script>b.onclick = () => b.ariaExpanded = p.classList.toggle('open')</script>",
        "Menu",
    ),
    (
        "an accordion without height",
        "<style>#p { height: 0; overflow: hidden } #p.open { height: auto }</style>
         <button aria-expanded=false id=b>Terms</button><div id=p>PALE</div>
         <script>b.onclick = () => b.ariaExpanded = p.classList.toggle('open')</script>",
        "Terms",
    ),
    (
        "a tab",
        "<div role=tablist aria-label=About><button role=tab id=a aria-selected=true>One</button><button role=tab id=b aria-selected=false>Two</button></div>
         <div role=tabpanel aria-labelledby=a id=p>First</div><div role=tabpanel aria-labelledby=b id=q hidden>X</div>
         <script>const show = (one) => { a.ariaSelected = one; b.ariaSelected = !one; p.hidden = !one; q.hidden = one };
         a.onclick = () => show(true); b.onclick = () => show(false)</script>",
        "Two",
    ),
    (
        "a dialog of HTML",
        "<button aria-haspopup=dialog onclick='d.showModal()'>Sizes</button><dialog id=d aria-label=Sizes>X</dialog>",
        "Sizes",
    ),
    (
        "a dialog that only its button closes",
        "<button aria-haspopup=dialog onclick='p.hidden = false'>Sizes</button>
         <div id=p role=dialog aria-label=Sizes hidden>X<button onclick='p.hidden = true'>Close</button></div>",
        "Sizes",
    ),
    ("a popover", "<button popovertarget=p>Help</button><div id=p popover>X</div>", "Help"),
    (
        "a library's collapse",
        "<a href='#p' data-bs-toggle=collapse id=b>Details</a><div id=p hidden>X</div>
         <script>b.onclick = (event) => { event.preventDefault(); p.hidden = !p.hidden }</script>",
        "Details",
    ),
    (
        "a carousel",
        "<section aria-roledescription=carousel aria-label=Offers><div id=p>Spring</div><div id=q hidden>X</div>
         <button onclick='p.hidden = false; q.hidden = true'>Previous</button><button onclick='p.hidden = true; q.hidden = false'>Next slide</button></section>",
        "Next slide",
    ),
    (
        "content that is made then",
        "<button id=b aria-expanded=false>More</button><div id=p></div>
         <script>b.onclick = () => setTimeout(() => { const open = p.innerHTML === ''; b.ariaExpanded = open; p.innerHTML = open ? `X` : '' }, 50)</script>",
        "More",
    ),
    (
        "a shadow tree",
        "<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = `<button aria-expanded=false id=b>Menu</button><div id=p hidden>X</div>`;
         const s = host.shadowRoot; s.getElementById('b').onclick = (event) => toggle(event.currentTarget, s.getElementById('p'))</script>",
        "Menu",
    ),
    (
        "a question about an order",
        "<details><summary>How can I cancel my order?</summary>X</details>",
        "How can I cancel my order?",
    ),
];

/// Pages on which nothing may be pressed; a press asks for `/pressed`.
const SHUT: [(&str, &str); 19] = [
    ("a button that submits", "<form action='/pressed'><button aria-expanded=false>Filter</button></form>"),
    (
        "a button of a form elsewhere",
        "<form id=f action='/pressed'></form><button form=f aria-haspopup=menu>Filter</button>",
    ),
    (
        "what a form may send by script",
        "<form><div role=button tabindex=0 aria-expanded=false TOLD>Filter</div></form>",
    ),
    ("a link", "<a href='/pressed' aria-expanded=false>Products</a>"),
    ("a button in a link", "<a href='/pressed'><span role=button aria-expanded=false>Products</span></a>"),
    ("a handler with an address", "<button aria-expanded=false onclick='location = \"/pressed\"'>Products</button>"),
    ("a word for deleting", "<button aria-expanded=false TOLD>Delete account</button>"),
    ("a word for buying, in German", "<button aria-expanded=false TOLD>Jetzt kaufen</button>"),
    ("a word for buying, in Ukrainian", "<button aria-expanded=false TOLD>Купити зараз</button>"),
    ("a word for sending, in Polish", "<button aria-expanded=false TOLD>Wyślij</button>"),
    ("a word for agreeing, in Czech", "<button aria-haspopup=dialog TOLD>Souhlasím</button>"),
    ("a word in a name that nobody sees", "<button aria-haspopup=dialog aria-label='Log out' TOLD>×</button>"),
    ("an attribute of a library", "<button aria-expanded=false hx-post='/pressed' TOLD>Products</button>"),
    (
        "a button that is not at work",
        "<button aria-expanded=false aria-disabled=true TOLD>Products</button><div inert><button aria-expanded=false TOLD>x</button></div>",
    ),
    (
        "a button that says nothing of opening",
        "<button TOLD>Products</button><div onclick='fetch(\"/pressed\")'>Products</div>",
    ),
    (
        "a button in a dialog that closes more than that",
        "<button aria-haspopup=dialog onclick='p.hidden = false'>Settings</button>
         <div id=p role=dialog aria-label=Settings hidden>Text<button TOLD>Close account</button></div>",
    ),
    (
        "a way back in a carousel that cancels something",
        "<section aria-roledescription=carousel aria-label=Offers><div id=p>Spring</div><div id=q hidden>Summer</div>
         <button class=prev TOLD>Cancel the order</button><button onclick='p.hidden = true; q.hidden = false'>Next slide</button></section>",
    ),
    (
        "a chosen tab that makes a request",
        "<div role=tablist aria-label=About><button role=tab aria-selected=true hx-get='/pressed' TOLD>One</button>
         <button role=tab aria-selected=false onclick='q.hidden = false'>Two</button></div><div id=q hidden>Text</div>",
    ),
    (
        "a field",
        "<label>Town <input role=combobox aria-expanded=false aria-controls=l TOLD></label><div id=l role=listbox aria-label=x></div>",
    ),
];

/// Pages on which a press does more than open something. A first disclosure opens properly.
const LEAVE: [(&str, &str); 7] = [
    ("another page", "location.href = '/gone'"),
    ("another page, later", "setTimeout(() => location.assign('/gone'), 20)"),
    ("a form", "document.body.insertAdjacentHTML('beforeend', '<form action=/gone id=sent></form>'); sent.submit()"),
    (
        "a form that asks",
        "document.body.insertAdjacentHTML('beforeend', '<form action=/gone id=sent></form>'); sent.requestSubmit()",
    ),
    ("a request that sends", "fetch('/gone', { method: 'POST', body: 'x' })"),
    ("a beacon", "navigator.sendBeacon('/gone', 'x')"),
    ("a question", "if (confirm('Delete all?')) fetch('/gone')"),
];

fn answer(request: &Request) -> Reply {
    let mut parts = request.path.trim_start_matches('/').split('/');
    let (kind, number) = (parts.next().unwrap_or_default(), parts.next().and_then(|number| number.parse().ok()));
    let body = match (kind, number) {
        ("open", Some(number)) => OPEN.get::<usize>(number).map(|(_, body, _)| body.replace('X', X).replace("PALE", PALE)),
        ("shut", Some(number)) => {
            SHUT.get::<usize>(number).map(|(_, body)| body.replace("TOLD", "onclick='fetch(\"/pressed\")'"))
        }
        ("leave", Some(number)) => LEAVE.get::<usize>(number).map(|(_, deed)| {
            format!(
                "<details><summary>Hours</summary>{X}</details><button aria-expanded=false id=b>Products</button><div id=p hidden>{X}</div>
                 <script>b.onclick = () => {{ p.hidden = false; {deed} }}</script>"
            )
        }),
        _ => None,
    };
    let script = "<script>const toggle = (button, panel) => { panel.hidden = !panel.hidden; button.ariaExpanded = !panel.hidden }</script>";
    Reply::Html(page("A page of a test", &format!("{script}{}", body.unwrap_or_default())))
}

async fn scan(site: &Site, paths: &[String], opening: Opening) -> Findings {
    let scanner = ChromiumScanner::new(config().with_opening(opening)).unwrap();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    output.findings
}

/// Returns rule, end of the selector and name of the control of what appeared on a page, the undecided included.
fn opened(findings: &Findings, page: usize) -> Vec<String> {
    let of_page = findings.items.iter().chain(&findings.undecided).filter(|finding| finding.page == page);
    let said = |finding: &Finding| {
        let control = finding.opened_by.as_ref()?;
        let end = finding.selector.rsplit(' ').next().unwrap_or_default();
        Some(format!("{} {end} < {}", finding.rule, control.name))
    };
    of_page.filter_map(said).collect()
}

fn paths(kind: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/{kind}/{number}")).collect()
}

/// Returns the kinds of findings that the page shows by itself, without what differs from run to run.
fn by_itself(findings: &Findings) -> Vec<(usize, String, String)> {
    let shown = findings.items.iter().chain(&findings.undecided).filter(|finding| finding.opened_by.is_none());
    shown.map(|finding| (finding.page, finding.rule.to_string(), finding.selector.clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_opens_is_checked_and_names_what_was_pressed() {
    let site = Site::start(answer).await;
    let paths = paths("open", OPEN.len());
    let findings = scan(&site, &paths, Opening::EveryPage).await;
    let mut wrong = Vec::new();
    for (number, (what, body, name)) in OPEN.iter().enumerate() {
        let found = opened(&findings, number);
        let rule = if body.contains("PALE") { "color-contrast" } else { "image-alt" };
        if found != [format!("{rule} #x < {name}")] {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let hours = findings.items.iter().find(|item| item.page == 0).unwrap();
    assert_eq!(hours.opened_by.as_ref().unwrap().selector, "summary");
    assert_eq!(hours.area, None, "it is not on the picture of the page");
    let said = said_of(hours, a11ycheck_core::locale::Locale::De).unwrap();
    assert!(said.starts_with("Das Element erscheint, wenn `Hours` gedrückt wird.\n"), "{said}");

    let without = scan(&site, &paths, Opening::Off).await;
    assert!(without.items.iter().all(|item| item.opened_by.is_none()));
    assert_eq!(by_itself(&findings), by_itself(&without), "the first look is the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_do_more_than_open_is_not_pressed() {
    let site = Site::start(answer).await;
    let findings = scan(&site, &paths("shut", SHUT.len()), Opening::EveryPage).await;
    assert_eq!(findings.pages.iter().filter(|page| page.is_checked()).count(), SHUT.len());
    assert_eq!(site.hits("/pressed"), 0);
    let asked: Vec<_> = site.requests().into_iter().filter(|request| request.path.starts_with("/pressed")).collect();
    assert!(asked.is_empty(), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_that_does_more_is_stopped_and_nothing_of_the_page_that_opened_counts() {
    let site = Site::start(answer).await;
    let findings = scan(&site, &paths("leave", LEAVE.len()), Opening::EveryPage).await;
    let asked: Vec<_> = site.requests().into_iter().filter(|request| request.path.starts_with("/gone")).collect();
    assert!(asked.is_empty(), "{asked:?}");
    for (number, (what, _)) in LEAVE.iter().enumerate() {
        assert!(findings.pages[number].is_checked(), "{what}");
        assert_eq!(opened(&findings, number), Vec::<String>::new(), "{what}");
    }
}

/// Two disclosures. The second opens only while nothing else is open.
const TWO: &str = "<button aria-expanded=false id=a onclick='if (!q.hidden) p.id = \"wrong\"; toggle(this, p)'>One</button><div id=p hidden><img id=x src='data:,' width=50 height=50></div>
    <h2>Further</h2><div class=other><button aria-expanded=false id=b onclick='if (p.hidden) toggle(this, q)'>Two</button></div><div id=q hidden><img id=y src='data:,' width=50 height=50></div>";

#[tokio::test(flavor = "multi_thread")]
async fn each_state_is_put_back_before_the_next_or_the_page_is_opened_again() {
    let stuck = TWO.replace("toggle(this, p)", "p.hidden = false");
    let site = Site::start(move |request| {
        let script = "<script>const toggle = (button, panel) => { panel.hidden = !panel.hidden; button.ariaExpanded = !panel.hidden }</script>";
        let body = if request.path == "/stuck" { &stuck } else { TWO };
        Reply::Html(page("A page of a test", &format!("{script}{body}")))
    })
    .await;
    let paths = ["/two", "/stuck"].map(str::to_owned);
    let findings = scan(&site, &paths, Opening::EveryPage).await;
    for page in [0, 1] {
        assert_eq!(opened(&findings, page), ["image-alt #x < One", "image-alt #y < Two"], "{page}");
    }
    assert_eq!((site.hits("/two"), site.hits("/stuck")), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_each_kind_of_page_one_is_opened() {
    let site =
        Site::start(|_| Reply::Html(page("A page", &format!("<details><summary>Hours</summary>{X}</details>")))).await;
    let paths = ["/a/1", "/a/2", "/b/1"].map(str::to_owned);
    let findings = scan(&site, &paths, Opening::OneOfEachKind).await;
    let opened = [0, 1, 2].map(|page| !opened(&findings, page).is_empty());
    // Pages at the same time may be of one kind.
    assert!(opened[2] && (opened[0] || opened[1]), "{opened:?}");
}

/// Pages with what the probes of keys and focus say: rule, selector, what is said, and the control that is named.
const PRESSED: [(&str, &str, &[&str]); 12] = [
    (
        "a control that only a click opens",
        "<div role=button tabindex=0 id=b aria-expanded=false onclick='toggle(this, p)'>Menu</div><div id=p hidden>text</div>",
        &["a11ycheck-opening-keys #b keys"],
    ),
    (
        "one that the Tab key does not reach",
        "<div role=button id=b aria-expanded=false onclick='toggle(this, p)'>Menu</div><div id=p hidden>text</div>",
        &["a11ycheck-opening-keys #b focus"],
    ),
    (
        "one that Space opens",
        "<div role=button tabindex=0 id=b aria-expanded=false onclick='toggle(this, p)' onkeydown='if (event.key === \" \") this.click()'>Menu</div><div id=p hidden>text</div>",
        &[],
    ),
    (
        "one that opens with an arrow, when the key is released",
        "<span role=button tabindex=0 id=b aria-haspopup=menu aria-expanded=false onclick='toggle(this, p)' onkeyup='if (event.key === \"ArrowDown\" && event.isTrusted) this.click()'>Menu</span><div id=p hidden>text</div>",
        &[],
    ),
    (
        "one that opens when it has the focus",
        "<div role=button tabindex=0 id=b aria-expanded=false onclick='p.hidden = false' onfocus='p.hidden = false' onblur='p.hidden = true'>Menu</div><div id=p hidden>text</div>",
        &[],
    ),
    (
        "a button of HTML, and an item with a link in it",
        "<button aria-expanded=false onclick='toggle(this, p)'>Menu</button><div id=p hidden>text</div>
         <div role=button aria-expanded=false id=c onclick='toggle(this, q)'>More <a href='#q'>of it</a></div><div id=q hidden>text</div>",
        &[],
    ),
    (
        "a dialog of HTML",
        "<button aria-haspopup=dialog onclick='d.showModal()'>Sizes</button><dialog id=d aria-label=Sizes><button>One</button></dialog>",
        &[],
    ),
    (
        "a dialog that does nothing",
        "<button aria-haspopup=dialog onclick='p.hidden = false'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes hidden><button onclick='p.hidden = true; this.blur()'>Close</button></div>",
        &["a11ycheck-dialog-focus #p taken escape returned < Sizes"],
    ),
    (
        "a dialog that does all of it",
        "<button aria-haspopup=dialog id=b>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes tabindex=-1 hidden><button>One</button></div>
         <script>b.onclick = () => { p.hidden = false; setTimeout(() => p.focus(), 60) };
         p.onkeydown = (event) => { if (event.key === 'Escape' && event.isTrusted) { p.hidden = true; b.focus() } }</script>",
        &[],
    ),
    (
        "a dialog that does not give the focus back",
        "<button aria-haspopup=dialog id=b onclick='p.hidden = false; p.focus()'>Sizes</button>
         <div id=p role=dialog aria-modal=true aria-label=Sizes tabindex=-1 hidden onkeydown='if (event.key === \"Escape\") p.hidden = true'><button>One</button></div>",
        &["a11ycheck-dialog-focus #p returned < Sizes"],
    ),
    (
        "a dialog beside the page, which need not take the focus",
        "<button aria-haspopup=dialog aria-expanded=false id=b onclick='toggle(this, p)'>Sizes</button><div id=p role=dialog aria-label=Sizes hidden>text</div>",
        &[],
    ),
    (
        "hostile ones",
        "<form><div role=button tabindex=0 aria-expanded=false>Menu</div><input name=focus aria-label=x></form>
         <div role=button tabindex=0 aria-expanded=false id=b onclick='toggle(this, p)' onfocus='this.remove()'>Menu</div><div id=p hidden>text</div>
         <script>addEventListener('keydown', (event) => { event.stopImmediatePropagation(); document.activeElement.remove() }, true)</script>",
        &[],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn keys_open_what_a_click_opens_and_dialogs_care_for_the_focus() {
    let site = Site::start(|request| {
        let script = "<script>const toggle = (button, panel) => { panel.hidden = !panel.hidden; button.ariaExpanded = !panel.hidden }</script>";
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| PRESSED.get(number)).map_or("", |(_, body, _)| body);
        Reply::Html(page("A page of a test", &format!("{script}{body}")))
    })
    .await;
    let paths: Vec<String> = (0..PRESSED.len()).map(|number| format!("/{number}")).collect();
    let findings = scan(&site, &paths, Opening::EveryPage).await;
    let probes = ["a11ycheck-opening-keys", "a11ycheck-dialog-focus"];
    let mut wrong = Vec::new();
    for (number, (what, _, wanted)) in PRESSED.iter().enumerate() {
        let of_page = findings.items.iter().filter(|item| item.page == number && probes.contains(&item.rule.as_str()));
        let said = |item: &Finding| {
            let control = item.opened_by.as_ref().map(|control| format!(" < {}", control.name)).unwrap_or_default();
            let keys: Vec<&str> = item.checks.iter().filter_map(|check| check.key.as_deref()).collect();
            format!("{} {} {}{control}", item.rule, item.selector, keys.join(" "))
        };
        let found: Vec<String> = of_page.map(said).collect();
        if found != *wanted {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let ran = findings.ran.unwrap();
    assert!(probes.iter().all(|probe| ran.contains(*probe)), "{ran:?}");
}

/// Hostile pages: they run, add or open something without end, remove what was pressed, or try to break the scripts
/// that press controls.
const HOSTILE: [&str; 8] = [
    "<button aria-expanded=false onclick='while (true);'>Menu</button>",
    "<button aria-expanded=false onclick='this.remove(); document.body.innerHTML = \"\"'>Menu</button>",
    "<button aria-expanded=false onclick='setInterval(() => document.body.append(document.createElement(\"p\"), \"text\"), 1)'>Menu</button>",
    "<div id=a></div><script>a.innerHTML = '<button aria-expanded=false>Menu</button><details><summary>x</summary>y</details>'.repeat(500)</script>",
    "<form><input name=click aria-label=x><input name=getAttribute aria-label=x><button type=button name=parentNode aria-expanded=false>Menu</button></form>",
    "<button aria-expanded=false onclick='for (let i = 0; i < 1e5; i += 1) window.open(\"/gone\")'>Menu</button>",
    "<script>EventTarget.prototype.dispatchEvent = HTMLElement.prototype.click = () => { throw 1 }; Set = Map = JSON = null</script><details><summary>Hours</summary>text</details>",
    "<button aria-expanded=false id=b>Menu</button><script>b.onclick = () => { let at = document.body; for (let i = 0; i < 3000; i += 1) at = at.appendChild(document.createElement('div')); at.append('deep') }</script>",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_costs_what_it_opens_and_no_other_page() {
    let site = Site::start(|request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| HOSTILE.get(number));
        Reply::Html(page(
            "A page",
            body.copied()
                .unwrap_or("<details><summary>Hours</summary><img id=x src='data:,' width=50 height=50></details>"),
        ))
    })
    .await;
    let mut paths: Vec<String> = (0..HOSTILE.len()).map(|number| format!("/{number}")).collect();
    paths.push("/good".to_owned());
    let findings = scan(&site, &paths, Opening::EveryPage).await;
    let unchecked: Vec<_> = findings.pages.iter().filter(|page| !page.is_checked()).collect();
    assert!(unchecked.is_empty(), "{unchecked:?}");
    assert_eq!(opened(&findings, HOSTILE.len()), ["image-alt #x < Hours"]);
    assert!(site.requests().iter().filter(|request| request.path == "/gone").count() == 0);
}
