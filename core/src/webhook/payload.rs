//! What events say: contract, "Envelope of every event" and "Event types".

use a11ycheck_signing::Envelope;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    domain::{EventKind, NewEvent, Outcome, Scan},
    id::EventId,
    timestamp,
    view::{ScanView, SiteView, Viewer},
};

#[derive(Serialize)]
struct ScanData<'a> {
    scan: ScanView<'a>,
    site: SiteView<'a>,
    new_issues: u64,
}

#[derive(Serialize)]
struct PingData {
    message: &'static str,
}

/// What a completed check is told with, in order: `scan.completed`, and `issues.new` when it found new problems.
pub(crate) fn scan_events(scan: &Scan, outcome: &Outcome, site: SiteView<'_>, viewer: &Viewer<'_>) -> Vec<NewEvent> {
    let data = ScanData { scan: ScanView::new(scan, viewer), site, new_issues: outcome.diff.new };
    let found_new = (outcome.diff.new > 0).then_some(EventKind::IssuesNew);
    let kinds = std::iter::once(EventKind::ScanCompleted).chain(found_new);
    kinds.map(|kind| event(kind, &data, viewer.at)).collect()
}

/// A test event.
pub(crate) fn ping(now: DateTime<Utc>) -> NewEvent {
    let message = "This is a test event. An endpoint that answers it with a 2xx status receives events.";
    event(EventKind::Ping, &PingData { message }, now)
}

fn event(kind: EventKind, data: &impl Serialize, now: DateTime<Utc>) -> NewEvent {
    let id = EventId::generate(now);
    let envelope = Envelope { id: id.to_string(), kind: kind.to_string(), created_at: timestamp::text(now), data };
    let body = serde_json::to_vec(&envelope);
    // Texts, numbers and instants under fixed names: nothing that JSON can't hold.
    let body = Bytes::from(body.expect("an event can be written as JSON"));
    NewEvent { id, kind, created_at: now, body }
}
