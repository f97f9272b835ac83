//! What events say: contract §13.3 and §13.2.

use a11ycheck_core::{
    domain::EventKind,
    id::{DeliveryId, EventId},
    timestamp,
    webhook::{Bytes, CompletedCheck, EventHead, EventWriter},
};
use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::{
    Links,
    view::{ScanView, SiteView, Viewer},
};

/// The message of a test event.
const TEST_MESSAGE: &str = "This is a test event. An endpoint that answers it with a 2xx status receives events.";

/// Writes the bodies of events as version 1 of the contract has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventsV1;

/// The headers of the requests that carry events, by their names.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "core writes them for each delivery")]
pub(crate) struct EventHeaders {
    /// The event type, as in the body.
    #[schemars(rename = "Svc-Event")]
    kind: String,
    /// The id of this delivery, the same on every retry: drop a delivery that was received before.
    #[schemars(rename = "Svc-Delivery")]
    delivery: DeliveryId,
    /// `v1` is the lower-case hexadecimal HMAC-SHA256 of `<t>.<raw body>` under the endpoint's secret; while a new secret replaces an
    /// old one there are two. Compare in constant time, and refuse a `t` that is 300 seconds or more away.
    #[schemars(rename = "Svc-Signature", regex(pattern = "^t=[0-9]+(,v1=[0-9a-f]{64})+$"))]
    signature: String,
}

/// The types of events, with their names among the webhooks of the published document.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the values of core's type")]
pub(crate) enum Webhook {
    /// # A check has completed
    /// Sent for every completed check of a site of the team, scheduled or started by hand. A failed check sends no event.
    #[schemars(rename = "scan.completed", extend("operationId" = "onScanCompleted"))]
    ScanCompleted,
    /// # A check found new problems
    /// Sent after `scan.completed` when `new_issues` is above 0, with the same content.
    #[schemars(rename = "issues.new", extend("operationId" = "onIssuesNew"))]
    IssuesNew,
    /// # A test event
    /// Sent when a person asks for it in the account; every endpoint receives it, whatever events it listens to.
    #[schemars(rename = "ping", extend("operationId" = "onPing"))]
    Ping,
}

/// An event, as the service sends it to an endpoint of the team.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "{T}Event", bound = "T: JsonSchema + EventData")]
pub(crate) struct Event<T> {
    /// The id of the event. Opaque.
    pub(crate) id: EventId,
    /// The event type.
    #[serde(rename = "type")]
    #[schemars(schema_with = "T::kind")]
    pub(crate) kind: EventKind,
    /// The instant at which it happened.
    #[serde(serialize_with = "timestamp::serialize")]
    pub(crate) created_at: DateTime<Utc>,
    /// The content of the event.
    pub(crate) data: T,
}

/// The content of events of some types.
pub(crate) trait EventData {
    /// Describes the types.
    fn kind(generator: &mut SchemaGenerator) -> Schema;
}

/// A completed check, and its site.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CompletedCheck")]
pub(crate) struct ScanData<'a> {
    /// The check.
    pub(crate) scan: ScanView<'a>,
    /// The site that was checked.
    pub(crate) site: SiteView<'a>,
    /// The number of problem elements that the previous completed check did not have.
    pub(crate) new_issues: u64,
}

impl EventData for ScanData<'_> {
    fn kind(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": EventKind::SELECTABLE})
    }
}

/// The content of a test event.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Ping")]
pub(crate) struct PingData {
    /// A greeting.
    message: &'static str,
}

impl PingData {
    /// The content of every test event.
    pub(crate) const TEST: Self = Self { message: TEST_MESSAGE };
}

impl EventData for PingData {
    fn kind(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "const": EventKind::Ping})
    }
}

impl EventWriter for EventsV1 {
    fn completed(&self, event: &EventHead, check: &CompletedCheck<'_>) -> Bytes {
        let links = &Links::new(check.base_url);
        let viewer = Viewer { team: check.team, at: event.created_at, links };
        let data = ScanData {
            scan: ScanView::new(check.scan, &viewer),
            site: SiteView::new(check.site, check.team.is_served(event.created_at)),
            new_issues: check.outcome.diff.new,
        };
        body(event, data)
    }

    fn test(&self, event: &EventHead) -> Bytes {
        body(event, PingData::TEST)
    }
}

fn body(&EventHead { id, kind, created_at, .. }: &EventHead, data: impl Serialize) -> Bytes {
    let body = serde_json::to_vec(&Event { id, kind, created_at, data });
    // Texts, numbers and instants under fixed names: nothing that JSON can't hold.
    Bytes::from(body.expect("an event can be written as JSON"))
}

#[cfg(test)]
mod tests {
    use a11ycheck_signing::Envelope;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_receiver_reads_an_event_by_its_envelope_and_nothing_is_left() {
        let created_at = DateTime::from_timestamp(1_811_851_200, 72_000).unwrap();
        let id = EventId::generate(created_at);
        let body =
            serde_json::to_string(&Event { id, kind: EventKind::Ping, created_at, data: PingData::TEST }).unwrap();
        let read: Envelope<Value> = serde_json::from_str(&body).unwrap();
        assert_eq!((read.id.as_str(), read.kind.as_str()), (id.to_string().as_str(), "ping"));
        assert_eq!(read.created_at, "2027-06-01T12:00:00.000072Z");
        assert_eq!(serde_json::to_string(&read).unwrap(), body);
    }
}
