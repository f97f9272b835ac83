//! The findings are those that axe-core gives when a person runs it in the browser's console.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _},
    process::{Child, Command, Stdio},
};

use a11ycheck_core::catalog::is_probe;
use command_fds::{CommandFdExt as _, FdMapping};
use serde_json::{Value, json};

use crate::support::{Reply, Site, browser_program, page, scan, scanner};

/// A browser at the other end of a pipe, without anything around it.
pub(crate) struct Console {
    child: Child,
    commands: PipeWriter,
    answers: BufReader<PipeReader>,
    id: u64,
    _folder: tempfile::TempDir,
}

impl Console {
    pub(crate) fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (commands_in, commands) = std::io::pipe().unwrap();
        let (answers, answers_out) = std::io::pipe().unwrap();
        let mut command = Command::new(browser_program());
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--remote-debugging-pipe",
                "--window-size=1280,720",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stderr(Stdio::null())
            .fd_mappings(vec![
                FdMapping { parent_fd: commands_in.into(), child_fd: 3 },
                FdMapping { parent_fd: answers_out.into(), child_fd: 4 },
            ])
            .unwrap();
        let child = command.spawn().unwrap();
        Self { child, commands, answers: BufReader::new(answers), id: 0, _folder: folder }
    }

    fn call(&mut self, session: Option<&Value>, method: &str, params: Value) -> Value {
        self.id += 1;
        let mut message = json!({ "id": self.id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.clone();
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = Vec::new();
            self.answers.read_until(0, &mut answer).unwrap();
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.id {
                return answer["result"].clone();
            }
        }
    }

    /// Returns the number of failing elements by rule, from the page's own world.
    fn run_axe(&mut self, url: &str, axe: &str) -> BTreeMap<String, usize> {
        let counts = "axe.run().then(r => Object.fromEntries(r.violations.map(v => [v.id, v.nodes.length])))";
        serde_json::from_value(self.evaluate_with_axe(url, axe, counts)).unwrap()
    }

    /// Returns `rule selector` of each element that fails, and the number of those to review by rule, with axe-core in
    /// all frames.
    fn run_axe_in_frames(&mut self, url: &str, axe: &str) -> (Vec<String>, BTreeMap<String, u32>) {
        let all = "results => [
            results.violations.flatMap(v => v.nodes.map(n => `${v.id} ${n.target.flat(Infinity).join(' ')}`)),
            Object.fromEntries(results.incomplete.map(v => [v.id, v.nodes.length])),
        ]";
        serde_json::from_value(self.evaluate_in_frames(url, axe, all)).unwrap()
    }

    /// Returns the value of a function of axe-core's results for the page and all of its frames.
    pub(crate) fn evaluate_in_frames(&mut self, url: &str, axe: &str, function: &str) -> Value {
        let source = json!(axe);
        let all = format!(
            "(async () => {{
            const inject = (root) => {{
                for (const element of root.querySelectorAll('*')) {{
                    if (element.shadowRoot) inject(element.shadowRoot);
                    if (!element.contentWindow) continue;
                    element.contentWindow.eval({source});
                    inject(element.contentDocument);
                }}
            }};
            inject(document);
            return ({function})(await axe.run());
        }})()"
        );
        self.evaluate_with_axe(url, axe, &all)
    }

    fn evaluate_with_axe(&mut self, url: &str, axe: &str, expression: &str) -> Value {
        let target = self.call(None, "Target.createTarget", json!({ "url": url }))["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attach)["sessionId"].clone();
        let mut evaluate = |expression: &str| {
            let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
            self.call(Some(&session), "Runtime.evaluate", params)["result"]["value"].clone()
        };
        while evaluate("location.href !== 'about:blank' && document.readyState") != "complete" {}
        evaluate(axe);
        evaluate(expression)
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.call(None, "Browser.close", json!({}));
        self.child.wait().unwrap();
    }
}

