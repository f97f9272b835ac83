//! Receives webhooks: verifies them, drops duplicates, responds with 204 at once, and works on the event afterwards.
//!
//! ```text
//! A11YCHECK_WEBHOOK_SECRET=whsec_… cargo run -p a11ycheck-examples --example receive_webhook
//! cargo test -p a11ycheck-examples --example receive_webhook
//! ```
//!
//! Listens on 127.0.0.1:8090; a proxy in front of it has the `https` address that the endpoint is registered with.
//! Prints a line per event. docs/webhooks.md has the rules, and the verification in other languages.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{
    collections::{HashSet, VecDeque},
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use a11ycheck_signing::{self as signing, Envelope};
use serde_json::Value;
use tokio::sync::mpsc;
use warp::{Filter as _, http::StatusCode, hyper::body::Bytes};

/// An event of any kind.
type Event = Envelope<Value>;

/// The most bytes of a body: more than any event has.
const MAX_BODY: u64 = 256 * 1024;
/// The number of deliveries that are remembered: more than can arrive within the nine hours in which one may be tried
/// again.
const REMEMBERED: usize = 100_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = std::env::var("A11YCHECK_WEBHOOK_SECRET").map_err(|_| "set A11YCHECK_WEBHOOK_SECRET")?;
    let (events, mut queue) = mpsc::channel(1_000);
    let inbox = Arc::new(Inbox::new(secret, events));
    let route = warp::post()
        .and(warp::header("svc-delivery"))
        .and(warp::header("svc-signature"))
        .and(warp::body::content_length_limit(MAX_BODY))
        .and(warp::body::bytes())
        .map(move |delivery: String, signature: String, body: Bytes| inbox.receive(delivery, &signature, &body, now()));
    tokio::spawn(warp::serve(route).run(([127, 0, 0, 1], 8090)));
    while let Some(event) = queue.recv().await {
        println!("{} {}: {} new problems", event.created_at, event.kind, event.data["new_issues"]);
    }
    Ok(())
}

fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX)
}

/// Receives deliveries. A real program remembers them where they survive a restart: in a table with the id as its key.
struct Inbox {
    secret: String,
    events: mpsc::Sender<Event>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    ids: HashSet<String>,
    in_order: VecDeque<String>,
}

impl Inbox {
    fn new(secret: String, events: mpsc::Sender<Event>) -> Self {
        Self { secret, events, seen: Mutex::default() }
    }

    /// Returns the response to a delivery. With any status but 2xx it is sent again later.
    fn receive(&self, delivery: String, signature: &str, body: &[u8], now: i64) -> StatusCode {
        // First of all, and over the bytes as they came: nothing in them is trusted before.
        if signing::verify(&self.secret, signature, body, now).is_err() {
            return StatusCode::BAD_REQUEST;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.ids.contains(&delivery) {
            return StatusCode::NO_CONTENT;
        }
        let Ok(event) = serde_json::from_slice(body) else { return StatusCode::BAD_REQUEST };
        // The work is done later: the sender waits no longer than 10 s. If the queue is full, the delivery comes again.
        if self.events.try_send(event).is_err() {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        seen.ids.insert(delivery.clone());
        seen.in_order.push_back(delivery);
        if seen.in_order.len() > REMEMBERED
            && let Some(oldest) = seen.in_order.pop_front()
        {
            seen.ids.remove(&oldest);
        }
        StatusCode::NO_CONTENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_example";
    const BODY: &[u8] =
        br#"{"id":"evt_1","type":"ping","created_at":"2027-06-01T12:00:00.000000Z","data":{"message":"Hello."}}"#;

    fn inbox(room: usize) -> (Inbox, mpsc::Receiver<Event>) {
        let (events, queue) = mpsc::channel(room);
        (Inbox::new(SECRET.to_owned(), events), queue)
    }

    #[test]
    fn a_delivery_that_comes_twice_is_worked_on_once() {
        let (inbox, mut queue) = inbox(9);
        for sent_at in [1_000, 1_060] {
            let signature = signing::sign(SECRET, sent_at, BODY);
            assert_eq!(inbox.receive("dlv_1".to_owned(), &signature, BODY, sent_at), StatusCode::NO_CONTENT);
        }
        assert_eq!(queue.try_recv().unwrap().id, "evt_1");
        assert!(queue.try_recv().is_err());
    }

    #[test]
    fn a_forged_or_old_delivery_is_refused() {
        let (inbox, mut queue) = inbox(9);
        let refused = |signature: &str, body: &[u8]| inbox.receive("dlv_1".to_owned(), signature, body, 1_000);
        let genuine = signing::sign(SECRET, 1_000, BODY);
        assert_eq!(refused(&genuine, b"{}"), StatusCode::BAD_REQUEST);
        assert_eq!(refused(&signing::sign("whsec_other", 1_000, BODY), BODY), StatusCode::BAD_REQUEST);
        assert_eq!(refused(&signing::sign(SECRET, 700, BODY), BODY), StatusCode::BAD_REQUEST);
        assert!(queue.try_recv().is_err());
    }

    #[test]
    fn a_delivery_that_there_is_no_room_for_is_asked_for_again() {
        let (inbox, _queue) = inbox(1);
        let signature = signing::sign(SECRET, 1_000, BODY);
        let answers = ["dlv_1", "dlv_2", "dlv_2"].map(|id| inbox.receive(id.to_owned(), &signature, BODY, 1_000));
        assert_eq!(answers, [StatusCode::NO_CONTENT, StatusCode::SERVICE_UNAVAILABLE, StatusCode::SERVICE_UNAVAILABLE]);
    }
}
