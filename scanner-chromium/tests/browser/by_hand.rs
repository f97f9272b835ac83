//! The same findings as axe-core gives when a person runs it in the browser's console.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _},
    process::{Child, Command, Stdio},
};

use command_fds::{CommandFdExt as _, FdMapping};
use serde_json::{Value, json};

use crate::support::{Reply, Site, browser_program, page, scan, scanner};

/// A browser at the other end of a pipe, and nothing more.
struct Console {
    child: Child,
    commands: PipeWriter,
    answers: BufReader<PipeReader>,
    id: u64,
    _folder: tempfile::TempDir,
}

impl Console {
    fn open() -> Self {
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

    /// Elements by rule, from the page's own world.
    fn run_axe(&mut self, url: &str, axe: &str) -> BTreeMap<String, usize> {
        let target = self.call(None, "Target.createTarget", json!({ "url": url }))["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attach)["sessionId"].clone();
        let mut evaluate = |expression: &str| {
            let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
            self.call(Some(&session), "Runtime.evaluate", params)["result"]["value"].clone()
        };
        while evaluate("location.href !== 'about:blank' && document.readyState") != "complete" {}
        evaluate(axe);
        let counts = "axe.run().then(r => Object.fromEntries(r.violations.map(v => [v.id, v.nodes.length])))";
        serde_json::from_value(evaluate(counts)).unwrap()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.call(None, "Browser.close", json!({}));
        self.child.wait().unwrap();
    }
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
        let file = std::env::var("A11YCHECK_AXE")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/axe-core/axe.min.js").to_owned());
        let axe = std::fs::read_to_string(file).expect("run `npm ci` in the project's folder");
        let mut console = Console::open();
        urls.iter().map(|url| console.run_axe(url, &axe)).collect::<Vec<_>>()
    })
    .await
    .unwrap();
    assert!(by_hand[0].len() > 8, "the page is meant to break many rules: {by_hand:?}");
    for (number, by_hand) in by_hand.iter().enumerate() {
        let mut by_scanner = BTreeMap::new();
        for item in findings.items.iter().filter(|item| item.page == number) {
            *by_scanner.entry(item.rule.to_string()).or_insert(0) += 1;
        }
        assert_eq!(&by_scanner, by_hand, "{}", findings.pages[number].url);
    }
}