pub(crate) fn axe() -> String {
    let file = std::env::var("A11YCHECK_AXE")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/axe-core/axe.min.js").to_owned());
    std::fs::read_to_string(file).expect("run `npm ci` in the project's folder")
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_counts_are_those_of_a_run_by_hand() {
    let site = Site::start(|request| match request.path.as_str() {
        "/form" => Reply::Html(page(
            "Form",
            "<form><input><select></select><textarea></textarea><label>ok <input></label>
             <input type=image src=data:,><button></button><a href=#></a><div role=checkbox tabindex=0></div></form>",
        )),
        "/colours" => Reply::Html(page(
            "Colours",
            "<p style='color:#888'>pale</p><p style='color:#999;background:#fff'>paler</p><a href=#x style='color:#ccc'>x</a>
             <p style='background:linear-gradient(#fff,#000);color:#777'>unsure</p>",
        )),
        _ => Reply::Html(
            "<title></title><h2>x</h2><h4>y</h4><img src=data:,><ul><p>no item</p></ul><table><th></th></table>\
             <div role=buton>x</div><div aria-labelledby=gone role=img></div><meta name=viewport content='user-scalable=no'>\
             <video autoplay></video><a href=/form>f</a><a href=/colours>c</a><marquee>m</marquee><b id=d></b><b id=d></b>"
                .to_owned(),
        ),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 3).await;
    scanner.close().await;
    let urls: Vec<String> = findings.pages.iter().map(|page| page.url.clone()).collect();
    let by_hand = tokio::task::spawn_blocking(move || {
        let axe = axe();
        let mut console = Console::open();
        urls.iter().map(|url| console.run_axe(url, &axe)).collect::<Vec<_>>()
    })
    .await
    .unwrap();
    assert!(by_hand[0].len() > 8, "the page is meant to break many rules: {by_hand:?}");
    for (number, by_hand) in by_hand.iter().enumerate() {
        let mut by_scanner = BTreeMap::new();
        for item in findings.items.iter().filter(|item| item.page == number && !is_probe(item.rule.as_str())) {
            *by_scanner.entry(item.rule.to_string()).or_insert(0) += 1;
        }
        assert_eq!(&by_scanner, by_hand, "{}", findings.pages[number].url);
    }
}

/// The comparison covers above all what axe-core compares across frames: headings, landmarks, regions, titles, ids,
/// keys.
#[tokio::test(flavor = "multi_thread")]
async fn what_fails_in_frames_is_what_fails_in_a_run_by_hand() {
    let site = Site::start(|request| match request.path.as_str() {
        "/headings" => Reply::Html(
            "<html lang=en><title>Headings</title><main><h1>a</h1><h3>skips</h3><iframe title=i src=/deep></iframe><h6>x</h6></main>"
                .to_owned(),
        ),
        "/deep" => Reply::Html(
            "<title>Deep</title><h4>fits</h4><p>outside of a region</p><h6>skips</h6><input accesskey=k><img src=data:,>\
             <iframe src=/bottom tabindex=-1></iframe>"
                .to_owned(),
        ),
        "/bottom" => Reply::Html("<button></button><nav aria-label=n></nav><nav aria-label=n>x</nav><h1>b</h1>".to_owned()),
        "/no-heading" => Reply::Html("<html lang=en><title>x</title><p style='color:#aaa'>text</p><a href=#>y</a>".to_owned()),
        "/colours" => Reply::Html(page(
            "Colours",
            "<p style='color:#888'>pale</p><p style='background:linear-gradient(#fff,#000);color:#777'>unsure</p>\
             <b accesskey=k>k</b><div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML =
                '<img src=data:,><iframe title=twice src=/no-heading></iframe>'</script>",
        )),
        "/second" => Reply::Html(
            "<html lang=en><title>Second</title><iframe title=twice src=/no-heading></iframe>\
             <iframe title=twice src=/headings></iframe><nav>a</nav><nav>b</nav><p>loose</p>"
                .to_owned(),
        ),
        _ => Reply::Html(
            "<html lang=en><title>Frames</title><a href=/second>s</a><h2>starts at two</h2>\
             <iframe title=h src=/headings></iframe><nav aria-label=n>x</nav><iframe src=/colours width=1 height=1></iframe>\
             <p accesskey=k>k</p><div aria-hidden=true><iframe title=h src=/deep></iframe></div><h4>late</h4>"
                .to_owned(),
        ),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 2).await;
    scanner.close().await;
    let urls: Vec<String> = findings.pages.iter().map(|page| page.url.clone()).collect();
    assert_eq!(urls.len(), 2);
    let by_hand = tokio::task::spawn_blocking(move || {
        let axe = axe();
        let mut console = Console::open();
        urls.iter().map(|url| console.run_axe_in_frames(url, &axe)).collect::<Vec<_>>()
    })
    .await
    .unwrap();
    let mut to_review = BTreeMap::new();
    for (number, (failing, review)) in by_hand.into_iter().enumerate() {
        assert!(failing.iter().filter(|item| item.contains(" iframe")).count() > 5, "{failing:?}");
        let of_page = findings.items.iter().filter(|item| item.page == number && !is_probe(item.rule.as_str()));
        let mut by_scanner: Vec<String> = of_page.map(|item| format!("{} {}", item.rule, item.selector)).collect();
        let mut by_hand = failing;
        // The lists are sorted rule by rule; within a rule, the order of the document is the same.
        by_scanner.sort_by(|a, b| a.split(' ').next().cmp(&b.split(' ').next()));
        by_hand.sort_by(|a, b| a.split(' ').next().cmp(&b.split(' ').next()));
        assert_eq!(by_scanner, by_hand, "{}", findings.pages[number].url);
        for (rule, count) in review {
            *to_review.entry(rule).or_insert(0) += count;
        }
    }
    let of_axe = findings.needs_review.iter().filter(|(rule, _)| !is_probe(rule.as_str()));
    let by_scanner: BTreeMap<String, u32> = of_axe.map(|(rule, count)| (rule.to_string(), *count)).collect();
    assert_eq!(by_scanner, to_review);
}
