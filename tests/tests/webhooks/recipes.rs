//! The recipes of docs/webhooks.md in other languages: they accept what this service sends, and nothing else.

use std::{process::Stdio, sync::Arc, time::Duration};

use a11ycheck_core::{
    clock::{Clock as _, SystemClock},
    engine::Step,
    net::SystemResolver,
    webhook::HttpSender,
};
use a11ycheck_signing as signing;
use a11ycheck_tests::{TestTeam, http};
use chrono::TimeDelta;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::hooks::{loopback, sending_with};

const DOCS: &str = include_str!("../../../docs/webhooks.md");

/// A program that responds with 204 or 400 as `is_genuine` says, and prints its port. The secret comes in a file, since
/// its endpoint can only be created when the port is known.
const PYTHON: &str = r#"
import http.server, sys

class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        secret = open(sys.argv[1]).read()
        signature = self.headers.get("Svc-Signature", "")
        self.send_response(204 if is_genuine(secret, signature, body) else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
"#;

const NODE: &str = r#"
const fs = require("node:fs");
const server = require("node:http").createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const secret = fs.readFileSync(process.argv[2], "utf8");
  const signature = request.headers["svc-signature"] ?? "";
  response.writeHead(isGenuine(secret, signature, Buffer.concat(chunks)) ? 204 : 400).end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"#;

/// Returns the code of the one block in this language.
fn recipe(language: &str) -> &'static str {
    let (_, block) = DOCS.split_once(&format!("```{language}\n")).expect("the docs have a recipe");
    block.split_once("```").expect("the block ends").0
}

struct Recipe {
    _child: Child,
    folder: tempfile::TempDir,
    port: u16,
}

impl Recipe {
    async fn start(program: &str, file: &str, code: String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), code).unwrap();
        let child = Command::new(program)
            .arg(folder.path().join(file))
            .arg(folder.path().join("secret"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut child =
            child.unwrap_or_else(|error| panic!("{program} is needed (apt-get install {program}): {error}"));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().expect("it tells its port").parse().unwrap();
        Self { _child: child, folder, port }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn learn(&self, secret: &str) {
        std::fs::write(self.folder.path().join("secret"), secret).unwrap();
    }

    /// Returns the status of the response to a request with this signature.
    async fn answer(&self, signature: &str, body: &[u8]) -> u16 {
        let client = http().build().unwrap();
        let request = client.post(self.url()).header("Svc-Signature", signature).body(body.to_vec());
        request.send().await.unwrap().status().as_u16()
    }
}

async fn accepts_what_is_sent_and_nothing_else(recipe: Recipe) {
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(Duration::from_secs(30));
    let (service, engine) = sending_with(sender).await;
    let team = TestTeam::create(&service, "Blue Team", "pro").await;
    let (endpoint, old) = team.endpoint(recipe.url()).await;
    let new = team.rotate_secret(endpoint, TimeDelta::hours(1)).await;
    let dispatcher = engine.build().dispatcher().unwrap();
    for secret in [&old, &new] {
        recipe.learn(secret.reveal());
        for _ in 0..20 {
            team.ping(endpoint).await;
        }
        while dispatcher.step().await.unwrap() == Step::Worked {}
    }
    let deliveries = team.deliveries(endpoint).await;
    assert_eq!(deliveries.len(), 40);
    for delivery in deliveries {
        let attempts = team.attempts(delivery.id).await;
        assert!(attempts.len() == 1 && attempts[0].report.is_success(), "{attempts:?}");
    }

    let (secret, body) = (new.reveal(), "{\"note\":\"Ціна 5 ₴\"}".as_bytes());
    let now = SystemClock.now().timestamp();
    let genuine = signing::sign(secret, now, body);
    assert_eq!(recipe.answer(&genuine, body).await, 204);
    assert_eq!(recipe.answer(&signing::sign(secret, now - 290, body), body).await, 204);
    let code = genuine.split_once(",v1=").unwrap().1;
    assert_eq!(recipe.answer(&format!("t={now},v0=x,v1=y,v1={code}"), body).await, 204, "one of several");
    for forged in [
        String::new(),
        format!("t={now}"),
        format!("v1={code}"),
        format!("t={now},v1="),
        format!("t={now},v1={}", code.replace(char::is_alphabetic, "0")),
        format!("t={now},v0={code}"),
        format!("t={now},t={now},v1={code}"),
        format!("t=x,v1={code}"),
        format!("t,v1,={code}"),
        signing::sign(old.reveal(), now, body),
        signing::sign(secret, now, b"{}"),
        signing::sign(secret, now - 300, body),
        signing::sign(secret, now + 310, body),
        signing::sign(secret, -now, body),
    ] {
        assert_eq!(recipe.answer(&forged, body).await, 400, "{forged}");
    }
}

#[tokio::test]
async fn the_python_recipe_accepts_what_is_sent_and_nothing_else() {
    let code = format!("{}{PYTHON}", recipe("python"));
    accepts_what_is_sent_and_nothing_else(Recipe::start("python3", "receiver.py", code).await).await;
}

#[tokio::test]
async fn the_node_recipe_accepts_what_is_sent_and_nothing_else() {
    let code = format!("{}{NODE}", recipe("js"));
    accepts_what_is_sent_and_nothing_else(Recipe::start("node", "receiver.js", code).await).await;
}
